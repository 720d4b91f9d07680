"""Facts of any verb: what one entity does to another in one clause, with the verb and its preposition as the type.

Used by the fact reader where spaCy is installed. ``syntax`` knows a few verbs and looks far for their subjects; here any
verb will do, so both ends must be entities by themselves and be the very subject and object: ``Concur requires
HRLinks`` says something of the two, ``Concur users require HRLinks training`` does not. Pure, but for the parsed sentence.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgfs.extraction.facts.sentences.clause_verbs import OPTIONAL
from kgfs.extraction.facts.sentences.open_doubts import (
    NO_FACT,
    is_apart,
    is_going_on,
    is_meeting,
    is_of_somebody,
    is_told,
    is_unreal,
    may_be_noun,
)
from kgfs.extraction.facts.sentences.open_heads import Head, governed, listed, name_heads
from kgfs.extraction.facts.sentences.open_nouns import NounRelation, approvals, means, noun_relations
from kgfs.extraction.facts.sentences.open_orders import FILED, is_order, ordered
from kgfs.extraction.facts.sentences.open_subjects import clause_subjects, of_clause, own_objects
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.extraction.names import tagging
from kgfs.relation_types import TURNED_VERBS, VERBS, is_thing, may_join

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

DONE = {
    "discuss": "DISCUSSED", "propose": "PROPOSED", "recommend": "RECOMMENDED", "meet with": "MET_WITH", "talk with": "MET_WITH",
    "leave": "LEFT", "adopt": "ADOPTED", "talk to": "MET_WITH", "speak with": "MET_WITH", "speak to": "MET_WITH",
    "visit": "VISITED",
}  # fmt: skip
"""What is only said in most texts, and is what happened where somebody *did* it, as minutes and updates tell."""
_WAYS = {
    "go to": "WENT_TO",
    "come to": "WENT_TO",
    "move to": "MOVED_TO",
    "remove to": "MOVED_TO",
    "relocate to": "MOVED_TO",
}
"""The same of who went to a place."""
_WHO = frozenset({"Person", "Organization", "Group"})
_PLACES = frozenset({"Location", "Country", "City", "Town", "Village", "State", "Region", "Island"})
_PREPOSITIONS = frozenset(
    "on in by for from to with at into under over against through of after upon as within via".split()
)
_MOTION = frozenset("drive fly go head march move ride sail travel walk".split())
_OF_TIME = frozenset("after before during since until as".split())


class OpenRelation(NamedTuple):
    """A clause between two names."""

    type: str
    subject: int
    object: int
    """Numbers of names."""
    rule: str
    start: int
    end: int
    """From its first to its last word."""
    confidence: float
    happened: bool = False
    """Its verb tells what somebody did, so that the day of what it stands beneath is its own."""


def open_relations(doc: Doc, spans: Sequence[tuple[int, int, str]]) -> list[OpenRelation]:
    """The relations of a parsed sentence; ``spans`` are its names: start, end, type (empty: no end of a fact)."""
    heads = name_heads(doc, spans)
    found: list[OpenRelation] = []
    seen: set[tuple[int, int]] = set()
    if len({head.number for head in heads.values()}) < 2:
        return found

    def add(said: NounRelation) -> None:
        subject, target = said.subject.number, said.object.number
        of_people = said.object.people or (said.subject.people and said.type not in _OF_PEOPLE)
        if of_people or subject == target or not {(subject, target), (target, subject)}.isdisjoint(seen):
            return
        if may_join(said.type, spans[subject][2], spans[target][2]):
            seen.add((subject, target))
            first, last = sorted((spans[subject], spans[target]))
            start = min(first[0], said.word.idx)
            found.append(OpenRelation(said.type, subject, target, f"open.{said.rule}", start, last[1], 0.7))

    for said in noun_relations(doc, heads):
        add(said)
    for verb in doc:
        if not (verb.pos_ == "VERB" or (verb.pos_ == "AUX" and verb.lower_ in ("has", "have", "had"))):
            continue
        if verb.tag_ == "VBG" and verb.dep_ not in ("relcl", "acl") and not is_going_on(verb):
            continue
        told = ordered(verb, heads) if is_order(verb) else ()
        for one, other, done in told:
            subject, target = one.number, other.number
            if (
                subject != target
                and (subject, target) not in seen
                and is_thing(spans[subject][2])
                and is_thing(spans[target][2])
            ):
                seen.add((subject, target))
                found.append(
                    OpenRelation(
                        done, subject, target, "open.order", min(verb.idx, spans[subject][0]),
                        max(spans[subject][1], spans[target][1]), 0.65,
                    )
                )  # fmt: skip
        for said in approvals(verb, heads):
            add(said)
        if is_unreal(verb, can=True):
            continue
        handed = list(_handed(verb, heads)) if not is_unreal(verb) else []
        for one, other, type_ in handed:
            subject, target = one.number, other.number
            if subject != target and not (one.people or other.people) and (subject, target) not in seen:
                seen.add((subject, target))
                first, last = sorted((spans[subject], spans[target]))
                found.append(OpenRelation(type_, subject, target, "open.handed", min(first[0], verb.idx), last[1], 0.7))
        if handed:
            continue  # who "sold Lumen to Acme" sells it no more
        lemma = "find" if verb.lower_ == "found" and verb.tag_ == "VBD" else basic_form(verb.text)
        particles = [child.lower_ for child in verb.children if child.dep_ == "prt"]
        if particles:
            lemma = f"{lemma} {particles[0]}"  # "took over", "teamed up"
        if lemma == "join" and is_meeting(verb):
            continue
        able = any(child.lower_ == "can" for child in verb.children if child.dep_ == "aux")
        must = any(child.lower_ == "must" for child in verb.children if child.dep_ == "aux")
        for one, other, preposition, rule in _joined(verb, heads):
            subject, target = one.number, other.number
            if not preposition and lemma in TURNED_VERBS:
                subject, target = target, subject
            form = verb.lower_ if "passive" in rule else ""
            stated = _type(
                lemma, preposition, spans[subject][2], spans[target][2], form, by_agent=rule.endswith("agent")
            )
            if (
                stated is None
                and not rule.endswith("agent")
                and not form
                and verb.tag_ == "VBD"
                and spans[subject][2] in _WHO
            ):
                phrase = f"{lemma} {preposition}".rstrip()
                stated = DONE.get(phrase) or (_WAYS.get(phrase) if spans[target][2] in _PLACES else None)
                if stated is not None and not may_join(stated, spans[subject][2], spans[target][2]):
                    continue
            if rule.startswith("clause") and spans[subject][2] not in _WHO and is_of_somebody(verb):
                continue  # "people on Slack who work for Acme"
            if (
                preposition
                and not form
                and verb.tag_ == "VBD"
                and verb.lower_.endswith("ed")
                and stated not in VERBS.values()
                and spans[subject][2] not in _WHO
            ):
                continue  # "AMIs referenced in Terraform" do nothing
            if verb.tag_ == "VBG" and stated not in VERBS.values():
                continue  # "Ann Lee, joining from Reno, …": what somebody did besides
            if must and stated not in _OBLIGED and not (form in FILED and preposition):
                continue
            if other.people or (one.people and stated not in _OF_PEOPLE):
                continue
            known = (f"{lemma} {preposition}" if preposition else lemma) in VERBS or lemma in TURNED_VERBS
            told_able = form in FILED and preposition if form else known and stated not in OPTIONAL
            if able and not (is_thing(spans[subject][2]) and told_able):
                continue  # what a tool can do it does; what somebody can do, or what can be done, may be left
            if (
                stated is None
                or subject == target
                or ((subject, target) in seen and rule != "again")
                or (target, subject) in seen
            ):
                continue
            if not known and preposition and "passive" not in rule and may_be_noun(verb, preposition, one, heads):
                continue
            seen.add((subject, target))
            first, last = sorted((spans[subject], spans[target]))
            found.append(
                OpenRelation(
                    stated, subject, target, f"open.{rule}" if known else f"open.{rule}_other",
                    min(first[0], verb.idx), max(last[1], verb.idx + len(verb)), 0.7 if known else 0.6,
                    spans[subject][2] in _WHO and is_told(verb),
                )
            )  # fmt: skip
        for said in means(verb, heads):
            add(said)
    return found


_OF_PASSIVE = {
    "presented with": "WON", "honored with": "WON", "honoured with": "WON", "recognized with": "WON", "decorated with": "WON",
    "succeeded by": "FOLLOWED_BY",
}  # fmt: skip
"""A participle with its preposition, to what it says of its subject."""
_OF_PEOPLE = frozenset({"USES", "REQUIRES", "SUPPORTS", "PROVIDES", "MAINTAINS"})
"""What those who belong to an organization do, it does."""
_OBLIGED = frozenset({"USES", "REQUIRES", "APPROVED"})
"""What a handbook says with ``must`` is so."""


def _type(lemma: str, preposition: str, subject: str, target: str, participle: str, *, by_agent: bool) -> str | None:
    """The type that a verb states between entities of these types; none where it states nothing. In a passive it has the
    participle: ``RELEASED_ON``."""
    known = VERBS.get(f"{lemma} {preposition}") if preposition else TURNED_VERBS.get(lemma) or VERBS.get(lemma)
    if participle and preposition and known is None:
        known = _OF_PASSIVE.get(f"{participle} {preposition}")
    if known is not None:
        return known if may_join(known, subject, target) else None
    if (
        (lemma in NO_FACT and participle not in FILED)
        or (lemma == "base" and not preposition)  # "musl based Lamp runtimes"
        or (lemma in _MOTION and preposition == "in")  # "travelled to the school in Reno"
        or not lemma.isalpha()
        or len(lemma) < 3
        or preposition in _OF_TIME
    ):
        return None
    if not tagging.is_verb_or_adjective(lemma) or (participle and preposition == "with"):
        return None
    if by_agent and subject == target == "Person":
        return None  # "was driven by Ann Lee and Bob Ray": a list that was read as two clauses
    if participle:
        return f"{participle}_{preposition}".upper()
    third = _third_person(lemma)
    return f"{third}_{preposition}".upper() if preposition else third.upper()


def _third_person(lemma: str) -> str:
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{lemma}es"
    return f"{lemma[:-1]}ies" if lemma.endswith("y") and lemma[-2:-1] not in "aeiou" else f"{lemma}s"


def _is_second(verb: Token, word: Token) -> bool:
    """Whether a verb has an object before this one and a comma between: *keep schedules to and from Ham, York*."""
    before = [child.i for child in verb.children if child.dep_ == "dobj" and child.i < word.i]
    return bool(before) and any(token.text == "," for token in verb.doc[before[-1] : word.i])


def _joined(verb: Token, heads: dict[int, Head]) -> Iterator[tuple[Head, Head, str, str]]:
    """Subject, object, preposition and the rule, for all pairs that a verb joins; passives turned round."""
    subjects, passive, how = clause_subjects(verb, heads)
    if not subjects:
        return
    for child in verb.children:
        if (
            child.dep_ in ("dobj", "obj")
            and not passive
            and not (_is_given_something(verb, child) or _acts(verb, child) or _is_second(verb, child))
        ):
            again = child.lower_ == "it" and verb.dep_ == "conj"
            objects = _meant(verb, heads) if again else list(listed(child, heads))
            yield from ((s, o, "", "again" if again else how or "object") for s in subjects for o in objects)
    if not passive and verb.dep_ == "relcl" and not how and _is_gap(verb):
        # "Slack is a tool that TTS uses": what the clause is about is its object.
        yield from ((s, o, "", "gap") for s in subjects for o in of_clause(verb.head, verb, heads))
    for child in verb.children:
        if (child.dep_ == "agent" and not _has_place(verb, child)) or (
            passive and child.dep_ == "prep" and child.lower_ == "by"
        ):
            agents = governed(child, heads)
            yield from ((o, s, "", "agent" if not how else f"{how}_agent") for s in subjects for o in agents)
        elif (
            child.dep_ == "prep"
            and child.i > verb.i  # "For Acme, Slack serves as a hub": of whom it holds
            and not is_apart(child)
            and child.lower_ in _PREPOSITIONS
            and (not own_objects(verb) or _is_phrase(verb, child))
            and not (verb.dep_ == "relcl" and not how and not passive and _is_bare(verb))
            and child.doc[child.i - 1].text not in (",", "–", "—")
        ):
            rule = "passive_preposition" if passive else "preposition"
            others = governed(child, heads)
            yield from ((s, o, child.lower_, (how and f"{how}_{rule}") or rule) for s in subjects for o in others)


def _acts(verb: Token, noun: Token) -> bool:
    """Whether an object only does, or is, what the verb is about: *keeps Bob from leaving*, *confirms Bob absent*."""
    return any(
        child.i > noun.i
        and (
            child.dep_ in ("oprd", "ccomp", "acomp")
            or (child.dep_ == "prep" and any(one.dep_ == "pcomp" for one in child.children))
        )
        for child in (*verb.children, *noun.children)
    )


_HANDED = {
    "donate": "DONATED_TO", "contribute": "CONTRIBUTED_TO", "sell": "SOLD_TO", "transfer": "TRANSFERRED_TO", "move": "MOVED_TO",
    "award": "FUNDS", "give": "FUNDS", "grant": "FUNDS", "migrate": "MIGRATED_TO", "rename": "RENAMED_TO", "submit": "SUBMITTED_TO", "port": "PORTED_TO",
}  # fmt: skip
"""Verb to what it says of its object and the name behind ``to``; of its subject, where money is given."""
_MONEY = frozenset("grant grants funding funds fellowship donation".split())


def _handed(verb: Token, heads: dict[int, Head]) -> Iterator[tuple[Head, Head, str]]:
    """What was given to whom: ``Docker donated containerd to Acme``; and what was renamed."""
    type_ = _HANDED.get(basic_form(verb.text))
    if type_ is None or verb.tag_ not in ("VBD", "VBN", "VBZ"):
        return
    objects = [child for child in verb.children if child.dep_ == "dobj"]
    things = [mark for child in objects for mark in listed(child, heads)]
    if type_ == "FUNDS":
        subjects, passive, _ = clause_subjects(verb, heads)
        paid = objects and objects[0].lower_ in _MONEY and not passive
        things = subjects if paid else []
    for phrase in (
        [child for word in (verb, *objects) for child in word.children if child.dep_ in ("prep", "dative")]
        if things
        else ()
    ):
        if phrase.lower_ == "to":
            yield from ((thing, place, type_) for place in governed(phrase, heads) for thing in things)


def _meant(verb: Token, heads: dict[int, Head]) -> list[Head]:
    """What *it* is in a second clause, where the first is about one thing: *read Rule 7 and kept it*."""
    first = [child for child in verb.head.children if child.dep_ == "dobj" and child.i < verb.i]
    before = [one for child in first for one in listed(child, heads)]
    return before if len(before) == 1 else []


def _is_given_something(verb: Token, receiver: Token) -> bool:
    """Whether an object is whom something is given to: in ``Acme provides Lumen with money`` Acme provides money."""
    following = receiver.doc[receiver.i + 1 : receiver.i + 2].text
    return verb.lower_.startswith(("provid", "suppl", "equip", "furnish", "present")) and following.lower() == "with"


def _is_gap(verb: Token) -> bool:
    """Whether a clause has no object but what it is about: ``a tool (that) TTS uses``."""
    objects = [child for child in verb.children if child.dep_ in ("dobj", "obj", "ccomp", "prep", "prt", "acomp")]
    return all(child.lower_ in ("that", "which") or child.dep_ == "prep" for child in objects) and not any(
        child.dep_ == "prep" and not list(child.children) for child in objects
    )


def _is_bare(clause: Token) -> bool:
    """Whether a clause begins without *that*: *the flag Lumen passes to Tarn*, where the flag is what is passed."""
    return all(word.lower_ not in ("that", "which", "who", "whom", "where", "when") for word in clause.lefts)


def _has_place(verb: Token, agent: Token) -> bool:
    """Whether another phrase stands between a verb and ``by``: ``based on the poem Kashmiri Song by ⟨1⟩``."""
    return any(
        child.dep_ == "prep" and child.lower_ in ("on", "from", "upon") and verb.i < child.i < agent.i
        for child in verb.children
    )


def _is_phrase(verb: Token, preposition: Token) -> bool:
    """Whether a verb, its particle and its preposition are one: *teamed up with*."""
    beside = own_objects(verb)
    return len(beside) == 1 and f"{basic_form(verb.text)} {beside[0].lower_} {preposition.lower_}" in VERBS
