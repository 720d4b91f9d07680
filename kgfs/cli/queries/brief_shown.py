"""A brief for a person: headings, links to what is named, the question's words marked, lines of the screen's width.

Used by ``kgfs brief`` on a terminal. It reads the text that ``@brief`` has (``namespace/queries/brief_text.py``), so
that there is one text; a line that it does not know is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgfs.cli.declaration import Invocation
from kgfs.cli.screen import Screen
from kgfs.names import one_line
from kgfs.paths import FACT_ID
from kgfs.search.snippets import found_at

_HEADING = re.compile(r"#{1,6} (.*)")
_PLACE = re.compile(r"(\S+/\S+)((?: \(lines? [\d-]+ of text\.txt\))?(?:, cut)?)")
_ITEM = re.compile(rf"(- .*) \[(\S+/(?:{FACT_ID}\.json|re\w+/\w+/|content\.txt))(:\d+)?\]")
"""A fact, a type of facts or a passage with its place, and the line of that."""
_AS_IT_IS = re.compile(r"[ \t|`]")
"""How lines begin whose spaces mean something: code and tables."""


def shown_lines(invocation: Invocation, screen: Screen, text: str, question: str) -> Iterator[str]:
    """The lines of a brief as they go to the terminal."""
    after_heading = False
    for line in map(one_line, text.splitlines()):
        heading, place, item = _HEADING.fullmatch(line), _PLACE.fullmatch(line), _ITEM.fullmatch(line)
        if heading:
            yield from (invocation.style(part, bold=True) for part in screen.paragraph(line))
        elif place and after_heading:
            styled = invocation.style(screen.path_here(place[1]), fg="magenta")
            yield screen.as_printed(styled, place[1]) + invocation.style(place[2], dim=True)
        elif item:
            yield from screen.paragraph(item[1], found_at(item[1], question), hanging=2)
            styled = invocation.style(screen.path_here(item[2]) + (item[3] or ""), dim=True)
            yield "  " + screen.as_printed(styled, item[2])
        elif not line.strip() or _AS_IT_IS.match(line):
            yield screen.marked(line, found_at(line, question))
        else:
            yield from screen.paragraph(line, found_at(line, question))
        after_heading = heading is not None
