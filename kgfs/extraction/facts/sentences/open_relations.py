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
    HOW,
    NO_FACT,
    REPORTING,
    UNREAL,
    is_apart,
    is_denied,
    is_going_on,
    is_meeting,
    is_of_somebody,
    is_told,
    may_be_noun,
)
from kgfs.extraction.facts.sentences.open_heads import Head, listed, name_heads
from kgfs.extraction.facts.sentences.open_orders import FILED, SUBJECTS, is_order, ordered
from kgfs.extraction.facts.sentences.verb_forms import basic_form
from kgfs.extraction.facts.tie_words import ADJECTIVES, NOUNS
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
_OF_TIME = frozenset("after before during since until as".split())
_UP = ("ccomp", "advcl", "xcomp", "csubj", "pcomp", "parataxis", "dep", "acl")


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
    for one, other, type_, rule, word in _of_nouns(doc, heads):
        if one.people or other.people:
            continue
        subject, target = one.number, other.number
        if subject != target and may_join(type_, spans[subject][2], spans[target][2]) and (subject, target) not in seen:
            seen.add((subject, target))
            first, last = sorted((spans[subject], spans[target]))
            found.append(OpenRelation(type_, subject, target, f"open.{rule}", min(first[0], word.idx), last[1], 0.7))
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
        if _unreal(verb, can=True):
            continue
        handed = list(_handed(verb, heads)) if not _unreal(verb) else []
        for one, other, type_ in handed:
            subject, target = one.number, other.number
            if subject != target and not (one.people or other.people) and (subject, target) not in seen:
                seen.add((subject, target))
                first, last = sorted((spans[subject], spans[target]))
                found.append(OpenRelation(type_, subject, target, "open.handed", min(first[0], verb.idx), last[1], 0.7))
        if handed:
            continue  # who "sold Lumen to Acme" sells it no more
        lemma = "find" if verb.lower_ == "found" and verb.tag_ == "VBD" else basic_form(verb.text)
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
                said = f"{lemma} {preposition}".rstrip()
                stated = DONE.get(said) or (_WAYS.get(said) if spans[target][2] in _PLACES else None)
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
    return found


_OF_PEOPLE = frozenset({"USES", "REQUIRES", "SUPPORTS", "PROVIDES", "MAINTAINS"})
"""What those who belong to an organization do, it does."""
_OBLIGED = frozenset({"USES", "REQUIRES", "APPROVED"})
"""What a handbook says with ``must`` is so."""


def _of_nouns(doc: Doc, heads: dict[int, Head]) -> Iterator[tuple[Head, Head, str, str, Token]]:
    """``is part of``, ``is compatible with``, and for more of one thing ``see`` another: subject, object, type, rule, word."""
    for word in doc:
        if word.pos_ == "AUX" and word.lower_ in ("is", "was", "are", "were") and not _unreal(word):
            subjects = _said_of(word, heads)
            for what in word.children if subjects else ():
                yield from ((s, o, type_, "of_noun", what) for s in subjects for o, type_ in _owners(what, heads))
                beside = [*what.children, *(child for child in word.children if child.i > what.i)]
                for preposition in beside if what.dep_ in ("attr", "acomp") else ():
                    if preposition.dep_ != "prep":
                        continue
                    if what.dep_ == "attr":
                        plain = not any(child.dep_ in ("compound", "nmod") for child in what.children)
                        type_ = (
                            NOUNS.get(what.lower_, "")
                            if plain and (preposition.lower_ in ("of", "for", "to") or _is_within(what, preposition))
                            else ""
                        )
                    else:
                        type_ = ADJECTIVES.get(f"{what.lower_} {preposition.lower_}", "")
                    for noun in preposition.children if type_ else ():
                        if noun.dep_ == "pobj":
                            rule = "noun" if what.dep_ == "attr" else "adjective"
                            yield from ((s, o, type_, rule, what) for s in subjects for o in listed(noun, heads))
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
            for preposition in word.children if closed else ():
                for noun in preposition.children if preposition.lower_ == "of" else ():
                    if noun.dep_ == "pobj" and not any(child.dep_ in ("compound", "nmod") for child in word.children):
                        yield from ((whose, o, NOUNS[word.lower_], "beside", word) for o in listed(noun, heads))
        elif word.lower_ == "see" and word.tag_ in ("VB", "VBP") and word.dep_ == "ROOT":
            yield from _see(word, heads)


def _nearest(word: Token, heads: dict[int, Head]) -> Head | None:
    """The name that an apposition stands beside: of two that are joined the second, *Acme and Lumen, part of Tarn*."""
    joined = [child for child in word.head.children if child.dep_ == "conj" and child.i < word.i]
    return heads.get(joined[-1].i) if joined else heads[word.head.i]


def _said_of(copula: Token, heads: dict[int, Head]) -> list[Head]:
    """The names that a form of *to be* says something of: its subjects, or what a clause with it is about."""
    subjects = [child for child in copula.children if child.dep_ == "nsubj"]
    if copula.dep_ == "relcl" and len(subjects) == 1 and subjects[0].lower_ in ("which", "that", "who"):
        return _of_clause(copula.head, copula, heads)
    return [mark for noun in subjects for mark in listed(noun, heads)]


_OWNED = frozenset(
    "project program programme initiative committee subcommittee team office division unit branch department".split()
)
"""What is a part of the organization whose name stands before it: ``is an Acme project``."""


def _owners(what: Token, heads: dict[int, Head]) -> Iterator[tuple[Head, str]]:
    """The names before a noun that say of whom it is."""
    if what.dep_ == "attr" and (what.lower_ in _OWNED or what.lower_ == "subsidiary"):
        for child in what.children:
            if child.dep_ in ("compound", "nmod", "poss") and (owner := heads.get(child.i)) is not None:
                yield owner, "SUBSIDIARY_OF" if what.lower_ == "subsidiary" else "PART_OF"


def _is_within(unit: Token, preposition: Token) -> bool:
    """Whether something is said to be a unit of another that it lies in: ``is an office within GSA``."""
    if preposition.lower_ == "within" and unit.lower_ in _OWNED:
        return True
    return preposition.lower_ in ("in", "at") and unit.lower_ in (
        "office", "division", "unit", "branch", "department", "section", "team", "component", "program", "chapter"
    )  # fmt: skip


def _see(see: Token, heads: dict[int, Head]) -> Iterator[tuple[Head, Head, str, str, Token]]:
    """``For more information about ⟨1⟩, see ⟨2⟩``."""
    behind = [child for child in see.children if child.i > see.i and child.dep_ in ("dobj", "nsubj")]
    targets = [mark for child in behind for mark in listed(child, heads)]
    for first in see.children if targets else ():
        if first.dep_ == "prep" and first.lower_ == "for" and first.i < see.i:
            for more in first.children:
                if more.dep_ == "pobj" and more.lower_ in ("information", "details", "detail", "more"):
                    for about in more.children:
                        if about.dep_ == "prep" and about.lower_ in ("about", "on"):
                            for noun in about.children:
                                if noun.dep_ == "pobj":
                                    yield from (
                                        (s, o, "DESCRIBED_IN", "see", see) for s in listed(noun, heads) for o in targets
                                    )


def _type(lemma: str, preposition: str, subject: str, target: str, participle: str, *, by_agent: bool) -> str | None:
    """The type that a verb states between entities of these types; none where it states nothing. In a passive it has the
    participle: ``RELEASED_ON``."""
    known = VERBS.get(f"{lemma} {preposition}") if preposition else TURNED_VERBS.get(lemma) or VERBS.get(lemma)
    if known is not None:
        return known if may_join(known, subject, target) else None
    if (
        (lemma in NO_FACT and participle not in FILED)
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
    subjects, passive, how = _subjects(verb, heads)
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
        yield from ((s, o, "", "gap") for s in subjects for o in _of_clause(verb.head, verb, heads))
    for child in verb.children:
        if (child.dep_ == "agent" and not _has_place(verb, child)) or (
            passive and child.dep_ == "prep" and child.lower_ == "by"
        ):
            for noun in child.children:
                if noun.dep_ == "pobj":
                    yield from (
                        (o, s, "", "agent" if not how else f"{how}_agent")
                        for s in subjects
                        for o in listed(noun, heads)
                    )
        elif (
            child.dep_ == "prep"
            and child.i > verb.i  # "For Acme, Slack serves as a hub": of whom it holds
            and not is_apart(child)
            and child.lower_ in _PREPOSITIONS
            and not _has_object(verb)
            and not (verb.dep_ == "relcl" and not how and not passive and _is_bare(verb))
            and child.doc[child.i - 1].text not in (",", "–", "—")
        ):
            for noun in child.children:
                if noun.dep_ == "pobj":
                    rule = "passive_preposition" if passive else "preposition"
                    yield from (
                        (s, o, child.lower_, (how and f"{how}_{rule}") or rule)
                        for s in subjects
                        for o in listed(noun, heads)
                    )


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
        subjects, passive, _ = _subjects(verb, heads)
        paid = objects and objects[0].lower_ in _MONEY and not passive
        things = subjects if paid else []
    for phrase in (
        [child for word in (verb, *objects) for child in word.children if child.dep_ in ("prep", "dative")]
        if things
        else ()
    ):
        if phrase.lower_ == "to":
            for noun in phrase.children:
                if noun.dep_ == "pobj":
                    yield from ((thing, place, type_) for place in listed(noun, heads) for thing in things)


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


def _of_copula(noun: Token, heads: dict[int, Head]) -> list[Head]:
    """What is said to be this: the subject of ``Slack is a tool that …``, of ``Slack is one of the tools that …``, and the
    name that ``a tool that …`` stands beside."""
    if noun.dep_ == "pobj" and noun.head.lower_ == "of" and noun.head.head.lower_ == "one":
        noun = noun.head.head
    if noun.dep_ == "appos":
        beside = heads.get(noun.head.i)
        alone = not any(child.dep_ == "conj" for word in (noun, noun.head) for child in word.children)
        return [beside] if beside is not None and alone else []
    if noun.dep_ != "attr" or noun.head.lower_ not in ("is", "was", "are", "were") or _unreal(noun.head):
        return []
    if noun.doc[noun.left_edge.i - 1].text == ",":
        return []  # "Lumen is the successor of Tarn, a server that …": Tarn is the server
    return [mark for child in noun.head.children if child.dep_ == "nsubj" for mark in listed(child, heads)]


def _has_place(verb: Token, agent: Token) -> bool:
    """Whether another phrase stands between a verb and ``by``: ``based on the poem Kashmiri Song by ⟨1⟩``."""
    return any(
        child.dep_ == "prep" and child.lower_ in ("on", "from", "upon") and verb.i < child.i < agent.i
        for child in verb.children
    )


def _has_object(verb: Token) -> bool:
    """Whether a verb has an object or a particle of its own, so that what its preposition says is another matter."""
    return any(
        child.dep_ in ("dobj", "obj", "prt", "acomp", "attr", "ccomp", "xcomp", "oprd") for child in verb.children
    )


def _subjects(verb: Token, heads: dict[int, Head]) -> tuple[list[Head], bool, str]:
    """The names that are the subject of a verb, whether it is passive, and how they were found: ``""`` is its own."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    passive = any(child.dep_ in ("nsubjpass", "auxpass") for child in verb.children)
    if own:
        if len(own) == 1 and own[0].lower_ in ("which", "that", "who") and verb.dep_ == "relcl":
            return _of_clause(verb.head, verb, heads), passive, "clause"
        return [mark for noun in own for mark in listed(noun, heads)], passive, ""
    if verb.dep_ == "xcomp" and verb.tag_ == "VBG" and not passive:
        return _subjects(verb.head, heads)
    if verb.dep_ == "acl" and verb.tag_ in ("VBN", "VBG"):
        return _of_clause(verb.head, verb, heads), verb.tag_ == "VBN", "clause"
    if verb.dep_ == "conj" and verb.head.pos_ in ("VERB", "AUX") and not _unreal(verb.head):
        subjects, was_passive, how = _subjects(verb.head, heads)
        if passive:
            return subjects, True, how or "second"  # "opened in 1995 and is run by Acme"
        if verb.tag_ in ("VBD", "VBN") and verb.head.tag_ in ("VBZ", "VBP") and not was_passive:
            return [], passive, ""  # "limits access to those documented in": no second clause
        again = verb.tag_ == "VBN" or (verb.lower_.endswith("ed") and not _has_object(verb))
        return subjects, was_passive and again, how or "second"
    return [], passive, ""


def _of_clause(noun: Token, verb: Token, heads: dict[int, Head]) -> list[Head]:
    """The name that a clause behind a noun is about: the noun itself, or what is said to be one (``Acme is a tool that …``)."""
    number = heads.get(noun.i)
    if number is not None:
        # "Salem, Oregon that …", "Wood and Zippel, conducted by …": the clause is about more than the name before it.
        following = verb.doc[noun.i + 1].text if noun.i + 1 < len(verb.doc) else ""
        own = [child.lower_ for child in verb.children if child.dep_ in SUBJECTS]
        alone = noun.dep_ not in ("conj", "appos") and not any(
            child.dep_ in ("conj", "appos") for child in noun.children
        )
        return [number] if alone and following in (",", "(", "who", "which") and "that" not in own else []
    return _of_copula(noun, heads)


def _is_announced(verb: Token, outer: Token) -> bool:
    """Whether what stands beneath *announced* has happened: *Acme announced that Lumen acquired Tarn*."""
    return outer.lower_ in ("announced", "confirmed") and verb.tag_ in ("VBD", "VBN") and verb.dep_ == "ccomp"


def _unreal(verb: Token, *, can: bool = False) -> bool:
    """Whether a clause is denied, asked, supposed, planned or somebody's word, by its own words or what it stands in; with
    ``can``, what is only possible is none of it."""
    token: Token = verb
    for _ in range(6):
        for child in token.children:
            if child.dep_ in ("aux", "neg", "mark", "advmod", "auxpass") and child.lower_ in UNREAL:
                if can and token is verb and child.lower_ in ("can", "must") and child.dep_ == "aux":
                    continue
                return True
            if (
                child.dep_ == "advmod"
                and child.lower_ in ("when", "whenever", "where", "how", "why")
                and child.i < token.i
            ):
                return True
            if child.dep_ == "aux" and child.lower_ == "to":
                return True
        if token.head is token:
            return False
        outer = token.head
        if token.dep_ in _UP and basic_form(outer.text) in REPORTING and not _is_announced(token, outer):
            return True
        if token.dep_ not in (*_UP, "conj", "relcl"):
            return False
        if token.dep_ == "relcl" or (token.dep_ == "acl" and outer.pos_ in ("NOUN", "PROPN")):
            # What is said of a name beside the sentence holds, whatever the sentence does with the name.
            return token.dep_ == "relcl" and outer.lower_ in HOW
        token = outer
    return False
