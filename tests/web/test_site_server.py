"""``kgfs web``: who may ask, what is refused, and the search and the graph in headless Chromium."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, urlsplit

import msgspec
import pytest
from selenium.webdriver.common.keys import Keys

from tests.conftest import Program
from tests.web.browsing import Browser, Served, serving

pytestmark = pytest.mark.mount


def test_the_same_pages_as_the_mount(mounted_site: Path, served_site: Served) -> None:
    for path in ("index.html", "entities/organizations/Alphabet_Inc.html", "assets/site.css", "map.svg"):
        answer = served_site.ask(f"/{path}")
        assert answer.status == 200 and answer.body == (mounted_site / path).read_bytes(), path
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert "unsafe-inline" not in answer.headers["content-security-policy"] or path.endswith(".svg")
    assert served_site.ask("/").body == served_site.ask("/index.html").body
    assert served_site.ask("/entities/").body == served_site.ask("/entities/index.html").body
    assert served_site.ask("/assets/live.js").body != (mounted_site / "assets/live.js").read_bytes()


@pytest.mark.parametrize(
    "target",
    [
        "/../AGENTS.md", "/%2e%2e/AGENTS.md", "/entities/../../AGENTS.md", "/..%2fAGENTS.md", "/./index.html",
        "//etc/passwd", "/%2fetc/passwd", "/entities//index.html", "/index.html%00", "/index.html/", "/nothing.html",
        "/@web/index.html", "/@search/text/x", "/entities/@search/text/x", "/entities", "/%ff%fe",
        "/a%0d%0aSet-Cookie:x", "/" + "x" * 3000, "/api/other", "/http://127.0.0.1/index.html",
    ],
)  # fmt: skip
def test_what_is_no_page(served_site: Served, target: str) -> None:
    answer = served_site.ask(target)
    assert answer.status in (400, 404) and len(answer.body) < 5000, answer
    assert "set-cookie" not in answer.headers and b"Traceback" not in answer.body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1]", "0.0.0.0"])
def test_another_host(served_site: Served, host: str) -> None:
    """A name of somebody else's that leads here (DNS rebinding) gets nothing, whatever else is right."""
    for target in ("/index.html", f"/?token={served_site.token}", "/api/search?q=x"):
        answer = served_site.ask(target, Host=host)
        assert answer.status == 400 and "set-cookie" not in answer.headers


def test_the_token(served_site: Served) -> None:
    for target in ("/", "/index.html", "/assets/site.css", "/api/search?q=x", "/nothing", "/?token=", "/?token=wrong"):
        answer = served_site.ask(target, cookie=False)
        assert answer.status == 403 and b"kgfs web" in answer.body and "set-cookie" not in answer.headers
    wrong = {"Cookie": f"kgfs-{served_site.port}=wrong; other={served_site.token}"}
    assert served_site.ask("/", cookie=False, **wrong).status == 403
    answer = served_site.ask(f"//evil.example/x?a=1&token={served_site.token}", cookie=False)
    assert answer.status == 303 and answer.headers["location"] == "/evil.example/x?a=1"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and served_site.token.lower() in cookie
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert served_site.ask("/index.html", method=method).status == 405
    assert served_site.ask("/index.html", method="HEAD").status == 200


def test_two_sites_at_once(served_site: Served, site_store: Path, browser: Browser) -> None:
    """Cookies know no ports: each site has one of its own, and neither takes the other's."""
    with serving(site_store, "entities/organizations/DeepMind") as other:
        assert other.token != served_site.token
        browser.open(served_site.url)
        browser.open(other.url)
        assert browser.driver.title.startswith("DeepMind") and "token" not in browser.driver.current_url
        browser.open(served_site.site + "topics/index.html")
        browser.open(other.site + "topics/index.html")
        assert served_site.ask("/", cookie=False, Cookie=f"kgfs-{other.port}={other.token}").status == 403


def test_search_as_one_types(served_site: Served, browser: Browser) -> None:
    browser.open(served_site.url)
    browser.one("body").send_keys("/")
    browser.keys("deepm")

    def names() -> list[str]:
        script = "return [...document.querySelectorAll('#found [role=option] strong')].map(each => each.textContent)"
        return browser.run(script)  # type: ignore[no-any-return]

    browser.wait(lambda: "DeepMind" in names())
    browser.keys(Keys.BACKSPACE * 5, "which AI labs did Google buy")
    browser.wait(lambda: len(names()) > 3 and "DNNresearch" in names())
    browser.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    chosen = browser.one("#found [aria-selected=true]")
    assert browser.one("#search").get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page = chosen.get_attribute("data-page")
    browser.keys(Keys.ENTER)
    browser.wait(lambda: browser.driver.current_url == served_site.site + str(page))
    browser.check()
    browser.one("#search").send_keys("<script>window.injected=1</script>")
    browser.wait(lambda: browser.one("[role=status]").get_attribute("textContent"))
    browser.keys(Keys.ESCAPE)
    assert not browser.one("#found").is_displayed()
    browser.check()


def test_every_result_has_a_page(served_site: Served) -> None:
    seen = set()
    for question in ("wages", "who founded DeepMind", "acquisitions", "%", "a" * 3000, "نص", "'; drop table facts; --"):
        answer = served_site.ask(f"/api/search?q={quote(question)}")
        assert answer.status == 200, answer
        found = msgspec.json.decode(answer.body)
        for result in (*found["names"], *found["results"]):
            seen.add(result["kind"])
            assert served_site.ask("/" + result["page"].partition("#")[0]).status == 200, result
    assert {"chunk", "Topic"} <= seen
    assert msgspec.json.decode(served_site.ask("/api/search?q=%20").body) == {"names": [], "results": []}


def test_the_graph_expands(served_site: Served, browser: Browser) -> None:
    browser.open(served_site.url)
    browser.open(served_site.site + "entities/organizations/DeepMind.html")
    graph = "document.querySelector('figure[data-graph]').cy"
    before = browser.run(f"return {graph}.nodes().length")
    browser.run(f"{graph}.nodes('[label = \"Alphabet Inc.\"]').select()")
    next(button for button in browser.all(".tools button") if button.text == "Expand").click()
    browser.wait(lambda: browser.run(f"return {graph}.nodes().length") > before)
    assert "more near Alphabet Inc." in browser.one(".tools output").text
    browser.check()


def test_a_browser_is_given_a_ticket_that_is_good_once(
    mounted_site: Path, site_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others may read the command line of the browser."""
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/new && mv {tmp_path}/new {tmp_path}/opened\n')
    script.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{script} %s")
    with serving(site_store, "topics/acquisitions", opens=True) as served:
        given = urlsplit((tmp_path / "opened").read_text().strip())
        assert given.path == "/topics/acquisitions.html" and served.token not in given.query
        target = f"{given.path}?{given.query}"
        first, second = (served.ask(target, cookie=False) for _ in range(2))
        assert first.status == 303 and served.token in first.headers["set-cookie"] and second.status == 403


def test_without_a_mount(pristine_sample_store: Path, sample_store: Path) -> None:
    with serving(sample_store) as served:
        assert b"Alphabet Inc." in served.ask("/").body
        assert served.ask("/entities/organizations/Alphabet_Inc,graph.svg").status == 200


def test_commands_without_a_browser(
    kgfs: Program, mounted_site: Path, site_store: Path, sample_store: Path, tmp_path: Path, served_site: Served
) -> None:
    nothing = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}
    shown = kgfs("--store", site_store, "open", "entities/by_name/DeepMind/summary.txt", env=nothing)
    page = "entities/organizations/DeepMind.html"
    assert shown.stdout.strip() == f"{mounted_site.as_uri().replace('%40', '@')}/{page}"
    assert "There is no display here" in shown.stderr
    here = kgfs("open", cwd=mounted_site.parent / "entities/by_name/DeepMind", env=nothing)
    assert here.stdout.strip().endswith(page)
    broken = kgfs("--store", site_store, "open", env={**nothing, "BROWSER": str(tmp_path / "no-such-browser")})
    assert "No browser could be started" in broken.stderr and broken.stdout.strip().endswith("@web/index.html")
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    script.chmod(0o755)
    kgfs("--store", site_store, "open", "topics/acquisitions", env={**nothing, "BROWSER": f"{script} %s"})
    assert (tmp_path / "opened").read_text().strip().endswith("@web/topics/acquisitions.html")
    unknown = kgfs("--store", site_store, "open", "entities/people/Nobody", env=nothing, status=None)
    assert unknown.returncode != 0 and "Nobody" in unknown.stderr
    unmounted = kgfs("--store", sample_store, "open", env=nothing, status=None)
    assert unmounted.returncode != 0 and "`kgfs web`" in unmounted.stderr
    taken = kgfs("--store", site_store, "web", "--port", str(served_site.port), status=None, env=nothing)
    assert taken.returncode != 0 and "cannot be used" in taken.stderr
