"""Annual reports and other filings at a stock exchange: whose they are, of which form, and for which time.

Used by formats (such a file's own title is often a name of the program that made it, ``unp-20241231``) and by the
extractor (the registrant is the *we* of its filing); pure. The words are those of the cover page that the form asks for
(17 CFR 249.310).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kgfs.documents.shouting import calmed

COVER_CHARACTERS = 20_000
"""The cover page stands at the beginning."""
MOST_CHARACTERS = 120
"""Of a registrant's name."""

_LABEL = re.compile(r"\(exact name of (?:the )?registrant as specified in (?:its|the) charter\)", re.IGNORECASE)
"""It stands beneath the name."""
_FORM = re.compile(r"(?im)^[| \t\xa0#*]*form[ \t\xa0]+(?P<form>\d{1,2}-[KQF](?:/A)?|20-F|40-F|8-K|S-\d{1,2})\b")
_PERIOD = re.compile(
    r"(?i)for the (?:fiscal |quarterly |transition )?(?:year|period) ended:?[\s|]{0,9}"
    r"(?P<period>[A-Z][a-z]+[ \xa0]\d{1,2},?[\s|,]{0,9}\d{4})"
)


class Filing(NamedTuple):
    """What the cover page says."""

    registrant: str
    form: str
    """``10-K``; empty where it is not said."""
    period: str
    """The last day that it is about, as written; empty where it is not said."""

    @property
    def title(self) -> str:
        """What a reader would call it: ``Tarn Lamps, Inc.: Form 10-K, December 31, 2024``."""
        form = f"Form {self.form}" if self.form else "filing"
        return f"{self.registrant}: {form}{f', {self.period}' if self.period else ''}"


def read_filing(text: str) -> Filing | None:
    """What a text that begins with the cover page of a filing says of itself."""
    cover = text[:COVER_CHARACTERS]
    label = _LABEL.search(cover)
    if label is None:
        return None
    above = (" ".join(line.strip(" \t\xa0|-*_#").split()) for line in reversed(cover[: label.start()].split("\n")))
    name = next((line for line in above if line), "")
    if not re.search(r"[^\W\d_]{2}", name) or len(name) > MOST_CHARACTERS:
        return None
    form, period = _FORM.search(cover), _PERIOD.search(cover)
    said = re.sub(r"[\s|,]+", " ", period["period"]).strip() if period is not None else ""
    return Filing(
        calmed(name, text), form["form"].upper() if form is not None else "", re.sub(r" (?=\d{4}$)", ", ", said)
    )
