"""Whom a sentence means that does not name its subject: ``It``, ``The company``, ``This element``, ``we``, ``I``.

Used by ``fact_reader``, sentence by sentence in order. Where it is clear who is meant, the sentence gets one more name.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kgfs.documents.html_cells import row_head
from kgfs.extraction.facts.guides import lead_subjects
from kgfs.extraction.facts.meeting_notes.attendees import person_name
from kgfs.extraction.facts.name_types import NameTypes
from kgfs.extraction.facts.sentences.families import FEMALE, MALE
from kgfs.extraction.facts.structured.listed_names import stated_entry
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameSpan
from kgfs.extraction.units import Unit
from kgfs.relation_types import is_thing

if TYPE_CHECKING:
    from spacy.tokens import Doc

_FIRST = (
    r"^(?:(?:In|On|By|Since|After) (?:[A-Z][a-z]+ )?(?:\d{1,2},? )?(?:[A-Z][a-z]+ )?\d{4},? |Between \d{4} and \d{4}, |"
    r"Born (?:in|on) [^,]{3,40}, |(?:Later|Then|Today|Soon),? )?"
)
"""What may stand before a sentence's subject: when."""
_PRONOUN = re.compile(
    rf"{_FIRST}(?P<word>It|it|He|he|She|she"
    r"|[Tt]he (?:company|firm|bank|group|business|start-?up|laboratory|organi[sz]ation|(?:news)?paper|magazine|"
    r"institut(?:e|ion)|society|foundation|association|university|college|school|agency|ministry|union|party|club|museum|"
    r"council|committee|board|church|city|town|village|project|library|tool|program|framework|package|"
    r"app|application))(?=[ ,'’])"
)
_POSSESSIVE = re.compile(r"(?P<word>His|Her)(?= [a-z])")
"""*His wife was Ann Lee*: the sentence goes on about whom the one before is about."""
_SAYS_SEX = "|".join(sorted(FEMALE | MALE))
_CALLED_BEFORE = re.compile(
    rf"(?i)\b(?P<word>{_SAYS_SEX})(?:,| was| is|, named| named| called)?\.? (?:(?:the|an?|fellow) (?:[a-z-]+ ){{0,3}})?(?:(?:queen|princess|king|prince|lady|lord|sir) )?$"
)
_CALLED_BEHIND = re.compile(
    rf"(?i)(?: \([^()]{{1,80}}\))?,? (?:(?:is|was|became) )?(?:(?:the|an?|his|her) )?(?:[\w-]+ ){{0,3}}?(?P<word>{_SAYS_SEX})(?= (?:of|and|who|from)\b|[,.;])"
)
"""What says beside a name whether he or she is meant."""
_MOST_BEFORE = 60
_AS_SUBJECT = {"His": "he", "Her": "she"}
_PLACES = frozenset("city town village".split())
_THINGS = frozenset("project library tool program framework package app application".split())
_OF_NAMES = frozenset(
    "institute institution society foundation association university college school agency ministry union party club "
    "museum council committee board church".split()
)
"""Nouns that mean what is called so: *the society* is the *Tarn Society*."""
_OF_ANOTHER = re.compile(
    r"\b(?:of|in|on|for|to|from|with|by|at|between|under|over|via|using) (?:the |an? |its |their )?$"
)
"""Before a name that is no subject."""
_BEHIND_CLAUSE = re.compile(
    r"^(?:After|Before|During|From|In|Prior to|Since|Until|While) [^;:.]*, (?:(?:Mr|Mrs|Ms|Miss|Dr|Sir|Dame)\.? )?$"
)
"""Before the subject of a sentence: a clause that says when."""
_COPULA = re.compile(r" (?:is|was|are|were) ")
_CALLED = re.compile(
    r"\bn(?:é|e)e? $|\b(?:known|called|styli[sz]ed|latini[sz]ed|billed|credited|nicknamed|abbreviated|romani[sz]ed|spelled|written)"
    r"(?: [a-z]+){0,3} [\"“(]?$|\b(?:pseudonym|stage name|pen name|born) [\"“]?$"
)
"""Before another name of what a lead is about."""
_WE = re.compile(r"(?: \([^()]{1,40}\))?,? (?P<we>we) ")
_SPEAKER = re.compile(
    r"(?:(?!If|When|Unless|Until|Before|Where|How|Why|Should)[A-Z][^,;:.!?]{0,60}, )?(?P<we>[Ww]e)(?:['’](?:ve|re))? "
)
"""*We* as the subject of a sentence's main clause."""
_OUR = re.compile(
    r"Our(?= )|(?:[^.!?\n]{0,120}[ (])?(?P<our>our)(?= (?:co-?founder|founder|C[ETOF]O|chief [a-z]+ officer|"
    r"president|chair(?:man|woman)?|executive director|managing director)"
    r"(?: and (?:CEO|president|co-?founder))?,? [A-Z]"
    r"| (?:[a-z-]+ )?(?:work|partnership|collaboration) with (?:the )?[A-Z])"
)
"""*Our* at the head of a sentence, or before the post of somebody who is named."""
_ME = re.compile(
    r"(?:(?!If|When|Unless|Until|Before|Where|How|Why|Should)[A-Z][^,;:.!?“”\"]{0,60}, )?(?P<i>I)(?= [a-z]|['’]m )"
)
"""*I* as the subject of a sentence's main clause."""
_WISH = re.compile(r" (?:will|would|hope|intend|plan|want|wish|could|might|may|can)\b|['’](?:ll|d)\b")
"""Behind an *I* of whom nothing is told but what is to come."""
_MY_NAME = re.compile(r"(?:^|[.!,] )(?:[Mm]y name is|I am|I['’]m) $")
_AUTHORS = ("author", "authors", "by", "speaker")
_NAME = re.compile(r"[A-Z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|de|van|von|der|la|da)){1,4}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_THIS = re.compile(rf"{_FIRST}(?P<this>(?:[Tt]his|[Tt]he) (?P<noun>[a-z]+))(?= )")
_BODY = frozenset("organization organisation company firm group startup nonprofit charity".split())
"""Words for any organization."""
_THING = frozenset(
    "app application service tool system platform repository repo gem library plugin package module".split()
)
"""Words for any software."""
_SOFTWARE = ("Product", "Technology", "Service", "Repository")


class SentenceSubjects:
    """The subjects of a document's sentences."""

    def __init__(
        self, lexicon: Lexicon, types: NameTypes, lead: Sequence[Unit], subject: int | None, matter: Mapping[str, Any]
    ) -> None:
        """``subject`` is what the page is about; ``lead`` the sentences that open it, where it is about something;
        ``matter`` is the page's front matter, which may name who wrote it."""
        self._lexicon = lexicon
        self._types = types
        self._subject = subject
        self._lead = {id(unit): not place for place, unit in enumerate(lead)}
        """The sentences of the lead; whether it is the first."""
        self.kind = ""
        """What the lead says the subject is, in one word: ``film``."""
        self._speaker = lexicon.speaker()
        self._author = _author(matter)
        self._introduced: dict[tuple[str, ...], int] = {}
        """Who tells their name in a section, by the headings."""
        self._goes_on = False
        """The sentence of the lead before was about the subject, so that a pronoun means it."""
        self._words: dict[int, str] = {}
        """Whether a person is *he* or *she*, as far as the sentences before say it."""
        self._whose: tuple[int, int] | None = None
        """Whom *His* or *Her* at the head of the sentence before meant, with that sentence's paragraph."""

    def in_lead(self, unit: Unit) -> bool:
        """Whether a sentence is one of the lead."""
        return id(unit) in self._lead

    def opens(self, unit: Unit) -> bool:
        """Whether a sentence of the lead is its first."""
        return self._lead[id(unit)]

    def note_persons(self, unit: Unit, spans: Sequence[NameSpan], whose: int | None) -> None:
        """Note what a sentence that was read says of who is *he* and who is *she*, and whom its *His* meant."""
        text = unit.content.text
        self._whose = None if whose is None else (whose, unit.paragraph)
        for span in spans:
            said = text[span.start : span.end].lower()
            found = _CALLED_BEFORE.search(text[max(0, span.start - _MOST_BEFORE) : span.start])
            found = found or _CALLED_BEHIND.match(text, span.end)
            first = said.partition(" ")[0].rstrip(".")
            if said in ("he", "she"):
                self._words.setdefault(span.ref, said)
            elif first in FEMALE | MALE and " " in said:
                self._words.setdefault(span.ref, "she" if first in FEMALE else "he")
            elif found is not None:
                self._words.setdefault(span.ref, "she" if found["word"].lower() in FEMALE else "he")
        if whose is not None and (own := _POSSESSIVE.match(text)) is not None:
            self._words.setdefault(whose, _AS_SUBJECT[own["word"]])

    def whose(self, unit: Unit, previous: tuple[Unit, list[NameSpan]] | None) -> int | None:
        """Whom *His* or *Her* at the head of a sentence means, if clear."""
        found = _POSSESSIVE.match(unit.content.text)
        if found is None:
            return None
        word = _AS_SUBJECT[found["word"]]
        if self.in_lead(unit) and self._goes_on and self._is_person(self._subject, word):
            return self._subject
        if previous is not None and previous[0].paragraph == unit.paragraph:
            if self._whose is not None and self._whose[1] == unit.paragraph and self._is_person(self._whose[0], word):
                others = {span.ref for span in previous[1]} - {self._whose[0]}
                return None if any(self._is_person(ref, word) for ref in others) else self._whose[0]
            return self._antecedent(word, previous[1], previous[0].content.text)
        antecedent = self._titled_person(unit)
        return self._subject if antecedent is None and self._is_person(self._subject, word) else antecedent

    def _is_person(self, ref: int | None, word: str) -> bool:
        """Whether somebody may be meant by *he* or *she*."""
        return ref is not None and self._types.best(ref) == "Person" and self._words.get(ref, word) == word

    def _is_other(self, span: NameSpan, text: str, word: str) -> bool:
        """Whether a name is of somebody whom a pronoun does not mean, by what its sentence or those before say."""
        found = _CALLED_BEFORE.search(text[max(0, span.start - _MOST_BEFORE) : span.start])
        said = found["word"].lower() if found is not None else ""
        known = self._words.get(span.ref, "she" if said in FEMALE else "he" if said in MALE else word)
        return known != word

    def implied(self, unit: Unit) -> int | None:
        """Whom a sentence may be about without a name: the page's subject, or those who speak."""
        text = unit.content.text
        if self._subject is not None and (self.in_lead(unit) or _THIS.match(text) is not None):
            return self._subject
        if _ME.match(text) is not None and (writer := self._writer(unit)) is not None:
            return writer
        return self._speaker if self._speaker is not None and _SPEAKER.match(text) is not None else None

    def speaks(self, text: str, spans: Sequence[NameSpan]) -> int | None:
        """The number of the name that is *we* in a sentence, as those who speak."""
        found = _SPEAKER.match(text) if self._speaker is not None else None
        if found is None:
            return None
        return next((place for place, span in enumerate(spans) if span.start == found.start("we")), None)

    def _writer(self, unit: Unit) -> int | None:
        """Who says *I* where a unit stands: who told their name in its section, else whose name is its heading, else
        the one who wrote the page."""
        known = self._introduced.get(unit.headings)
        known = self._titled_person(unit) if known is None else known
        known = self._row_person(unit) if known is None else known
        return known if known is not None or not self._author else stated_entry(self._lexicon, self._author, "Person")

    def _titled_person(self, unit: Unit) -> int | None:
        """The person whose name is the heading above a unit, whole."""
        title = unit.headings[-1].strip(" *_") if unit.headings else ""
        ref = self._lexicon.find_entry(title) if " " in title else None
        if ref is None or self._types.best(ref := self._lexicon.resolved(ref)) != "Person":
            return None
        return ref

    def _row_person(self, unit: Unit) -> int | None:
        """The person whose name is the first cell of the row of an HTML table that a unit stands in."""
        said = row_head(unit.chunk.text[: unit.start])
        if not said:
            return None
        known = self._lexicon.find_entry(said)
        is_person = known is not None and self._types.best(self._lexicon.resolved(known)) == "Person"
        name = person_name(said, tagged=not is_person)
        return stated_entry(self._lexicon, name, "Person") if name else None

    def with_me(self, unit: Unit, spans: list[NameSpan]) -> list[NameSpan]:
        """The names of a sentence with ``I`` as who wrote it, where no other one is quoted."""
        text = unit.content.text
        for span in spans:
            if _MY_NAME.search(text[: span.start]) and self._types.best(span.ref) == "Person":
                self._introduced[unit.headings] = span.ref
                return spans
        found = _ME.match(text)
        writer = self._writer(unit) if found is not None and not _is_quoted(unit) else None
        if found is None or writer is None:
            return spans
        start, end = found.span("i")
        if _WISH.match(text, end):
            return spans  # "As a member, I will …": what a candidate says
        if any((span.start < end and start < span.end) or span.ref == writer for span in spans):
            return spans
        return sorted([*spans, NameSpan(start, end, writer)], key=lambda span: span.start)

    def may_refer(self, unit: Unit) -> bool:
        """Whether a sentence begins with a pronoun for what the one before may be about."""
        return _PRONOUN.match(unit.content.text) is not None

    def with_pronoun(
        self, unit: Unit, spans: list[NameSpan], previous: tuple[Unit, list[NameSpan]] | None
    ) -> tuple[str, list[NameSpan], bool]:
        """The sentence with ``It`` or ``The company`` as a name: what the sentence before is about, if clear."""
        text = unit.content.text
        found = _PRONOUN.match(text)
        if found is None:
            return text, spans, False
        antecedent = None
        if previous is not None and previous[0].paragraph == unit.paragraph:
            antecedent = self._antecedent(found["word"].lower(), previous[1], previous[0].content.text)
        elif found["word"].lower() in ("he", "she"):
            antecedent = self._titled_person(unit)
            if antecedent is None and self._is_person(self._subject, found["word"].lower()):
                antecedent = self._subject  # a paragraph of somebody's page
        if antecedent is None and found["word"].lower() in ("he", "she"):
            antecedent = self._row_person(unit)
            others = previous[1] if previous is not None and previous[0].paragraph == unit.paragraph else []
            if any(self._types.best(span.ref) == "Person" and span.ref != antecedent for span in others):
                antecedent = None
        if antecedent is None:
            return text, spans, False
        start, end = found.span("word")
        if any(span.start < end for span in spans if span.end > start):
            return text, spans, False
        merged = sorted([*spans, NameSpan(start, end, antecedent)], key=lambda span: span.start)
        return text, merged, True

    def _antecedent(self, word: str, before: list[NameSpan], text: str) -> int | None:
        """The subject of the sentence before, if nothing else there could be meant or the document is about it."""
        noun = word.rpartition(" ")[2]
        wanted = "Person" if word in ("he", "she") else "Location" if noun in _PLACES else "Organization"
        fitting = list(dict.fromkeys(span.ref for span in before if self._types.best(span.ref) == wanted))
        if wanted == "Person" and before and re.search(rf"(?i)\b{word}\b", text[: before[0].start]):
            return None  # "In 1940 he was forced by Orm Lee. He": nobody knows who the first was
        if wanted == "Person":
            others = [ref for ref in fitting if self._is_person(ref, word)]
            if len(others) < len(fitting) and not others:
                # "His wife was Ann. He": neither she nor anybody else there, so whom *His* meant.
                known = self._whose[0] if self._whose is not None and _POSSESSIVE.match(text) is not None else None
                return known if self._is_person(known, word) else None
            if fitting and before[0].ref == fitting[0] and others[0] != fitting[0]:
                return None
            if (
                self._whose is not None
                and _POSSESSIVE.match(text) is not None
                and self._is_person(self._whose[0], word)
            ):
                return None  # "Her daughter became a judge. She": one of the two
            fitting = others
        if noun in _THINGS:
            fitting = list(dict.fromkeys(span.ref for span in before if is_thing(self._types.end_type(span))))
        if noun in _PLACES | _THINGS and before and not _opening(text[: before[0].start]):
            return None
        if noun in _OF_NAMES and (not fitting or noun not in self._types.name(fitting[0]).lower()):
            return None
        if word == "it" and before and _OF_ANOTHER.search(text, 0, before[0].start):
            return None  # "shares of Acme": what stands before is the subject
        if word == "it" and before and (not fitting or fitting[0] != before[0].ref):
            # A tool or a work, where the sentence begins with it and names no other thing.
            things = list(dict.fromkeys(span.ref for span in before if is_thing(self._types.end_type(span))))
            fitting = [*things, *fitting] if _opening(text[: before[0].start]) else fitting
        if wanted == "Person" and len(fitting) == 1 and fitting[0] != before[0].ref:
            # "Prior to joining Acme, Ms. Lee was a partner at Lumen. She …": the only person, and the subject.
            first = next(span for span in before if span.ref == fitting[0])
            return fitting[0] if _BEHIND_CLAUSE.search(text, 0, first.start) else None
        if not fitting or fitting[0] != before[0].ref:
            return None
        return fitting[0] if len(fitting) == 1 or fitting[0] == self._lexicon.subject else None

    def with_kind(self, text: str, spans: list[NameSpan]) -> list[NameSpan]:
        """The names of a sentence with ``This element`` as the page's subject, where that is what the page is about."""
        found = _THIS.match(text) if self._subject is not None else None
        if found is None or self._subject is None or (spans and spans[0].start < found.end()):
            return spans
        last = self._types.name(self._subject).rpartition(" ")[2].lower()
        body = found["noun"] in _BODY and self._types.best(self._subject) == "Organization"
        thing = found["noun"] in _THING and text.startswith("This ") and self._types.best(self._subject) in _SOFTWARE
        if found["noun"] not in (self.kind, last) and not body and not thing:
            return spans
        return [NameSpan(found.start("this"), found.end(), self._subject), *spans]

    def with_we(self, text: str, spans: list[NameSpan]) -> list[NameSpan]:
        """The names of a sentence with ``we`` as the organization that it begins with: ``At GSA, we use Slack``.

        Else with ``We`` as those whose documents these are, where other documents of the folder show who they are.
        """
        if self._speaker is not None and (ours := _OUR.match(text)) is not None:
            start, end = ours.span("our") if ours["our"] else ours.span()
            if all(span.start >= end or span.end <= start for span in spans):
                return sorted([*spans, NameSpan(start, end, self._speaker)], key=lambda span: span.start)
        found = _SPEAKER.match(text) if self._speaker is not None else None
        if found is not None and self._speaker is not None:
            start, end = found.span("we")
            if all(span.end <= start or span.start >= end for span in spans):
                return sorted([*spans, NameSpan(start, end, self._speaker)], key=lambda span: span.start)
        if not spans or text[: spans[0].start] not in ("At ", "At the ", "In ", "Within "):
            return spans
        found = _WE.match(text, spans[0].end)
        if found is None or self._types.given_type(spans[0].ref) in ("Person", "Location", "Work"):
            return spans
        return [spans[0], NameSpan(found.start("we"), found.end("we"), spans[0].ref), *spans[1:]]

    def may_define(self, unit: Unit) -> bool:
        """Whether a sentence that opens a page may say what its subject is, without a verb."""
        return self.in_lead(unit) and self.opens(unit) and _DEFINES.match(unit.content.text) is not None

    def is_defined_by(self, unit: Unit, parsed: Doc | None) -> bool:
        """Whether a sentence opens a page with what its subject is, and no verb: *A tool for lamps, built by Acme*."""
        text = unit.content.text
        found = _DEFINES.match(text) if self.may_define(unit) else None
        if found is None or parsed is None or parsed.text != text:
            return False
        roots = [token for token in parsed if token.dep_ == "ROOT"]
        return len(roots) == 1 and roots[0].tag_ in _NOUN_TAGS and not _ON_TEXT.search(found[0])

    def with_subject(self, unit: Unit, spans: list[NameSpan]) -> tuple[str, list[NameSpan], int | None]:
        """A sentence of the lead with the page's subject as a name where it begins with it, and that name's number."""
        text, subject = unit.content.text, self._subject
        assert subject is not None
        named = self._lexicon.named[subject]
        start = end = 0
        if spans and spans[0].ref == subject and _opening(text[: spans[0].start]):
            start, end = spans[0].start, spans[0].end
        if self.opens(unit):
            if (this := _THIS.match(text)) is not None and this["noun"] == named.name.rpartition(" ")[2].lower():
                start, end = this.span("this")  # "This policy", on the page "Travel policy"
                self.kind = this["noun"]
            end = max(end, *(lead_subjects.opens_with(text, name) for name in (named.name, *named.aliases)))
        elif not end and self._goes_on:
            own_word = _POSSESSIVE.match(text)
            if own_word is not None and self._is_person(subject, word := _AS_SUBJECT[own_word["word"]]):
                # Behind "His wife was Ann" a *he* still means the subject; behind "His brother was Orm" either.
                self._goes_on = not any(
                    span.ref != subject
                    and self._types.best(span.ref) in ("Person", "")
                    and not self._is_other(span, text, word)
                    for span in spans
                )
                return text, spans, None
            start, end = lead_subjects.goes_on_with(text, named.name, self._types.best(subject), self.kind)
            said = text[start:end].lower()
            of_person = said in ("he", "she") and self._types.best(subject) in ("Person", "")
            if of_person and not self._is_person(subject, said):
                start = end = 0
            if not end and self._tells_of_part(text, spans):
                return text, spans, None
        self._goes_on = end > 0
        if not end:
            return text, spans, None
        own = [span for span in spans if span.end <= start or span.start >= end]
        if self.opens(unit):
            # "Giotto di Bondone, latinised as Giottus, was": up to the verb another name is a name of the subject.
            verb = _COPULA.search(text, end)
            own = [
                NameSpan(span.start, span.end, subject)
                if verb is not None and span.end <= verb.start() and _CALLED.search(text[end : span.start])
                else span
                for span in own
            ]
        merged = sorted([*own, NameSpan(start, end, subject)], key=lambda span: span.start)
        return text, merged, next(place for place, span in enumerate(merged) if span.start == start)

    def _tells_of_part(self, text: str, spans: Sequence[NameSpan]) -> bool:
        """Whether a sentence only names parts of the subject that no *it* behind it means: *Its subsidiaries are Orm and
        Tarn*, *The head of state is Queen Ann*."""
        found = _PART_IS.match(text) if self._types.best(self._subject or 0) != "Person" else None
        named = [span for span in spans if found is not None and span.start >= found.end()]
        if found is None or not named or len(named) < len(spans):
            return False
        return (found["be"] in ("are", "were") and len(named) > 1) or all(
            self._types.best(span.ref) == "Person" for span in named
        )


_PART_IS = re.compile(r"(?:Its|The) (?:[a-z-]+ ){1,5}?(?P<be>is|are|was|were) (?=(?:[a-z]+ ){0,3}[A-Z])")
_DEFINES = re.compile(r"(?:An?|Any|One of the) [^,;:.(]+")
_ON_TEXT = re.compile(
    r"(?i)\b(?:appendix|article|blog|chapter|collection|demo|documentation|draft|example|guide|introduction|list|look|note|notes|"
    r"overview|page|post|quick|repo|repository|sample|series|set|summary|template|tutorial|walkthrough)\b"
)
"""What a page calls itself, not its subject."""
_NOUN_TAGS = frozenset(("NN", "NNS", "NNP", "NNPS"))


def _author(matter: Mapping[str, Any]) -> str:
    """The only one whom the front matter has as who wrote a page; empty where there is none, or several."""
    for key in _AUTHORS:
        value = matter.get(key)
        named = value if isinstance(value, list) else [value]
        if len(named) == 1 and isinstance(named[0], str) and _NAME.fullmatch(named[0].strip()):
            return named[0].strip()
        if value:
            return ""
    return ""


def _is_quoted(unit: Unit) -> bool:
    """Whether a sentence stands in a quotation that began before it, or in one of its own."""
    line = unit.chunk.text[unit.chunk.text.rfind("\n", 0, unit.start) + 1 : unit.start]
    text = unit.content.text
    return ">" in _TAG.sub("", line) or text.count("“") != text.count("”") or text.count('"') % 2 == 1


def _opening(before: str) -> bool:
    """Whether nothing but an article or a quotation mark stands before a sentence's first name."""
    return before.strip(" \"“'‘(*").lower() in ("", "the", "a", "an")
