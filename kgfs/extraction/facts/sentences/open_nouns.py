"""What nouns say of two names in a parsed sentence: ``is part of``, ``has a partnership with``, ``is our main tool at``.

Used by ``open_relations``. Pure, but for the parsed sentence.
"""

# A row of the table, or a pattern, is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kgfs.extraction.facts.sentences.open_doubts import is_denied, is_unreal
from kgfs.extraction.facts.sentences.open_heads import Head, governed, listed
from kgfs.extraction.facts.sentences.open_subjects import clause_subjects, of_clause
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.extraction.facts.tie_words import ADJECTIVES, NOUNS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


class NounRelation(NamedTuple):
    """Two names and what a noun says of them."""

    subject: Head
    object: Head
    type: str
    rule: str
    word: Token


def noun_relations(doc: Doc, heads: dict[int, Head]) -> Iterator[NounRelation]:
    """``is part of``, ``is compatible with``, ``has a partnership with``, and for more of one thing ``see`` another."""
    for word in doc:
        if word.pos_ == "AUX" and word.lower_ in ("is", "was", "are", "were") and not is_unreal(word):
            subjects = _said_of(word, heads)
            yield from _beneath(word, subjects, heads)
            yield from _used_there(word, subjects, heads)
            for what in word.children if subjects else ():
                yield from (
                    NounRelation(s, o, type_, "of_noun", what) for s in subjects for o, type_ in _owners(what, heads)
                )
                beside = [*what.children, *(child for child in word.children if child.i > what.i)]
                for preposition in beside if what.dep_ in ("attr", "acomp") else ():
                    if preposition.dep_ != "prep":
                        continue
                    if what.dep_ == "attr":
                        plain = not any(child.dep_ in ("compound", "nmod") for child in what.children)
                        of_it = preposition.lower_ in ("of", "for", "to") or _is_within(what, preposition)
                        type_ = NOUNS.get(what.lower_, "") if plain and of_it else ""
                        if not type_ and preposition.lower_ == "within":
                            type_ = "PART_OF"  # "is the instant messaging service within Acme"
                        elif preposition.lower_ == "to" and _is_nearest(what):
                            type_ = "LOCATED_NEAR"
                    else:
                        type_ = ADJECTIVES.get(f"{what.lower_} {preposition.lower_}", "")
                    rule = "noun" if what.dep_ == "attr" else "adjective"
                    others = governed(preposition, heads) if type_ else ()
                    yield from (NounRelation(s, o, type_, rule, what) for s in subjects for o in others)
        elif (
            word.dep_ == "appos"
            and word.lower_ in NOUNS
            and word.head.i in heads
            and not is_denied(word)
            and (whose := _nearest(word, heads)) is not None
        ):
            # "Lumen, part of Acme", "Lumen (a program of Acme)"; not "For Lumen, a member of Acme can help"
            behind = word.right_edge.i + 1
            closed = behind >= len(doc) or not doc[behind].text[:1].isalpha()
            if closed and not any(child.dep_ in ("compound", "nmod") for child in word.children):
                for preposition in word.children:
                    others = governed(preposition, heads) if preposition.lower_ == "of" else ()
                    yield from (NounRelation(whose, o, NOUNS[word.lower_], "beside", word) for o in others)
        elif word.lower_ in _AGREED and word.dep_ in ("dobj", "pobj"):
            yield from _agreed(word, heads)
        elif word.lower_ == "see" and word.tag_ in ("VB", "VBP") and word.dep_ == "ROOT":
            yield from _see(word, heads)


_MAIN = frozenset(
    "primary main principal common usual preferred standard official default go-to central key favorite favourite designated".split()
)
_MEANS = frozenset(
    "tool tools platform platforms space method system systems service software language languages framework frameworks application app way "
    "solution editor database channel medium product library distribution".split()
)


def _used_there(copula: Token, subjects: list[Head], heads: dict[int, Head]) -> Iterator[NounRelation]:
    """``Slack is a primary communication space across ⟨1⟩``: who uses it."""
    for what in copula.children if subjects else ():
        if (
            what.dep_ != "attr"
            or what.lower_ not in _MEANS
            or not any(child.lower_ in _MAIN for child in what.children)
        ):
            continue
        for place in what.subtree:
            if place.dep_ == "prep" and place.lower_ in ("at", "across", "within"):
                users = governed(place, heads)
                yield from (NounRelation(user, s, "USES", "main", what) for s in subjects for user in users)


def _is_nearest(what: Token) -> bool:
    return any(child.lower_ in ("closest", "nearest") for child in what.children)


def approvals(verb: Token, heads: dict[int, Head]) -> Iterator[NounRelation]:
    """``is approved for use at ⟨1⟩``: who approved it."""
    if verb.lower_ not in ("approved", "authorized", "authorised", "certified", "accredited") or is_unreal(verb):
        return
    subjects, passive, _ = clause_subjects(verb, heads)
    if not passive:
        return
    for place in verb.subtree:
        above = place.head
        near = above.i == verb.i or (above.lower_ == "use" and above.dep_ == "pobj" and above.head.head.i == verb.i)
        if place.dep_ == "prep" and place.lower_ in ("at", "within", "across") and near:
            by = governed(place, heads)
            yield from (NounRelation(one, s, "APPROVED", "approved", verb) for s in subjects for one in by)


_USING = frozenset("using leveraging utilizing utilising employing".split())


def means(verb: Token, heads: dict[int, Head]) -> Iterator[NounRelation]:
    """``Acme builds its lamps using ⟨1⟩``, ``Acme handles orders via ⟨1⟩``: what somebody does it with."""
    if verb.tag_ not in ("VBZ", "VBP", "VBD") or is_unreal(verb):
        return
    subjects, passive, _ = clause_subjects(verb, heads)
    if passive or not subjects:
        return
    behind = [child for child in verb.children if child.i > verb.i]
    behind += [clause for child in behind if child.dep_ == "dobj" for clause in child.children if clause.dep_ == "acl"]
    for child in behind:
        if child.dep_ in ("advcl", "acl") and child.lower_ in _USING:
            used = [head for noun in child.children if noun.dep_ == "dobj" for head in listed(noun, heads)]
        elif child.dep_ == "prep" and child.lower_ == "via":
            used = governed(child, heads)
        else:
            continue
        yield from (NounRelation(s, o, "USES", "means", verb) for s in subjects for o in used)


def _beneath(copula: Token, subjects: list[Head], heads: dict[int, Head]) -> Iterator[NounRelation]:
    """``is under ⟨1⟩``, ``is within ⟨1⟩``, where nothing else is said of the subject: it is a part."""
    said = [child for child in copula.children if child.dep_ in ("attr", "acomp", "prep", "advmod", "advcl")]
    if len(said) == 1 and said[0].dep_ == "prep" and said[0].lower_ in ("under", "within"):
        others = governed(said[0], heads)
        yield from (NounRelation(s, o, "PART_OF", "beneath", said[0]) for s in subjects for o in others)


def _nearest(word: Token, heads: dict[int, Head]) -> Head | None:
    """The name that an apposition stands beside: of two that are joined the second, *Acme and Lumen, part of Tarn*."""
    joined = [child for child in word.head.children if child.dep_ == "conj" and child.i < word.i]
    return heads.get(joined[-1].i) if joined else heads[word.head.i]


def _said_of(copula: Token, heads: dict[int, Head]) -> list[Head]:
    """The names that a form of *to be* says something of: its subjects, or what a clause with it is about."""
    subjects = [child for child in copula.children if child.dep_ == "nsubj"]
    if copula.dep_ == "relcl" and len(subjects) == 1 and subjects[0].lower_ in ("which", "that", "who"):
        return of_clause(copula.head, copula, heads)
    if copula.dep_ == "relcl" and len(subjects) == 1 and subjects[0].lower_ in ("both", "all"):
        first = copula.head  # "Lumen and Tarn, both of which are part of Acme"
        while first.dep_ == "conj":
            first = first.head
        return list(listed(first, heads))
    return [mark for noun in subjects for mark in listed(noun, heads)]


_AGREED = frozenset(
    "partnership partnerships agreement contract alliance collaboration cooperation co-operation conjunction deal memorandum".split()
)
"""What one has with another, or does something in."""
_ENTERED = frozenset("have enter sign form announce establish conclude maintain make reach build strike create".split())


def _agreed(noun: Token, heads: dict[int, Head]) -> Iterator[NounRelation]:
    """``has a partnership with ⟨1⟩``, ``built the lamp in partnership with ⟨1⟩``."""
    others = [
        mark
        for preposition in noun.children
        if preposition.dep_ == "prep" and preposition.lower_ == "with"
        for mark in governed(preposition, heads)
    ]
    verb = noun.head
    if others and noun.dep_ == "pobj" and verb.lower_ in ("in", "into"):
        within, verb = verb.lower_ == "in", verb.head
        if within and verb.dep_ in ("dobj", "pobj", "attr", "nsubjpass"):
            verb = verb.head
        if not within and basic_form(verb.text) != "enter":
            return
    elif basic_form(verb.text) not in _ENTERED:
        return
    if not others or verb.pos_ not in ("VERB", "AUX") or is_unreal(verb):
        return
    subjects, passive, _ = clause_subjects(verb, heads)
    if passive:
        subjects = [mark for agent in verb.children if agent.dep_ == "agent" for mark in governed(agent, heads)]
    yield from (NounRelation(s, o, "WORKS_WITH", "agreed", noun) for s in subjects for o in others)


_OWNED = frozenset(
    "project program programme initiative committee subcommittee team office division unit branch department".split()
)
"""What is a part of the organization whose name stands before it: ``is an Acme project``."""


def _owners(what: Token, heads: dict[int, Head]) -> Iterator[tuple[Head, str]]:
    """The names before a noun that say of whom it is."""
    if what.dep_ == "attr" and (what.lower_ in _OWNED or what.lower_ == "subsidiary"):
        for child in what.children:
            if child.dep_ in ("compound", "nmod", "poss", "amod") and (owner := heads.get(child.i)) is not None:
                yield owner, "SUBSIDIARY_OF" if what.lower_ == "subsidiary" else "PART_OF"


def _is_within(unit: Token, preposition: Token) -> bool:
    """Whether something is said to be a unit of another that it lies in: ``is an office within GSA``."""
    if preposition.lower_ == "within" and unit.lower_ in _OWNED:
        return True
    return preposition.lower_ in ("in", "at") and unit.lower_ in (
        "office", "division", "unit", "branch", "department", "section", "team", "component", "program", "chapter"
    )  # fmt: skip


def _see(see: Token, heads: dict[int, Head]) -> Iterator[NounRelation]:
    """``For more information about ⟨1⟩, see ⟨2⟩``."""
    behind = [child for child in see.children if child.i > see.i and child.dep_ in ("dobj", "nsubj")]
    targets = [mark for child in behind for mark in listed(child, heads)]
    for first in see.children if targets else ():
        if first.dep_ == "prep" and first.lower_ == "for" and first.i < see.i:
            for more in first.children:
                if more.dep_ == "pobj" and more.lower_ in ("information", "details", "detail", "more"):
                    for about in more.children:
                        if about.dep_ == "prep" and about.lower_ in ("about", "on"):
                            told = governed(about, heads)
                            yield from (NounRelation(s, o, "DESCRIBED_IN", "see", see) for s in told for o in targets)
