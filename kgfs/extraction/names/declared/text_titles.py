"""Titles that say what kind of text stands beneath, or of what it tells: *Weather diary*, *News of Orm*, *Photos from
Orm*.

Used for the subjects of pages (``pages``); pure, English. Real names are made of the same words, *Marshall Plan* and
*News of the World*: capitals, words that are no ordinary ones, and a lead that names the title tell.
"""

from __future__ import annotations

import re

from kgfs.extraction.names.declared.filed_types import has_only_ordinary_words
from kgfs.extraction.names.declared.titles import Title
from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.kind_nouns import noun_type
from kgfs.plurals import singular

TEXT_HEADS = frozenset(
    "agenda bibliography bookmarks brainstorm budget bulletin bugs calendar changelog checklist costs diary "
    "digest draft errands estimates expenses faq feedback gallery goals history ideas impressions inbox inventory "
    "itinerary journal list lists log logbook map maps memo memos menu minutes news newsletter note notes outline "
    "photos pictures plan plans prices problems quotes readings recap recipes reminders report reports review "
    "roster rota roundup schedule scratchpad screenshots snippets statistics status stories summary table tasks "
    "thoughts timeline timetable tips todo transcript updates wishlist".split()
)
"""Nouns that say what a text is, or what somebody writes down."""
_OPENERS = TEXT_HEADS | frozenset(
    "call calls cost day days evening interview interviews letter letters life meeting meetings memories message "
    "messages morning photo picture postcard postcards price questions recipe sights things trip trips visit "
    "visits weekend week weeks winter summer".split()
)
"""Those that stand before what is told of: *Trip to Orm*, *Memo to Orm Group*."""
_BOOKS = frozenset("address cash guest phone recipe visitors log".split())
"""*Address book*, which is a list."""
_AFTER_SOMEBODY = frozenset("history journal list menu notes plan plans report reports statistics stories".split())
"""Those that are called after somebody whose name is a word, too: *Marshall Plan*, *Schindler's List*."""
_MODIFIERS = frozenset(
    "annual birthday book bug business class contact course daily day expense family fitness garden gift guest "
    "holiday house incident lesson lunch maintenance meal meeting menu monthly moving music name packing party "
    "planting price progress project quarterly reading recipe revision school seating shopping song staff status "
    "stock study summer sprint test training travel trip watch wedding week weekend weekly winter wish work "
    "workout year yearly".split()
)
_SETS = frozenset("crew fleet personnel people staff".split())
"""Nouns of several that have no plural."""
_OPENED = re.compile(
    r"(?:(?:A|An|My|Our|The) )?(?P<head>[^\W\d_]+(?: [^\W\d_]+)?) "
    r"(?P<joint>about|at|for|from|in|of|on|to|with) (?P<rest>.+)"
)
_GOING = re.compile(r"[A-Z][a-z]{2,}ing (?:at|for|from|in|into|on|through|to|with) \S")
_PERIOD = re.compile(r"(?P<head>[A-Z][a-z]+) (?:[A-Z]\S*|\d{4})")
_DATED_HEADS = frozenset("agenda budget expenses ideas minutes notes photos pictures statistics todo".split())
"""Those that stand before a name or a year: *Budget 2024*, *Photos Orm*."""


def is_action(given: Title) -> bool:
    """Whether a title says what somebody does somewhere: *Deploying to Orm*, *Sailing from Orm to Tarn*."""
    return _GOING.match(given.base) is not None


def is_title_of_a_text(given: Title, *, alone: bool = False) -> bool:
    """Whether a title only says what text is beneath it, or of which things it tells.

    ``alone`` is whether no sentence stands beneath, which would name it if it were a name: only the surest forms count.
    """
    opened = _OPENED.fullmatch(given.base)
    if opened is not None:
        return _opens_a_text(opened, alone=alone)
    parts = given.base.split()
    if len(parts) < 2:
        return False
    last = parts[-1].lower()
    period = _PERIOD.fullmatch(given.base)
    if period is not None and period["head"].lower() in _DATED_HEADS:
        return True
    if last == "book":
        return parts[-2].lower() in _BOOKS
    if last not in TEXT_HEADS or parts[-1].islower():
        return last in TEXT_HEADS
    if alone or last in _AFTER_SOMEBODY:
        return parts[-2].lower() in _MODIFIERS
    return has_only_ordinary_words(given) and words.GIVEN_NAMES.isdisjoint(given.words)


def _opens_a_text(opened: re.Match[str], *, alone: bool) -> bool:
    """Whether what stands before *of*, *for*, *to* is a kind of text, or several things of a kind: *Ships of Orm*."""
    head = opened["head"].rpartition(" ")[2].lower()
    if head in _OPENERS or alone:
        return head in _OPENERS
    several = head in _SETS or (singular(head) != head and noun_type(singular(head)) != "")
    return several and opened["joint"] in ("at", "from", "in", "of")
