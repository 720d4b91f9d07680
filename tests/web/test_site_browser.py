"""The website as files in headless Chromium, from a mount: nothing in the console, and all of it works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.web.browsing import Browser

pytestmark = pytest.mark.mount
KINDS = (
    "index.html", "entities/index.html", "entities/organizations/index.html",
    "entities/organizations/Alphabet_Inc.html", "entities/locations/United_States.html", "topics/index.html",
    "topics/acquisitions.html", "documents/index.html", "documents/alphabet.html", "facts/index.html",
    "facts/ACQUIRED/index.html",
)  # fmt: skip
"""A page of each kind."""


def a_fact(site: Path) -> Path:
    """A fact that says whom Google acquired."""
    return min(
        path
        for path in (site / "facts/ACQUIRED").glob("f_*.html")
        if re.search(rb"<mark>[^<]*DeepMind", path.read_bytes())
    )


@pytest.mark.slow
def test_pages_are_whole_at_three_widths_and_in_the_dark(mounted_site: Path, browser: Browser) -> None:
    grounds = set()
    for path in (*(mounted_site / kind for kind in KINDS), a_fact(mounted_site)):
        for width, scheme in ((360, "light"), (800, "dark"), (1400, "light")):
            browser.size(width, 900)
            browser.scheme(scheme)
            browser.open(path)
            wide = browser.run("return document.scrollingElement.scrollWidth")
            assert wide <= width, f"{path} is {wide} wide at {width}"
            images = browser.run(
                "return [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
            )
            assert images == [], path
            grounds.add(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


@pytest.mark.slow
def test_no_text_of_a_document_runs(injected_site: Path, browser: Browser) -> None:
    pages = sorted(injected_site.rglob("*.html"))
    chosen = [path for path in pages if path.parent.name == "documents" or path.name.startswith("index")]
    chosen += [path for kind in ("entities", "topics", "facts") for path in pages if kind in path.parts][::6]
    assert len(chosen) > 40
    for path in chosen:
        browser.driver.get(path.as_uri())
        entries = browser.driver.get_log("browser")
        complaints = [
            entry["message"] for entry in entries if "svg" not in entry["message"]
        ]  # pictures were not copied
        assert complaints == [] and browser.run("return window.injected === undefined"), path
        assert browser.driver.current_url == path.as_uri()
        browser.one("main h1")


def test_tables_sort_and_narrow(mounted_site: Path, browser: Browser) -> None:
    browser.open(mounted_site / "entities/organizations/index.html")

    def column(number: int) -> list[str]:
        script = "return [...document.querySelectorAll('#list tbody tr')].filter(r => !r.hidden)"
        return browser.run(f"{script}.map(r => r.cells[{number}].textContent.trim())")  # type: ignore[no-any-return]

    facts = browser.all("#list thead button")[2]
    facts.click()
    numbers = [int(text) for text in column(2)]
    assert numbers == sorted(numbers, reverse=True) and numbers[0] > 50 and column(0)[0] == "Alphabet Inc."
    assert browser.all("#list th")[2].get_attribute("aria-sort") == "descending"
    facts.click()
    assert [int(text) for text in column(2)] == sorted(numbers)
    browser.all("#list thead button")[0].click()
    assert column(0)[:2] == ["Activision Blizzard", "AdMob"]
    browser.all("#list thead button")[0].click()
    assert column(0)[-2:] == ["AdMob", "Activision Blizzard"]
    browser.one("#list-filter").send_keys("deepmind")
    assert column(0) == ["DeepMind"] and "1 of" in browser.one(".filter output").text
    browser.check()


def test_the_graph_is_drawn_and_dragged(mounted_site: Path, browser: Browser) -> None:
    browser.open(mounted_site / "entities/organizations/DeepMind.html")
    graph = "document.querySelector('figure[data-graph]').cy"
    assert browser.run(f"return {graph}.nodes().length") > 5
    drawn = "return [...document.querySelectorAll('figure[data-graph] canvas')].some(c => new Set(c.getContext('2d')"
    assert browser.run(f"{drawn}.getImageData(0, 0, c.width, c.height).data).size > 8)")
    labels = [button.text for button in browser.all(".tools button")]
    assert labels == ["Open", "Zoom in", "Zoom out", "Show all"]  # what needs other pages is not offered to files
    browser.run(f"{graph}.nodes('[label = \"London\"]').select()")
    browser.all(".tools button")[0].click()
    browser.wait(lambda: browser.driver.current_url.endswith("locations/London.html"))
    browser.check()


def test_keyboard(mounted_site: Path, browser: Browser) -> None:
    browser.open(mounted_site / "entities/organizations/DeepMind.html")
    browser.one("body").send_keys(Keys.TAB)
    assert browser.driver.switch_to.active_element.text == "Skip to the content"
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.run(outline) == "solid" and browser.driver.switch_to.active_element.rect["x"] >= 0
    browser.keys(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "main"
    seen = set()
    for _ in range(40):
        browser.keys(Keys.TAB)
        assert browser.run(outline) == "solid", browser.run("return document.activeElement.outerHTML")
        seen.add(browser.run("return document.activeElement.tagName"))
    assert seen >= {"A", "BUTTON"}


def test_the_quote_of_a_fact_is_marked(mounted_site: Path, browser: Browser) -> None:
    browser.open(a_fact(mounted_site))
    marked = browser.one("blockquote mark").text
    assert "DeepMind" in marked and len(browser.one("blockquote").text) > len(marked)
    browser.one("figure.quote figcaption a").send_keys(Keys.ENTER)  # the page may still scroll to it, smoothly
    browser.wait(lambda: "/documents/" in browser.driver.current_url and "#chunk_" in browser.driver.current_url)
    browser.check()
