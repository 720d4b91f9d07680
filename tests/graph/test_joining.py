"""Names of several documents: which are one, which are kept apart because they say too little, and why."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgfs.graph.joining import join_names, pair_short_names
from kgfs.graph.name_forms import SCOPE, name_bits, name_forms, says_too_little, spelling_difference
from kgfs.graph.name_keys import name_key
from kgfs.store.graph.claims import FormHolder, GivenAlias, NameStanding


def claimed(*names: tuple[str, str], titled: Iterable[str] = ()) -> list[FormHolder]:
    """The forms of names, each given with its type."""
    return [
        FormHolder(name_key(name), form)
        for name, type_ in names
        for form in name_forms(name, name_key(name), type_, name in titled)
    ]


def standings(holders: Iterable[FormHolder], documents: int = 2, **more: int) -> dict[str, NameStanding]:
    return {holder.key: NameStanding(False, documents, True, True) for holder in holders}


def together(
    holders: Iterable[FormHolder], given: Iterable[GivenAlias] = (), times: int = 1
) -> dict[tuple[str, str], int]:
    """Short names with what they may stand for, as if so many documents had both."""
    return dict.fromkeys(pair_short_names(holders, given), times)


def joined(*names: tuple[str, str], documents: int = 2) -> set[frozenset[str]]:
    """The parts of more than one name."""
    holders = claimed(*names)
    _, parts = join_names(standings(holders, documents), [], holders, together(holders))
    return {frozenset(part) for part in parts if len(part) > 1}


ORG, PERSON, CONCEPT = "Organization", "Person", "Concept"


@pytest.mark.parametrize(
    ("names", "one"),
    [
        ([("FOMC", ORG), ("Federal Open Market Committee", ORG)], ["fomc", "federal open market committee"]),
        ([("PRs", CONCEPT), ("PR", CONCEPT)], ["prs", "pr"]),
        ([("pull requests", CONCEPT), ("Pull Request", CONCEPT)], ["pull requests", "pull request"]),
        ([("HR Links", "Product"), ("HRLinks", "Product")], ["hr links", "hrlinks"]),
        ([("Group Policies", CONCEPT), ("group policy", CONCEPT)], ["group policies", "group policy"]),
        ([("J. Yellen", PERSON), ("Janet Yellen", PERSON)], ["j yellen", "janet yellen"]),
        ([("Janet L. Yellen", PERSON), ("Janet Yellen", PERSON)], ["janet l yellen", "janet yellen"]),
        ([("Janet Y", PERSON), ("Janet Yellen", PERSON)], ["janet y", "janet yellen"]),
        ([("Acme Lamp Council", ORG), ("Lamp Council", ORG)], ["acme lamp council", "lamp council"]),
        ([("Project Acme Lamp Council", ORG), ("Lamp Council", ORG)], ["project acme lamp council", "lamp council"]),
        (
            [("Office of the Lamp Guardian", ORG), ("Office of Lamp Guardian", ORG)],
            ["office of the lamp guardian", "office of lamp guardian"],
        ),
        ([("Jan Löwe", PERSON), ("Jan Loewe", PERSON)], ["jan löwe", "jan loewe"]),
        ([("Nick Lind", PERSON), ("Nicholas Lind", PERSON)], ["nick lind", "nicholas lind"]),
        ([("Acme Project", ORG), ("Acme", "")], ["acme project", "acme"]),
        ([("Lampads", "Product"), ("Lampad", "Product")], []),  # "Lampad" may be a short word
        ([("Lamprouters", "Product"), ("Lamprouter", "Product")], ["lamprouters", "lamprouter"]),
        ([("Reno", "Location"), ("Reno, Nevada", "Location")], ["reno", "reno nevada"]),
        # apart
        ([("Reno", "Location"), ("Reno, Nevada", "Location"), ("Reno, Orm", "Location")], []),
        ([("Nick Lind", PERSON), ("Michael Lind", PERSON)], []),
        ([("Acme Project", ORG), ("Acme", "Location")], []),
        ([("CSS", "Technology"), ("Code for Science and Society", ORG)], []),
        ([("Windows", "Product"), ("Window", CONCEPT)], []),
        ([("Acme Lamp Council", ORG), ("Orm Lamp Council", ORG), ("Lamp Council", ORG)], []),  # whose?
        ([("Former Lamp Council", ORG), ("Lamp Council", ORG)], []),
        ([("National Security Council", ORG), ("Security Council", ORG)], []),
        ([("Acme Council", ORG), ("Council", ORG)], []),
        ([("Acme Lamp Council", CONCEPT), ("Lamp Council", CONCEPT)], []),
        ([("GM", ORG), ("General Motors", ORG)], []),  # two letters tell too little
        ([("CBS", ORG), ("Columbia Broadcasting System", ORG), ("Central Bureau of Statistics", ORG)], []),
        ([("J. Smith", PERSON), ("John Smith", PERSON), ("Jane Smith", PERSON)], []),
        ([("Jane S", PERSON), ("Jane Smith", PERSON), ("Jane Stone", PERSON)], []),
        ([("Jane S", PERSON), ("Jane Lind", PERSON)], []),
        ([("John A. Smith", PERSON), ("John B. Smith", PERSON), ("John Smith", PERSON)], []),
        ([("Windows", "Product"), ("Window", "Product")], []),
        ([("Under Stand", "Product"), ("Understand", "Product")], []),
        ([("New York", "Location"), ("NY", "Location")], []),
        ([("Paris Agreement", ORG), ("PA", ORG)], []),
    ],
)
def test_forms_join(names: list[tuple[str, str]], one: list[str]) -> None:
    assert joined(*names) == ({frozenset(one)} if one else set())


def test_an_acronym_needs_two_documents_and_one_that_has_both() -> None:
    names = (("FOMC", ORG), ("Federal Open Market Committee", ORG))
    assert joined(*names, documents=1) == set()
    holders = claimed(*names)
    assert join_names(standings(holders), [], holders)[0] == []


def test_a_body_and_whose_it_is_need_a_document_that_has_both() -> None:
    holders = claimed(("Acme Lamp Council", ORG), ("Lamp Council", ORG))
    assert join_names(standings(holders), [], holders)[0] == []
    stands = standings(holders) | {"lamp council": NameStanding(True, 1, True, True)}
    ((join,), _) = join_names(stands, [], holders, together(holders))
    assert (join.child, join.parent) == ("acme lamp council", "lamp council")  # its page is called so


def test_a_surname_joins_by_a_title_alone() -> None:
    scoped = f"yellen{SCOPE}disk:/b.md"
    holders = [
        *(FormHolder(scoped, form) for form in name_forms("Yellen", scoped, PERSON, True)),
        *claimed(("Janet Yellen", PERSON)),
    ]
    (join,), _ = join_names(standings(holders), [], holders)
    assert (join.child, join.parent, join.rule) == (scoped, "janet yellen", "title")
    assert {form.rule for form in name_forms("Yellen", scoped, PERSON, False)} == {"given name"}
    more = [*holders, *claimed(("Tony Yellen", PERSON))]
    assert join_names(standings(more), [], more)[0] == []


def test_persons_of_a_rank_whom_no_text_names_in_full_are_one() -> None:
    scoped = [f"yellen{SCOPE}disk:/{place}.md" for place in "abc"]
    holders = [FormHolder(key, form) for key in scoped[:2] for form in name_forms("Yellen", key, PERSON, True)]
    (join,), _ = join_names(standings(holders), [], holders)
    assert {join.child, join.parent} == set(scoped[:2]) and join.rule == "titled"
    whose = [*holders, *claimed(("Janet Yellen", PERSON), ("Tony Yellen", PERSON))]
    assert join_names(standings(whose), [], whose)[0] == []
    other = [*holders[:2], *(FormHolder(scoped[2], form) for form in name_forms("Yellen", scoped[2], PERSON, False))]
    assert all(join.child != scoped[2] for join in join_names(standings(other), [], other)[0])


@pytest.mark.parametrize(("rule", "count"), [("given name", 1), ("surname", 0)])
def test_a_given_name_alone_is_whom_another_document_calls_so(rule: str, count: int) -> None:
    scoped = f"ezra{SCOPE}disk:/b.md"
    holders = [
        *(FormHolder(scoped, form) for form in name_forms("Ezra", scoped, PERSON, False)),
        *claimed(("Ezra Lind", PERSON)),
    ]
    given = [GivenAlias("ezra", "ezra lind", rule, False, 1)]
    assert len(join_names(standings(holders), given, holders)[0]) == count
    more = [*holders, *claimed(("Ezra Ray", PERSON))]
    assert join_names(standings(more), given, more)[0] == []


@pytest.mark.parametrize(("times", "count"), [(3, 1), (2, 0)])
def test_two_letters_stand_for_a_body_beside_which_they_often_stand(times: int, count: int) -> None:
    holders = claimed(("LC", ORG), ("Lamp Council", ORG), ("Lost Cause", CONCEPT))
    found, _ = join_names(standings(holders), [], holders, together(holders, times=times))
    assert [(join.child, join.parent) for join in found] == [("lc", "lamp council")] * count


@pytest.mark.parametrize(
    ("handles", "count"),
    [
        ((("mikel", "mike lind"), ("mlind90", "michael lind")), 0),
        ((("mikel", "mike lind"), ("mikel", "michael lind")), 1),
        ((("mikel", "mike lind"),), 1),
        ((("lind", "mike lind"), ("michael", "michael lind")), 1),  # parts of their names
    ],
)
def test_two_persons_of_two_handles(handles: tuple[tuple[str, str], ...], count: int) -> None:
    holders = claimed(("Mike Lind", PERSON), ("Michael Lind", PERSON))
    given = [GivenAlias(handle, name, "stated", False, 1) for handle, name in handles]
    assert len(join_names(standings(holders), given, holders)[0]) == count


def test_a_wife_is_not_called_as_her_husband_is() -> None:
    assert joined(("Mrs. Thomas Lind", PERSON), ("Thomas Lind", PERSON)) == set()


def test_what_is_declared_is_a_thing_of_its_own() -> None:
    holders = claimed(("FOMC", ORG), ("Federal Open Market Committee", ORG))
    declared = {key: one._replace(declared=key == "fomc") for key, one in standings(holders).items()}
    assert join_names(declared, [], holders, together(holders))[0] == []


@pytest.mark.parametrize(
    ("given", "count"),
    [
        (GivenAlias("cbs", "columbia broadcasting system", "bracket", False, 1), 1),
        (GivenAlias("co", "contracting officer", "bracket", False, 1), 0),  # too short for one document's word
        (GivenAlias("co", "contracting officer", "bracket", False, 2), 1),
        (GivenAlias("smith", "john smith", "surname", False, 9), 0),  # true in its document only
        (GivenAlias("x", "yves", "stated", True, 1), 1),
        (GivenAlias("team", "blue team", "link", False, 1), 0),
        (GivenAlias("fomc", "federal open market committee", "bracket", False, 1), 1),
        (GivenAlias("pytorch", "torch library", "link", False, 1), 1),
    ],
)
def test_aliases_that_tell_enough(given: GivenAlias, count: int) -> None:
    standing = {key: NameStanding(False, 3, True, True) for key in (given.alias, given.name)}
    assert len(join_names(standing, [given], [])[0]) == count


def test_two_letters_that_one_document_explains_and_another_has_beside_the_name() -> None:
    given = [GivenAlias("tc", "technical committee", "bracket", False, 1)]
    standing = {key: NameStanding(False, 3, True, True) for key in ("tc", "technical committee")}
    assert join_names(standing, given, [])[0] == []
    ((join,), _) = join_names(standing, given, [], together([], given))
    assert (join.child, join.parent) == ("tc", "technical committee")


@pytest.mark.parametrize(("as_word", "count"), [(0, 1), (1, 1), (2, 0), (3, 0)])
def test_an_acronym_that_is_mostly_written_as_a_word_is_that_word(as_word: int, count: int) -> None:
    given = GivenAlias("mac", "media access controller", "bracket", False, 2)
    standing = {"mac": NameStanding(False, 3, True, True, as_word), given.name: NameStanding(False, 2, True, True)}
    assert len(join_names(standing, [given], [])[0]) == count


@pytest.mark.parametrize(
    ("name", "type_", "scoped"),
    [
        ("Smith", PERSON, True), ("@smith", PERSON, False), ("Ann Smith", PERSON, False), ("J. Smith", PERSON, False),
        ("First National Bank", ORG, True), ("City Council", ORG, True), ("Acme", ORG, False),
        ("General Services Administration", ORG, False), ("Department of State", ORG, False),
        ("Bank of England", ORG, False), ("Boston", "Location", False), ("Slack", "Product", False),
    ],
)  # fmt: skip
def test_names_that_say_too_little(name: str, type_: str, scoped: bool) -> None:
    assert says_too_little(name, type_) is scoped


def test_information_grows_with_rare_words() -> None:
    order = ["the", "National Bank", "Ann Smith", "Federal Reserve Bank of Boston"]
    told = [name_bits(name) for name in order]
    assert told == sorted(told) and told[0] < told[-1]


@pytest.mark.parametrize(
    ("name", "other", "rule"),
    [
        ("Alphabet Inc.", "Alphabet", "company suffix"), ("The Fed", "Fed", "article"), ("GitHub", "Github", "case"),
        ("Fitbit's", "Fitbit", "possessive"), ("A&B", "A & B", "punctuation"), ("U.S.", "US", "punctuation"),
    ],
)  # fmt: skip
def test_differences(name: str, other: str, rule: str) -> None:
    assert name_key(name) == name_key(other)
    assert spelling_difference(name, other) == spelling_difference(other, name) == rule


NAMES = ["FOMC", "Federal Open Market Committee", "Free Old Men Club", "PR", "PRs", "Ann Lee", "A. Lee", "Ann B. Lee",
         "Ann C. Lee", "Lee", "pull requests", "Pull Request", "Alpha", "Beta Works"]  # fmt: skip
names = st.sampled_from(NAMES).map(name_key)
aliases = st.builds(
    GivenAlias,
    names,
    names,
    st.sampled_from(["bracket", "surname", "link", "stated"]),
    st.booleans(),
    st.integers(1, 3),
)


@settings(max_examples=150)
@given(
    standing=st.dictionaries(
        names,
        st.builds(
            lambda declared, documents, sure, shown: NameStanding(declared, documents, sure, sure or shown),
            st.booleans(), st.integers(1, 4), st.booleans(), st.booleans(),
        ),
        min_size=1,
    ),
    given=st.lists(aliases, max_size=6),
    data=st.data(),
)  # fmt: skip
def test_every_name_has_one_part_whatever_the_order(
    standing: dict[str, NameStanding], given: list[GivenAlias], data: st.DataObject
) -> None:
    given = [one for one in given if one.alias != one.name]
    holders = claimed(*((name, PERSON if "Lee" in name else ORG) for name in NAMES))
    pairs = together(holders)
    found, parts = join_names(standing, given, holders, pairs)
    assert sorted(key for part in parts for key in part) == sorted(standing)
    where = {key: number for number, part in enumerate(parts) for key in part}
    for join in found:
        assert where[join.child] == where[join.parent] and 0 < join.confidence <= 1
    # A part hangs together by its joins: no more parts than names without as many joins.
    assert len(parts) >= len(standing) - len(found)
    mixed = data.draw(st.permutations(given)), data.draw(st.permutations(holders))
    order = data.draw(st.permutations(sorted(standing)))
    again, same = join_names({key: standing[key] for key in order}, *mixed, pairs)
    assert sorted(map(sorted, same)) == sorted(map(sorted, parts)) and set(again) == set(found)


def test_of_two_rules_for_one_name_the_surer_is_told() -> None:
    standing = {name: NameStanding(False, 1, False, False) for name in ("fomc", "federal open market committee")}
    given = [
        GivenAlias("federal open market committee", "fomc", rule, True, 1) for rule in ("surname", "bracket", "title")
    ]
    for order in (given, given[::-1]):
        found, _ = join_names(standing, order, [])
        assert [join.rule for join in found] == ["bracket"]


@pytest.mark.parametrize(
    ("names", "one"),
    [
        ([("Lamp Practices WG", ORG), ("Lamp Practices Working Group", ORG)], True),
        ([("Lamp Practices WG", ORG), ("Lamp Practices Working Group (LAMP WG)", ORG)], True),
        ([("Lamp Disclosures WG", ORG), ("Lamp Disclosure Working Group", ORG)], True),
        ([("WG DEI", ORG), ("DEI WG", ORG)], True),
        ([("Lamp WG", ORG), ("Lamp Work Group", ORG)], True),
        ([("Lamp WG", ORG), ("Lamp Workgroup", ORG)], True),
        ([("SIG Lamps", ORG), ("Lamps Special Interest Group", ORG)], True),
        ([("Lamp WG", ORG), ("Lamp SIG", ORG)], False),
        ([("Lamp WG", ORG), ("Wick Working Group", ORG)], False),
        ([("Lamp Group", ORG), ("Lamp Working Group", ORG)], False),
        ([("Justin Lampos", PERSON), ("JustinLampos", ORG)], True),
        ([("Justin Lampos", PERSON), ("JustinLamp", ORG)], False),
    ],
)
def test_groups_and_handles_in_other_spellings(names: list[tuple[str, str]], one: bool) -> None:
    assert (frozenset(name_key(name) for name, _ in names) in joined(*names)) is one
