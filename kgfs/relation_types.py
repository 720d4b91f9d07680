"""The types of facts that join two entities: their inverses, the words that state them, and what may stand at their ends.

One table for all who make facts (the offline rules, a language model) and for those who show them (the tree). A type
that is not here is none the worse: ``fact_type`` writes it in capitals, and its inverse ends in ``_INVERSE``. Pure.
"""

# A row of the table is read as a whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LETTERS = {
    "Person": "P", "Organization": "O", "Group": "G", "Language": "G", "Location": "L", "Country": "L", "City": "L",
    "Facility": "L", "Village": "L", "Town": "L", "State": "L", "Region": "L", "River": "L", "Mountain": "L",
    "Island": "L", "Work": "W", "Event": "E",
}  # fmt: skip
"""Entity type to the letter that stands for it in the table; all others (products, technologies, terms, types that a
vault made for itself) are ``T``, a thing."""
ANY = "POGLWET"


class RelationType(NamedTuple):
    """A type of fact between two entities."""

    name: str
    inverse: str
    """Its name as its object shows it, in ``related_to/``."""
    subject: str = ANY
    object: str = ANY
    """Letters of the entity types that may stand there."""
    verbs: tuple[str, ...] = ()
    """What states it: the basic form of a verb, with the preposition before the object where there is one."""


def _type(name: str, inverse: str, ends: str = "", verbs: str = "") -> RelationType:
    """A row: the ends as ``PO>W``, the verbs with commas between them."""
    subject, _, object_ = ends.partition(">")
    stated = tuple(verb.strip() for verb in verbs.split(",") if verb.strip())
    return RelationType(name, inverse, subject or ANY, object_ or ANY, stated)


RELATION_TYPES: dict[str, RelationType] = {
    row.name: row
    for row in (
        # People
        _type("BORN_IN", "BIRTHPLACE_OF", "P>L"),
        _type("DIED_IN", "DEATHPLACE_OF", "P>L"),
        _type("BURIED_IN", "BURIAL_PLACE_OF", "P>L", "bury in, bury at"),
        _type("LIVES_IN", "HOME_OF", "P>L", "live in, reside in, settle in"),
        _type("CITIZEN_OF", "HAS_CITIZEN", "P>L"),
        _type("CHILD_OF", "HAS_CHILD", "P>P"),
        _type("SPOUSE_OF", "SPOUSE_OF", "P>P", "marry, marry to"),
        _type("SIBLING_OF", "SIBLING_OF", "P>P"),
        _type("RELATIVE_OF", "RELATIVE_OF", "P>P"),
        _type("VISITED", "VISITED_BY", "POG>LOGE"),
        _type("WENT_TO", "DESTINATION_OF", "PG>L"),
        _type("MOVED_TO", "NEW_HOME_OF"),
        _type("MENTORS", "MENTORED_BY", "PO>POT", "mentor"),
        _type("EDUCATED_AT", "EDUCATED", "P>O", "educate at, graduate from, study at"),
        _type("WORKS_FOR", "EMPLOYS", "P>O", "work for, work at, teach at"),
        _type("WORKED_FOR", "EMPLOYED", "P>O"),
        _type("LEADS", "LED_BY", "PO>OGET", "lead, head, chair, oversee"),
        _type("CHIEF_EXECUTIVE_OF", "HAS_CHIEF_EXECUTIVE", "P>O"),
        _type("OFFICIAL_OF", "HAS_OFFICIAL", "P>L"),
        _type("WROTE_TO", "HEARD_FROM", "POG>POG"),
        _type("REPORTS_TO", "HAS_REPORT", "POT>POT", "report to"),
        _type("KILLED", "KILLED_BY", "P>P", "kill, murder, assassinate"),
        _type("SUCCEEDED", "SUCCEEDED_BY", "P>P", "succeed"),
        _type("INFLUENCED", "INFLUENCED_BY", "", "influence, inspire"),
        _type("TAUGHT", "TAUGHT_BY", "P>P", "teach, tutor"),
        _type("PLAYED_FOR", "HAD_PLAYER", "P>OL", "play for, play with"),
        _type("PLAYS_AT", "HOME_GROUND_OF", "O>L", "play at"),
        _type("SIGNED_WITH", "SIGNED", "PG>OL", "sign for, sign with"),
        _type("COACHED", "COACHED_BY", "P>OP", "coach"),
        # Organizations
        _type("FOUNDED", "FOUNDED_BY", "PO>OETL", "found, cofound, co-found, establish, set up"),
        _type("ACQUIRED", "ACQUIRED_BY", "PO>OT", "acquire, buy, buy out, purchase, take over"),
        _type("SUBSIDIARY_OF", "PARENT_OF", "O>O"),
        _type("MERGED_WITH", "MERGED_WITH", "O>O", "merge with, merge into"),
        _type("OWNS", "OWNED_BY", "POG>OLWT", "own"),
        _type("OPERATES", "OPERATED_BY", "POG>OLT", "operate, run"),
        _type("HEADQUARTERED_IN", "HEADQUARTERS_OF", "O>L", "headquarter in, base in"),
        _type("INCORPORATED_IN", "SEAT_OF", "O>L", "incorporate in"),
        _type("LISTED_ON", "LISTS", "OT>OT"),
        _type("INVESTED_IN", "HAS_INVESTOR", "PO>O", "invest in"),
        _type("PARTNERED_WITH", "PARTNERED_WITH", "O>O", "partner with, collaborate with, cooperate with, team with, team up with"),
        _type("WORKS_WITH", "WORKS_WITH", "POG>POGL", "work with"),
        _type("HELPS", "HELPED_BY", "POG>POGL"),
        _type("COMPETES_WITH", "COMPETES_WITH", "OT>OT", "compete with, compete against"),
        _type("MEMBER_OF", "HAS_MEMBER", "POGL>OGE"),
        _type("JOINED", "JOINED_BY", "POGL>OGE", "join"),
        _type("PARTICIPATES_IN", "HAS_PARTICIPANT", "PO>OG"),
        _type("LEFT", "LEFT_BY", "PO>OG"),
        _type("ADOPTED", "ADOPTED_BY", "POGL>TWE"),
        _type("PARTY_TO", "HAS_PARTY", "POGL>TWE"),
        _type("ADVISES", "ADVISED_BY", "PO>POL", "advise, consult for"),
        _type("BOARD_MEMBER_OF", "HAS_BOARD_MEMBER", "P>O"),
        _type("HAS_SITE_IN", "SITE_OF", "O>L"),
        _type("SPONSORS", "SPONSORED_BY", "POG>OGTE"),
        _type("FISCAL_SPONSOR_OF", "FISCALLY_SPONSORED_BY", "PO>OGTE"),
        _type("FUNDS", "FUNDED_BY", "POGL>OLWET", "fund, finance, sponsor"),
        # Works
        _type("CREATED", "CREATED_BY", "POG>OWTGE", "create, invent, paint, sculpt"),
        _type("WROTE", "WRITTEN_BY", "PO>WT", "write, author, pen, co-write, script"),
        _type("DIRECTED", "DIRECTED_BY", "PO>WE", "direct, co-direct, helm"),
        _type("COMPOSED", "COMPOSED_BY", "PO>W", "compose, score"),
        _type("PRODUCED", "PRODUCED_BY", "POG>WT", "produce, co-produce, executive produce"),
        _type("PUBLISHED", "PUBLISHED_BY", "POG>WT", "publish"),
        _type("RELEASED", "RELEASED_BY", "POG>WT", "release"),
        _type("ISSUED", "ISSUED_BY", "POG>WTE", "issue"),
        _type("PERFORMED", "PERFORMED_BY", "POG>WE", "perform, record, sing"),
        _type("STARRED_IN", "STARS", "P>W", "star in, appear in, act in"),
        _type("PRESENTED", "PRESENTED_BY", "POG>WE", "host, present, broadcast, air"),
        _type("PREFERS", "PREFERRED_BY", "POG>OGWET", "prefer, favor, favour"),
        _type("TALKS_ABOUT", "DISCUSSED_BY", "P>OGWET", "talk about, speak about, speak on, present on"),
        _type("DISTRIBUTED", "DISTRIBUTED_BY", "PO>WT", "distribute"),
        _type("EDITED", "EDITED_BY", "PO>W", "edit, co-edit"),
        _type("ILLUSTRATED", "ILLUSTRATED_BY", "P>W", "illustrate"),
        _type("TRANSLATED", "TRANSLATED_BY", "P>W", "translate"),
        _type("BASED_ON", "BASIS_OF", "WTE>WTEP", "base on, base upon, adapt from"),
        _type("ORIGINATED_IN", "ORIGIN_OF", "WTG>L", "originate in"),
        _type("SET_IN", "SETTING_OF", "W>L", "set in"),
        _type("ABOUT", "SUBJECT_OF", "W>POGLET"),
        # Things made
        _type("DEVELOPED", "DEVELOPED_BY", "POG>WT", "develop, co-develop"),
        _type("DESIGNED", "DESIGNED_BY", "POG>WTL", "design"),
        _type("BUILT", "BUILT_BY", "POGL>WTL", "build, construct, erect"),
        _type("MANUFACTURES", "MANUFACTURED_BY", "PO>T", "manufacture"),
        _type("MAINTAINS", "MAINTAINED_BY", "POG>OLWT", "maintain"),
        _type("APPOINTS", "APPOINTED_BY", "PO>POGT", "appoint"),
        _type("ELECTS", "ELECTED_BY", "POG>POG", "elect"),
        _type("OVERSEES", "OVERSEEN_BY", "PO>OGTE"),
        _type("ACTS_FOR", "REPRESENTED_BY", "PO>POG"),
        _type("TRADEMARK_OF", "HAS_TRADEMARK", "OTW>PO"),
        _type("EXPERT_IN", "HAS_EXPERT", "P>OTWL"),
        _type("COORDINATES", "COORDINATED_BY", "PO>OGTWE"),
        _type("REVIEWS", "REVIEWED_BY", "P>OGTW"),
        _type("WRAPS", "WRAPPED_BY", "T>OTW"),
        _type("NAMED_AFTER", "NAMESAKE_OF", "OLWET>POGLWET", "name after, name for"),
        # Places and parts
        _type("LOCATED_IN", "LOCATION_OF", "OGLTE>L", "locate in, situate in, lie in"),
        _type("LIES_ON", "FLOWS_PAST", "OGLT>L"),
        _type("LOCATED_NEAR", "LOCATED_NEAR", "OGLT>L"),
        _type("CAPITAL_OF", "HAS_CAPITAL", "L>L"),
        _type("BORDERS", "BORDERS", "L>L", "border"),
        _type("FLOWS_INTO", "FED_BY", "L>L", "flow into, empty into, drain into"),
        _type("AFFILIATED_WITH", "HAS_AFFILIATE", "POG>OG", "affiliate with"),
        _type("PART_OF", "HAS_PART", "OGLWET>POGLWET", "belong to, bundle in"),
        _type("INCLUDES", "INCLUDED_IN", "OGLWET>POGLWET", "include, contain, comprise"),
        _type("CONSISTS_OF", "CONSTITUENT_OF", "OGLWET>POGLWET", "consist of, compose of, comprise of"),
        _type("HELD_IN", "VENUE_OF", "E>L", "hold in, hold at, take place in, take place at"),
        _type("FOUGHT_IN", "HAD_FIGHTER", "PO>E", "fight in"),
        _type("SERVED_IN", "HAD_SERVING", "P>OE", "serve in, serve with, enlist in"),
        _type("COMPETED_IN", "HAD_COMPETITOR", "POGL>E", "compete in, compete at"),
        _type("WON", "WON_BY", "POGLW>EWT", "win"),
        _type("DEFEATED", "DEFEATED_BY", "POGL>POGL", "defeat, beat"),
        # Order
        _type("FOLLOWED_BY", "FOLLOWS", "WET>WET"),
        _type("REPLACES", "REPLACED_BY", "OGLWET>OGLWET", "replace, supersede, supplant"),
        # Software, handbooks, minutes
        _type("HAS", "HAD_BY", "OGTWLE>OTWEG", "have"),
        _type("DESCRIBED_IN", "DESCRIBES", "OGTWLEP>TWO"),
        _type("COMPATIBLE_WITH", "COMPATIBLE_WITH", "TW>TWO"),
        _type("INCOMPATIBLE_WITH", "INCOMPATIBLE_WITH", "TWO>TWO"),
        _type("AVAILABLE_IN", "OFFERS", "TWO>OTWL"),
        _type("EQUIVALENT_TO", "EQUIVALENT_TO", "TW>TW"),
        _type("ALTERNATIVE_TO", "ALTERNATIVE_TO", "OTW>OTW"),
        _type("REQUIRES", "REQUIRED_BY", "OWET>OWTE", "require, need, depend on, depend upon, rely on, rely upon"),
        _type("USES", "USED_BY", "POGLWET>OWT", "use, utilize, leverage, employ"),
        _type("PILOTS", "PILOTED_BY", "POG>TW", "pilot"),
        _type("COMPLEMENTS", "COMPLEMENTED_BY", "TW>TW", "complement"),
        _type("LICENSED_UNDER", "LICENSE_OF", "TW>TW", "license under"),
        _type("CONDUCTED", "CONDUCTED_BY", "PO>WET", "conduct, carry out"),
        _type("AUDITED", "AUDITED_BY", "PO>OTW", "audit"),
        _type("RUNS_ON", "PLATFORM_OF", "OTW>TWO", "run on, run in, run under, execute on, host on, host in, deploy on, deploy to"),
        _type("HOSTS", "HOSTED_BY", "POGTW>OTWE"),
        _type("SENDS_TO", "RECEIVES_FROM", "OTW>OTW"),
        _type("READS_FROM", "READ_BY", "OTW>OTW", "read from, pull from"),
        _type("STORES_IN", "STORES_DATA_OF", "OTW>OTW"),
        _type("STORED_IN", "STORES", "TW>OTW", "store in, save in"),
        _type("DEFINED_IN", "HAS_DEFINITION_OF", "TWE>TWO", "define in, specify in"),
        _type("CONFIGURED_IN", "HAS_CONFIGURATION_OF", "OTW>OTW", "configure in"),
        _type("MANAGED_IN", "USED_TO_MANAGE", "OTW>OTW"),
        _type("MONITORS", "MONITORED_BY", "POTW>OTW", "monitor"),
        _type("CONFIGURES", "CONFIGURED_BY", "POTW>OTW", "configure"),
        _type("DEPLOYS", "DEPLOYED_BY", "POTW>OTW", "deploy"),
        _type("SUPPORTS", "SUPPORTED_BY", "", "support"),
        _type("IMPLEMENTS", "IMPLEMENTED_BY", "POTW>TW", "implement"),
        _type("EXTENDS", "EXTENDED_BY", "TW>TW", "extend, subclass, inherit from, derive from"),
        _type("CALLS", "CALLED_BY", "OTW>OTW", "call, invoke, query, talk to"),
        _type("GENERATES", "GENERATED_BY", "OTW>TW"),
        _type("EVOLVED_FROM", "EVOLVED_INTO", "OTWE>OTWE"),
        _type("MERGED_INTO", "MERGED_FROM", "OTW>OTW"),
        _type("DONATED_TO", "RECEIVED", "TW>PO"),
        _type("RETURNS", "RETURNED_BY", "TW>TW", "return"),
        _type("PROVIDES", "PROVIDED_BY", "POGLTW>OTW", "provide, offer, supply"),
        _type("INTEGRATES_WITH", "INTEGRATES_WITH", "TWO>TWO", "integrate with, interoperate with, connect to, connect with, interface with"),
        _type("ALIAS_OF", "HAS_ALIAS", "TW>TW"),
        _type("MANAGES", "MANAGED_BY", "POT>POLTWE", "manage, administer, govern, supervise"),
        _type("APPROVED", "APPROVED_BY", "PO>TWEO", "approve, authorize, ratify"),
        _type("HAS_CONTACT", "CONTACT_FOR", "TWEO>POT"),
        _type("HAS_CHANNEL", "CHANNEL_OF", "TWEO>T"),
        _type("ALERTS_GO_TO", "GETS_ALERTS_OF", "TWEO>POT"),
        _type("RECOMMENDS", "RECOMMENDED_BY", "POGTWE>OTW"),
        _type("SUGGESTS", "SUGGESTED_BY", "POGTWE>OTW"),
        _type("ADVISES_AGAINST", "DISCOURAGED_BY", "POGTWE>OTW"),
        _type("INSTALLED_WITH", "INSTALLS", "TW>TW"),
        _type("HAS_OPTION", "OPTION_OF", "OTW>T"),
        _type("WRITTEN_IN", "LANGUAGE_OF", "TW>TWG"),
        _type("MADE_FOR", "HAS_TOOLS", "TW>OTW"),
        _type("AVAILABLE_TO", "HAS_ACCESS_TO", "TWELO>OG"),
        _type("GOVERNED_BY", "GOVERNS", "TWEO>TW"),
        _type("RESPONSIBLE_FOR", "RESPONSIBILITY_OF", "PO>OLTWE"),
        _type("ORGANIZED", "ORGANIZED_BY", "POG>E", "organize, organise, co-organize, co-organise"),
        _type("PARTICIPATED_IN", "HAD_PARTICIPANT", "POGL>E", "participate in, attend, take part in"),
        _type("ABSENT_FROM", "MISSED_BY", "P>E"),
        _type("INVITED_TO", "HAD_INVITEE", "P>E"),
        _type("PROPOSED", "PROPOSED_BY", "POG>"),
        _type("SECONDED", "SECONDED_BY", "POG>"),
        _type("DECIDED", "DECIDED_BY", "POGE>"),
        _type("COVERS", "COVERED_BY", "TW>", "cover, document"),
        _type("ABOUT", "SUBJECT_OF", "TW>TWO"),
        _type("TAKES_PRECEDENCE_OVER", "YIELDS_TO", "TW>TW"),
        _type("OVERRIDES", "OVERRIDDEN_BY", "POTW>TW", "override"),
        _type("DEFINES", "DEFINED_BY", "POTW>TW", "define"),
        _type("SEE_ALSO", "REFERRED_TO_BY"),
        # Decisions and quarrels
        _type("ASSIGNED_TO", "HAS_ASSIGNMENT", ">POG", "assign to"),
        _type("BLOCKED_BY", "BLOCKS"),
        _type("LAUNCHED", "LAUNCHED_BY", "POG>OWTE", "launch, roll out"),
        _type("RENAMED_TO", "RENAMED_FROM", "", "rename to"),
        _type("SUED", "SUED_BY", "POGL>POG", "sue"),
        _type("FINED", "FINED_BY", "OGL>PO", "fine"),
        _type("IS_A", "HAS_EXAMPLE"),
        _type("HAS_LIMIT", "LIMIT_OF"),
        # Without the words of one language
        _type("REPORTED", "REPORTED_BY"),
        _type("CLIENT_OF", "HAS_CLIENT", "POGL>POGTWE"),
    )
}  # fmt: skip
"""Name to type."""


def _stated() -> Iterator[tuple[str, str]]:
    for row in RELATION_TYPES.values():
        for verb in row.verbs:
            yield verb, row.name


TURNED_VERBS = {"father": "CHILD_OF", "feature": "STARRED_IN", "star": "STARRED_IN"}
"""Basic form of a verb whose object is the subject of the type: a film *stars* who starred in it."""
VERBS: dict[str, str] = dict(_stated())
"""Basic form of a verb, with its preposition if there is one, to the type that it states."""
_OTHER_NAMES = {
    "AUTHORED": "WROTE", "AUTHOR_OF": "WROTE", "DIRECTOR_OF": "DIRECTED", "COMPOSER_OF": "COMPOSED",
    "PRODUCER_OF": "PRODUCED", "PUBLISHER_OF": "PUBLISHED", "FOUNDER_OF": "FOUNDED", "CEO_OF": "CHIEF_EXECUTIVE_OF",
    "MARRIED": "SPOUSE_OF", "MARRIED_TO": "SPOUSE_OF", "WIFE_OF": "SPOUSE_OF", "HUSBAND_OF": "SPOUSE_OF",
    "SON_OF": "CHILD_OF", "DAUGHTER_OF": "CHILD_OF", "BROTHER_OF": "SIBLING_OF", "SISTER_OF": "SIBLING_OF",
    "EMPLOYED_BY": "WORKS_FOR", "EMPLOYEE_OF": "WORKS_FOR", "DEPENDS_ON": "REQUIRES", "NEEDS": "REQUIRES",
    "RELIES_ON": "REQUIRES", "BELONGS_TO": "PART_OF", "BELONGED_TO": "PART_OF", "IS_PART_OF": "PART_OF",
    "COMPONENT_OF": "PART_OF", "SITUATED_IN": "LOCATED_IN", "LIES_IN": "LOCATED_IN", "BOUGHT": "ACQUIRED",
    "PURCHASED": "ACQUIRED", "STARRED": "STARS", "STARRING": "STARS", "SUPERSEDES": "REPLACES",
    "SUPERSEDED_BY": "REPLACED_BY", "PRECEDED": "FOLLOWED_BY", "PRECEDED_BY": "FOLLOWS", "SEQUEL_TO": "FOLLOWS",
    "SUCCESSOR_OF": "FOLLOWS", "CONTAINS": "INCLUDES", "GRADUATED_FROM": "EDUCATED_AT", "STUDIED_AT": "EDUCATED_AT", "ATTENDED": "EDUCATED_AT",
    "PARENT_ORGANIZATION_OF": "PARENT_OF", "BASED_IN": "HEADQUARTERED_IN", "RESIDES_IN": "LIVES_IN",
    "LIVED_IN": "LIVES_IN", "WORKS_AT": "WORKS_FOR", "WORKED_AT": "WORKED_FOR",
}  # fmt: skip
"""What a type is also called, by people and by language models."""
_TURNED = {row.inverse: row.name for row in RELATION_TYPES.values() if row.inverse != row.name}


def inverse(fact_type: str) -> str:
    """The name of a fact type seen from its object: ``ACQUIRED`` is ``ACQUIRED_BY``, unknown ``X`` is ``X_INVERSE``."""
    row = RELATION_TYPES.get(fact_type)
    return row.inverse if row is not None else f"{fact_type}_INVERSE"


def canonical_type(fact_type: str) -> tuple[str, bool]:
    """The type of the table that a name stands for, and whether its subject and object change places.

    ``AUTHORED`` is ``WROTE``; ``WRITTEN_BY`` is ``WROTE`` turned round. A name that the table does not know stays.
    """
    name = re.sub(r"^(?:IS|WAS|ARE|WERE|HAS_BEEN)_(?=[A-Z]+_[A-Z])", "", fact_type)
    name = _OTHER_NAMES.get(name, name)
    if name in RELATION_TYPES:
        return name, False
    if name in _TURNED:
        return _TURNED[name], True
    return fact_type, False


def may_join(fact_type: str, subject_type: str, object_type: str) -> bool:
    """Whether entities of these types can be the ends of a fact of this type; a type that is not known fits nowhere
    but where any does."""
    row = RELATION_TYPES.get(fact_type)
    if row is None:
        return True
    return _letter(subject_type) in row.subject and _letter(object_type) in row.object


def is_thing(entity_type: str) -> bool:
    """Whether an entity of a type is neither somebody nor a place: a product, a technology, a work, a term."""
    return entity_type != "" and _letter(entity_type) in "TW"


def _letter(entity_type: str) -> str:
    return _LETTERS.get(entity_type, "T")


def entity_types(letters: str) -> list[str]:
    """The entity types that letters of the table stand for, the plain one of each: ``P`` is ``Person``."""
    plain = {"P": "Person", "O": "Organization", "G": "Group", "L": "Location", "W": "Work", "E": "Event"}
    return [plain.get(letter, "Concept") for letter in letters]
