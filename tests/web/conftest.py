"""A browser, the sample as a website from a mount and from ``kgfs web``, and the injected graph as files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from tests.conftest import Program, copy_store, mounting
from tests.namespace.drivers import opened
from tests.web.browsing import Browser, Served, serving
from tests.web.crawling import data, files
from tests.web.injected_texts import build_injected


@pytest.fixture(scope="session")
def driver(own_directories: Path) -> Iterator[webdriver.Chrome]:
    """Headless Chromium of Debian (``scripts/setup --test``)."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


@pytest.fixture
def browser(driver: webdriver.Chrome) -> Browser:
    return Browser(driver)


@pytest.fixture(scope="session")
def site_store(pristine_sample_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample's store for the tests of this directory; they only read it."""
    return copy_store(pristine_sample_store, tmp_path_factory.mktemp("site") / "store")


@pytest.fixture(scope="session")
def mounted_site(kgfs: Program, site_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """``@web`` of a mount of the sample."""
    with mounting(kgfs, tmp_path_factory.mktemp("site-mount")) as mount:
        yield mount(site_store) / "@web"


@pytest.fixture(scope="session")
def served_site(mounted_site: Path, site_store: Path) -> Iterator[Served]:
    """``kgfs web`` beside that mount."""
    with serving(site_store) as served:
        yield served


@pytest.fixture(scope="session")
def injected_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The website of the injected graph, without pictures, copied to a directory."""
    place = tmp_path_factory.mktemp("injected")
    with build_injected(place / "store") as database:
        tree = opened(database)
        for path, node in files(tree).items():
            if path.startswith("assets/") or path.endswith(".html"):
                file = place / "site" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data(tree, node))
    return place / "site"
