"""What the columns of records state: the type of fact that a key makes, and what its value is.

Used by ``records``; data and pure functions. A key that is not here makes a fact of its own name.
"""

# A row of the table is read as a whole.
# ruff: noqa: E501

from __future__ import annotations

import re
from typing import NamedTuple

from kgfs.names import fact_type
from kgfs.plurals import singular


class ColumnMeaning(NamedTuple):
    """What a key states."""

    type: str
    value: str = ""
    """The entity type of its values; empty where only known names are entities."""
    turned: bool = False
    """The value is the subject: an ``owner`` owns."""
    subjects: tuple[str, ...] = ()
    """Types of records of which it says this; any where empty."""


def _rows(text: str) -> dict[str, list[ColumnMeaning]]:
    found: dict[str, list[ColumnMeaning]] = {}
    for line in text.strip().splitlines():
        type_, value, turned, subjects, keys = (part.strip() for part in line.split("|"))
        for key in keys.split():
            meaning = ColumnMeaning(type_, value, turned == "turned", tuple(subjects.split()))
            found.setdefault(key, []).append(meaning)
    return found


_MEANINGS = _rows(
    """
    REPORTS_TO          | Person       |        | Person       | reports_to manager line_manager supervisor boss reporting_to
    REPORTS_TO          | Person       |        |              | boss
    REPORTED            | Person       | turned |              | reporter reporters reported_by
    CLIENT_OF           | Organization | turned |              | client clients
    MANAGES             | Person       | turned |              | manager managed_by project_manager product_manager programme_manager program_manager delivery_manager general_manager site_manager station_manager store_manager branch_manager account_manager curator caretaker keeper lighthouse_keeper steward foreman librarian
    LEADS               | Person       | turned |              | lead leads led_by leader head team_lead team_leads tech_lead tech_leads technical_lead project_lead project_leads ptl ptls co_lead co_leads chair chairs co_chair co_chairs chairperson chairman president director_general
    LEADS               | Person       | turned |              | captain captains master skipper commander commanding_officer headmaster headmistress headteacher head_teacher dean rector abbot abbess bandleader conductor executive_director managing_director mayor
    LEADS               | Person       | turned | Organization Group | director principal governor
    MANAGES             | Person       | turned | Facility     | director principal
    OFFICIAL_OF         | Person       | turned | Location Country State City Town Village Region | mayor governor
    COACHED             | Person       | turned | Organization Person | coach head_coach trainer
    CHIEF_EXECUTIVE_OF  | Person       | turned |              | ceo chief_executive chief_executive_officer
    FOUNDED             | Person       | turned |              | founder founders founded_by
    MENTORS             | Person       | turned |              | mentor mentors mentored_by
    OWNS                |              | turned |              | owner owners owned_by owning_team owning_sig responsible_team team product_owner service_owner system_owner
    MAINTAINS           |              | turned |              | maintainer maintainers maintained_by
    RESPONSIBLE_FOR     | Person       | turned |              | assignee assignees assigned_to responsible responsible_person point_of_contact contact_person
    HAS_CONTACT         | Person       |        |              | liaison liaisons contact contacts contact_name
    SPONSORS            | Organization | turned |              | sponsor sponsors sponsored_by
    APPROVED            | Person       | turned |              | approved_by approver approvers decider deciders decided_by decision_maker decision_makers
    APPROVES            | Person       | turned | Organization Group Concept | approver approvers
    REVIEWS             | Person       | turned | Organization Group Concept | reviewer reviewers
    PART_OF             |              | turned | Organization Group | areas
    PART_OF             |              |        | Organization Group Team | team
    WROTE               | Person       | turned |              | author authors written_by writer writers
    EDITED              | Person       | turned |              | editor editors edited_by
    DIRECTED            | Person       | turned |              | directed_by film_director
    DIRECTED            | Person       | turned | Work         | director directors
    COMPOSED            | Person       | turned | Work         | composer composers music_by
    PRODUCED            | Person       | turned | Work         | producer producers produced_by
    PERFORMED           |              | turned | Work         | artist performer singer band
    STARRED_IN          | Person       | turned | Work         | starring stars cast actors
    TRANSLATED          | Person       | turned | Work         | translator translators translated_by
    ILLUSTRATED         | Person       | turned | Work         | illustrator illustrators
    PUBLISHED           | Organization | turned |              | publisher publishers published_by
    DEVELOPED           |              | turned |              | developer developers developed_by
    DESIGNED            |              | turned |              | designer designers designed_by architect architects
    BUILT               |              | turned |              | builder builders built_by shipbuilder shipwright
    BUILT               | Organization | turned |              | shipyard
    CREATED             | Person       | turned | Work         | painter sculptor
    MANUFACTURES        | Organization | turned |              | manufacturer manufactured_by
    PROVIDES            | Organization | turned |              | vendor supplier provider provided_by
    WORKS_FOR           | Organization |        | Person       | employer company organization organisation works_for firm affiliation affiliations
    MEMBER_OF           | Organization |        | Person       | team teams department division member_of
    PART_OF             |              |        |              | part_of belongs_to department division parent group module module_name package
    PART_OF             | Organization | turned | Organization Group | subcommittees committees subgroups subteams divisions departments branches chapters
    PART_OF             | Product      | turned |              | deliverables subprojects
    MEMBER_OF           | Person       | turned |              | members team_members
    SUBSIDIARY_OF       | Organization |        | Organization | parent parent_company subsidiary_of parent_organization
    ACQUIRED            | Organization | turned |              | acquired_by
    HEADQUARTERED_IN    | Location     |        |              | headquarters headquarter headquartered_in hq head_office
    BORN_IN             | Location     |        | Person       | birthplace place_of_birth born_in
    DIED_IN             | Location     |        | Person       | place_of_death died_in
    LOCATED_IN          | Location     |        |              | location located_in city country state region province county based_in
    HELD_IN             | Location     |        | Event        | location city country venue place
    CAPITAL_OF          | Location     | turned | Location Country State | capital capital_city
    SPOUSE_OF           | Person       |        | Person       | spouse wife husband partner
    CHILD_OF            | Person       |        | Person       | father mother parents
    CHILD_OF            | Person       | turned | Person       | children son sons daughter daughters
    EDUCATED_AT         | Organization |        | Person       | alma_mater university educated_at
    PARTICIPATED_IN     | Person       | turned | Event        | attendee attendees participants
    ORGANIZED           |              | turned | Event        | organizer organiser organizers organized_by host
    REQUIRES            |              |        |              | depends_on dependencies dependency requires required_by_us depends needs
    USES                |              |        |              | uses used_services framework frameworks web_framework database databases tech_stack built_with
    RUNS_ON             | Product      |        |              | runs_on platform hosted_on deployed_to deployed_on
    ALERTS_GO_TO        |              |        |              | alerts alerts_team alerts_channel alert_channel alerts_to
    REPLACES            |              |        |              | replaces supersedes obsoletes
    REPLACES            |              | turned |              | replaced_by superseded_by obsoleted_by
    BASED_ON            |              |        |              | based_on
    SEE_ALSO            |              |        |              | related related_to related_notes related_pages related_topics see_also seealso similar related_repos related_applications related_apps related_services related_guides
    CREATED             |              | turned |              | creator creators created_by inventor invented_by
    FOUNDED             |              | turned | Organization | creator creators created_by
    WRITTEN_IN          | Technology   |        |              | programming_language written_in
    WROTE_TO            | Person       |        | Person       | wrote_to
    """
)
OF_THINGS_TOO = frozenset(
    "coach commander conductor curator dean director foreman governor keeper librarian master principal steward trainer".split()
)
"""Keys of persons that may have another meaning (a *conductor* of copper): what is called by two words is nobody."""
_SAID_OF = re.compile(
    r"_(?:(?:hosted|runs|deployed|based|depends)_(?:on|to)|(?:owned|managed|maintained|approved|replaced|provided)_by|written_in|"
    r"captain|architect|director|manager|leads?|chairs?|ptls?|owners?|maintainers?|liaisons?|sponsors?|approvers?|contacts?)$"
)
"""A known key behind other words: ``production_hosted_on``, ``steering_committee_liaison``."""
_NO_VALUES = frozenset(
    "id _id uid uuid guid key slug index row no nr rowid password passwd secret token api_key apikey private_key "
    "ssn hash checksum signature image images photo avatar icon thumbnail picture color colour notes note comment "
    "comments description summary about bio biography definition purpose text body content abstract details "
    "layout template permalink redirect redirect_from redirect_to redirects redirects_to tags tag keywords categories aliases alias title_aliases aka title name draft "
    "published sidebar_position nav_order weight toc lang locale encoding version_id created_at updated_at "
    "modified_at created updated modified lastmod timestamp cssclass cssclasses slug url_path canonical sort "
    "order link_title page_title short_title seo_title meta_title nav_title menu_title sidebar_title sidebar_label "
    "nav_label og_title html_title relationship relationships relation relations collaboration involvement "
    "interaction source sources citation citations reference references".split()
)
"""Keys whose values say nothing of the thing: what programs count with, what is prose, what must not be shown around,
what it has to do with another one, which only the text around says."""
OF_THINGS = frozenset(
    "released release_date first_release initial_release latest_release founded established born died website "
    "homepage repository github_url license licence population industry ticker isbn genre nationality".split()
)
"""Keys that no text has: front matter that has one speaks of the thing."""
OF_PAGES = frozenset("owner owners severity last_reviewed last_reviewed_on last_reviewed_at reviewed_on".split())
"""Keys that say the same of a text and of what it is about: how bad an outage is, when somebody last looked at it."""
_DATED = frozenset(
    "founded established born died published released acquired created built developed joined directed launched produced".split()
)
MAX_KEY = 40


def column_meaning(key: str, subject_type: str) -> ColumnMeaning | None:
    """What a key (in one spelling) states of a subject of this type; ``None`` where nothing is known of it."""
    fits = [one for one in _MEANINGS.get(key, ()) if not one.subjects or subject_type in one.subjects]
    if not fits and (said := _SAID_OF.search(key)) is not None:
        fits = [one for one in _MEANINGS[said[0][1:]] if not one.subjects or subject_type in one.subjects]
    return max(fits, key=lambda one: len(one.subjects), default=None)


def states_value(key: str) -> bool:
    """Whether the values of a key are worth a fact."""
    return (
        key not in _NO_VALUES
        and key.count("_") < 4
        and not re.search(r"(?:^|_)(?:password|secret|token|key|hash|uuid)$", key)
    )


def is_dated(key: str) -> bool:
    """Whether the value of a key is a day or a year."""
    return key in _DATED


def value_type(key: str) -> str:
    """The fact type of a key whose value is no entity: ``founded: 1998`` is no ``FOUNDED``, which somebody does."""
    return f"{key.upper()}_ON" if key in _DATED else key_type(key)


def key_type(key: str) -> str:
    """The fact type of a key: itself in capitals; empty where it is none."""
    name = fact_type(key) if any(map(str.isalpha, key)) else ""
    return name if re.match(r"[^\W\d_]{2}", name) and len(name) <= MAX_KEY else ""


_LEADING = frozenset("lead leads led leader head".split())
"""Words of keys that say no more than that somebody leads."""


def led_post(key: str) -> str:
    """As what somebody leads, by the key: *ptl*, *chair*; empty where the key says no more than that."""
    parts = key.removesuffix("_by").split("_")
    parts[-1] = singular(parts[-1])
    return "" if len(parts) == 1 and parts[0] in _LEADING else " ".join(parts)
