"""Records of mail: who wrote to whom, by the header lines that stand above a message.

One of the readers of this package; pure. ``kgfs.documents.formats.mail`` writes these lines.
"""

from __future__ import annotations

import email.utils
import re
from collections.abc import Iterator

from kgfs.documents.records.record import Field, Record, may_be_name

_HEADER = re.compile(r"^(From|To|Cc|Date): ([^\n]+)$", re.M)
_NO_ONE = re.compile(
    r"(?i)\b(?:no[- ]?reply|do[- ]?not[- ]?reply|notifications?|mailer|daemon|undisclosed|list|team|support|info|"
    r"newsletter|announce|admin|root|via|bot|jira|github|gitlab|bugzilla|recipients)\b"
)


def message_records(text: str, start: int, end: int) -> Iterator[Record]:
    """The people of one message that a header names: the sender with whom they wrote to, all with their addresses."""
    lines = {found[1]: found for found in _HEADER.finditer(text, start, end)}
    sender = lines.get("From")
    if sender is None:
        return
    to: list[tuple[str, int, int]] = []
    for header in ("To", "Cc"):
        found = lines.get(header)
        for name, address in _people(found[2]) if found else ():
            assert found is not None
            to.append((name, found.start(), found.end()))
            yield _person(name, address, found.start(), found.end())
    for name, address in _people(sender[2]):
        record = _person(name, address, sender.start(), sender.end())
        for other, first, last in to:
            if other != name:
                record.fields.append(
                    Field("wrote to", other, min(first, sender.start()), max(last, sender.end()), True)
                )
        yield record


def _person(name: str, address: str, start: int, end: int) -> Record:
    record = Record(name, "person", "message", start, end, key=address.lower())
    if address:
        record.fields.append(Field("email", address, start, end))
    return record


def _people(header: str) -> list[tuple[str, str]]:
    """Names with addresses; what has only an address, and what is no person as far as it shows, is left out."""
    found = []
    for name, address in email.utils.getaddresses([header])[:100]:
        name = " ".join(name.replace('"', "").split())
        if "," in name and name.count(",") == 1:
            family, given = name.split(",")
            name = f"{given.strip()} {family.strip()}"
        if " " in name and may_be_name(name) and not _NO_ONE.search(name) and len(name.split()) <= 4:
            found.append((name, address))
    return found
