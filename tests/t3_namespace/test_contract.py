"""The contract suite on the namespace itself."""

from __future__ import annotations

import pytest

from kgfs.namespace.namespace import Namespace
from tests.contract import Contract
from tests.t3_namespace.drivers import NamespaceDriver


class TestNamespace(Contract):
    @pytest.fixture(scope="class")
    @classmethod
    def driver(cls, tree: Namespace) -> NamespaceDriver:
        return NamespaceDriver(tree)
