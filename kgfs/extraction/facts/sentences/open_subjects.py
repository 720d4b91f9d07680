"""The names that are the subject of a verb in a parsed sentence.

Its own, those of the verb before it, what a clause is about.

Used by ``open_relations`` and ``open_nouns``. Pure, but for the parsed sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgfs.extraction.facts.sentences.open_doubts import is_unreal
from kgfs.extraction.facts.sentences.open_heads import Head, listed
from kgfs.extraction.facts.sentences.open_orders import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Token


def clause_subjects(verb: Token, heads: dict[int, Head]) -> tuple[list[Head], bool, str]:
    """The names that are the subject of a verb, whether it is passive, and how they were found: ``""`` is its own."""
    own = [child for child in verb.children if child.dep_ in SUBJECTS]
    passive = any(child.dep_ in ("nsubjpass", "auxpass") for child in verb.children)
    if own:
        if len(own) == 1 and own[0].lower_ in ("which", "that", "who") and verb.dep_ == "relcl":
            return of_clause(verb.head, verb, heads), passive, "clause"
        return [mark for noun in own for mark in listed(noun, heads)], passive, ""
    if verb.dep_ == "xcomp" and verb.tag_ == "VBG" and not passive:
        return clause_subjects(verb.head, heads)
    if verb.dep_ == "acl" and verb.tag_ in ("VBN", "VBG"):
        return of_clause(verb.head, verb, heads), verb.tag_ == "VBN", "clause"
    if verb.dep_ == "conj" and verb.head.pos_ in ("VERB", "AUX") and not is_unreal(verb.head):
        subjects, was_passive, how = clause_subjects(verb.head, heads)
        if passive:
            return subjects, True, how or "second"  # "opened in 1995 and is run by Acme"
        if verb.tag_ in ("VBD", "VBN") and verb.head.tag_ in ("VBZ", "VBP") and not was_passive:
            return [], passive, ""  # "limits access to those documented in": no second clause
        again = verb.tag_ == "VBN" or (verb.lower_.endswith("ed") and not own_objects(verb))
        return subjects, was_passive and again, how or "second"
    return [], passive, ""


def of_clause(noun: Token, verb: Token, heads: dict[int, Head]) -> list[Head]:
    """The name that a clause behind a noun is about.

    The noun itself, or what is said to be one (``Acme is a tool that …``).
    """
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


def _of_copula(noun: Token, heads: dict[int, Head]) -> list[Head]:
    """What is said to be this.

    The subject of ``Slack is a tool that …``, of ``Slack is one of the tools that …``, and the name beside which
    ``a tool that …`` stands.
    """
    if noun.dep_ == "pobj" and noun.head.lower_ == "of" and noun.head.head.lower_ == "one":
        noun = noun.head.head
    if noun.dep_ == "appos":
        beside = heads.get(noun.head.i)
        alone = not any(child.dep_ == "conj" for word in (noun, noun.head) for child in word.children)
        return [beside] if beside is not None and alone else []
    if noun.dep_ != "attr" or noun.head.lower_ not in ("is", "was", "are", "were") or is_unreal(noun.head):
        return []
    if noun.doc[noun.left_edge.i - 1].text == ",":
        return []  # "Lumen is the successor of Tarn, a server that …": Tarn is the server
    return [mark for child in noun.head.children if child.dep_ == "nsubj" for mark in listed(child, heads)]


def own_objects(verb: Token) -> list[Token]:
    """The objects and particles of a verb: where it has some, what its preposition says is another matter."""
    return [
        child
        for child in verb.children
        if child.dep_ in ("dobj", "obj", "prt", "acomp", "attr", "ccomp", "xcomp", "oprd")
    ]
