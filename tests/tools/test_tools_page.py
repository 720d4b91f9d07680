"""docs/tools.md is what the registry says."""

from __future__ import annotations

from kgfs.tools.document import document
from kgfs.tools.registry import TOOLS
from tests.conftest import ROOT


def test_the_page_of_tools_is_current() -> None:
    written = (ROOT / "docs" / "tools.md").read_text("utf-8")
    assert written == document(), "run: python -m kgfs.tools.document > docs/tools.md"


def test_every_tool_is_on_it_with_its_parameters() -> None:
    page = document()
    for name, tool in TOOLS.items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert tool.description in section
        assert all(f"| `{parameter}` |" in section for parameter in tool.input_schema()["properties"])
