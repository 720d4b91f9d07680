"""How much an agent must read to have the evidence for questions that need several documents: over the mount, and by
``grep`` over the plain files.

    scripts/bench agent DIR [--set hotpotqa] [--store DIR] [--json FILE]
    scripts/bench agent [DIR] --model [NAME] [--set sample] [--questions 20] [--store DIR] [--json FILE]

With ``--model`` the real loop of ``kgfs agent`` answers, over the mount and over the plain files (``agent_answers``),
where there is a key or a server for it; without one, the readers below read. The set ``sample`` is the sample of the
package with questions of its own.

DIR holds folders with ``docs.jsonl`` {_id, title, text} and ``questions.jsonl`` {_id, question, supporting}. The
documents are added as files named by their titles, as a user adds a folder, and mounted; ``--store`` keeps what was
added for the next time. Two scripted readers are given each question and nothing else; neither knows the answer.

* The reader of the mount may only open paths of it: the brief; then the summaries of what the question names and the
  brief lacks; then a search, whose best hits it opens.
* The reader of the files may only use ``grep``, ``find`` and ``cat``: the files that are called like the names in the
  question (or its longest words) and the first lines that have them; a line is a whole paragraph there. Then the files
  that are called like the names that stand there most often.

The reader of the mount stops when every name of the question stands in what it read, both after ``MOST`` commands; what
a pipe does is one command. A document counts as read when its whole text was printed. The result: the share of
questions with all evidence read, commands and bytes printed, each a mean.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import agent_answers
from fs import Daemon
from retrieval import lines

from kgfs.agent.model_server import ModelServer
from kgfs.config import Config, load_config
from kgfs.llm.client import BASE_URL_VARIABLE, KEY_VARIABLES
from kgfs.namespace.queries.query_cache import encode

SAMPLE = Path(__file__).resolve().parents[2] / "kgfs" / "samples" / "companies"
QUESTIONS = Path(__file__).with_name("sample_questions.jsonl")
NAME_OF_SAMPLE = "sample"
MOST = 10
"""Commands for a question."""
OPENED = 3
"""Files or hits that a list is followed to."""
NAMES = 3
"""Of the question, that are looked for."""
LINES = 10
"""That are read of what ``grep`` finds: as many as ``head`` shows."""
HOPS = 3
"""Names that are followed from what was read."""
_NAME = re.compile(r"[A-ZÀ-Ý0-9][\w.'’–-]*(?:(?: (?:of|the|and|in|on|for|de|von|van))* [A-ZÀ-Ý0-9][\w.'’–-]*)*")
_COMMON = frozenset(
    "what which who whom whose when where why how in on at of the a an is are was were did do does and or for to by"
    " from this that these those it he she they his her their".split()
)


class Reader:
    """One question's reading: what was printed, and by how many commands."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.text = ""
        self.commands = 0
        self.bytes = 0

    def run(self, *command: str) -> str:
        """What a command prints, where there is another one left."""
        if self.commands >= MOST:
            return ""
        done = subprocess.run(command, cwd=self.place, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        self.commands += 1
        self.bytes += len(done.stdout)
        printed = done.stdout.decode("utf-8", "replace")
        self.text += printed + "\n"
        return printed


def names_in(text: str) -> list[str]:
    """What looks like a name, in order, each once."""
    found = []
    for match in _NAME.finditer(text):
        words = match.group().rstrip(".'’–-").split(" ")
        while words and words[0].lower() in _COMMON:
            words = words[1:]
        name = " ".join(words).removesuffix("'s").removesuffix("’s")
        if len(name) > 2 and not name.isdigit():
            found.append(name)
    return list(dict.fromkeys(found))


def lacking(question: str, text: str) -> list[str]:
    folded = text.casefold()
    return [name for name in names_in(question) if name.casefold() not in folded]


def read_mount(reader: Reader, question: str) -> None:
    """Brief; summaries; search."""
    answer = reader.run("cat", f"@brief/{encode(question)}").partition("\n")[2]
    for name in lacking(question, answer)[:2]:
        slug = name.replace(" ", "_")
        answer += reader.run("cat", f"entities/by_name/{slug}/summary.txt")
    if not lacking(question, answer) or not answer.strip():
        return
    hits = reader.run("cat", f"@search/text/limit=8/{encode(question)}")
    paths = [line.partition(": [")[0] for line in hits.splitlines()]
    unseen = [path for path in paths if path.partition("/chunks/")[2] not in answer]
    for path in unseen[:OPENED]:
        reader.run("cat", path)


def read_files(reader: Reader, question: str) -> None:
    """Files that are called like the names in the question, lines that have them, files called like names in these."""
    longest = sorted(set(re.findall(r"\w{5,}", question)), key=lambda word: (-len(word), word))
    asked = names_in(question)[:NAMES] or longest[:NAMES]
    read = ""
    for name in asked:
        read += called(reader, name)
        read += reader.run("bash", "-c", f'grep -rihF -- "$1" . | head -n {LINES}', "bash", name)
    folded = question.casefold()
    fresh = [name for name in names_in(read) if name.casefold() not in folded and " " in name]
    for name in sorted(fresh, key=lambda name: -read.count(name))[:HOPS]:
        called(reader, name)


def called(reader: Reader, name: str) -> str:
    """The files whose names begin with a name, in one command."""
    pattern = re.sub(r"([][*?\\])", r"\\\1", name.replace("/", "_"))
    return reader.run(
        "bash", "-c", f'find . -iname "$1*" -print0 | head -z -n {OPENED} | xargs -0r cat', "bash", pattern
    )


READERS: dict[str, Callable[[Reader, str], None]] = {"mount": read_mount, "files": read_files}


def write_files(directory: Path, folder: Path) -> dict[str, str]:
    """Each document as a file that is called by its title; the text of each by its id."""
    folder.mkdir(exist_ok=True)
    texts, known = {}, set()
    for document in lines(directory / "docs.jsonl"):
        stem = name = document["title"].replace("/", "_").lstrip(".")[:180] or "untitled"
        number = 2
        while name.casefold() in known:
            name, number = f"{stem} {number}", number + 1
        known.add(name.casefold())
        path = folder / f"{name}.md"
        path.write_text(f"# {document['title']}\n\n{document['text']}\n", encoding="utf-8")
        texts[document["_id"]] = document["text"].strip()
    return texts


class Asked(NamedTuple):
    """A set of questions with its files."""

    folder: Path
    questions: list[agent_answers.Question]
    short: bool
    """Whether a document is a passage; else evidence is read where the answer is."""


def asked(directory: Path, work: Path, most: int | None) -> Asked:
    """The files of a set and its questions; of the sample where the directory is that."""
    folder = work / "files"
    if directory == SAMPLE:
        shutil.copytree(SAMPLE, folder)
        rows = lines(QUESTIONS)
        texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
        evidence = "files"
    else:
        texts = write_files(directory, folder)
        rows, evidence = lines(directory / "questions.jsonl"), "supporting"
    found = [
        agent_answers.Question(one["question"], one.get("answer", ""), [texts[name] for name in one[evidence]])
        for one in rows
    ]
    return Asked(folder, found[:most], directory != SAMPLE)


@contextmanager
def mounted(folder: Path, work: Path, store: Path) -> Iterator[Path]:
    """The store of a folder, mounted and ready."""
    mountpoint = work / "kg"
    mountpoint.mkdir()
    if not store.exists():
        command = [sys.executable, "-m", "kgfs.cli.main", "--store", os.fspath(store), "-q", "add", os.fspath(folder)]
        subprocess.run(command, check=True)
    daemon = Daemon(store, mountpoint)
    daemon.start()
    try:
        warm_up(mountpoint)
        yield mountpoint
    finally:
        daemon.stop()


def bench_model(given: Asked, work: Path, store: Path, name: str | None) -> dict[str, Any]:
    """The loop over the mount, and over the files."""
    with mounted(given.folder, work, store):
        config = load_config(store)
        wanted = name or config.llm_model
        model = ModelServer(config, wanted)
        model.open()
        try:
            ask = agent_answers.over_the_mount(store, model, wanted)
            results = {"mount": agent_answers.means([ask(question) for question in given.questions])}
            with agent_answers.over_the_files(given.folder, model, wanted, Config()) as ask_files:
                results["files"] = agent_answers.means([ask_files(question) for question in given.questions])
        finally:
            model.close()
    return results


def bench(given: Asked, work: Path, store: Path) -> dict[str, Any]:
    found: dict[str, list[tuple[bool, int, int]]] = {name: [] for name in READERS}
    with mounted(given.folder, work, store) as mountpoint:
        for question in given.questions:
            for name, place in (("mount", mountpoint), ("files", given.folder)):
                reader = Reader(place)
                READERS[name](reader, question.text)
                wanted = [text.strip() for text in question.evidence] if given.short else [question.answer]
                whole = all(text in reader.text for text in wanted)
                found[name].append((whole, reader.commands, reader.bytes))
    return {
        name: {
            "evidence": statistics.mean(whole for whole, _, _ in rows),
            "commands": statistics.mean(commands for _, commands, _ in rows),
            "bytes": statistics.mean(size for _, _, size in rows),
        }
        for name, rows in found.items()
    }


def warm_up(mountpoint: Path) -> None:
    """Until the model is loaded, as it is a minute after a mount."""
    for number in range(60):
        path = mountpoint / f"@search/semantic/limit=1/warm {number}/results.jsonl"
        if '"mode":"hybrid' in path.read_text(encoding="utf-8"):
            return


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench agent", description="What an agent must read for its evidence."
    )
    parser.add_argument("directory", type=Path, metavar="DIR", nargs="?", help="not needed for the set `sample`")
    parser.add_argument("--set", action="append", dest="names", help="only this collection; may be given again")
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="where what is added stays, or was left the last time"
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--model", nargs="?", const="", metavar="NAME", help="ask this language model (the setting llm_model)"
    )
    parser.add_argument("--questions", type=int, metavar="N", help="the first N of a set")
    options = parser.parse_args()
    names = options.names or [NAME_OF_SAMPLE]
    if options.names is None and options.directory is not None:
        names = sorted(path.parent.name for path in options.directory.glob("*/questions.jsonl"))
    if options.directory is None and names != [NAME_OF_SAMPLE]:
        parser.error("DIR is needed for every set but `sample`")
    asks = options.model is not None and any(map(os.environ.get, (*KEY_VARIABLES, BASE_URL_VARIABLE)))
    if options.model is not None and not asks:
        print(f"There is no key ({KEY_VARIABLES[0]}), so scripted readers read.", file=sys.stderr)
    results = {}
    for name in names:
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            given = asked(SAMPLE if name == NAME_OF_SAMPLE else options.directory / name, work, options.questions)
            store = options.store or work / "store"
            if asks:
                results[name] = bench_model(given, work, store, options.model or None)
                print(agent_answers.table(name, results[name]))
                continue
            results[name] = bench(given, work, store)
        print(f"| {name} | all evidence read | commands | bytes |\n|---|---|---|---|")
        for reader, row in results[name].items():
            print(f"| {reader} | {row['evidence']:.3f} | {row['commands']:.1f} | {row['bytes']:,.0f} |")
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
