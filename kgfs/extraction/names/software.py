"""What shows that a name is one of software: whose it is, what its last word says, what its page says that it lets
people do.

Used by the types of pages and of names; pure, English. The tagger knows no software, and few pages of manuals say what
their subject is: they say what it is good for.
"""

from __future__ import annotations

import re

from kgfs.extraction.names.wordlists import words
from kgfs.extraction.names.wordlists.well_known import SOFTWARE

_KNOWN = frozenset(name.casefold() for name in SOFTWARE)
_MAKERS = ("AWS ", "Azure ", "Google Cloud ", "Apache ")
"""What stands before the names of these makers' software, and before little else."""
_HEADS = frozenset(
    "Add-on API App Autoscaler Backend CLI Collector Compiler Connector Daemon Dashboard Debugger Desktop Engine "
    "Exporter Frontend Gateway IDE Installer Linter Linux OS Parser Plugin Provisioner Proxy Runtime SDK Scheduler "
    "Server Toolkit Webhook".split()
)
_MADE_OF = re.compile(r"\w+-(?:API|CLI|SDK|DB|JS)|[A-Z][a-z]\w*[a-z](?:DB|SQL|JS)|[A-Z]\w+\.js|[A-Z]\w*[a-z]Bot")
"""A word that says itself what it is: *N-API*, *LampDB*, *Lamp.js*."""
_SERVICES = frozenset(
    "API Alert Application Backup Cache Cloud Compute Container Copy Data Database Desktop Discovery DNS Email File "
    "Hosting Identity Key Kubernetes Logging Messaging Metadata Monitoring Notification Queue Registry Search Storage "
    "Streaming Sync Token Transfer Web Workflow".split()
)
"""Before *Service* where software is one: *Object Storage Service*."""
_OTHER_HEADS = (
    words.ORGANIZATION_HEADS
    | words.TERM_HEADS
    | words.DOCUMENT_HEADS
    | words.PLACE_HEADS
    | frozenset(
        "Account Accounts Certification Certifications Community Contributors Credentials Developers License Partner "
        "Partners Region Regions Resource Resources Subscription Subscriptions Support Tutorial Tutorials Users".split()
    )
)
"""What a maker has beside software."""
_OFFERS = re.compile(
    r" (?:allows|lets|enables|helps|makes it (?:easy|easier|possible|simple))"
    r" (?:for )?(?:you|your|users|developers|teams|people|us)\b"
)
_SERVES = r"(?:You|Use|You can|You can also)(?: use)? {name} (?:to|for)\b"
_USED = r"(?:We use {name} (?:to|for|as)|{name} (?:is|can be) used (?:to|for|as))\b"
"""The same of one word: what we use several words for may be a group of people."""
_OFFERED_AS = (
    r"(?:\b(?:[Oo]ffers?|[Pp]rovides?|[Uu]ses?|[Rr]uns?|[Hh]osts?) )(?:the )?{name} as (?:an?|another|our|its|the)"
    r"(?: [a-z-]+){{0,4}} (?:app|editor|platform|service|software|system|tool)\b"
)
"""*Acme also offers Lampad as another writing tool*."""


_SITE = re.compile(r"[A-Za-z\d][\w-]*(?:\.[\w-]+)*\.(?:ai|app|com|dev|edu|fm|gov|io|net|org|rs|tech|uk|us)")


def is_site(name: str) -> bool:
    """Whether a name is the address of a site: *crates.io*, *docs.rs*."""
    return _SITE.fullmatch(name) is not None


def is_software(name: str) -> bool:
    """Whether the words of a name make it one of software: *AWS Batch*, *Apache Spark*, *Lamp CLI*."""
    parts = name.split()
    if name.casefold() in _KNOWN or _MADE_OF.fullmatch(name):
        return True
    if len(parts) > 1 and parts[-1] in ("Service", "Services") and parts[-2] in _SERVICES:
        return True
    if len(parts) < 2 or parts[-1] in _OTHER_HEADS or not name[0].isupper():
        return False
    rest = next((name[len(maker) :] for maker in _MAKERS if name.startswith(maker)), "")
    # "Configuration management with Cluster API" is none: small words part it from its head.
    return rest[:1].isupper() or (parts[-1] in _HEADS and not any(part[0].islower() for part in parts))


def is_offered(name: str, lead: str) -> bool:
    """Whether a page says at its start what its subject, whose name is no word, lets people do."""
    if not name[:1].isupper() or name not in lead or name.lower() in words.NOT_NAMES:
        return False
    if any(lead.startswith(begin) and _OFFERS.match(lead, len(begin)) for begin in (f"The {name}", name)):
        return True
    # A pattern with a name in it is compiled for each name: only where it may match.
    own, start = re.escape(name), lead[:200]
    if lead.startswith(("Use ", "You ")) and re.match(_SERVES.format(name=own), lead):
        return True
    if f"{name} as " in start and re.search(_OFFERED_AS.format(name=own), start):
        return True
    used = lead.startswith(("We use ", f"{name} is used ", f"{name} can be used "))
    return used and " " not in name and not name.endswith("s") and re.match(_USED.format(name=own), lead) is not None
