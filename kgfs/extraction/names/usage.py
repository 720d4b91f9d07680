"""How a sentence uses a name: as the name of software, as a common noun with a capital, as an identifier of code.

Used by the lexicon where the tagger reads sentences: it takes every capital for a name, and nearly everything that is
no person and no place for an organization. Pure.
"""

# A pattern is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import NamedTuple

_DETERMINER = re.compile(
    r"(?:^|[\s(])(?:an?|each|every|any|no|your|our|their|my|his|her|its|this|that|these|those|which|both|all|multiple|"
    r"several|many|some|other|another|new|one|two|three|four|custom|individual|single|specific)(?: new| own| other| single)? [\"“]?$",
    re.I,
)
_THE = re.compile(r"(?:^|[\s(])the [\"“]?$", re.I)
_THAT = re.compile(r"[a-z,] that $")
"""Before a name of several words it is mostly no determiner: *he said that Ann Lind*."""
_QUOTES = tuple('"“”')
_CLOSED = re.compile(r"(?:['’]s)?[,.;]?[\"”]")
_ALONE = re.compile(
    r"(?:['’]s?\b)?[\"”]?(?:$|[.,;:)!?]| (?:is|are|was|were|be|has|have|had|do|does|did|can|may|must|will|would|should|could|"
    r"and|or|but|of|in|on|at|to|from|for|with|by|as|if|when|where|that|which|who|than|so|while|because|before|after|during|"
    r"through|within|via|into|not|also|then|they|you|we|it|he|she|I|the|a|an|your|our|their|this|using|without|about|under)\b)"
)
_OPERATED = re.compile(
    r"\b(?:us(?:e|es|ed|ing) (?!of\b)|via |install(?:s|ed|ing)? |uninstall(?:s|ed|ing)? |run(?:s|ning)? |launch(?:ed|ing)? |"
    r"(?:log|logs|logged|logging|sign|signs|signed|signing) ?(?:in ?to|on ?to|in to|out of|up for|in with) |download(?:s|ed|ing)? |set(?:s|ting)? up |configur(?:e|es|ed|ing) |deploy(?:s|ed|ing)? |"
    r"upgrad(?:e|es|ed|ing) (?:to )?|(?:built|written|powered|implemented|hosted|scripted) (?:with|on|in) |powered by |tools? (?:like|such as) |"
    r"(?:account|channel|post|posted|message|messages|ping|chat|thread|repo|repository|page|form|project|request|requests|ticket|issue) (?:us |them |someone |it )?(?:in|on|through) |"
    r"(?:versions?|editions?|releases?|instances?|users?|support) (?:of|for) )"
    r"(?:the |a |an |our |your |its |latest |new |newest )*(?:version of )?[\"“]?$",
    re.I,
)
_SOFTWARE = re.compile(
    r" (?:channels?|accounts?|repos?|repositor(?:y|ies)|apps?|applications?|plug-?ins?|extensions?|v?\d+(?:\.\d+)+|versions?|"
    r"releases?|workspaces?|threads?|bots?|dashboards?|pull requests?|spreadsheets?|software|clients?|console|editor|"
    r"integrations?|modules?|scripting|interface|APIs?|command[- ]line|shell|instances?|servers?|logins?|usernames?|"
    r"installer|framework|engine|runtime|terminal)\b"
)
_NUMBERED = re.compile(r" (?:v\d+(?:\.\d+)+|\d+(?:\.\d+){2,}|#\d{2,})(?![\w.]*%)")
"""Behind a name a version that is no measure, or the number of a request to its repository: *Acme 2.1.0*, *Acme #46*."""
_SERIAL = re.compile(
    r"(?i)\b(?:appendix|article|bug|call|chapter|clause|club|day|edition|episode|figure|issue|lesson|level|meeting|"
    r"newsletter|no|page|paragraph|part|phase|pr|pull|question|release|report|rule|section|step|table|task|ticket|"
    r"update|version|volume|week)s?$"
)
"""What is numbered one by one itself: *Lamp Newsletter #146*."""
_IDENTIFIER = re.compile(
    r" (?:objects?|class(?:es)?|parameters?|propert(?:y|ies)|methods?|elements?|attributes?|cmdlets?|types?|namespaces?|"
    r"variables?|keys?|interfaces?|enumerations?|enum|nodes?|keywords?|operators?|statements?|alias(?:es)?|functions?|switch|"
    r"members?|fields?|values?|strings?|structs?|arguments?|options?|flags?|columns?|tags?|blocks?|commands?|providers?|collection|array|instances?)\b",
    re.I,
)
_IDENTIFIER_LEAD = re.compile(
    r"\b(?:parameter|property|properties|method|class|cmdlet|element|function|command|variable|attribute|type|namespace|"
    r"keyword|option|flag|field|column|key|value|object|interface|enumeration)s?,? (?:named |called |of |is |are |and |or )?[\"“]?$",
    re.I,
)
_TERM = re.compile(
    r"\)? (?:files?|formats?|encoding|endpoints?|sessions?|configurations?|headers?|syntax|parsers?|scripts?|scans?|quer(?:y|ies)|"
    r"requests?|tokens?|protocols?|certificates?|signatures?|role capabilit(?:y|ies)|payloads?|schemas?|codes?|packets?|"
    r"settings?|support|editors?)\b"
)
_METHOD = re.compile(
    r" (?:algorithms?|coefficient|distance|equations?|headers?|index|methods?|notation|principles?|scheme|theorem)\b"
)
_TOLD = re.compile(
    r"(?: \([^()]{1,60}\))?(?:,? (?:or|also known as|short for) [^,.]{2,50},)? (?:is|are|means?|refers? to|stands? for) "
    r"(?:(?:simply|basically|essentially|just) |an? |the |any |all |how |one of )"
)
"""Behind a name, where the sentence says what it is."""
_PRESSED = re.compile(
    r"(?:\b(?:press|pressing|hold|hit|click|choose|select|type|enter|tap)"
    r"|(?<!\w )\b(?:Press|Pressing|Hold|Hit|Click|Choose|Select|Type|Enter|Tap))(?: down)?(?: the| and| on)* [\"“'‘]?$"
)
"""Before a key or a button; a capital within a sentence is a name's: *Orm Press and Tarn Pictures*."""


class NameUse(NamedTuple):
    """What one place in a sentence says of a name."""

    software: bool
    """It is used, installed, logged in to, or has channels, accounts, versions."""
    numbered: bool
    """A version stands behind it, or the number of a request to its repository."""
    noun: bool
    """It stands as a common noun: ``your Supervisor``, ``a PR``."""
    the: bool
    """It stands alone behind ``the``: a common noun if it is a word, else maybe a name (``the Senate``)."""
    identifier: bool
    """It names a thing in code: ``the ComputerName parameter``."""
    term: bool
    """It says which file, format, session it is: ``CAB files``."""
    method: bool
    """It says which method, distance or header it is: ``the Schulze method``."""
    told: bool
    """The sentence says what it is."""
    pressed: bool
    """It is a key, a button or an entry of a menu."""


def _is_numbered(name: str, behind: str) -> bool:
    """Whether a version stands behind a name, or the number of a request to its repository."""
    return _NUMBERED.match(behind) is not None and _SERIAL.search(name) is None


def name_use(text: str, start: int, end: int) -> NameUse:
    """How ``text[start:end]`` is used there."""
    before, behind = text[max(0, start - 60) : start], text[end : end + 40]
    alone = _ALONE.match(behind) is not None
    return NameUse(
        software=_OPERATED.search(before) is not None or _SOFTWARE.match(behind) is not None,
        numbered=_is_numbered(text[start:end], behind),
        noun=alone and _DETERMINER.search(before) is not None and not (" " in text[start:end] and _THAT.search(before)),
        the=alone and _THE.search(before) is not None and not (before[-1:] in _QUOTES and _CLOSED.match(behind)),
        identifier=_IDENTIFIER.match(behind) is not None or _IDENTIFIER_LEAD.search(before) is not None,
        term=_TERM.match(behind) is not None,
        method=_METHOD.match(behind) is not None,
        told=text[:start].strip(' "“(').lower() in ("", "the", "a", "an") and _TOLD.match(text, end) is not None,
        pressed=_PRESSED.search(before) is not None or behind.startswith(("+", " +")) or before.endswith(("+", "+ ")),
    )
