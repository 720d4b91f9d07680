"""The types that a language model is offered: of entities, and of facts with what stands on either side.

Used by ``prompts``, ``cards`` and ``answers``; data only. Every type of fact is in the table of ``kgfs.relation_types``.
"""

# A row is read as a whole.
# ruff: noqa: E501

from __future__ import annotations

OTHER = "Other"
"""The type that stands for a proposed one."""

ENTITY_TYPES = {
    "Organization": "a company, agency, institution, party, team, band, central bank",
    "Person": "a human being, real or fictional, by name",
    "Location": "a city, state, country, region, district, river, mountain",
    "Facility": "a building, airport, plant, bridge, stadium, museum as a place",
    "Product": "what is made and sold or used: a device, program, drug, vehicle, service with a name of its own",
    "Technology": "a method, language, protocol, standard or kind of device",
    "Work": "a book, report, film, painting, song, paper, with its title",
    "Event": "what happened and has a name: a war, election, conference, storm, crisis",
    "Law": "a law, treaty, regulation, court case",
    "Group": "a people, nationality, movement, religion, family",
    "Industry": "a branch of the economy: agriculture, semiconductor manufacturing",
    "Currency": "money of a country, a coin",
    "Concept": "an idea or term that the text explains or is about; an everyday word only where the text defines it",
}
"""The closed types with what they are."""

FACT_TYPES = {
    "ACQUIRED": "Organization bought Organization or Product: Google ACQUIRED DeepMind",
    "FOUNDED": "Person or Organization founded Organization: Larry Page FOUNDED Google",
    "CHIEF_EXECUTIVE_OF": "Person is or was chief executive of Organization",
    "WORKS_FOR": "Person works or worked for Organization; `role` is as what",
    "MEMBER_OF": "Person, Organization or Location is a member of Organization or Group; `role` is as what",
    "LEADS": "Person or Organization leads Organization, team, project or suit, in any role but chief executive",
    "REPORTS_TO": "Person or team answers to Person or team",
    "OFFICIAL_OF": "Person holds or held an office of Location or state; `role` is the office",
    "SUCCEEDED": "Person came after Person in an office",
    "HEADQUARTERED_IN": "Organization has its head office in Location",
    "LOCATED_IN": "Location, Facility or Organization lies in Location: Boston LOCATED_IN Massachusetts",
    "SUBSIDIARY_OF": "Organization belongs to Organization: YouTube SUBSIDIARY_OF Google",
    "OWNS": "Person or Organization owns something",
    "OPERATES": "Person or Organization runs a Facility, Product or service",
    "INVESTED_IN": "Person or Organization put money into Organization, or holds a share of it",
    "FUNDS": "Person or Organization pays for something",
    "PARTNERED_WITH": "two Organizations work together",
    "COMPETES_WITH": "two Organizations or Products compete",
    "DEVELOPED": "Person or Organization developed Product or Technology",
    "LAUNCHED": "Person or Organization brought out or began Product, Work or Event",
    "CREATED": "Person or Organization wrote, painted, composed, made Work",
    "PUBLISHED": "Person or Organization published Work",
    "BORN_IN": "Person was born in Location",
    "DIED_IN": "Person died in Location",
    "LIVES_IN": "Person lives or lived in Location",
    "CITIZEN_OF": "Person is a citizen of Location (a country)",
    "EDUCATED_AT": "Person studied at Organization",
    "SPOUSE_OF": "Person is or was married to Person",
    "CHILD_OF": "Person is a child of Person",
    "KILLED": "Person killed Person",
    "WON": "somebody won a prize, contest or election (Event or Work)",
    "PARTICIPATED_IN": "somebody took part in, attended or spoke at Event or a meeting",
    "IS_A": "something is a kind of Concept, Product or Technology: a Mirror IS_A Synced Vault",
    "PART_OF": "anything is a part of something larger that is no place: a unit, a volume, a component",
    "INCLUDES": "something has something as a part or feature",
    "ORIGINATED_IN": "Product, Work or Group comes from Location",
    "RENAMED_TO": "something was or will be renamed: the new name as `value_text`, no object",
    "REPLACES": "something takes the place of something else",
    "REQUIRES": "something needs or depends on something else",
    "USES": "anything uses Product or Technology",
    "SUPPORTS": "Product works with something, or somebody backs something",
    "PROVIDES": "Organization or Product gives or sells something",
    "ASSIGNED_TO": "something to be done is Person's or Organization's to do; `date` is when it is `due`",
    "RESPONSIBLE_FOR": "Person or Organization has the care of something",
    "APPROVED": "Person or Organization approved or decided something",
    "BLOCKED_BY": "something cannot go on before something else",
    "SUED": "Person or Organization took Person or Organization to court",
    "FINED": "Organization or Location made Organization pay",
    "HAS_LIMIT": "how much of something there may be: the limit as `value_text`, of what as `indicator`",
    "REPORTED": "a figure or a state of things of anything, without an object: Boston REPORTED unemployment rate 3.6 "
    "percent; Iowa REPORTED farm incomes fell again; an event without an object: Acme REPORTED went public",
}
"""The types of facts that are known, with what stands on either side."""
