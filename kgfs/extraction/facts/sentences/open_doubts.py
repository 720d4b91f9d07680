"""What only looks like a clause between two names: a noun read as a verb, what is denied, who only met.

Used by ``open_relations``. Pure, but for the parsed sentence.
"""

# A list of words is read as a whole: it stands on a line that is too long.
# ruff: noqa: E501

from __future__ import annotations

from typing import TYPE_CHECKING

from kgfs.extraction.facts.sentences.open_heads import Head
from kgfs.extraction.facts.sentences.verb_forms import basic_form

if TYPE_CHECKING:
    from spacy.tokens import Token

UNREAL = frozenset(
    "would could might may should must can will shall if unless whether not n't n’t never no cannot rather until longer 'll ’ll".split()
)
"""Words by which a clause says that something is not so, or only may be."""
NO_FACT = frozenset(
    # what is said, thought, wished, asked
    "say tell report announce claim state argue believe think know feel hope expect want wish desire plan intend propose suggest "
    "ask request consider see hear show note mention add explain describe call name discuss think deny doubt fear warn promise "
    "threaten urge advise recommend predict forecast estimate assume suppose mean seem appear look sound prefer try attempt seek "
    "chat tweet rope remind update encourage inform notify thank instruct persuade convince "
    "decide agree refuse fail hesitate like love hate enjoy need_to regard view treat deem label dub term rumour rumor allege "
    # what says nothing without more words
    "be have do go come get make take give put let keep become remain stay bring set turn start begin stop continue end finish "
    "happen occur exist find leave hold move change help allow enable let cause lead_to result follow precede face meet reach "
    "bear born educate star feature compare refer relate associate concern involve affect differ vary depend_from date range total number "
    "share click select choose type enter open press visit check contact email read learn".split()
)
"""Verbs that state no relation by themselves, whatever stands beside them."""
REPORTING = frozenset(
    "say tell report announce claim state argue believe think know feel hope expect want wish plan intend propose suggest ask "
    "consider note mention add explain deny doubt fear warn promise threaten urge advise recommend predict forecast estimate "
    "assume suppose seem appear try attempt seek decide agree refuse fail allege rumor help allow enable let imagine pretend "
    "ensure make_sure verify validate confirm check see need require".split()
)
"""What stands beneath such a verb is somebody's word, wish or plan."""
HOW = frozenset("timeframe time date deadline way manner extent degree circumstances conditions case event".split())
"""What a clause behind it only describes, and does not say to be so: *the extent to which Acme uses lamps*."""
_APART = frozenset("independently separately apart aside differently away far distinct isolated regardless".split())
"""Before *from*: what is *updated independently from* another is not updated from it."""
_MET = frozenset("discuss debate explore celebrate talk speak call urge ask demand protest condemn mark".split())
"""What somebody joins others for once."""


def is_apart(preposition: Token) -> bool:
    """Whether *from* says what something is done without: *updated independently from Lumen*."""
    return preposition.lower_ in ("from", "of") and preposition.doc[preposition.i - 1].lower_ in _APART


def is_denied(what: Token) -> bool:
    """Whether what stands beside a name is what it is not: *a feature of Tarn, not a feature of Lumen*."""
    return any(word.lower_ in UNREAL for word in what.doc[what.head.i + 1 : what.i])


def may_be_noun(verb: Token, preposition: str, subject: Head, heads: dict[int, Head]) -> bool:
    """Whether what was read as a verb is as often a noun: *RSS feeds for Acme*, *the `platforms` block in a Gemfile*."""
    own = any(at < verb.i and head == subject and verb.doc[at].text.islower() for at, head in heads.items())
    return preposition == "for" or (own and verb.tag_ in ("VB", "VBP"))


def is_meeting(join: Token) -> bool:
    """Whether who *joined* somebody only met them: *joined Acme at the Lamp Fair*, *joined Acme to discuss lamps*."""
    objects = [child for child in join.children if child.dep_ in ("dobj", "obj")]
    beside = [child for word in (join, *objects) for child in word.children]
    return any(
        (child.dep_ == "prep" and child.lower_ == "at" and not any(noun.lower_ == "age" for noun in child.children))
        or (child.dep_ in ("xcomp", "advcl", "acl", "relcl") and basic_form(child.text) in _MET)
        for child in beside
    )


_BEGUN = frozenset("begin start continue".split())


def is_going_on(verb: Token) -> bool:
    """Whether a verb in *-ing* tells what somebody does: ``is working with``, ``began using``."""
    if verb.dep_ == "xcomp":
        return basic_form(verb.head.text) in _BEGUN and verb.i - verb.head.i <= 2
    return any(
        child.dep_ == "aux" and child.lower_ in ("is", "are", "'re", "’re", "'s", "’s", "was", "were", "been")
        for child in verb.children
    )


def is_told(verb: Token) -> bool:
    """Whether a verb tells what was done: ``accepted``, ``was accepted``."""
    return verb.tag_ == "VBD" or any(
        child.lower_ in ("was", "were") for child in verb.children if child.dep_ == "auxpass"
    )


def is_of_somebody(verb: Token) -> bool:
    """Whether a clause begins with *who*."""
    return any(child.lower_ == "who" for child in verb.children if child.dep_ in ("nsubj", "nsubjpass"))


_UP = ("ccomp", "advcl", "xcomp", "csubj", "pcomp", "parataxis", "dep", "acl")


def _is_announced(verb: Token, outer: Token) -> bool:
    """Whether what stands beneath *announced* has happened: *Acme announced that Lumen acquired Tarn*."""
    return outer.lower_ in ("announced", "confirmed") and verb.tag_ in ("VBD", "VBN") and verb.dep_ == "ccomp"


def is_unreal(verb: Token, *, can: bool = False) -> bool:
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
