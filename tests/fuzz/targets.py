"""All targets of the fuzzers, by name."""

from __future__ import annotations

from tests.fuzz.file_targets import FILE_TARGETS
from tests.fuzz.message_targets import MESSAGE_TARGETS
from tests.fuzz.query_targets import QUERY_TARGETS
from tests.fuzz.target import Target
from tests.fuzz.text_targets import TEXT_TARGETS

TARGETS: dict[str, Target] = {**TEXT_TARGETS, **QUERY_TARGETS, **FILE_TARGETS, **MESSAGE_TARGETS}
