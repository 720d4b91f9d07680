"""The style of our pictures without variables, for what draws SVG and knows none (resvg): the light one.

Used by ``terminal_picture``; pure. It reads what ``pictures/theme.py`` writes: variables of the picture, variables of a
class, and rules that use them. What is written otherwise it leaves as it is.
"""

from __future__ import annotations

import re

_STYLE = re.compile(r"(<style\b[^>]*>)(.*?)(</style>)", re.DOTALL)
_MEDIA = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_DEFINED = re.compile(r"(--[\w-]+)\s*:\s*([^;}]+)")
_USED = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,\s*([^()]*))?\)")


def without_variables(svg: str) -> str:
    """A picture with the values in place of its variables."""
    whole: dict[str, str] = {}
    of_class: list[tuple[str, dict[str, str]]] = []
    for style in _STYLE.finditer(svg):
        for selector, body in _RULE.findall(_MEDIA.sub("", style[2])):
            defined = dict(_DEFINED.findall(body))
            if defined and selector.strip().startswith("."):
                of_class.append((selector.strip(), defined))
            elif defined:
                whole |= defined
    plain = _STYLE.sub(lambda found: found[1] + _rules(found[2], whole, of_class) + found[3], svg)
    return _filled(plain, whole)


def _rules(style: str, whole: dict[str, str], of_class: list[tuple[str, dict[str, str]]]) -> str:
    """A style sheet; a rule that uses a variable of classes is followed by one for each of them."""
    written = []
    for selector, body in _RULE.findall(_MEDIA.sub("", style)):
        written.append(f"{selector}{{{_filled(body, whole)}}}")
        used = {name for name, _ in _USED.findall(body)}
        for name, defined in of_class:
            if used & defined.keys():
                narrower = ",".join(_narrowed(part.strip(), name) for part in selector.split(","))
                written.append(f"{narrower}{{{_filled(body, whole | defined)}}}")
    return "".join(written)


def _narrowed(selector: str, name: str) -> str:
    """``.node path`` of a class: ``.node.person path``."""
    first, space, rest = selector.partition(" ")
    return f"{first}{name}{space}{rest}"


def _filled(text: str, values: dict[str, str]) -> str:
    return _USED.sub(lambda found: values.get(found[1], found[2] or found[0]), text)
