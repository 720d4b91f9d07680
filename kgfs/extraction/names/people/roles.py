"""Names that say what somebody is in a body, which the tagger takes for names of bodies: *Head of People*, *TSC Chair*.

Used by the evidence; pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kgfs.extraction.names import bodies
from kgfs.extraction.names.named import NameFindings
from kgfs.extraction.names.people import posts
from kgfs.extraction.names.wording import is_ordinary
from kgfs.extraction.names.wordlists import words

_ROLE = re.compile(
    r"(?:(?:Deputy|Interim|Acting|Assistant|Associate|Senior|Group|Global) )*"
    r"(?:(?:Head|Director|VP|Vice President|Lead) of [A-Z&].*"
    r"|(?:[A-Z][\w&/-]+ ){1,4}(?:Officer|Manager|Director|Lead|Leader|Engineer|Analyst|Designer|Developer|Coordinator|"
    r"Co-ordinator|Adviser|Advisor|Specialist|Researcher|Architect|Technologist|Recruiter)"
    r"|(?:[A-Z]\w+ )?[A-Z]\w+[- ][Ii]n[- ]Residence)s?"
)
"""What a post is called: *Head of People*, *Data Protection Officer*, *Lamplighter-in-Residence*."""


def is_role_of_body(named: NameFindings, prose: Collection[str]) -> bool:
    """Whether a name is what a post is called; ``prose`` are the words that the text writes small."""
    return _is_post(named) or _says_role(named, prose) or _is_chair(named)


def _is_post(named: NameFindings) -> bool:
    """Whether a name is what a post is called. What somebody does in residence, many do, whatever they are said to
    announce."""
    return _ROLE.fullmatch(named.name) is not None and (
        not any(named.clues.values()) or named.name.rstrip("s").endswith("Residence")
    )


def _says_role(named: NameFindings, prose: Collection[str]) -> bool:
    """Whether a name is a phrase of ordinary words for what somebody is, which the tagger takes for an organization."""
    return (
        bodies.is_role(named.name)
        and not named.acts
        and not named.clues.get("Person")
        and not named.votes.get("Person")
        and all(is_ordinary(part.lower(), prose) for part in named.name.split())
    )


def _is_chair(named: NameFindings) -> bool:
    """Whether a name that only the tagger takes for a body's is that of a post in one: *TSC Chair*."""
    first, _, last = named.name.rpartition(" ")
    if not first:
        first, _, last = named.name.removesuffix("s").rpartition("-")  # "TSC-Delegates"
    return (
        first != ""
        and {type_ for type_, count in named.tags.items() if count} == {"Organization"}
        and not named.acts
        and words.ORGANIZATION_HEADS.isdisjoint(named.name.split())
        and posts.is_post(last)
    )
