"""Typed facts by the dependencies of a sentence: who did it, to whom, where, across clauses and lists.

Used by the extractor where spaCy is installed, on sentences that have a verb of a fact and two names. The patterns of
``relations`` see names that stand side by side; here a subject may be far from its verb (``Ada Lee, who grew up in Reno
and later sold two firms, founded Acme``). Pure, but for the parsed sentence.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgfs.extraction.facts.sentences.relations import PatternFact

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


class _Verb(NamedTuple):
    """A fact that a verb states."""

    rule: str
    type: str
    subject: str
    """Letters of the types that the subject may have."""
    object: str
    prepositions: frozenset[str] = frozenset()
    """Before the object; with none it is the verb's own object."""
    confidence: float = 0.75


def _verb(
    type_: str, subject: str, target: str, prepositions: str = "", confidence: float = 0.75, rule: str = ""
) -> _Verb:
    return _Verb(f"syntax.{rule or type_.lower()}", type_, subject, target, frozenset(prepositions.split()), confidence)


_ACQUIRED = _verb("ACQUIRED", "O", "O", "", 0.75)
_FOUNDED = _verb("FOUNDED", "PO", "OL", "", 0.75)
_KILLED = _verb("KILLED", "P", "P", "", 0.8)
_WORKED = _verb("WORKS_FOR", "P", "O", "for at", 0.75)
_LIVED = _verb("LIVES_IN", "P", "LF", "in at", 0.75)
_STUDIED = _verb("EDUCATED_AT", "P", "O", "at from", 0.75)
_WROTE = _verb("WROTE", "PO", "W", "", 0.7, "created")
_DIRECTED = _verb("DIRECTED", "PO", "W", "", 0.7, "created")
_COMPOSED = _verb("COMPOSED", "PO", "W", "", 0.7, "created")
_LED = _verb("WORKS_FOR", "P", "O", "", 0.65, "leads")
_VERBS: dict[str, tuple[_Verb, ...]] = {
    **dict.fromkeys("acquired bought purchased acquires buys acquiring buying".split(), (_ACQUIRED,)),
    **dict.fromkeys("founded cofounded co-founded established founding".split(), (_FOUNDED,)),
    **dict.fromkeys("killed assassinated murdered slew killing assassinating murdering shot shooting".split(), (_KILLED,)),
    **dict.fromkeys("works worked working teaches taught".split(), (_WORKED,)),
    "directed": (_LED, _DIRECTED),
    **dict.fromkeys("heads headed leads directs chairs chaired manages managed".split(), (_LED,)),
    **dict.fromkeys("lives lived resides resided".split(), (_LIVED,)),
    "born": (_verb("BORN_IN", "P", "LF", "in at", 0.85),),
    "died": (_verb("DIED_IN", "P", "LF", "in at", 0.8),),
    **dict.fromkeys("studied graduated educated".split(), (_STUDIED,)),
    "attended": (_verb("EDUCATED_AT", "P", "O", "", 0.7),),
    "based": (_verb("HEADQUARTERED_IN", "O", "LF", "in", 0.8),),
    "headquartered": (_verb("HEADQUARTERED_IN", "O", "LF", "in", 0.85),),
    **dict.fromkeys("located situated".split(), (_verb("LOCATED_IN", "LFO", "LF", "in on", 0.8),)),
    "married": (_verb("SPOUSE_OF", "P", "P", "", 0.8), _verb("SPOUSE_OF", "P", "P", "to", 0.8)),
    **dict.fromkeys("wrote written authored".split(), (_WROTE,)),
    "composed": (_COMPOSED,),
    **dict.fromkeys("invested invests".split(), (_verb("INVESTED_IN", "PO", "O", "in", 0.75),)),
    **dict.fromkeys("partnered teamed collaborated".split(), (_verb("PARTNERED_WITH", "O", "O", "with", 0.75),)),
}  # fmt: skip
"""Form of a verb to the facts that it may state."""
TRIGGER = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _VERBS)))})\b")
TYPES = frozenset(verb.type for verbs in _VERBS.values() for verb in verbs)
_SCHOOL = re.compile(r"University|College|School|Institute|Academy|Conservatory|Seminary|Polytechnic|MIT\b")
_UNREAL = frozenset("would could might may should can must if unless whether not never n't will shall".split())
_CLAUSES = frozenset({"conj", "xcomp", "advcl", "pcomp", "ccomp"})
_SORTS_OF_PLACES = frozenset(
    "city town village hamlet port state province region district county island kingdom capital".split()
)
"""What a place is said to be before its name: *in the Ionian city of Halicarnassus*."""
_HARM = frozenset({"shot", "shooting"})


def syntax_facts(doc: Doc, spans: Sequence[tuple[int, int, str, str]]) -> list[PatternFact]:
    """The facts of a parsed sentence; ``spans`` are its names: start, end, letter of the type, name."""
    marks: dict[int, int] = {}
    for number, (start, end, _, _) in enumerate(spans):
        for token in doc:
            if start <= token.idx < end:
                marks[token.i] = number
    found: list[PatternFact] = []
    seen: set[tuple[str, int, int]] = set()
    for token in doc:
        verbs = _VERBS.get(token.lower_)
        if verbs is None or token.pos_ not in ("VERB", "AUX", "ADJ") or _unreal(token):
            continue
        for verb in verbs:
            for subject, target in _pairs(token, verb, marks):
                if spans[subject][2] not in verb.subject or spans[target][2] not in verb.object or subject == target:
                    continue
                if spans[subject][3] == spans[target][3] or (verb.type, subject, target) in seen:
                    continue
                if verb.type == "EDUCATED_AT" and not _SCHOOL.search(spans[target][3]):
                    continue
                seen.add((verb.type, subject, target))
                first, last = sorted((spans[subject], spans[target]))
                roles = {subject: "", target: ""}
                # "was born in 1961 and studied at …": a clause without a subject of its own has not the date before it.
                begins = spans[target][0] if _goes_on(token) else first[0]
                start, end = min(begins, token.idx), max(last[1], token.idx + len(token))
                dated = verb.type not in ("LOCATED_IN", "HEADQUARTERED_IN")
                found.append(
                    PatternFact(
                        verb.type, [subject], [target], start, end, verb.confidence,
                        dated=dated, roles=roles, rule=verb.rule,
                    )
                )  # fmt: skip
    return found


def _unreal(verb: Token) -> bool:
    """Whether a verb is denied, asked, supposed, or only to come."""
    token: Token = verb
    for _ in range(3):
        if any(child.lower_ == "longer" for child in token.children):
            return True  # "is no longer included"
        if any(child.lower_ in _UNREAL for child in token.children if child.dep_ in ("aux", "neg", "mark", "auxpass")):
            return True
        if token.lower_ in (
            "plans",
            "planned",
            "wants",
            "wanted",
            "tried",
            "attempted",
            "hoped",
            "agreed",
            "failed",
            "refused",
        ):
            return True
        if token.dep_ not in ("xcomp", "conj", "ccomp") or token.head is token:
            return False
        token = token.head
    return False


def _goes_on(verb: Token) -> bool:
    """Whether a verb takes its subject from the one before it: ``was born in Reno and studied``."""
    return verb.dep_ == "conj" and not any(child.dep_ in ("nsubj", "nsubjpass") for child in verb.children)


def _pairs(verb: Token, meant: _Verb, marks: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Subject and object of a verb as numbers of names; passives turned round."""
    passive = any(child.dep_ in ("nsubjpass", "auxpass") for child in verb.children) or (
        verb.dep_ in ("acl", "relcl")
        and verb.tag_ == "VBN"
        and not any(child.dep_ == "nsubj" for child in verb.children)
    )
    subjects = list(_subjects(verb, marks))
    if meant.prepositions:
        targets = [
            mark
            for child in _phrases(verb)
            if child.lower_ in meant.prepositions
            for noun in child.children
            if noun.dep_ == "pobj"
            for mark in _names(noun, marks)
        ]
        yield from ((subject, target) for subject in subjects for target in targets)
        return
    if passive:
        agents = [
            mark
            for child in verb.children
            if child.dep_ == "agent" or (child.dep_ == "prep" and child.lower_ == "by")
            for noun in child.children
            if noun.dep_ == "pobj"
            for mark in _names(noun, marks)
        ]
        yield from ((agent, subject) for agent in agents for subject in subjects)
        return
    if verb.lower_ in _HARM and not any(word.lower_ in ("killed", "dead", "wounded", "fatally") for word in verb.doc):
        return
    targets = [mark for child in verb.children if child.dep_ in ("dobj", "obj") for mark in _names(child, marks)]
    yield from ((subject, target) for subject in subjects for target in targets)


def _phrases(verb: Token) -> Iterator[Token]:
    """The prepositions of a verb, also such as were read as a date's: *was born about 484 B.C. in the city of …*."""
    for child in verb.children:
        if child.dep_ == "prep":
            yield child
            for noun in child.children:
                if any(char.isdigit() for char in verb.doc[noun.left_edge.i : noun.i + 1].text):
                    yield from (inner for inner in noun.children if inner.dep_ == "prep")


def _subjects(verb: Token, marks: dict[int, int]) -> Iterator[int]:
    """The names that are the subject of a verb, found through the clauses that it stands in."""
    token: Token = verb
    for _ in range(5):
        own = [child for child in token.children if child.dep_ in ("nsubj", "nsubjpass")]
        if own:
            for noun in own:
                if noun.lower_ in ("who", "which", "that") and token.dep_ == "relcl":
                    # "A, who heads B, and C, who heads D": the clause is about the name before it alone.
                    yield from _one(token.head, marks)
                else:
                    yield from _names(noun, marks)
            return
        if token.dep_ in ("acl", "relcl"):
            yield from _one(token.head, marks)
            return
        if token.dep_ == "prep" or token.dep_ in _CLAUSES:
            token = token.head
            if token.pos_ in ("NOUN", "PROPN"):
                yield from _names(token, marks)
                return
            continue
        return


def _names(noun: Token, marks: dict[int, int]) -> Iterator[int]:
    """The name that a noun is in or that explains it (``her firm, Acme``), and those listed with it, however many."""
    waiting = [noun]
    while waiting:
        noun = waiting.pop()
        number = _name(noun, marks)
        if number is not None:
            yield number
        listed = [child for child in noun.children if child.dep_ == "conj" and marks.get(child.i, number) != number]
        waiting += reversed(listed)


def _one(noun: Token, marks: dict[int, int]) -> Iterator[int]:
    """The name that a noun is in, without those listed with it."""
    number = _name(noun, marks)
    if number is not None:
        yield number


def _name(noun: Token, marks: dict[int, int]) -> int | None:
    """The name that a noun is in or that explains it."""
    number = marks.get(noun.i)
    if number is None and noun.lower_ in _SORTS_OF_PLACES:
        inside = [place for child in noun.children if child.lower_ == "of" for place in child.children]
        if len(inside) == 1 and inside[0].i in marks:
            return marks[inside[0].i]
    if number is None:
        for child in noun.children:
            if child.dep_ == "appos" and child.i in marks:
                number = marks[child.i]
                break
    if number is None and noun.dep_ == "appos" and noun.head.i in marks:
        number = marks[noun.head.i]
    return number
