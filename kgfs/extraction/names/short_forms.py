"""Names that one document shows to be one: brackets, surnames, the short name of a company, of a product.

Used by the extractor on its lexicon; pure. Across documents names are joined by ``kgfs.graph.joining``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from kgfs.extraction.names import capitals, context_clues, evidence, explanations
from kgfs.extraction.names.explanations import ExplainedShortForm
from kgfs.extraction.names.kinds import is_called_body
from kgfs.extraction.names.lexicon import Lexicon
from kgfs.extraction.names.named import NameFindings, NameSpan
from kgfs.extraction.names.verdict import RECURS
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.places import ADMINISTRATIVE, PLACES
from kgfs.extraction.names.wordlists.well_known import well_known_type
from kgfs.plurals import singular

_PLURAL = re.compile(r"[A-Z][A-Z0-9]{1,6}s")
_ALSO_CALLED = re.compile(
    r"\((?:[Aa]\.?[Kk]\.?[Aa]\.?|also known as|better known as|nicknamed|known as) "
    r"[\"“]?(?P<name>[A-Z]\w{2,20})[\"”]?\)"
)
_CALLED_HERE = re.compile(
    r"\((?:collectively,? |hereinafter |each,? )*(?:the |an? )"
    r"[\"“](?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+){1,2})[,.]?[\"”]\)"
)
"""*(the “Selected Bank”)*: what a contract calls somebody from there on."""
_OR_LONG = re.compile(r"\b(?P<short>[A-Z]{3,6}), or (?P<long>[a-z][\w-]+(?: (?:of|for|and|[a-z][\w-]+)){1,5})(?=[,.])")
"""*EWMA, or exponentially weighted moving average*."""
_OF_ANY_GROUP = frozenset({"WG", "WGs"})
"""Letters that every group goes by in its own texts: *the Lamp Working Group (the "WG")*."""
_LETTERS = range(2, 6)
"""How many letters stand for a body."""
_NOUN_SHARE = 0.3
"""The share of the places of a word that must have an article before it so that it is nobody's name."""
_SAINTS = ("St.", "Saint")
_OF_SAINTS = frozenset("Ball Balls Club Guild Orchestra Singers Society".split())
"""What is called after a saint and goes by the saint's name alone."""
_OF_A_THING = frozenset("Foundation Initiative Project Community SIG SIGs WG Workgroup Team Chapter Conference".split())
"""Heads of bodies whose first word is what they are for."""


def read_brackets(lexicon: Lexicon, text: str, spans: Sequence[NameSpan]) -> None:
    """Take ``Name (ABC)``, ``ABC (Name)``, ``ABC, or Name,`` and ``the long phrase (TLP)`` as saying that two names are
    one."""
    if ", or " in text:
        for also in _OR_LONG.finditer(text):
            if capitals.stands_for(also["short"], also["long"]):
                _define(lexicon, also["long"], also["short"])
    if "(" not in text:
        return
    for called in _ALSO_CALLED.finditer(text):
        whose = _standing_before(text, called.start(), spans)
        if whose is not None:
            _call_also(lexicon, whose.ref, called["name"])
    for called in _CALLED_HERE.finditer(text):
        whose = _standing_before(text, called.start(), spans)
        if whose and called["name"].split()[-1] in lexicon.named[lexicon.resolved(whose.ref)].name.split():
            _call_also(lexicon, whose.ref, called["name"])
    for opening, short in capitals.bracketed_forms(text):
        if short in _OF_ANY_GROUP or short in lexicon.initials.names:
            continue
        before = _standing_before(text, opening, spans)
        if before is not None:
            ref = before.ref
            long = text[before.start : before.end]
            if capitals.stands_for(short, long) or capitals.stands_for(short, lexicon.named[ref].name):
                _equate(lexicon, ref, short)
                continue
            if capitals.stands_for(long, short) and short[:1].isupper():
                _equate_long(lexicon, ref, long, short)
                continue
        phrase = None if before else capitals.defined_phrase(text, opening, short)
        if phrase is not None and lexicon.find_entry(phrase) is None:
            _define(lexicon, phrase, short)
            continue
        explained = explanations.before_bracket(text, opening, short)
        if explained is not None:
            _explain(lexicon, text, explained)


def _standing_before(text: str, place: int, spans: Sequence[NameSpan]) -> NameSpan | None:
    """The name that ends right before a place."""
    before = [span for span in spans if span.end <= place and not text[span.end : place].strip()]
    return before[-1] if before else None


def _call_also(lexicon: Lexicon, ref: int, name: str) -> None:
    """Take what somebody is called besides as another name: *Ann Lee (aka Lampy)*."""
    ref, other = lexicon.resolved(ref), lexicon.find_entry(name)
    best = lexicon.named[ref].best
    if name in PLACES and best is not None and best[0] != "Location":
        return  # a film that is also known as "Chicago"
    if other is None:
        lexicon.alias(ref, name, rule="bracket")
    elif (other := lexicon.resolved(other)) != ref and not (
        lexicon.named[other].known or lexicon.named[other].declared
    ):
        lexicon.merge(other, ref, "bracket")
    lexicon.definitions.add(name, ref)


def read_terms(lexicon: Lexicon, text: str) -> None:
    """Take ``ABC - Long Name.``, an entry of a list of terms, as saying that two names are one."""
    explained = explanations.behind_dash(text)
    if explained is not None:
        _explain(lexicon, text, explained)


def _explain(lexicon: Lexicon, text: str, explained: ExplainedShortForm) -> None:
    """A short form with the words that have its letters."""
    phrase = text[explained.start : explained.end]
    ref = lexicon.find_entry(phrase)
    if ref is None and phrase.split()[-1].islower():
        if explained.short != explanations.singular_short_form(explained.short) and re.search(r"[^su]s$", phrase):
            phrase = singular(phrase)
        small = phrase if phrase[1:2].isupper() else phrase[0].lower() + phrase[1:]
        _define(lexicon, small, explained.short)
        return
    if ref is None:
        ref = lexicon.get(phrase)
        found = lexicon.named[ref]
        found.count += 1
        found.vote(*(capitals.type_cue(phrase) or ("", 0.0)))
        for type_, count in context_clues.type_clues(text, explained.start, explained.end):
            found.tags[type_] += count
            found.clues[type_] += count
        lexicon.definitions.add(phrase, ref)
    _equate(lexicon, ref, explained.short)


def _define(lexicon: Lexicon, phrase: str, short: str) -> None:
    """A term that the text explains: ``graphics processing units (GPUs)``."""
    if phrase.endswith("ies"):
        phrase = singular(phrase)  # "certificate authorities (CA)"
    other = lexicon.find_entry(short)
    if other is not None and (lexicon.named[other].known or lexicon.named[other].votes):
        return
    ref = lexicon.get(phrase)
    named = lexicon.named[ref]
    named.defined = True
    named.count += 1
    named.vote(evidence.explained_type(phrase, short), 0.6)
    if other is not None:
        lexicon.merge(other, ref, "bracket")
    lexicon.alias(ref, short, rule="bracket")
    for form in dict.fromkeys((phrase, short, explanations.singular_short_form(short))):
        lexicon.definitions.add(form, ref)


def _equate(lexicon: Lexicon, ref: int, short: str) -> None:
    ref = lexicon.resolved(ref)
    for form in dict.fromkeys((short, explanations.singular_short_form(short))):
        other = lexicon.find_entry(form)
        if other is None or other == ref:
            if form == short:
                lexicon.alias(ref, short, rule="bracket")
        elif not lexicon.named[other].known and not lexicon.named[other].declared:
            name = lexicon.named[other].name
            if name.casefold() == form.casefold():
                lexicon.merge(other, ref, "bracket")
            elif _may_be_one(name, lexicon.named[ref].name):
                lexicon.merge(ref, other, "bracket")
                ref = other
            elif form == short:
                lexicon.ambiguous(other, short)
                return
    lexicon.definitions.add(short, ref)
    named = lexicon.named[ref]
    if short != explanations.singular_short_form(short) and not named.known and not named.declared:
        _name_singular(lexicon, ref)
    if named.best is None and " " in named.name:
        if evidence.is_body(named.name):
            named.vote("Organization", 0.8)
            return
        # A name with an acronym but without a word that shows a type is a term that the text explains.
        named.vote(evidence.explained_type(named.name, short), 0.5)
        named.defined = True


def _name_singular(lexicon: Lexicon, ref: int) -> None:
    """Call what a text explains in the plural by its singular: ``Account Managers (AMs)``."""
    name = lexicon.named[ref].name
    one = singular(name)
    if " " not in name or not name.endswith("s") or name.endswith("ss"):
        return
    other = lexicon.known_entry(one)
    if other is not None and (other := lexicon.resolved(other)) != ref:
        lexicon.merge(ref, other, "bracket")
        lexicon.definitions.add(name, other)
    elif lexicon.find_entry(one) is None:
        lexicon.rename(ref, one, "bracket")
        lexicon.definitions.add(one, ref)


def _may_be_one(name: str, other: str) -> bool:
    """Whether two names with one short form may be one: ``Memoranda of Understanding``, not ``Amazon Web Services``
    and ``Alternative Work Schedule``."""
    one, two = sorted(
        ([part[:3].casefold() for part in re.findall(r"[^\W_]{4,}", each)] for each in (name, other)), key=len
    )
    rest = iter(two)
    return bool(one) and all(part in rest for part in one)


def _equate_long(lexicon: Lexicon, ref: int, short: str, long: str) -> None:
    """``ABC (Long Name)``: the long name is the entity's."""
    named = lexicon.named[ref]
    if named.known or named.declared:
        lexicon.alias(ref, long, rule="bracket")
        return
    other = lexicon.find_entry(long)
    if other is not None and other != ref:
        lexicon.merge(ref, other, "bracket")
        lexicon.definitions.add(short, other)
        return
    if other is None:
        lexicon.rename(ref, long, "bracket")
    found = capitals.type_cue(long)
    named.vote(*(found or ("Concept", 0.5)))
    named.defined = named.defined or found is None
    lexicon.definitions.add(short, ref)


def join_short_names(lexicon: Lexicon) -> None:
    """A surname or a given name is the person, ``Cumulus`` is ``Cumulus Networks``, ``Nordwind`` and ``Nordwind
    Energy`` are ``Nordwind Energy AG``: where only one long name fits, or one is whom the page is about.
    """
    _drop_nobodies(lexicon)
    _vote_by_letters(lexicon)
    _join_plurals(lexicon)
    _join_projects(lexicon)
    _join_qualified(lexicon)
    holders: defaultdict[str, dict[str, tuple[int, str]]] = defaultdict(dict)
    for ref, named in enumerate(lexicon.named):
        for short, rule in _short_names(lexicon, named):
            if len(short) > 2:
                holders[short].setdefault(_without_suffix(named.name), (ref, rule))
    # The longest first: what is short for "Nordwind Energy" is so for what that is short for.
    for short in sorted(holders, key=lambda name: -name.count(" ")):
        several = list(holders[short].values())
        own = [one for one in several if one[0] == lexicon.subject and one[1] in _OF_SUBJECT]
        if len(several) != 1 and not own:
            continue
        (holder, rule), *_ = own or several
        other, holder = lexicon.find_entry(short), lexicon.resolved(holder)
        if other is None or other == holder:
            continue
        found_named, best = lexicon.named[other], lexicon.named[holder].best
        if found_named.known or found_named.declared or found_named.linked or best is None:
            continue
        if rule == "first word" and found_named.tags["Location"] * 2 > found_named.tags.total():
            continue  # Aston Villa is a club in Aston
        # Whose page it is goes by the surname or without *Group*, whatever the tagger takes that for.
        if own or found_named.best is None or found_named.best[0] == best[0] or evidence.only_tagged(found_named):
            lexicon.merge(other, holder, rule)


def _drop_nobodies(lexicon: Lexicon) -> None:
    """Take persons from the names whose last word the text uses as a noun: *Linds Lampcase*, beside *a Lampcase*."""
    for named in lexicon.named:
        first, _, last = named.name.rpartition(" ")
        if not first or named.best is None or named.best[0] != "Person" or named.known or named.declared:
            continue
        if first.split()[0] not in words.GIVEN_NAMES and _is_noun(lexicon, last):
            del named.votes["Person"]
            named.tags.pop("Person", None)


def _vote_by_letters(lexicon: Lexicon) -> None:
    """Let what ends in letters that stand for bodies be one: *Acme Lamps PMC*, where *PMC* is a committee."""
    for named in lexicon.named:
        first, _, last = named.name.rpartition(" ")
        ref = (
            lexicon.find_entry(last) if first and last.isupper() and last.isalpha() and len(last) in _LETTERS else None
        )
        body = lexicon.named[lexicon.resolved(ref)] if ref is not None else None
        if body is None or body is named or named.known or named.declared:
            continue
        if body.best is not None and body.best[0] == "Organization" and (body.known or body.defined):
            named.vote("Organization", 0.85)


def _is_noun(lexicon: Lexicon, word: str) -> bool:
    """Whether a text has articles before a word so often that it is nobody's name."""
    ref = lexicon.find_entry(word)
    named = lexicon.named[lexicon.resolved(ref)] if ref is not None else None
    if named is None or named.name != word or not named.uses["noun"]:
        return False
    return named.uses["noun"] + named.uses["the"] >= max(RECURS, _NOUN_SHARE * named.count)


def _join_plurals(lexicon: Lexicon) -> None:
    """Make the plural of an acronym the same entry: ``SIGs`` and ``SIG``."""
    for ref, named in enumerate(lexicon.named):
        one = explanations.singular_short_form(named.name)
        other = lexicon.find_entry(one) if one != named.name else None
        if other is None or (other := lexicon.resolved(other)) == ref or not _PLURAL.fullmatch(named.name):
            continue
        if not (named.known or named.declared):
            lexicon.merge(ref, other, "plural")
        elif not (lexicon.named[other].known or lexicon.named[other].declared):
            lexicon.merge(other, ref, "plural")


def _join_projects(lexicon: Lexicon) -> None:
    """Make *the Acme Project* the same entry as *Acme*, which documents declare, unless Acme has several projects: *an
    Acme Project*, *Acme Projects*."""
    for ref, named in enumerate(lexicon.named):
        short, _, last = named.name.rpartition(" ")
        other = lexicon.find_entry(short) if last == "Project" and " " not in short else None
        if other is None or (other := lexicon.resolved(other)) == ref or named.known or named.declared:
            continue
        found = lexicon.named[other]
        several = named.uses["noun"] > 0 or not named.uses["the"] or lexicon.wording.holds(f"{named.name}s")
        type_ = found.best[0] if found.best is not None else ""
        if (found.known or found.declared) and not several and type_ not in _NO_PROJECTS:
            lexicon.merge(ref, other, "project")


_QUALIFIED = re.compile(
    r"(?:(?:19|20)\d\d|Current|Entire|First|Former|Incoming|New|Next|Outgoing|Previous|Whole) (?=[A-Z])"
)


def _join_qualified(lexicon: Lexicon) -> None:
    """Make *New Lamp Council*, *2020 Lamp Council* the same entry as *Lamp Council*, of which a text speaks more."""
    for ref, named in enumerate(lexicon.named):
        found = _QUALIFIED.match(named.name)
        other = lexicon.find_entry(named.name[found.end() :]) if found is not None else None
        if other is None or (other := lexicon.resolved(other)) == ref or named.known or named.declared:
            continue
        whole = lexicon.named[other]
        if " " in whole.name and whole.count > named.count and is_called_body(whole.name):
            gone = named.name
            lexicon.merge(ref, other, "qualified")
            whole.aliases.remove(gone)  # the next one is called so, too


_OF_SUBJECT = frozenset({"company suffix", "surname"})
"""The rules by which what a page is about goes by a short name that others may have, too."""
_FIRMS = frozenset("Company Corporation Enterprises Group Holding Holdings Industries".split())
"""Behind what a firm is called for short on its own page: *Nordvik Group*."""
_NO_PROJECTS = frozenset({"Event", "Facility", "Location", "Person", "Work"})
_SHARED_BY_MANY = frozenset(
    "Commons Community Ecosystem Movement Network Organisation Organization Project Projects".split()
)
"""Behind what all who belong to it are called after."""


def _are_two(lexicon: Lexicon, named: NameFindings) -> bool:
    """Whether two words that were read as one name are two persons', of whom a text speaks by one word each: *Before
    Schumann Mendelssohn wrote*."""
    parts = named.name.split()
    if len(parts) != 2 or parts[0] in words.GIVEN_NAMES:
        return False
    alone = [lexicon.find_entry(part) for part in parts]
    return all(ref is not None and lexicon.named[ref].count > 2 * named.count for ref in alone)


_RANKS = frozenset(
    "archduke archduchess king queen prince princess duke duchess grand emperor empress tsar sultan count countess "
    "earl margrave margravine elector saint st. pope bishop archbishop abbot landgrave infanta infante crown"
    " dowager".split()
)


def _short_names(lexicon: Lexicon, named: NameFindings) -> Iterator[tuple[str, str]]:
    """What a longer name may be called for short, each with the rule that says so."""
    best = named.best
    if best is None or not named.name or " " not in named.name:
        return
    parts = named.name.split()
    if best[0] == "Person":
        if named.name.endswith(")") and len(bare := named.name.partition(" (")[0].split()) > 1:
            parts = bare  # "Ann Lee (director)"
        two = not named.declared and _are_two(lexicon, named)
        if parts[-1] in words.DEMONYMS or two or _is_noun(lexicon, parts[-1]):
            return  # "the English" are not Captain English
        if "of" in parts[1:]:
            own = [part for part in parts[: parts.index("of")] if part.lower() not in words.PERSON_TITLES | _RANKS]
            if own and len(own[0]) > 2 and not lexicon.in_lower_case(own[0]):
                yield " ".join(own), "given name"  # "Archduke Franz Ferdinand of Austria"
            return
        if parts[0] == "Mrs.":
            alone = lexicon.find_entry(parts[-1])
            if alone is None or not lexicon.named[alone].uses["his"]:
                yield parts[-1], "surname"
            return
        yield parts[-1], "surname"
        if len(parts) == 3 and parts[1] not in words.GIVEN_NAMES and all(part.istitle() for part in parts):
            yield " ".join(parts[1:]), "surname"  # "Ann Lind Ray"
        if len(parts[0]) > 2 and not lexicon.in_lower_case(parts[0]):
            yield parts[0], "given name"
        return
    of_page = lexicon.subject is not None and named is lexicon.named[lexicon.subject] and best[0] == "Organization"
    if of_page and len(parts) == 2 and (parts[1] in _FIRMS or parts[1].strip(".,") in words.STRONG_SUFFIXES):
        yield parts[0].rstrip(","), "company suffix"
    if best[0] != "Organization" or best[1] < 0.75 or named.known:
        return
    if parts[0] in _SAINTS and len(parts) == 3 and parts[2] in _OF_SAINTS:
        for saint in _SAINTS:
            other = lexicon.find_entry(f"{saint} {parts[1]}")
            if other is not None and evidence.stands_elsewhere(lexicon.named[other]):
                yield f"{saint} {parts[1]}", "first word"
        return
    core = _without_suffix(named.name)
    if core != named.name and " " in core:
        yield core, "company suffix"
        parts = core.split()
    if " of " in named.name or len(parts) != 2:
        return
    short = parts[0].rstrip(",")
    if parts[1] in PLACES:
        return  # "NHS England" is a part of it
    if short in PLACES or short in words.DEMONYMS or short in words.GIVEN_NAMES or parts[1] in words.GENERIC_HEADS:
        return
    if short.lower() in words.NOT_NAMES or lexicon.in_lower_case(short):
        return
    if parts[1] in _OF_A_THING or short in _OF_A_THING or well_known_type(short) not in ("", "Organization"):
        return  # the Linux Foundation, the Java SIG
    if parts[1] in _SHARED_BY_MANY:
        return  # "Lampmedia Commons" is one of several things that are called after Lampmedia
    yield short, "first word"


def _without_suffix(name: str) -> str:
    """``Nordwind Energy AG`` without what only says in which form it is a company."""
    parts = name.split()
    while len(parts) > 1 and parts[-1].strip(".,") in words.STRONG_SUFFIXES:
        parts.pop()
    return " ".join(parts).rstrip(",")


def place_before_state(lexicon: Lexicon, text: str, spans: Sequence[NameSpan]) -> None:
    """``Cupertino, California``: a name before a state or a country is a place."""
    for span, following in pairwise(spans):
        named = lexicon.named[lexicon.resolved(span.ref)]
        if (
            text[span.end : following.start] == ", "
            and lexicon.named[lexicon.resolved(following.ref)].name in ADMINISTRATIVE
            and not named.known
            and named.name not in PLACES
        ):
            lead = text[max(0, span.start - 6) : span.start]
            if named.tags and (capitals.type_cue(named.name) or ("Location",))[0] == "Location":
                named.tags["Location"] += context_clues.CLUE
                named.clues["Location"] += context_clues.CLUE
            if named.best is None and re.search(r"\b(?:in|of|at|from|to|near) $", lead):
                named.vote("Location", 0.75)
