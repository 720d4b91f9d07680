"""The words of a parsed sentence that stand for its names: the noun that the rest of a name hangs on, or one that is it.

Used by ``open_relations``. A name that is only part of what is spoken of (``any Concur user``) stands for nothing. Pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_VAGUE = frozenset(
    "no any every each another other some many most few several either neither all both what which whose".split()
)
_PEOPLE = frozenset(
    "employees staff team teams members people teammates engineers developers designers leadership contractors supervisors "
    "everyone staffers colleagues employee personnel".split()
)


class Head(NamedTuple):
    """The name that a noun stands for."""

    number: int
    people: bool = False
    """It stands for those who belong to it: ``GSA employees``, ``staff at GSA``."""


def name_heads(doc: Doc, spans: Sequence[tuple[int, int, str]]) -> dict[int, Head]:
    """Words by their place in the sentence, to the name whose head they are: that the rest of the name hangs on."""
    found: dict[int, Head] = {}
    for number, (start, end, type_) in enumerate(spans):
        words = [word for word in doc if start <= word.idx < end] if type_ else []
        inside = {word.i for word in words}
        tops = [word for word in words if word.head.i not in inside or word.head is word]
        if len(tops) > 1:  # the number of "PEP 703" may seem to say when something is done
            tops = [word for word in tops if not word.is_digit]
        classified = len(tops) == 1 and _is_classified(tops[0], words[-1], type_)
        if classified:
            # "The Credential attribute" is Credential, as "the Slack app" is Slack.
            inside |= set(range(words[-1].i + 1, tops[0].head.i + 1))
            tops = [tops[0].head]
        if len(tops) == 1 and (classified or not _is_vague(tops[0], inside)) and _people_of(tops[0]) is None:
            found.setdefault((_explanation(tops[0], words[-1]) or tops[0]).i, Head(number))
        elif len(tops) == 1 and (noun := _people_of(tops[0])) is not None and type_ not in ("Person", "Location"):
            found.setdefault(noun.i, Head(number, people=True))
    for place, head in list(found.items()):
        top = doc[place]
        if (kind := _called(top)) is not None:
            found.setdefault(kind.i, head)
        if top.dep_ == "pobj" and top.head.lower_ == "of" and top.head.head.lower_ in _SAME_THING:
            found.setdefault(top.head.head.i, head)
    return found


def _explanation(top: Token, last: Token) -> Token | None:
    """The noun in brackets behind a name that the parser takes the name for a part of: *PEP 703 (Optional Locks)*."""
    noun, opening = top.head, last.i + 1
    if top.dep_ not in ("nmod", "compound", "npadvmod", "amod") or noun.i <= opening:
        return None
    inside = top.doc[opening : noun.i].text
    return noun if inside.startswith("(") and ")" not in inside else None


_CALLED = frozenset("called named titled entitled dubbed".split())


def _called(top: Token) -> Token | None:
    """The noun that a name is given to: ``a timekeeping application called Tock``."""
    if top.dep_ != "oprd" or top.head.lower_ not in _CALLED or top.head.dep_ != "acl":
        return None
    noun = top.head.head
    several = any(child.dep_ in ("conj", "nummod") for word in (top, noun) for child in word.children)
    return noun if noun.tag_ == "NN" and not several else None


_SAME_THING = frozenset("implementation version release edition instance deployment team staff community".split())
"""What ``of`` a name is the thing itself, or those who are it: ``The current implementation of Acme uses …``."""


def _people_of(top: Token) -> Token | None:
    """Those who belong to a name, where it only says to whom they do: ``GSA employees``, ``staff at GSA``."""
    noun = top.head
    if top.dep_ == "pobj" and noun.lower_ in ("at", "in", "within", "of") and noun.dep_ == "prep":
        noun = noun.head
    elif top.dep_ not in ("compound", "nmod", "poss"):
        return None
    if noun.lower_ not in _PEOPLE or noun.i == top.i:
        return None
    told = [child for child in noun.children if child.dep_ in ("relcl", "acl", "nummod", "conj", "cc", "amod")]
    vague = any(child.lower_ in _VAGUE - {"all", "every", "each"} for child in noun.children)
    return None if told or vague or top.text.islower() else noun


def _is_classified(top: Token, last: Token, type_: str) -> bool:
    """Whether a name stands before a word that only says what it is: ``the Slack app``, ``the Innovation Fellows (IF) program``."""
    noun = top.head
    if top.dep_ not in ("compound", "nmod", "amod") or not (
        noun.lower_ in _CLASSIFIERS or noun.lower_ in _OF_TYPE.get(type_, ())
    ):
        return False
    between = top.doc[last.i + 1 : noun.i]
    if between.text and not (
        _SHORT_FORM.fullmatch(between.text)
        or (len(between) == 1 and between[0].dep_ == "amod" and between[0].lower_ in _PLAIN)
    ):
        return False
    beside = (*noun.children, *top.children)
    return (
        not any(_tells_which(child) for child in noun.children)
        and not any(
            child.i < top.i and child.dep_ in ("compound", "amod", "nummod") and child.lower_ not in _PLAIN
            for child in beside
            if not (child.head.i == top.i and child.text[:1].isupper())  # a word of the name
        )
        and any(child.dep_ == "det" and child.lower_ in ("the", "this") for child in beside)
    )


def _tells_which(word: Token) -> bool:
    """Whether what hangs on a noun says which one is meant: *the Acme program of Lumen*, *the Acme app that we use*."""
    if word.dep_ == "prep":
        return word.lower_ in ("of", "for", "from", "at")
    return word.dep_ == "acl" or (word.dep_ == "relcl" and not _is_aside(word))


def _is_aside(clause: Token) -> bool:
    """Whether a clause with *which* or *who* stands behind a comma: it says more of what was named, and not which one is meant."""
    first = clause.left_edge
    return first.lower_ in ("which", "who") and first.i > 0 and first.nbor(-1).text == ","


_SHORT_FORM = re.compile(r"\( ?[A-Z][\w.&-]{1,11} ?\)")
"""*(PIF)* between a name and the word for what it is."""
_PLAIN = frozenset(
    "new popular public national international online local official famous independent annual weekly monthly free".split()
)
"""What may be said of a thing beside its name."""
_OF_TYPE = {
    "Organization": frozenset(
        "label club side band party network magazine newspaper channel station bank museum council office team division".split()
    ),
    "Work": frozenset(
        "film movie series show novel album song game magazine newspaper journal book play musical opera".split()
    ),
    "Event": frozenset("conference festival tournament race match battle event award prize trophy ceremony".split()),
    "Product": frozenset("cloud game language tool console browser editor app".split()),
}
"""More words that say what a name of a type is."""
_POINTING = frozenset("this that these those".split())
_CLASSIFIERS = frozenset(
    "app application tool platform service system program attribute element module cmdlet command function class type method property "
    "parameter variable keyword operator package library framework protocol language format agency company file directive utility "
    "plugin extension repository website site database server client form policy act project community foundation initiative newsletter".split()
)


def _is_vague(noun: Token, inside: set[int]) -> bool:
    """Whether a name is only part of what is spoken of: ``any Concur user``, ``two Alphas``, ``Concur's``."""
    if any(child.dep_ == "case" or child.tag_ == "POS" for child in noun.children):
        return True
    if noun.text.islower() and any(
        child.i not in inside
        and (
            child.dep_ in ("amod", "compound", "nmod", "acl", "relcl")
            or child.lower_ in (_POINTING if len(inside) > 1 else _POINTING | {"a", "an"})
            or (child.dep_ == "prep" and child.lower_ == "of")
        )
        for child in noun.children
    ):
        return (
            True  # "a richer data model", "packages made by Acme", "the needs of both" are not the one that has a page
        )
    if {"a", "an"} & {child.lower_ for child in noun.children} and any(
        child.i not in inside and child.dep_ == "amod" for child in noun.children
    ):
        return True  # "a previous Pull Request"
    return any(
        child.i not in inside
        and (
            (child.lower_ in _VAGUE and child.dep_ != "preconj")
            or (child.dep_ == "poss" and not _is_pronoun_of(child, noun))
            or (child.dep_ == "nummod" and child.i < noun.i)
        )
        for child in noun.children
    )


def _is_pronoun_of(owner: Token, noun: Token) -> bool:
    """Whether a name only has *your* or *its* before it: who ``launched their Data Explorer`` launched the Data Explorer."""
    return owner.lower_ == "your" or (owner.lower_ in ("its", "their", "our", "his", "her") and noun.text[:1].isupper())


def listed(noun: Token, heads: dict[int, Head]) -> Iterator[Head]:
    """The name that a noun is the head of, and those listed with it."""
    waiting = [noun]
    while waiting:
        noun = waiting.pop()
        number = heads.get(noun.i)
        if number is None:
            number = _explaining(noun, heads)
        if number is None:
            return
        yield number
        if not any(child.dep_ == "cc" and child.lower_ not in ("and", ",") for child in noun.children):
            waiting += [child for child in noun.children if child.dep_ == "conj"]


def governed(preposition: Token, heads: dict[int, Head]) -> list[Head]:
    """The names behind a preposition, with those listed with them: ``with ⟨1⟩ and ⟨2⟩``."""
    return [head for noun in preposition.children if noun.dep_ == "pobj" for head in listed(noun, heads)]


def _explaining(noun: Token, heads: dict[int, Head]) -> Head | None:
    """The name that says who or what a noun is: ``the firm's founder, Ann Lee, wrote …``."""
    beside = [child for child in noun.children if child.dep_ == "appos"]
    others = any(child.dep_ in ("conj", "nummod") or child.lower_ in _VAGUE for child in noun.children)
    if beside and "(" in noun.doc[noun.i : beside[0].i].text:  # a list in brackets says what a thing has
        others = others or any(child.dep_ in ("conj", "appos") for child in beside[0].children)
    return heads.get(beside[0].i) if len(beside) == 1 and not others and noun.tag_ == "NN" else None
