"""Settings and where stores are found."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from kgfs import config
from kgfs.errors import NotFoundError, StoreError, UsageError


def test_defaults_without_a_file_and_a_round_trip(tmp_path: Path) -> None:
    settings = config.load_config(tmp_path)
    assert settings == config.Config()
    config.change_settings(tmp_path, {"search_limit": config.parse_option("search_limit", "50")})
    assert config.load_config(tmp_path) == msgspec.structs.replace(settings, search_limit=50)
    assert config.stated_settings(tmp_path) == {"search_limit": 50}


@pytest.mark.parametrize("text", ["", "{", '{"serch_limit": 3}', '{"search_limit": "many"}', "\x00"])
def test_a_bad_file_is_a_clear_error(tmp_path: Path, text: str) -> None:
    config.config_path(tmp_path).write_text(text)
    with pytest.raises(StoreError, match=r"config\.json is not valid"):
        config.load_config(tmp_path)


def test_a_bad_option_names_the_ones_there_are() -> None:
    with pytest.raises(UsageError, match="embedding_model"):
        config.parse_option("nonsense", "1")
    with pytest.raises(UsageError, match="does not fit"):
        config.parse_option("search_limit", "many")


def test_the_order_in_which_a_store_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KGFS_STORE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    assert config.find_store(None, near=deep) == tmp_path / "data" / "kgfs"
    near = tmp_path / "a" / ".kgfs"
    near.mkdir()
    assert config.find_store(None, near=deep) == tmp_path / "data" / "kgfs", "an empty .kgfs is no store"
    (near / config.CATALOG).touch()
    assert config.find_store(None, near=deep) == near
    monkeypatch.setenv("KGFS_STORE", str(tmp_path / "env"))
    assert config.find_store(None, near=deep) == tmp_path / "env"
    assert config.find_store(str(tmp_path / "flag"), near=deep) == tmp_path / "flag"


def test_a_missing_store_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="kgfs add"):
        config.require_store(tmp_path / "none")
