"""The object server of the tests of this package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.object_server import ObjectServer


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectServer]:
    """A server on this machine, whose address and keys are in the environment."""
    with ObjectServer() as running, pytest.MonkeyPatch.context() as patched:
        for name, value in running.environment.items():
            patched.setenv(name, value)
        yield running
