"""Which clusters are named, which nodes are refused, and what is sent to them; no Ray is needed for that."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from kgfs.cluster import addresses, comparison
from kgfs.cluster.driver import reading_settings
from kgfs.config import Config, whose
from kgfs.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]


def test_addresses() -> None:
    assert addresses.ray_address("ray") == "local"
    for given in ("auto", "head:6379", "10.0.0.1:6379", "[::1]:6379", "ray://head.example:10001"):
        assert addresses.ray_address(given) == given
    assert addresses.host_and_port("ray://[::1]:10001") == ("::1", 10001)
    for wrong in (
        "",
        "local",
        "head",
        "head:0",
        "head:70000",
        "http://head:1",
        "ray://",
        "ray://head",
        "head:1/x",
        "a b:1",
    ):
        with pytest.raises(UsageError, match=r"names no Ray cluster; --on takes ray \(starts Ray"):
            addresses.ray_address(wrong)


def test_without_ray_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"run `pip install 'kgfs\[ray\]'`"):
        addresses.require_cluster("ray")


def test_nodes_with_other_programs_differ() -> None:
    packages = comparison.deciding_packages()
    here = comparison.describe(packages)
    assert comparison.difference(here, dict(here)) == ""
    assert here["kgfs"] and here["msgspec"]
    assert comparison.difference(here, here | {"Python": "3.9"}).startswith("it has Python 3.9 and this machine 3.")
    assert comparison.difference(here, here | {"kgfs": ""}) == "it has no kgfs"
    assert comparison.difference(here, here | {"kgfs": "00"}) == "its kgfs is of another version"
    assert comparison.difference(here, here | {"lxml": "1.0"}).startswith("it has lxml 1.0 and this machine ")
    assert comparison.difference(here, here | {"lxml": ""}).startswith("it has lxml not at all and this machine ")


def test_what_reads_documents_is_compared() -> None:
    packages = set(comparison.deciding_packages())
    assert {"lxml", "trafilatura", "tree-sitter-python", "spacy", "sentence-transformers", "tokenizers"} <= packages
    assert not {"pyfuse3", "duckdb", "pytest", "mkdocs", "obstore", "ray"} & packages
    # What is left out is still required by kgfs: no name here outlives its package.
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [
        *declared["dependencies"],
        *(one for extra in declared["optional-dependencies"].values() for one in extra),
    ]
    names = {re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", one)[0]).lower() for one in required}  # type: ignore[index]
    assert names >= comparison._APART


def test_settings_that_are_sent_name_no_server() -> None:
    own = Config(
        llm_base_url="http://inside:1", mcp_settings="/home/ann/mcp.json", llm_model="other", chunk_tokens_max=99,
        embedding_model="/models/x", parse_seconds=7.0,
    )  # fmt: skip
    sent = msgspec.json.decode(reading_settings(own), type=Config)
    assert (sent.chunk_tokens_max, sent.embedding_model, sent.parse_seconds) == (99, "/models/x", 7.0)
    assert (sent.llm_base_url, sent.mcp_settings, sent.llm_model) == ("", "", Config().llm_model)
    of_the_user = {name for name, giver in whose().items() if giver == "user"} - {"embedding_model"}
    assert all(getattr(sent, name) == getattr(Config(), name) for name in of_the_user)
