"""Words that make no topic: of headings, of tags and of phrases; and the name under which topics are known.

Used by ``topics`` and ``phrases``; data and pure functions. English only: words of other languages pass.
"""

from __future__ import annotations

import re

MAX_NAME = 80
"""Characters of a topic's name."""

GENERIC_PHRASES = frozenset(
    " ".join(words.split())
    for words in (
        "see also|further reading|external links|getting started|table of contents|next steps|before the sale|in brief|"
        "quick start|more information|summary of economic activity|overall economic activity|national summary|"
        "long description|short description|known issues|new features|bug fixes|breaking changes|related links|"
        "about this document|early life|personal life|a word on terms|all in one table|who lost work|see more|"
        "action items|frequently asked questions|other resources|additional resources|useful links|pro tips|"
        "best practices|other notes|things to know|good to know|key points|for more information|related pages|"
        "open questions|common questions|still have questions|helpful links|main points|quick links"
        "|other considerations|pros and cons|final words|final thoughts|closing thoughts|before you begin"
    ).split("|")
)
GENERIC_WORDS = frozenset(
    "introduction intro summary overview history background about abstract conclusion conclusions contents "
    "references notes note resources appendix faq faqs examples example usage changelog license contributing "
    "installation requirements outlook people places place others other highlights afterwards figures honours "
    "questions acknowledgements sources lessons structure events event timeline parameters parameter inputs outputs "
    "description syntax keywords issues issue today details detail general related ideas idea reputation "
    "prerequisites remarks attributes samples sample demonstrates methods method basics purpose scope review "
    "definition definitions steps step links link output input notice contact contacts instructions instruction "
    "process tools tool options option tips tip rules rule setup documentation goals goal rationale credits "
    "glossary index home untitled draft misc miscellaneous todo done new old info information data item items list "
    "lists table tables page pages section sections chapter chapters part parts file files document documents "
    "template templates guide guides tutorial tutorials reference help support main default status version versions "
    "update updates news archive archived roles role selection guidance content manually read outcomes outcome "
    "approach audience ongoing preparation work considerations terms test tests results result discussion comments "
    "comment thing things stuff caveats exceptions agenda logistics recap announcement announcements meta tbd wip "
    "demo why how what who when where which there here these those this that pros cons advantages disadvantages "
    "limitations mandatory optional redirect redirects".split()
)
"""Headings, tags and single words that say nothing of what a text is about."""

NO_SUBJECT = frozenset(
    "one two three four five six seven eight nine ten first second third next last new better best more most other "
    "same".split()
)

_GENERIC_SHAPE = re.compile(
    r"(?:additional|suggested|helpful|useful|quick|common|general|current|brief|key|more|related|important|other|further)\b.*"
    r"|getting\b.*|(?:types|kinds|examples|list|overview) of\b.*"
    r"|.*\b(?:links?|readings?|contacts|overview|glossary|questions|faqs?|tips|examples|resources|considered)"
)

FUNCTION = re.compile(
    r"\b(?:how|why|what|when|where|who|which|is|are|was|were|do|does|did|can|should|will|to|you|your|we|our|i|my|it|this|"
    r"that|a|an|the|use|using|create|add|if|than|from|with|by|at|as|in|on|for|after|before|instead|became)\b",
    re.I,
)

OPENERS = frozenset(
    "able additional applicable appropriate available aware awesome bad basic best better big brief broad careful "
    "certain clear close common complete complex considerable consistent correct current currently daily different "
    "difficult direct due earlier early easy effective enough entire essential exact existing extra fair few final "
    "fine first flat following former frequent full fun further future general generic given good great half happy "
    "hard healthy helpful high higher hot huge important individual initial interesting large larger last late "
    "later latest least less likely limited little local long longer low lower main major many mere mid mild "
    "minimal minor mixed moderate modest more most much multiple narrow near nearby necessary new newer next nice "
    "normal notable numerous obvious occasional ok old older only open original other outstanding overall own "
    "particular past persistent personal plain pleasant poor possible potential preferred present pretty previous "
    "primary prior private-sector proper quick quiet rare ready reasonable recent regular related relative relevant "
    "representative respective responsible right robust same second separate serious several severe sharp short "
    "similar simple single sizable slight slightly slow slower small smaller soft softer solid some special specified "
    "specific stable standard steady strong stronger substantial such sudden sufficient sure third tight top total "
    "typical unable unchanged unique unusual upcoming upper useful usual valid various vast weak weaker weekly "
    "whole wide willing wonderful worse worst wrong year-over-year yearly monthly".split()
)
"""Adjectives that say how much, when or how good: a phrase that begins with one is about what follows."""

CLOSERS = frozenset(
    "ability addition aim amount amounts approach area areas aspect aspects basis bit case cases cause chance "
    "change changes choice choices comment comments concern concerns condition conditions contact contacts couple "
    "day days decade degree detail details difference differences effect effects effort efforts end ends example "
    "examples extent fact factor factors feature features field fields form forms goal goals group groups half hand "
    "hour hours idea ideas impact increase increases information instance instances issue issues item items kind "
    "kinds lack length level levels line lines list lists look lot lots majority manner matter mind minute minutes "
    "moment month months name names need needs note number numbers one ones option options order others part parts "
    "pace people period periods person place places plus point points portion position possibility problem problems "
    "process processes purpose quarter quarters question questions range ranges rate reason reasons region report "
    "reports respondent respondents result results role section sections sense set side size sort step steps stuff "
    "sum term terms thing things thought time times top topic total type types use uses value variety version way "
    "ways week weekend weeks while word words work year years yesterday today tomorrow cent percent gain gains "
    "decline declines drop rise".split()
)
"""Nouns that need another word to mean something: a phrase that ends with one is no topic."""

_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|s|am|pm)")
_CALENDAR = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur "
    "thurs fri sat sun today yesterday tomorrow daily weekly monthly quarterly yearly annual am pm noon midnight day "
    "days week weeks month months quarter quarters year years date dates weekday weekdays weekend weekends morning "
    "afternoon evening q1 q2 q3 q4 h1 h2 of the in early mid late zero one two three four five six seven eight nine "
    "ten eleven twelve hundred thousand million first second third fourth fifth sixth seventh eighth ninth tenth last "
    "next".split()
)
"""Words that only say when, or how many: *early January 2020*, *second week*."""

_SEPARATORS = re.compile(r"[\s_-]+")


def topic_name(text: str) -> str:
    """A topic's name for people: lower-case words, so that ``Labor Markets`` and ``labor-markets`` are one."""
    return _SEPARATORS.sub(" ", text).strip(" .:#").lower()


def says_nothing(name: str) -> bool:
    """Whether a topic's name is generic, a number or too short to be a word: ``overview``, ``2019``, ``q3``."""
    words = name.split()
    if not words or name in GENERIC_PHRASES or (len(words) == 1 and name in GENERIC_WORDS):
        return True
    if len(words) > 1 and _GENERIC_SHAPE.fullmatch(name):
        return True
    if all(word in _CALENDAR or not any(map(str.isalpha, word)) or _ORDINAL.fullmatch(word) for word in words):
        return True
    letters = sum(char.isalpha() for char in name)
    return letters < 2 or (letters < 3 and any(char.isdigit() for char in name)) or letters * 2 < len(name)
