"""How good extraction is on labelled sentences: names (wikigold, conll04) and facts (conll04, Re-DocRED dev).

    scripts/bench extraction [--data DIR] [--extractor spacy|patterns] [--set wikigold] [--errors N] [--json FILE]
    scripts/bench extraction --llm [--model NAME] [--limit N] [--budget USD] [--answers DIR] …

DIR (else $KGFS_TEST_DATA, else shared/data beside the checkout) holds ``kg/wikigold/test.jsonl``,
``kg/conll04/train.jsonl`` (used as a test set: nothing here is trained) and ``kg/re_docred/dev.jsonl``.

*Names.* Exact spans of characters. Typed: PER, ORG, LOC on both sides; a name of any other type is left out. Untyped:
all names on both sides, whatever their type (the labelled MISC and Other too, in conll04 dates and amounts among them,
which are no names to us). A determiner before and a possessive behind a found name do not count to it. Sentences of
wikigold and conll04 come without their documents: every 12 that follow each other are read as one.

*Facts.* conll04: a fact counts as right when its type and the exact spans of both ends are those of a labelled one. The
labels are of two minds whether ``President`` belongs to ``President Kennedy``, ``, Neb`` to ``Burchard, Neb`` and the
full stop to the last name, so on both sides a title before, and behind a comma's part and full stop, do not count.
``literal``: the spans as labelled, but for a determiner and a possessive. ``loose``: the spans of both ends overlap
theirs. Where a place is found whole with its state (``born in Reno, Nevada``), that it lies there is no fact of its
own. Our types to theirs: see ``CONLL``. Re-DocRED: a found fact counts as right when its ends are names of two labelled
entities and the triple is labelled, in one of the Wikidata properties that the type stands for (``DOCRED``); recall is
over all labelled pairs that one of these properties joins, ``of all`` over every labelled triple. A found fact with an
end that is no labelled entity cannot be judged; it is counted as ``unknown`` and left out of precision.

*With a language model* (``--llm``, needs its key): the same sets, read by the extractor's dialogue, N documents (of 12
sentences, or of Re-DocRED) of each. Answers are kept in DIR, so that the same figures cost nothing again.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from kgfs.config import Config
from kgfs.errors import KgfsError
from kgfs.extraction.extractor import SentenceReading, extractor_name, read_sentences
from kgfs.llm import sentences as by_model
from kgfs.llm.asking import Asker
from kgfs.llm.client import LanguageModel
from kgfs.store.catalog.database import Database

DOCUMENT = 12
"""Sentences that are read as one document."""
LABELS = {"Peop": "PER", "Org": "ORG", "Loc": "LOC", "Other": "MISC"}
TYPES = {"Person": "PER", "Organization": "ORG", "Location": "LOC", "Facility": "LOC"}
CONLL = {
    "WORKS_FOR": "Work_For", "CHIEF_EXECUTIVE_OF": "Work_For", "FOUNDED": "Work_For", "MEMBER_OF": "Work_For",
    "LIVES_IN": "Live_In", "BORN_IN": "Live_In", "OFFICIAL_OF": "Live_In",
    "HEADQUARTERED_IN": "OrgBased_In", "LOCATED_IN": "Located_In", "KILLED": "Kill",
}  # fmt: skip
"""Our types to those of conll04; ``LOCATED_IN`` of an organization is ``OrgBased_In``."""
DOCRED = {
    "LOCATED_IN": "P131 P17 P276 P706 P30 P206 P361 P205 P159 P1376 P495",
    "HEADQUARTERED_IN": "P159 P131 P17 P276 P740",
    "BORN_IN": "P19 P27", "LIVES_IN": "P551 P27 P937 P19 P20", "OFFICIAL_OF": "P27 P1001 P6 P35 P39",
    "CITIZEN_OF": "P27", "ORIGINATED_IN": "P495 P17",
    "DIED_IN": "P20", "WORKS_FOR": "P108 P463 P54 P102 P241 P264 P937", "MEMBER_OF": "P463 P102 P54 P241",
    "CHIEF_EXECUTIVE_OF": "P169 P488 P112 P108 P463 P127", "FOUNDED": "P112 P170 P127 P571",
    "ACQUIRED": "P127 P749 P355", "SUBSIDIARY_OF": "P749 P127 P361 P355 P131 P463",
    "DEVELOPED": "P178 P176 P170 P50 P57 P86 P58 P162 P123 P400 P175", "CREATED": "P170 P50 P57 P86 P58 P162 P175 P178",
    "WROTE": "P50 P58 P170", "DIRECTED": "P57 P161", "COMPOSED": "P86 P162 P175", "PRODUCED": "P162 P170",
    "PERFORMED": "P175", "PUBLISHED": "P123",
    "EDUCATED_AT": "P69", "SPOUSE_OF": "P26", "CHILD_OF": "P22 P25", "PART_OF": "P361 P463 P131 P527",
    "PARTNERED_WITH": "P463", "INVESTED_IN": "P127", "KILLED": "P157",
}  # fmt: skip
INVERTED = {
    "FOUNDED", "ACQUIRED", "CHIEF_EXECUTIVE_OF", "DEVELOPED", "CREATED", "WROTE", "DIRECTED", "COMPOSED", "PRODUCED",
    "PERFORMED", "PUBLISHED",
}  # fmt: skip
"""Types whose Wikidata properties go from the object to the subject (P112: the company, founded by the person)."""

Span = tuple[int, int]
Read = Callable[[Sequence[Sequence[str]]], list[list[SentenceReading]]]
"""Reads documents, each a list of sentences."""


def lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


class Score:
    """Counts of right, found and labelled things."""

    def __init__(self) -> None:
        self.right = self.found = self.labelled = 0

    def add(self, found: set[Any], labelled: set[Any]) -> None:
        self.right += len(found & labelled)
        self.found += len(found)
        self.labelled += len(labelled)

    def figures(self) -> dict[str, float]:
        precision = self.right / max(1, self.found)
        recall = self.right / max(1, self.labelled)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        return {"precision": round(100 * precision, 1), "recall": round(100 * recall, 1), "f1": round(100 * f1, 1)}


_DETERMINER = re.compile(r"(?:the|an?)\s+(?=\S)", re.I)
_POSSESSIVE = re.compile(r"\s*['’]s?$")


def bare(text: str, start: int, end: int) -> Span:
    """A found span without a determiner before and a possessive behind it."""
    lead = _DETERMINER.match(text, start, end)
    start = lead.end() if lead else start
    tail = _POSSESSIVE.search(text[start:end])
    return start, (start + tail.start() if tail and tail.start() else end)


_TITLE = re.compile(
    r"(?:(?:President|Vice|Sen|Rep|Gov|Mayor|Judge|Justice|Officer|Sgt|Lt|Capt|Col|Gen|Maj|Dr|Mr|Mrs|Ms|Prof|Rev|Sir|Prime|Minister|"
    r"Foreign|Secretary|Ambassador|Chairman|Director|General|Dallas Police|Police|King|Queen|Pope)\.? )+(?=[A-Z])"
)


def core(text: str, start: int, end: int) -> Span:
    """A span without what the labels put into it in one sentence and leave out in the next."""
    start, end = bare(text, start, end)
    title = _TITLE.match(text, start, end)
    start = title.end() if title else start
    end = start + len(text[start:end].split(", ")[0].rstrip(".,"))
    return start, end


def offline(extractor: str) -> Read:
    """Reads by patterns or by spaCy."""
    return lambda texts: [read_sentences(sentences, extractor=extractor) for sentences in texts]


class Direct:
    """A language model in this process, as ``Asker`` wants it from the worker."""

    def __init__(self, config: Config) -> None:
        model = LanguageModel(config)
        self.complete = model.complete
        self.submit_batch, self.batch = model.submit, model.batch
        self.recent_batches, self.batch_results = model.recent_batches, model.results


def online(asker: Asker) -> Read:
    """Reads by a language model; all documents at once."""
    return lambda texts: asker.drive([by_model.read_sentences(sentences, asker.model) for sentences in texts])


def read(texts: Sequence[str], reader: Read, size: int = DOCUMENT) -> list[SentenceReading]:
    """What is found in sentences, ``size`` of them as a document."""
    documents = [texts[start : start + size] for start in range(0, len(texts), size)]
    return [reading for readings in reader(documents) for reading in readings]


def names(rows: Sequence[dict[str, Any]], readings: Sequence[SentenceReading], errors: int) -> dict[str, Any]:
    typed, untyped = Score(), Score()
    confused: Counter[str] = Counter()
    wrong: list[str] = []
    for row, reading in zip(rows, readings, strict=True):
        text = row["text"]
        labelled = {(e["cs"], e["ce"]): LABELS.get(e["type"], e["type"]) for e in row["entities"]}
        found = {bare(text, one.start, one.end): TYPES.get(one.type, "MISC") for one in reading.names}
        untyped.add(set(found), set(labelled))
        three = {(span, kind) for span, kind in found.items() if kind != "MISC"}
        typed.add(three, {(span, kind) for span, kind in labelled.items() if kind != "MISC"})
        for span, kind in sorted(found.items()):
            if span in labelled:
                confused[f"{labelled[span]} as {kind}"] += labelled[span] != kind
                if labelled[span] != kind:
                    wrong.append(f"{labelled[span]} as {kind}: {text[slice(*span)]!r} in {text[:140]!r}")
            else:
                wrong.append(f"extra {kind}: {text[slice(*span)]!r} in {text[max(0, span[0] - 30) : span[1] + 30]!r}")
        wrong += [f"missed {kind}: {text[slice(*s)]!r} in {text[max(0, s[0] - 30):s[1] + 30]!r}"
                  for s, kind in sorted(labelled.items()) if s not in found]  # fmt: skip
    show(wrong, errors)
    return {"typed": typed.figures(), "untyped": untyped.figures(), "confused": dict(confused.most_common(6))}


def conll_facts(rows: Sequence[dict[str, Any]], readings: Sequence[SentenceReading], errors: int) -> dict[str, Any]:
    exact, loose, literal = Score(), Score(), Score()
    by_type: dict[str, Score] = {}
    by_rule: dict[str, Counter[bool]] = {}
    wrong: list[str] = []
    for row, reading in zip(rows, readings, strict=True):
        text = row["text"]
        spans = [core(text, e["cs"], e["ce"]) for e in row["entities"]]
        labelled = {(r["type"], spans[r["head"]], spans[r["tail"]]) for r in row["relations"]}
        type_of = {core(text, one.start, one.end): one.type for one in reading.names}
        as_labelled = [(e["cs"], e["ce"]) for e in row["entities"]]
        found, as_found = set(), set()
        for fact in reading.facts:
            kind = CONLL.get(fact.type)
            subject, target = core(text, *fact.subject), core(text, *fact.object)
            if fact.type == "LOCATED_IN" and type_of.get(subject) == "Organization":
                kind = "OrgBased_In"
            if kind:
                found.add((kind, subject, target))
                by_rule.setdefault(fact.rule, Counter())[(kind, subject, target) in labelled] += 1
                as_found.add((kind, bare(text, *fact.subject), bare(text, *fact.object)))
        exact.add(found, labelled)
        literal.add(as_found, {(r["type"], as_labelled[r["head"]], as_labelled[r["tail"]]) for r in row["relations"]})
        for kind in {fact[0] for fact in found | labelled}:
            mine = {fact for fact in found if fact[0] == kind}
            by_type.setdefault(kind, Score()).add(mine, {fact for fact in labelled if fact[0] == kind})
        loose.right += sum(any(_near(one, other) for other in labelled) for one in found)
        loose.found += len(found)
        loose.labelled += len(labelled)
        wrong += [
            f"extra {k}: {text[slice(*s)]!r} {text[slice(*o)]!r} in {text!r}" for k, s, o in sorted(found - labelled)
        ]
        wrong += [
            f"missed {k}: {text[slice(*s)]!r} {text[slice(*o)]!r} in {text!r}" for k, s, o in sorted(labelled - found)
        ]
    show(wrong, errors)
    return {
        "exact": exact.figures(),
        "literal": literal.figures(),
        "loose": loose.figures(),
        "by type": {kind: score.figures() for kind, score in sorted(by_type.items())},
        "by rule": {rule: f"{counts[True]}/{counts.total()}" for rule, counts in sorted(by_rule.items())},
    }


def _near(one: tuple[str, Span, Span], other: tuple[str, Span, Span]) -> bool:
    return one[0] == other[0] and all(a[0] < b[1] and b[0] < a[1] for a, b in zip(one[1:], other[1:], strict=True))


def docred_facts(documents: Iterable[dict[str, Any]], reader: Read, errors: int) -> dict[str, Any]:
    wanted = {relation for relations in DOCRED.values() for relation in relations.split()}
    right = found = labelled = every = unknown = 0
    by_type: Counter[str] = Counter()
    by_right: Counter[str] = Counter()
    by_rule: dict[str, Counter[bool]] = {}
    wrong: list[str] = []
    documents = list(documents)
    texts = [[joined(tokens) for tokens in document["sents"]] for document in documents]
    read_all = reader([[text for text, _ in sentences] for sentences in texts])
    for document, sentences, readings in zip(documents, texts, read_all, strict=True):
        ends: list[list[tuple[int, Span, int]]] = [[] for _ in sentences]
        for number, vertex in enumerate(document["vertexSet"]):
            for mention in vertex:
                offsets = sentences[mention["sent_id"]][1]
                a, b = mention["pos"]
                ends[mention["sent_id"]].append((mention["sent_id"], (offsets[a][0], offsets[b - 1][1]), number))
        triples = {(label["h"], label["t"], label["r"]) for label in document["labels"]}
        got: set[tuple[int, int, str]] = set()
        for (text, _), reading, mentions in zip(sentences, readings, ends, strict=True):
            for fact in reading.facts:
                properties = DOCRED.get(fact.type)
                if properties is None:
                    continue
                subject, target = (_vertex(span, mentions) for span in (fact.subject, fact.object))
                if subject is None or target is None:
                    unknown += 1
                    continue
                if (subject, target, fact.type) in got:
                    continue
                got.add((subject, target, fact.type))
                found += 1
                by_type[fact.type] += 1
                pairs = ((target, subject), (subject, target)) if fact.type in INVERTED else ((subject, target),)
                hits = {(h, t, r) for h, t in pairs for r in properties.split() if (h, t, r) in triples}
                by_rule.setdefault(fact.rule, Counter())[bool(hits)] += 1
                if hits:
                    right += 1
                    by_right[fact.type] += 1
                else:
                    wrong.append(
                        f"extra {fact.type}: {text[slice(*fact.subject)]!r} {text[slice(*fact.object)]!r} in {text!r}"
                    )
        labelled += len({(h, t) for h, t, r in triples if r in wanted})
        every += len(triples)
    show(wrong, errors)
    precision, recall = right / max(1, found), right / max(1, labelled)
    return {
        "precision": round(100 * precision, 1),
        "recall": round(100 * recall, 1),
        "f1": round(200 * precision * recall / max(1e-9, precision + recall), 1),
        "recall of all": round(100 * right / max(1, every), 1),
        "found": found,
        "unknown": unknown,
        "by type": {kind: f"{by_right[kind]}/{count}" for kind, count in by_type.most_common()},
        "by rule": {rule: f"{counts[True]}/{counts.total()}" for rule, counts in sorted(by_rule.items())},
    }


def _vertex(span: Span, mentions: Sequence[tuple[int, Span, int]]) -> int | None:
    """The labelled entity whose mention overlaps a span most."""
    best: tuple[int, int] | None = None
    for _, (start, end), number in mentions:
        overlap = min(end, span[1]) - max(start, span[0])
        if overlap > 0 and (best is None or overlap > best[0]):
            best = overlap, number
    return best[1] if best else None


def joined(tokens: Sequence[str]) -> tuple[str, list[Span]]:
    """Tokens as a sentence in ordinary spelling, and where each stands in it."""
    text = ""
    spans: list[Span] = []
    for token in tokens:
        tight = (
            re.fullmatch(r"[,.;:!?)\]%]|['’](?:s|re|ve|ll|d|m)?|n't", token)
            or text.endswith(("(", "[", "$"))
            or not text
        )
        text += token if tight else f" {token}"
        spans.append((len(text) - len(token), len(text)))
    return text, spans


def show(wrong: list[str], errors: int) -> None:
    for line in random.Random(1).sample(wrong, min(errors, len(wrong))):
        print("   ", line)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("KGFS_TEST_DATA", beside)))
    parser.add_argument("--extractor", choices=("spacy", "patterns"), action="append")
    parser.add_argument("--set", choices=("wikigold", "conll04", "re_docred"), action="append", dest="sets")
    parser.add_argument("--errors", type=int, default=0, help="print so many faults of each set")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--llm", action="store_true", help="read with a language model")
    parser.add_argument("--model", default=Config().llm_model)
    parser.add_argument("--limit", type=int, default=40, help="so many documents of each set (with --llm)")
    parser.add_argument("--budget", type=float, metavar="USD", help="stop before it costs more")
    parser.add_argument("--answers", type=Path, metavar="DIR", help="keep the model's answers here")
    options = parser.parse_args()
    directory = options.data / "kg"
    if not directory.is_dir():
        print(f"bench: there is no {directory}; name the folder of the labelled sets with --data", file=sys.stderr)
        return 3
    results: dict[str, Any] = {}
    if options.llm:
        try:
            return with_model(options, directory, results)
        except KgfsError as error:
            print(f"bench: {error}", file=sys.stderr)
            return error.exit_status
    for extractor in options.extractor or ["patterns", "spacy"]:
        if extractor_name(extractor) != extractor:
            print("bench: spaCy is not installed; scripts/setup installs it", file=sys.stderr)
            continue
        measure(extractor, offline(extractor), options, directory, results)
    return written(options, results)


def with_model(options: argparse.Namespace, directory: Path, results: dict[str, Any]) -> int:
    """The figures of a language model, and what they cost. What ``Asker.drive`` raises."""
    config = msgspec.structs.replace(Config(), llm_model=options.model)
    with contextlib.ExitStack() as stack:
        place = options.answers or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(Database.open(place, create=True))
        asker = Asker(database, Direct(config), config, budget=options.budget)
        measure(options.model, online(asker), options, directory, results, options.limit)
        results["cost"] = asker.cost()
        print(f"cost: {json.dumps(results['cost'])}")
    return written(options, results)


def measure(
    extractor: str,
    reader: Read,
    options: argparse.Namespace,
    directory: Path,
    results: dict[str, Any],
    limit: int | None = None,
) -> None:
    """Read the sets, print the figures and add them to ``results``."""
    for name in options.sets or ["wikigold", "conll04", "re_docred"]:
        started = time.perf_counter()
        if name == "re_docred":
            documents = list(lines(directory / name / "dev.jsonl"))[:limit]
            result = {"facts": docred_facts(documents, reader, options.errors)}
        else:
            rows = list(lines(directory / name / ("test.jsonl" if name == "wikigold" else "train.jsonl")))
            rows = rows[: limit and limit * DOCUMENT]
            readings = read([row["text"] for row in rows], reader)
            result = {"names": names(rows, readings, options.errors)}
            if name == "conll04":
                result["facts"] = conll_facts(rows, readings, options.errors)
        result["seconds"] = round(time.perf_counter() - started, 1)  # type: ignore[assignment]
        results[f"{name} {extractor}"] = result
        print(f"{name}, {extractor}, {result['seconds']} s")
        for what in ("names", "facts"):
            for key, value in result.get(what, {}).items():
                print(f"  {what} {key}: {value}")


def written(options: argparse.Namespace, results: dict[str, Any]) -> int:
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
