"""Whose word counts: settings of a store, files that speak for the user, stores that others may change."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kgfs import config, trust
from kgfs.errors import RefusedError, StoreError

OTHER = 12345
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration directory, empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("KGFS_STORE", raising=False)
    return tmp_path / "config" / "kgfs"


def made(store: Path, **settings: Any) -> Path:
    """A directory that passes for a store, with settings that somebody wrote into it."""
    store.mkdir(mode=0o700, parents=True, exist_ok=True)
    (store / config.CATALOG).touch(mode=0o600)
    (store / config.CONFIG).write_bytes(msgspec.json.encode(settings))
    (store / config.CONFIG).chmod(0o600)
    return store


# --- settings --------------------------------------------------------------------------------------------------------


def test_every_setting_says_who_gives_it() -> None:
    assert config.whose().keys() == set(config.Config.__struct_fields__), "mark the setting _STORE, _LIMIT or _USER"


def test_what_names_a_server_a_program_or_a_file_is_the_users() -> None:
    named = {"embedding_model", "llm_base_url", "llm_model", "llm_prices", "mcp_settings", "allow_private_urls"}
    assert {name for name, who in config.whose().items() if who == "user"} == named


DEFAULTS = {"server": "", "most": 100, "hits": 20, "budget": 0}
WHOSE: dict[str, trust.Whose] = {"server": "user", "most": "limit", "hits": "store", "budget": "limit"}


@pytest.mark.parametrize(
    ("stated", "own", "trusted", "taken", "refused"),
    [
        ({}, {}, {}, {}, {}),
        ({"hits": 5, "most": 50, "budget": 3}, {}, {}, {"hits": 5, "most": 50, "budget": 3}, {}),
        ({"server": "x", "most": 101}, {}, {}, {}, {"server": "x", "most": 101}),
        ({"server": "x", "most": 101}, {}, {"server": "x", "most": 102}, {"server": "x"}, {"most": 101}),
        ({"server": "x"}, {}, {"server": "y"}, {}, {"server": "x"}),
        ({"server": "x"}, {"server": "mine"}, {}, {"server": "mine"}, {"server": "x"}),
        ({"server": "x"}, {"server": "mine"}, {"server": "x"}, {"server": "x"}, {}),
        ({"server": ""}, {"server": "mine"}, {}, {"server": "mine"}, {}),  # an old file says every default
        ({"server": ""}, {"server": "mine"}, {"server": ""}, {"server": ""}, {}),
        ({"most": 500}, {"most": 1000}, {}, {"most": 500}, {}),
        ({"most": 0}, {}, {}, {}, {"most": 0}),  # 0 is no limit
        ({"most": -1}, {}, {}, {}, {"most": -1}),
        ({"budget": 9}, {"budget": 5}, {}, {"budget": 5}, {"budget": 9}),
        ({"budget": 0}, {"budget": 5}, {}, {"budget": 5}, {}),
    ],
)  # fmt: skip
def test_what_holds(
    tmp_path: Path,
    stated: dict[str, Any],
    own: dict[str, Any],
    trusted: dict[str, Any],
    taken: dict[str, Any],
    refused: dict[str, Any],
) -> None:
    trust.trust(tmp_path, trusted)
    found = trust.settle(tmp_path, stated, own, DEFAULTS, WHOSE)
    assert found == (DEFAULTS | taken, refused)


def test_a_setting_of_which_nobody_decided_is_none(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        trust.settle(tmp_path, {"new": 1}, {}, {"new": 0}, {})


def test_trust_is_of_one_value_in_one_store(tmp_path: Path) -> None:
    here, there = (made(tmp_path / name, llm_base_url="http://a") for name in ("here", "there"))
    (tmp_path / "link").symlink_to(here)
    trust.trust(tmp_path / "link", {"llm_base_url": "http://a"})
    assert [config.load_config(store).llm_base_url for store in (here, there)] == ["http://a", ""]
    made(here, llm_base_url="http://b")
    assert config.load_settings(here) == (config.Config(), {"llm_base_url": "http://b"})
    here.rename(tmp_path / "moved")
    made(tmp_path / "moved", llm_base_url="http://a")
    assert config.load_settings(tmp_path / "moved").refused == {"llm_base_url": "http://a"}
    assert trust.revoke(here) == ["llm_base_url"] and trust.trusted(here) == {}
    assert not list((trust.user_directory() / "trust").iterdir())


def test_what_the_user_sets_is_trusted_and_what_comes_later_is_not(tmp_path: Path) -> None:
    store = made(tmp_path / "store", mcp_settings="/theirs.json", search_limit=7)
    config.change_settings(store, {"llm_base_url": "http://mine", "parse_seconds": 900.0})
    held = config.load_settings(store)
    assert (held.config.llm_base_url, held.config.parse_seconds, held.config.search_limit) == ("http://mine", 900.0, 7)
    assert held.config.mcp_settings == "" and held.refused == {"mcp_settings": "/theirs.json"}
    assert config.stated_settings(store)["mcp_settings"] == "/theirs.json", "a wish is kept, to be looked at"


def test_the_users_own_settings_hold_for_every_store(tmp_path: Path) -> None:
    config.change_user_settings({"llm_base_url": "http://mine", "llm_budget_per_day": 5.0})
    store = made(tmp_path / "store", llm_base_url="http://theirs", llm_budget_per_day=500.0)
    held = config.load_settings(store)
    assert (held.config.llm_base_url, held.config.llm_budget_per_day) == ("http://mine", 5.0)
    assert held.refused == {"llm_base_url": "http://theirs", "llm_budget_per_day": 500.0}
    config.change_user_settings({"llm_base_url": ""})
    assert config.user_settings() == {"llm_budget_per_day": 5.0}
    config.user_config_path().write_text('{"search_limit": 3}')
    with pytest.raises(StoreError, match="search_limit is for each store to say"):
        config.load_config(store)


def test_a_list_of_trust_that_is_none_is_refused(tmp_path: Path) -> None:
    store = made(tmp_path / "store", llm_base_url="http://theirs")
    trust.trust(store, {"llm_base_url": "http://theirs"})
    (file,) = (trust.user_directory() / "trust").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o077 == 0
    file.write_text("{")
    with pytest.raises(RefusedError, match="cannot be read"):
        config.load_config(store)


# --- whose a file is -------------------------------------------------------------------------------------------------


def give(path: Path) -> None:
    os.chown(path, OTHER, OTHER, follow_symlinks=False)


def open_to_all(path: Path) -> None:
    path.chmod(0o777 if path.is_dir() else 0o666)


def open_to_a_group(path: Path) -> None:
    os.chown(path, -1, OTHER)
    path.chmod(0o770)


@pytest.mark.parametrize(
    "change", [pytest.param(give, marks=as_root), open_to_all, pytest.param(open_to_a_group, marks=as_root)]
)
def test_a_file_that_others_may_write_does_not_speak_for_the_user(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    store = made(tmp_path / "store", llm_base_url="http://theirs")
    trust.trust(store, {"llm_base_url": "http://theirs"})
    (file,) = (trust.user_directory() / "trust").iterdir()
    change(file)
    with pytest.raises(RefusedError, match="so it is not used"):
        config.load_config(store)
    file.unlink()
    config.change_user_settings({"llm_base_url": "http://theirs"})
    change(config.user_config_path())
    with pytest.raises(RefusedError, match="so it is not used"):
        config.load_config(store)


@as_root
def test_mcp_servers_that_others_may_write_are_not_started(tmp_path: Path) -> None:
    from kgfs.sources.web.mcp_settings import mcp_servers

    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"wiki": {"command": "/bin/true"}}}')
    assert mcp_servers(str(file)).keys() == {"wiki"}
    give(file)
    with pytest.raises(RefusedError, match=f"belongs to the user {OTHER}"):
        mcp_servers(str(file))


# --- whose a store is ------------------------------------------------------------------------------------------------


@pytest.fixture
def found(tmp_path: Path) -> Path:
    """A store that lies upward of where the user works."""
    (tmp_path / "project" / "deep").mkdir(parents=True)
    return made(tmp_path / "project" / ".kgfs")


def look(store: Path) -> Path:
    return config.find_store(None, near=store.parent / "deep")


@pytest.mark.parametrize(
    ("change", "part", "said"),
    [
        pytest.param(give, "", f"belongs to the user {OTHER}", marks=as_root),
        pytest.param(give, config.CATALOG, f"has a {config.CATALOG} that belongs to", marks=as_root),
        pytest.param(give, config.CONFIG, f"has a {config.CONFIG} that belongs to", marks=as_root),
        (open_to_all, "", "may be written by everybody"),
        (open_to_all, config.CONFIG, f"has a {config.CONFIG} that may be written by everybody"),
        pytest.param(open_to_a_group, "", "may be written by the group", marks=as_root),
    ],
)
def test_a_store_that_others_may_change_is_not_used_unasked(
    found: Path, change: Callable[[Path], None], part: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert look(found) == found
    change(found / part)
    with pytest.raises(RefusedError, match=said) as refused:
        look(found)
    assert f"--store {found}" in refused.value.message and "kgfs trust directory" in refused.value.message
    assert config.find_store(str(found)) == found, "a store that is named is meant"
    trust.trust(found, {trust.DIRECTORY: trust.outsiders_of(found, (config.CATALOG, config.CONFIG))})
    assert look(found) == found
    if os.geteuid() == 0:
        os.chown(found, OTHER + 1, -1)
        with pytest.raises(RefusedError, match=str(OTHER + 1)):  # somebody else than who was trusted
            look(found)
    monkeypatch.setenv("KGFS_STORE", str(found))
    assert look(found) == found


@as_root
def test_a_link_that_another_user_made_is_not_followed(found: Path, tmp_path: Path) -> None:
    found.rename(tmp_path / "elsewhere")
    found.symlink_to(tmp_path / "elsewhere")
    assert look(found) == found
    give(found)
    with pytest.raises(RefusedError, match="belongs to the user"):
        look(found)


@as_root
@pytest.mark.parametrize("mode", [0o755, 0o700])
def test_another_user_does_not_use_what_root_left_upward(mode: int) -> None:
    with tempfile.TemporaryDirectory(prefix="kgfs-trust-") as place:  # where others may go
        Path(place).chmod(0o755)
        found = made(Path(place) / ".kgfs")
        found.chmod(mode)
        said = as_another_user(lambda: look(found))
    assert "RefusedError" in said and "belongs to the user root" in said


def as_another_user(work: Callable[[], object]) -> str:
    """What becomes of a work that another user does, in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setresgid(OTHER, OTHER, OTHER)
        os.setresuid(OTHER, OTHER, OTHER)
        os.environ["XDG_CONFIG_HOME"] = "/nonexistent"
        try:
            said = f"done: {work()}"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with open(reading) as pipe:
        return pipe.read()


def test_a_group_of_the_users_own_is_nobody_else(found: Path) -> None:
    found.chmod(0o770)  # the umask of systems where each user has a group
    is_own = trust._is_own_group(found.stat().st_gid)
    if is_own:
        assert look(found) == found
    else:
        with pytest.raises(RefusedError, match="group"):
            look(found)
