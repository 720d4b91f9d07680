"""What a lead says that its subject is: ``1982 film`` of ``a 1982 film directed by …``.

Used where leads are read, by facts and by the types of pages; pure.
"""

# A list of words is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Sequence

from kgfs.extraction.facts.guides.inner_brackets import without_inner_bracket

_STOP = frozenset(
    "who which that whose where when by in from at for on with to as during under between among since until after before near than about "
    "through via within across over into based directed written produced starring released located situated founded born known used "
    "published created developed composed performed recorded set featuring designed built made held belonging consisting containing "
    "played owned operated established introduced named called formed currently best most originally dedicated aimed intended "
    "available if because while but so including such operating serving and or is was are were has had it he she you we they "
    "having being hosted presented adapted commissioned distributed aired broadcast signed affiliated responsible describing "
    "living working playing covering running using providing offering allowing making giving providing published/developed".split()
)
_BREAKS = re.compile(
    r"(?:originat|represent|compet|consist|rang|belong|span|featur|specializ|specialis|focus|cover|deal|concern|involv|liv|star|lead|"
    r"perform|broadcast)ing|out|off|up|away|then|there"
)
_OF_KIND = frozenset(
    "species genus type form kind class set family group series collection list breed variety style piece subfamily order member subset "
    "category range system field branch subgenus subtype body school line network suite team".split()
)
_NO_KIND = frozenset(
    "first second third last name term word result example part son daughter child capital subject way one same only largest smallest "
    "oldest lot number time place thing member wife husband brother sister father mother fact reason home seat site set following "
    "most more least eldest youngest best key great good new little list couple case few use cousin nephew niece grandson granddaughter "
    "descendant grandfather grandmother uncle aunt friend member part widow widower different similar complicated complex "
    "difficult tricky special unique important confusing longer shorter less practice".split()
)
"""Last words of what says who or how something is, or nothing: *the son*, *a little different*, *a practice*."""


_ANOTHER = re.compile(r"(?:the|an?|his|her|its|one)$")


def kind_of(what: str) -> str:
    """The noun phrase that says what the subject is: ``1982 film`` of ``a 1982 film directed by …``; empty where there is none."""
    found = re.match(r"(?:an?|the|one of the|any of various|any of several) +(?=\S)", what)
    if found is None:
        return ""
    words = without_inner_bracket(what[found.end() :]).replace("\n", " ").split(" ")
    kept: list[str] = []
    for place, word in enumerate(words):
        bare = word.strip(',.;:()"“”')
        if place and _BREAKS.fullmatch(bare):
            break
        if kept and kept[-1].endswith(",") and bare.lower() == "active":
            break  # "a singer, active in Tarn"
        if bare.lower() in ("and", "or", "&") and kept and _ANOTHER.match(" ".join(words[place + 1 : place + 2])):
            break  # "a geologist and the third director of"
        if bare.lower() in ("and", "or", "&") and kept and not _goes_on_with_kind(kept, words[place + 1 :]):
            return ""  # an adjective of two
        if bare.lower() in _STOP and not (
            bare.lower() in ("and", "or", "&") and _goes_on_with_kind(kept, words[place + 1 :])
        ):
            break
        if bare == "of" and (
            not kept or (kept[-1].lower().rstrip("s") not in _OF_KIND and kept[-1].lower() not in _OF_KIND)
        ):
            break
        if word.startswith(("(", "–", "—")) or not bare:
            break
        kept.append(bare if word.rstrip(",") != bare or not word.endswith(",") else f"{bare},")
        if word.endswith((".", ";", ":", ")")) and not re.fullmatch(r"(?:[A-Z]\.)+|U\.S\.|St\.", word):
            break
        if word.endswith(",") and not _goes_on_with_kind(kept, words[place + 1 :]):
            following = words[place + 1] if place + 1 < len(words) else ""
            if len(kept) == 1 and following.lower().strip(",") not in _STOP:
                return ""  # an adjective
            break
    while kept and len(kept) > 1 and kept[-1].endswith("ed"):
        kept.pop()
    phrase = " ".join(kept).rstrip(",")
    last = phrase.rpartition(" ")[2].lower()
    if (
        not phrase
        or len(kept) > 14
        or last in _NO_KIND
        or phrase.split()[0].lower() in ("lot", "number", "result", "same", "bit", "few", "couple")
    ):
        return ""
    return (
        phrase
        if re.search(r"[a-z]{3}", last) and not last.endswith("ly") and (last[0].islower() or last.isalpha())
        else ""
    )


def _goes_on_with_kind(kept: Sequence[str], following: Sequence[str]) -> bool:
    """Whether a list of kinds goes on: ``drummer, songwriter, and record producer``."""
    if not kept or not following:
        return False
    ahead = re.split(
        r"[.;:(]| (?:who|which|that|whose|where|known|best|from|in|for|by|with|born) ", " ".join(following[:14]) + " "
    )[0]
    first = ahead.split()[0].strip(",") if ahead.split() else ""
    if first.lower() in _STOP and first.lower() not in ("and", "or"):
        return False
    parts = re.split(r", and |, or |, | and | or ", f" {ahead}".replace(" and ", ", and ", 1))
    words = [part.split() for part in parts if part.strip()]
    return (
        bool(words)
        and len(words[0]) <= 4
        and words[0][-1].islower()
        and not re.match(r"(?:the|an?|his|her|its|was|is|has)\b", " ".join(words[0]))
    )
