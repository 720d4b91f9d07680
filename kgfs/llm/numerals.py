"""Whether a number stands in a text, in figures or in words.

Used by ``grounding``, where a model says what a fact's value is; pure.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d(?:[\d,\u00a0]*\d)?(?:\.\d+)?")
_SCALES = (1.0, 1e3, 1e6, 1e9, 1e12, 1e-2, 1e2)
_SPELLED = {
    **{word: float(number) for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split())},
    **{word: 10.0 * number for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety hundred".split(), 2)},
    "half": 0.5, "dozen": 12.0, "thousand": 1e3, "once": 1.0, "twice": 2.0,
}  # fmt: skip


def is_value(value: float | None, text: str) -> bool:
    """Whether a number is that of a text: ``2.1 billion`` is 2,100,000,000, or 2.1 in billions."""
    if value is None:
        return False
    stated = [float(re.sub(r"[,\u00a0]", "", number)) for number in _NUMBER.findall(text)]
    stated += _spelled(text)
    return any(
        abs(abs(value) - number * scale) <= 1e-6 * max(1.0, abs(value)) for number in stated for scale in _SCALES
    )


def _spelled(text: str) -> list[float]:
    """The numbers that words say, each alone and with those beside it: *three hundred*, *twenty-two*."""
    found: list[float] = []
    total = 0.0
    for word in re.findall(r"[a-z]+|[^a-z\s-]", text.lower()):
        number = _SPELLED.get(word)
        if number is None:
            if word != "and":
                total = 0.0
            continue
        found.append(number)
        total = total * number if number in (100, 1000) and total else total + number
        found.append(total)
    return found
