"""The verbs of clauses between two names, and what each says: ``uses``, ``is stored in``, ``is replaced by``.

Used by ``plain_clauses``; data, and how it is read. Where a row is *turned* the ends of its facts change places; where
it is *loose* the object may be said to be something.
"""

# A row of the table is read as a whole: some stand on lines that are too long.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import NamedTuple


class Verb(NamedTuple):
    """What a verb says."""

    type: str
    turned: bool
    loose: bool


def _rows(text: str) -> dict[str, Verb]:
    """Words to what they say."""
    found: dict[str, Verb] = {}
    for line in text.strip().splitlines():
        type_, how, words = (part.strip() for part in line.split("|"))
        for word in words.split(", "):
            found[word] = Verb(type_, "turned" in how, "loose" in how)
    return found


def _with_plurals(text: str) -> dict[str, Verb]:
    """The verbs of a table with what they are behind a subject in the plural."""
    table = _rows(text)
    found = dict(table)
    for words, meaning in table.items():
        verb, space, rest = words.partition(" ")
        if verb in ("is", "has"):
            plural = "are" if verb == "is" else "have"
        elif verb.endswith("ies"):
            plural = f"{verb[:-3]}y"
        else:
            plural = verb[:-1] if verb.endswith("s") else verb
        found.setdefault(f"{plural}{space}{rest}", meaning)
    return found


ACTIVE = _with_plurals(
    """
    USES            | loose  | uses, utilises, utilizes, leverages, makes use of, is using, is configured to use, is set up to use, has started using, has begun using, started using, began using, has switched to, has moved to, has migrated to, is leveraging, is built on, is built on top of, builds on, builds upon, builds on top of, takes advantage of
    PILOTS          |        | is piloting, is running a pilot of, has begun piloting, has started piloting, is trialling, is trialing, is running a trial of
    REQUIRES        | loose  | requires, depends on, relies on, is dependent on
    RUNS_ON         | loose  | runs on, runs in, runs inside, runs within, is running on, sits on top of
    HOSTS           |        | hosts
    OPERATES        |        | runs, operates
    MANAGES         |        | manages, administers, oversees
    MAINTAINS       |        | maintains, looks after
    OWNS            |        | owns
    CALLS           | loose  | calls, queries, talks to, makes requests to, makes calls to, communicates with, sends requests to, makes a request to
    READS_FROM      | loose  | reads from, pulls from, reads data from, gets its data from, consumes from, subscribes to, listens to
    SENDS_TO        | loose  | writes to, publishes to, pushes to, posts to, sends data to, forwards to, sends alerts to, proxies to
    REPLACES        |        | replaces, replaced, supersedes, superseded, supplants, supplanted, has replaced, has superseded, has supplanted
    MONITORS        |        | monitors
    CONFIGURES      |        | configures
    DEPLOYS         |        | deploys
    INTEGRATES_WITH |        | integrates with, connects to, interfaces with, is integrated with, interoperates with, works with
    SPONSORS        |        | sponsors
    EVOLVED_FROM    |        | evolved from, has evolved from, grew out of
    MERGED_INTO     |        | was merged into, has been merged into, was eventually merged into
    OVERSEES        |        | is responsible for the oversight of, is responsible for the overall oversight of, is responsible for overseeing
    PART_OF         |        | became part of, became a part of, has become part of, is part of, is a part of, belongs to, is one of the components of, is a component of, is a subproject of, is a sub-project of, is a subgroup of, is a sub-group of, is a subset of, forms part of, falls under, sits under, sits within
    INCLUDES        | loose  | comes with, ships with, bundles, consists of, is composed of, is made up of
    REPORTS_TO      |        | reports to
    EXTENDS         |        | extends, wraps, inherits from, subclasses, is a subclass of, is a superset of
    IMPLEMENTS      |        | implements, is an implementation of, provides an implementation of, is the reference implementation of, is a reference implementation of
    SUPPORTS        |        | supports, provides support for, has support for, adds support for
    ADOPTED         |        | has adopted, adopted, is adopting
    COMPLEMENTS     |        | complements
    AUDITED         |        | audited, has audited
    ISSUED          |        | issued
    TALKS_ABOUT     |        | spoke about, spoke on, talked about, talks about, gave a talk on, gave a talk about, gave a short talk on, gave a presentation on, gave a presentation about, gave an update on, gave us an update on, provided an update on, gave an overview of, provided an overview of, gave an introduction to, gave an introduction into, gave a short introduction to, gave a short introduction into, gave a demo of, gave a demonstration of, presented, presented on, presented an update on, presented an overview of, demonstrated, demoed, demonstrated the use of, walked us through, walked through, led a discussion on, led a discussion of, led a session on
    TALKS_ABOUT     |        | will talk about, will briefly talk about, will speak about, will speak on, will present, will present on, will demo, will demonstrate, will introduce, will discuss, will give a talk on, will give a talk about, will give an introduction to, will give an introduction into, will give a short introduction to, will give an overview of, will give a demo of, will provide an overview of
    LAUNCHED        |        | launched, has launched, is launching, launches
    RELEASED        |        | released, has released, is releasing
    PUBLISHED       |        | published, has published, publishes
    BUILT           |        | built, has built, is building
    DEVELOPED       |        | developed, has developed, is developing
    CREATED         |        | created, has created
    DESIGNED        |        | designed, has designed
    FUNDS           |        | funds, funded, has funded, is funding
    SPONSORS        |        | sponsored, has sponsored, is sponsoring
    ORGANIZED       |        | organized, organised, organizes, organises, has organized
    HOSTS           |        | hosted, has hosted, is hosting
    CONFIGURES      |        | contains the configuration for, contains the terraform configuration for, contains configuration for, holds the configuration of, has the configuration for
    PROVIDES        |        | provides, offers, exposes
    GENERATES       |        | generates
    DEFINES         |        | defines
    RESPONSIBLE_FOR |        | is responsible for, is accountable for, takes care of
    BASED_ON        | loose  | is based on, is a fork of, was a fork of, is forked from, was forked from, started as a fork of, started off as a fork of, started out as a fork of, began as a fork of, began life as a fork of, originated as a fork of, is descended from, descends from, is derived from, is a derivative of, is adapted from, was adapted from, is modelled on, is modeled on
    COMPATIBLE_WITH |        | is compatible with, is fully compatible with
    INCOMPATIBLE_WITH |      | is incompatible with, is not compatible with
    AVAILABLE_IN    |        | is available on, is available in, is available through, is available via, is accessible via, is accessed via, is accessed through
    ALTERNATIVE_TO  |        | is an alternative to, is an open source alternative to, is a free alternative to, is an open-source alternative to, is a lightweight alternative to
    ALIAS_OF        |        | is an alias of, is an alias for, is the alias of, is the alias for
    REPLACES        |        | is the successor to, is the successor of, is a successor to, is the replacement for, is a replacement for, is a drop-in replacement for, is replacement for
    GOVERNED_BY     |        | adheres to, complies with, conforms to, is governed by, is covered by, is subject to
    HAS             |        | has a, has an, has its own, has established a, has established an
    EXTENDS         |        | is a wrapper around, is a layer on top of
    """
)
PASSIVE = _rows(
    """
    RUNS_ON      | loose         | hosted on, hosted in, deployed on, deployed to, deployed in, run on, running on, running in, deployed onto
    HOSTS        | turned        | hosted by
    USES         | loose         | built with, built using, built on, built on top of, powered by, made with, implemented using, backed by, generated using, orchestrated on, rendered using
    WRITTEN_IN   |               | written in
    STORED_IN    | loose         | stored in, stored on, kept in, saved in, saved to, held in, persisted in, backed up to, recorded in
    CONFIGURED_IN| loose         | configured in, configured via, configured through, set in, set up in
    DEFINED_IN   | loose         | defined in, specified in
    AVAILABLE_IN |               | exposed via, exposed through, exposed as, available in
    MANAGES      | turned        | managed by, administered by, overseen by, governed by
    MANAGED_IN   | loose         | managed in, managed through, managed via, managed with, managed using, tracked in
    OWNS         | turned        | owned by
    MAINTAINS    | turned        | maintained by, looked after by, kept up to date by
    OPERATES     | turned        | run by, operated by
    LEADS        | turned        | led by, chaired by, headed by
    PROVIDES     | turned        | provided by, offered by, exposed by
    REPLACES     | turned        | replaced by, superseded by, replaced with, supplanted by, deprecated in favor of, deprecated in favour of, deprecated by
    MONITORS     | turned        | monitored by, monitored with, monitored using, monitored in
    DEPLOYS      | turned loose  | deployed by, deployed with, deployed using, deployed via, deployed through
    CONFIGURES   | turned        | configured by, configured with, configured using
    USES         | turned        | used by, consumed by
    REQUIRES     | turned        | required by
    CALLS        | turned        | called by, queried by
    SUPPORTS     | turned        | supported by
    DEFINES      | turned        | defined by
    GENERATES    | turned        | generated by
    FUNDS        | turned        | funded by, financed by
    SPONSORS     | turned        | sponsored by
    LAUNCHED     | turned        | launched by
    BUILT        | turned        | built by
    ORGANIZED    | turned        | organized by, organised by
    PROPOSED     | turned        | proposed by
    APPROVED     | turned        | approved by
    DESCRIBED_IN |               | documented in, described in, explained in
    PART_OF      |               | included in, built into, integrated into, integrated in, bundled with, part of
    DEVELOPED    | turned        | developed by, created by, designed by, authored by, in development by, in active development by, under development by
    PUBLISHED    | turned        | published by, released by
    ISSUED       | turned        | issued by
    CONDUCTED    | turned        | conducted by, carried out by
    AUDITED      | turned        | audited by
    DONATED_TO   |               | donated to
    LICENSED_UNDER |             | licensed under, released under, distributed under
    AVAILABLE_TO |               | available to, available to all, only available to, open to, open to all, offered to, offered to all
    """
)
OF_PARTS = frozenset({"USES", "REQUIRES", "RUNS_ON", "WRITTEN_IN", "STORED_IN", "MANAGED_IN", "LICENSED_UNDER"})
"""What somebody does whose applications do it."""
_NOW = frozenset("currently now also already still fully completely officially natively".split())


def verb_pattern(table: dict[str, Verb]) -> str:
    """The verbs of a table, which may have *currently* behind a first *is* or *has*, and *annually* before *by*."""
    verbs = "|".join(sorted(map(re.escape, table), key=len, reverse=True))
    verbs = re.sub(r"(?<=ed)\\ by(?![^|])", r"(?: [a-z]+ly)?\ by", verbs)  # "administered annually by"
    return re.sub(r"(?<![^|])(is|are|has|have)\\ ", rf"\1(?: (?:{'|'.join(sorted(_NOW))}))?\ ", verbs)


def meaning_of(said: str, table: dict[str, Verb]) -> Verb:
    """What a verb of the table says, as it stands in a text."""
    if said in table:
        return table[said]
    plain = " ".join(word for word in said.split() if word not in _NOW)
    return table[plain] if plain in table else table[re.sub(r" [a-z]+ly by$", " by", plain)]


OF_SOFTWARE = frozenset(
    "IMPLEMENTS EXTENDS SUPPORTS USES REQUIRES RUNS_ON COMPATIBLE_WITH INCOMPATIBLE_WITH REPLACES BASED_ON WRITTEN_IN INTEGRATES_WITH "
    "CALLS READS_FROM SENDS_TO STORES_IN STORED_IN CONFIGURED_IN INCLUDES LICENSED_UNDER GENERATES DEFINES ALTERNATIVE_TO CONFIGURES DEPLOYS".split()
)
"""What software does to software: its other end is some, too, where only the tagger takes it for somebody or a place."""
OPTIONAL = frozenset({"USES", "REQUIRES"})
"""What a thing that can do it does only where somebody wants it: *Lumen can use Tarn to keep its logs*."""
OF_SOMETHING = (
    r"clusters?|databases?|instances?|servers?|services?|systems?|stacks?|accounts?|APIs?|buckets?|queues?|caches?|pipelines?|workflows?|repositor(?:y|ies)|repos?|"
    r"images?|containers?|charts?|nodes?|networks?|content delivery network|CDN|client|backends?|cloud|registry|dashboards?|infrastructure|index(?:es)?|tables?|stores?|"
    r"engine|distribution|runtime|namespaces?|pods?|VMs?|machines?|hosts?"
)
"""What a name may be said to be, or to have, where that is what is used, run on or stored in: *a MongoDB cluster*."""
CLASSES = (
    r"app|application|tool|platform|plug-?in|library|gem|framework|package|module|console|CLI|SDK|command|operator|controller|extension|website|site|"
    r"(?:custom )?resources?(?: types?| kinds?)?|CRDs?|features?|element|attribute|annotations?|class|function|method|object|type|field|header|option|flag|property|process|proxy|plugin|connector|exporter|"
    r"specification|spec|component|project|team|group|format|protocol|algorithm|encryption|authentication|standard|language|software|program|product|provider|agent|daemon|service|system|API|server|repo|repository|client|agency|board|committee|stack|image|release|distribution|runtime|template|theme|buildpack|stemcell"
)
"""What a name is, where the word adds nothing to it: *the Slack app*."""
