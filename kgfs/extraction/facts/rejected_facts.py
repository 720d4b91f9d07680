"""Facts that are rejected whatever rule made them: placeholders of templates as ends, examples of style guides.

Used by the fact reader; pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.facts import ends, rejected_frames
from kgfs.extraction.facts.lexicon_facts import LexiconFact
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.quoted_words import goes_on, is_spoken
from kgfs.extraction.facts.rejected_documents import mend_document
from kgfs.extraction.facts.rejected_ends import has_false_end
from kgfs.extraction.facts.sentences.statement_checks import lies_in_water
from kgfs.extraction.facts.structured.roster_titles import ANY_BODY, roster_title
from kgfs.extraction.names.declared.applications import applied_for
from kgfs.extraction.names.fragments import EXAMPLE_FIRM
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.well_known import is_known_software
from kgfs.model import ParsedDocument

_PLACEHOLDER = re.compile(
    rf"\bExample (?:Name|Person|User|Team|Project|{EXAMPLE_FIRM})\b|"
    r"\{\{|\}\}|%[\w-]+%|\{%|%\}|<[^<>]*>|\$\{|\$[A-Z_]{2,}|^\[.*\]$|\b(?:PROJECT|REPO|SITE|TEAM|YOUR|GROUP|SIG|USER|COMPANY)[ _-]?NAME\b|"
    r"\b(?:NAME|TITLE) HERE\b|^(?:Unknown|Anonymous) (?:Author|User|Person)$|\b[Yy]our [A-Z]|^(?:Foo|Bar|Lorem|Ipsum|Insert)\b|\bX{3,}\b"
)
"""What stands in a template for a name: ``{{ team }}``, ``<name>``, *PROJECT NAME*."""
_OF_STYLE = re.compile(
    r"(?i)\b(?:style ?guide|style manual|writing style|house style|tone of voice|voice and tone|word ?list|grammar|punctuation|"
    r"inclusive language|capitali[sz]ation|terminology|content style|writing guide(?:lines)?|spelling)\b"
)
"""In the titles of texts on how to write, whose sentences about others are examples."""
_OF_PAGE = ("page.", "structure.", "leads.see", "leads.listed", "records", "rosters.", "tables.role", "guide.contact", "guide.owner")  # fmt: skip
"""Rules that read where things stand, and no sentences."""


def is_of_style(title: str) -> bool:
    """Whether the title of a text says that it tells how to write."""
    return _OF_STYLE.search(title) is not None


_OF_POSTS = frozenset({"REPORTS_TO", "APPROVED"})
"""Types that say something of persons and bodies, and of posts only what any guide does."""
_COUNTED = re.compile(
    r"(?:Cycle|Step|Phase|Part|Stage|Week|Day|Month|Round|Level|Tier|Lesson|Module|Session|Option|Example|Case|Scenario|Section|Appendix|Table|"
    r"Figure|Question|Task|Exercise|Act|Milestone|Sprint|Iteration|Goal|Principle|Rule|Play) (?:\d+|[A-Z]|[IVX]+|One|Two|Three|Four|Five)\b.*"
)
"""Sections that are only counted: *Cycle 1*."""
_OF_FORM = re.compile(
    r".*\b(?:Considerations|Requirements|Criteria|Guidelines|Instructions|Expectations|Responsibilities|Prerequisites|Overview|Introduction|Background|"
    r"Summary|Conclusions?|Details|Notes|Examples|Purpose|Scope|Next Steps|Process|Procedures?|Steps)|(?:Archived|Active|Inactive|Draft|Pending|Approved|Rejected)"
)
"""Sections of a form, and states that something goes through: no thing that a page covers."""
_OF_PEOPLE = re.compile(
    r"(?i)(?:(?!of )[\w/-]+[ -]){0,2}(?:alumni|alumna|alumnus|emerit(?:us|i)|interested (?:party|parties)|guests?|applicants?|reviewers?|approvers?|moderators?|"
    r"organi[sz]ers?|mentors?|mentees?(?:/students?)?|panelists?|co-?ordinators?|contributors?|attendees|participants)"
)
"""Sections on those who have a role."""
_SIGNS = re.compile(r"[\W_]+")
MOST_SHORT = 4
"""Letters of a name that may be another's without its first: *rope* and *Europe* begin otherwise, *ape* and *tape* not."""


def joins_posts(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a fact that somebody is an end of has a post there: *Head of Design* is nobody."""
    if fact.object is None or fact.candidate.type in ("SEE_ALSO", "COVERS"):
        return False
    pair = (fact.subject, fact.object)
    posts = [ref for ref in pair if ends.is_post(types.name(ref))]
    if fact.candidate.type in _OF_POSTS:
        return bool(posts)
    return any(types.best(ref) in ("Person", "Organization") for ref in posts)


def is_section(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether what a page is said to cover is only one of its sections or steps."""
    if fact.candidate.type != "COVERS" or fact.object is None or not fact.rule.startswith("structure."):
        return False
    name = types.name(fact.object)
    return (
        _COUNTED.fullmatch(name) is not None
        or _OF_FORM.fullmatch(name) is not None
        or _OF_PEOPLE.fullmatch(name) is not None
        or roster_title(name) is not None
    )


def is_of_itself(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a fact joins a thing with itself: with one of its own names, or with its name without a letter before it."""
    if fact.object is None or fact.candidate.type in ("ALIAS_OF", "RENAMED_TO"):
        return False
    names = [{_SIGNS.sub("", one.casefold()) for one in types.names(ref)} for ref in (fact.subject, fact.object)]
    own = [_SIGNS.sub("", types.name(ref).casefold()) for ref in (fact.subject, fact.object)]
    short, long = sorted(own, key=len)
    return own[0] in names[1] or own[1] in names[0] or (len(short) > MOST_SHORT and long[1:] == short)


def is_of_no_program(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether headings such as *Input* and *Output* are read as those of a program where none is told of."""
    calls = fact.rule.startswith("structure.") and fact.candidate.type in ("ACCEPTS", "RETURNS")
    return calls and types.best(fact.subject) in ("", "Concept", "Document")


_STATES = frozenset({"STATUS", "STATE", "STAGE", "MATURITY", "PHASE"})


def is_of_relation(fact: LexiconFact, types: NameTypes, page: int | None) -> bool:
    """Whether a row gives the status of software that everybody knows on a page about something else: it is that of what
    the table is about there, as *state of adoption*."""
    return (
        fact.rule == "records"
        and fact.object is None
        and fact.candidate.type in _STATES
        and fact.subject != page
        and is_known_software(types.name(fact.subject))
    )


def is_rejected(fact: LexiconFact, types: NameTypes, *, of_style: bool) -> bool:
    """Whether a fact states nothing: it is an example of a text on writing, or an end is a placeholder, a post or a section."""
    if of_style and not fact.rule.startswith(_OF_PAGE):
        return True
    if joins_posts(fact, types) or is_section(fact, types):
        return True
    if is_of_itself(fact, types) or is_of_no_program(fact, types):
        return True
    refs = [fact.subject] if fact.object is None else [fact.subject, fact.object]
    if any(
        types.name(ref) in words.DEMONYMS and types.best(ref) != "Person" and not types.is_given(ref) for ref in refs
    ):
        return True  # "German brands such as"
    return any(_PLACEHOLDER.search(types.name(ref)) or types.name(ref) in ANY_BODY for ref in refs)


_OF_SPEAKERS = ("reports.", "figures", "changes")
"""Rules that say who said it, or read figures, which only the people of a firm tell."""


def is_quoted_only(fact: LexiconFact) -> bool:
    """Whether a sentence only quotes a fact as somebody's words."""
    if fact.unit is None or fact.unit.kind != "sentence" or fact.rule.startswith(_OF_SPEAKERS):
        return False
    text, value = fact.unit.content.text, fact.candidate.object_text
    if fact.places is not None:
        start, end = min(one.start for one in fact.places), max(one.end for one in fact.places)
    elif value and value != text and (start := text.find(value)) >= 0:
        end = start + len(value)
    else:
        return False
    return is_spoken(text, start, end, unclosed=fact.places is not None) or goes_on(fact.unit)


_DENIED = re.compile(
    r"(?:\b(?:not|never|neither|nor|hardly|scarcely|no)\b(?! (?:far|just|least|later|matter|only|sooner|until)\b)(?!\.)|n[’']t\b|"
    r"\b(?:alleged|believed|reputed|rumou?red|supposed|thought) to\b|\b(?:accus|suspect)ed of\b|"
    r"\b(?:about|due|expected|likely|planned|poised|proposed|scheduled|set|slated) to "
    r"(?:be|become|acquire|buy|join|lead|leave|merge|purchase|replace|sell|succeed|take)\b|"
    r"\b(?:almost|nearly) (?:[a-z]{2,}ed|became|bought|built|left|lost|met|sold|won|wrote)\b|"
    r"\b(?:consider|contemplat|discuss|debat|explor|weigh|reject|rul)(?:s|ed|ing|es|e)(?: out)? [a-z]+ing\b)[^,;:()]*$"
)
_NOT_SAID = re.compile(
    r"\b[Nn]either\b[^;:.]*$|\b(?:[Uu]nless|[Ll]est)\b[^,;:.]*$"
    r"|^\W*In (?:an?|the|his|her|its|their|one|another) (?:[a-z]+ )?(?:novel|film|story|play|dream|legend|book|game|episode)\b[^;:.]*$"
    r"|\b(?:claim(?:s|ed|ing)?|alleg(?:e[sd]?|ing)|dream(?:s|t|ed)|imagine[sd]?|pretend(?:s|ed)?|fear(?:s|ed)|hope[sd]?|"
    r"suspect(?:s|ed)?|speculate[sd]?|insinuate[sd]?)(?: [a-z]+){0,2} that (?:the )?$"
)
"""Before the first end of a fact: it is claimed, dreamt or told in a work."""
_ONLY_OF = re.compile(
    r"\b(?:accountant|agent|aide|ally|allies|assistant|associate|aunt|biographer|brother|client|colleague|cousin|critic|"
    r"daughter|deputy|descendant|doctor|employee|enem(?:y|ies)|father|follower|friend|grandson|heir|husband|investor|lawyer|"
    r"mentor|mother|neighbou?r|nephew|niece|opponent|parent|partner|pupil|rival|secretary|servant|shareholder|sister|son|"
    r"spokes(?:man|woman)|student|supporter|teacher|uncle|widow|wife)s? (?:of|to) (?:the )?$",
    re.I,
)
"""Before a subject that is only whose somebody is: *The lawyer of Ann Lee sued Orm*."""
_RELATIVE = re.compile(r",? (?:who|which|that)\b")
_OF_VERBS = ("relations.", "clause.", "open.", "syntax.", "ties.")
_TURNS = re.compile(r"\b(?:but|that|which|who|whose|where|because|until|when)\b")
_CLAIMED = re.compile(r", [\w’' -]{2,40} (?:alleg(?:es?|ed)|argue[sd]?|claim(?:s|ed)?|speculated?)\W*$")
_OF_ENDS = frozenset({"WORKED_FOR", "CONFLICTS_WITH", "RENAMED_TO", "LEFT", "REPLACES"})
"""Types of facts whose sentences say what is no more."""


def is_denied(fact: LexiconFact) -> bool:
    """Whether what stands between the ends of a fact denies it, or the sentence only says that somebody claims it: *Orm
    was never part of Tarn*, *She is believed to be a member of the Tarn Guild*."""
    if fact.unit is None or fact.unit.kind != "sentence" or fact.places is None or fact.candidate.type in _OF_ENDS:
        return False
    text = fact.unit.content.text
    first, last = sorted(fact.places, key=lambda place: place.start)
    denied = _DENIED.search(text, first.end, last.start)
    if denied is not None and _TURNS.search(denied[0]) is None:
        return True
    if fact.rule.startswith(_OF_VERBS) and _NOT_SAID.search(text, 0, first.start) is not None:
        return True
    return _CLAIMED.search(text, last.end) is not None


def is_of_another(fact: LexiconFact) -> bool:
    """Whether the subject of a fact is only whose somebody is that a sentence is about: *The son of Ann Lee founded Orm*."""
    if fact.unit is None or fact.unit.kind != "sentence" or fact.places is None or not fact.rule.startswith(_OF_VERBS):
        return False
    text, (subject, target) = fact.unit.content.text, fact.places
    if subject.start > target.start or _RELATIVE.match(text, subject.end) is not None:
        return False
    return _ONLY_OF.search(text, 0, subject.start) is not None


def is_beside_water(fact: LexiconFact, types: NameTypes) -> bool:
    """Whether a place is said to lie in the river or the lake that it lies on."""
    if fact.candidate.type not in ("LOCATED_IN", "PART_OF") or fact.object is None:
        return False
    if fact.unit is None or fact.places is None:
        return False
    before = fact.unit.content.text[: fact.places[1].start]
    return lies_in_water(types.name(fact.subject), types.name(fact.object), before)


def _is_told_with_date(facts: Sequence[LexiconFact]) -> set[int]:
    """The places of facts without a date that another one states with the same words and a date."""
    dated = {(*fact.statement, *_quoted(fact)) for fact in facts if fact.candidate.date and fact.object is not None}
    return {
        place
        for place, fact in enumerate(facts)
        if not fact.candidate.date and fact.object is not None and (*fact.statement, *_quoted(fact)) in dated
    }


def _quoted(fact: LexiconFact) -> tuple[int, int, int]:
    """Where the quote of a fact stands."""
    return fact.candidate.chunk, fact.candidate.start, fact.candidate.end


def _of_nearer(facts: Sequence[LexiconFact]) -> set[int]:
    """The places of facts that a clause seems to say of the name beside it, where a lead says the same of its subject:
    *a publisher located in Orm, owned by Tarn*."""
    told = {(fact.candidate.type, fact.subject, _quoted(fact)) for fact in facts if fact.rule == "leads.made_by"}
    return {
        place
        for place, fact in enumerate(facts)
        if fact.rule == "open.clause_agent" and (fact.candidate.type, fact.subject, _quoted(fact)) in told
    }


def standing(
    facts: Sequence[LexiconFact], types: NameTypes, document: ParsedDocument, lexicon: Lexicon
) -> list[LexiconFact]:
    """The facts of a document that are not rejected; those that name the document for what it tells of are mended."""
    of_style = is_of_style(document.title)
    applies = applied_for(document) is not None
    of_proposal = rejected_frames.is_of_proposal(document)
    speaks = lexicon.speaker()
    speaker = None if speaks is None else lexicon.resolved(speaks)
    one_of_many = rejected_frames.alternatives(facts, types) | _is_told_with_date(facts) | _of_nearer(facts)
    return [
        rejected_frames.mend_type(fact, types)
        for place, fact in enumerate(facts)
        if place not in one_of_many
        and not is_rejected(fact, types, of_style=of_style)
        and not is_quoted_only(fact)
        and not is_denied(fact)
        and not is_of_another(fact)
        and not is_beside_water(fact, types)
        and not is_of_relation(fact, types, lexicon.page)
        # Who adopted *Lampd* is no part of it, though a section of its application is called so.
        and not (applies and fact.candidate.type == "COVERS")
        and not rejected_frames.is_other_frame(fact, types, speaker, of_proposal=of_proposal)
        and not has_false_end(fact, types, lexicon)
        and mend_document(fact, types)
    ]
