"""What each rule that makes facts finds in text that it was not written on: how many facts, and samples to judge.

    scripts/bench rules FOLDER... [--sample 25] [--rule NAME]... [--names 100] [--seed 1] [--json FILE]

The texts of each folder are read by the offline extractor, as ``kgfs add`` would: with the names that all of them
declare. Facts are printed rule by rule: how many, in how many folders, and samples, spread evenly over
the folders: subject (its type), type, object or value, date, and the sentence. A name of a rule is enough up to a dot
(``proximity``). Precision is judged by a reader; the figures are in ``docs/extraction.md``. ``--names`` prints instead
the entities of each folder with the most mentions.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

from kgfs.documents.formats.parsing import parse_document
from kgfs.errors import KgfsError
from kgfs.extraction.extractor import extract_by_rule
from kgfs.extraction.names.declared.gazetteer import make_gazetteer, stated_names
from kgfs.model import Extraction, FactCandidate, ParsedDocument

SUFFIXES = (".md", ".txt", ".html", ".rst", ".adoc", ".asciidoc")


class RuleFact(NamedTuple):
    """A fact, as a reader judges it."""

    rule: str
    corpus: str
    document: str
    subject: str
    type: str
    object: str
    date: str | None
    quote: str


def shown(extraction: Extraction, fact: FactCandidate) -> tuple[str, str]:
    """The subject and the object, or the figure, of a fact."""
    entities = extraction.entities
    subject = f"{entities[fact.subject].name} ({entities[fact.subject].type})"
    if fact.object is not None:
        return subject, f"{entities[fact.object].name} ({entities[fact.object].type})"
    figure = f"{fact.indicator} = {fact.value:g} {fact.unit or ''}".rstrip() if fact.value is not None else "text"
    return subject, f"{figure}: {fact.object_text}" if fact.value is not None else "text"


def parsed(folder: Path) -> dict[str, ParsedDocument]:
    """The texts of a folder by their paths in it."""
    found = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file()):
        name = path.relative_to(folder).as_posix()
        try:
            found[name] = parse_document(path.read_bytes(), name)
        except KgfsError as error:
            print(f"bench: {path}: {error}", file=sys.stderr)
    return found


def read(folder: Path) -> tuple[list[RuleFact], Counter[tuple[str, str]], int]:
    """The facts of a folder, the mentions of its entities, and how many texts it has."""
    facts: list[RuleFact] = []
    mentions: Counter[tuple[str, str]] = Counter()
    documents = parsed(folder)
    gazetteer = make_gazetteer(map(stated_names, documents.values()))
    for path, document in documents.items():
        extraction, rules = extract_by_rule(document, gazetteer)
        for fact, rule in zip(extraction.facts, rules, strict=True):
            subject, target = shown(extraction, fact)
            quote = " ".join(fact.quote.split())
            facts.append(RuleFact(rule, folder.name, path, subject, fact.type, target, fact.date, quote))
        for mention in extraction.mentions:
            entity = extraction.entities[mention.entity]
            mentions[entity.name, entity.type] += mention.count
    return facts, mentions, len(documents)


def spread(facts: list[RuleFact], count: int, chosen: random.Random) -> list[RuleFact]:
    """A sample in which each corpus has as much of a say as it can."""
    by_corpus: dict[str, list[RuleFact]] = defaultdict(list)
    for fact in facts:
        by_corpus[fact.corpus].append(fact)
    for own in by_corpus.values():
        chosen.shuffle(own)
    sample: list[RuleFact] = []
    while len(sample) < count and any(by_corpus.values()):
        for own in by_corpus.values():
            if own and len(sample) < count:
                sample.append(own.pop())
    return sample


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--sample", type=int, default=25, help="print so many facts of each rule")
    parser.add_argument("--rule", action="append", help="only rules that are this one or begin with it")
    parser.add_argument("--names", type=int, default=0, help="print so many entities of each folder instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all facts there")
    options = parser.parse_args()
    found: list[RuleFact] = []
    for folder in options.folder:
        facts, mentions, texts = read(folder)
        found += facts
        print(f"{folder.name}: {texts} texts, {len(facts)} facts", flush=True)
        for (name, type_), count in mentions.most_common(options.names):
            print(f"  {count:5} {type_:14} {name}")
    if options.json:
        options.json.write_text(json.dumps([one._asdict() for one in found], indent=0) + "\n", encoding="utf-8")
    if options.names:
        return 0
    by_rule: dict[str, list[RuleFact]] = defaultdict(list)
    for fact in found:
        by_rule[fact.rule].append(fact)
    chosen = random.Random(options.seed)
    for rule, facts in sorted(by_rule.items()):
        if options.rule and not any(f"{rule}.".startswith(f"{one}.") for one in options.rule):
            continue
        print(f"\n{rule}: {len(facts)} facts in {len({fact.corpus for fact in facts})} folders")
        for fact in spread(facts, options.sample, chosen):
            print(f"  [{fact.corpus}] {fact.subject} {fact.type} {fact.object} [{fact.date}] <- {fact.quote!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
