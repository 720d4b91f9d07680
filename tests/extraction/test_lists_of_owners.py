"""Whose things lists and tables list: options of commands, repositories of projects, firms of persons."""

from __future__ import annotations

import pytest

from kgfs.extraction.facts.guides.option_owners import commands_of
from kgfs.extraction.names import tagging
from kgfs.extraction.units import document_units
from tests.extraction.read_texts import parsed, read

tagged = pytest.mark.skipif(not tagging.has_tagger(), reason="pages are read where spaCy is installed")
HELP = """# Lighting

```
usage: lamp light [<flags>]

Flags:
  -h, --[no-]help            Show help.
  -d, --dim=LEVEL            How dim it is.
      --wick.color="red"     Its color.
```
"""
REPOSITORIES = """# Tarn tools

Tarn is a set of tools.

## Core

* [lampd](https://github.com/tarn/lampd)
* [Wick Kit](https://github.com/tarn/wick-kit) - makes wicks
* [oil](https://github.com/tarn/oil)
* [Docs](https://github.com/tarn/website): where the site is
* [night](https://github.com/others/night)

## Third-party tools

* [moth](https://github.com/tarn/moth)
"""
SPEAKERS = """# Speakers

- Ann Lee, IBM
- Bob Ray & [Carla Moss](https://x.org/carla) (@carla), Polar Signals
- Dana Poe, Microsoft and Eve Stone, IBM
- Frank Hill, Community Maintainer
- Grace Mill, Independent
"""


def facts(*texts: str, type_: str) -> list[str]:
    """The facts of a type that the last of some texts states."""
    found = read(*texts)
    names = [entity.name for entity in found.entities]
    return sorted(
        f"{names[one.subject]} > {names[one.object]}"
        for one in found.facts
        if one.object is not None and one.type == type_
    )


def test_commands_whose_help_is_listed() -> None:
    assert commands_of(document_units(parsed(HELP))) == ["lamp light"]


@tagged
def test_options_are_of_the_command_that_is_named() -> None:
    told = (
        "# Night Plug-in\n\nThe `lamp light` command has more flags. See `lamp put`, too.\n\n"
        "- `--dim`: How dim it is.\n"
    )
    assert facts(told, type_="HAS_OPTION") == ["lamp light > --dim"]


@tagged
def test_repositories_are_of_their_account() -> None:
    page = "# Tarn\n\nTarn is an organization that makes tools for lamps.\n"
    assert facts(page, REPOSITORIES, type_="PART_OF") == ["Wick Kit > Tarn", "lampd > Tarn", "oil > Tarn"]
    assert facts(page, REPOSITORIES.replace("[oil]", "[fuel]"), type_="PART_OF") == []  # too few to be a list
    product = "# Tarn\n\nTarn is a tool for lamps.\n"
    assert facts(product, REPOSITORIES, type_="PART_OF") == []  # what its makers have made besides


@tagged
def test_lines_of_persons_and_firms() -> None:
    assert facts(SPEAKERS, type_="WORKS_FOR") == [
        "Ann Lee > IBM",
        "Bob Ray > Polar Signals",
        "Carla Moss > Polar Signals",
        "Dana Poe > Microsoft",
        "Eve Stone > IBM",
    ]
    books = "# Books\n\n- Jane Austen, Emma\n- Ann Lee, Night Lamps\n- Bob Ray, Wicks\n- Carla Moss, Reno\n"
    assert facts(books, type_="WORKS_FOR") == []


@tagged
def test_names_that_recur_are_names_everywhere() -> None:
    text = (
        "# How lamps are lit\n\nPeople run Open Wick at night. We like Open Wick for its light.\n\n"
        "Open Wick supports PostgreSQL, which is old.\n"
    )
    assert facts(text, type_="SUPPORTS") == ["Open Wick > PostgreSQL"]


@tagged
def test_the_status_of_software_is_that_of_what_a_table_is_about() -> None:
    table = "# Adoption of lamps\n\n| Tool | Status |\n|---|---|\n| {} | GA |\n| {} | Beta |\n"
    known = read(table.format("PyPI", "GitHub Actions"))
    own = read(table.format("lampd-core", "wick-kit"))
    assert not [one for one in known.facts if one.type == "STATUS"]
    assert [one for one in own.facts if one.type == "STATUS"]


@tagged
def test_a_file_is_not_whom_it_lists() -> None:
    found = read("The maintainers of the lamp site are the lamp maintainers listed in https://x.org/lamps.\n")
    assert not [one for one in found.facts if one.type == "IS_A"]


@tagged
def test_unknown_authors_wrote_nothing() -> None:
    page = "---\ntitle: Night Lamps\nauthor: {}\n---\n\n# Night Lamps\n\nLamps are lit at night.\n"
    assert facts(page.format("Ann Lee"), type_="WROTE") == ["Ann Lee > Night Lamps"]
    assert facts(page.format("Unknown Author"), type_="WROTE") == []
