"""What reads documents: a language model, or the patterns that need none.

Used by the pipeline and by commands; pure but for the environment, which it looks at.
"""

from __future__ import annotations

import os

from kgfs.config import Config
from kgfs.errors import UsageError
from kgfs.llm.client import BASE_URL_VARIABLE, KEY_VARIABLES, key_in

AUTO, LLM, OFFLINE = "auto", "llm", "offline"


def within_reach(config: Config) -> bool:
    """Whether there is a key, or a server that may need none."""
    return key_in(os.environ) or bool(config.llm_base_url or os.environ.get(BASE_URL_VARIABLE))


def choose_reader(extractor: str, config: Config) -> str:
    """``llm`` where a model is to read, else ``extractor`` as it was given. ``UsageError`` where there is no key."""
    if extractor == AUTO and within_reach(config):
        return LLM
    if extractor == LLM and not within_reach(config):
        raise UsageError(
            f"--extractor llm needs a key: set {KEY_VARIABLES[0]} in the environment of this command, or of the daemon"
            " (`kgfs mount`) where the store is mounted; or use --extractor offline, which needs none."
        )
    return extractor
