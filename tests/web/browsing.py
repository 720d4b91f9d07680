"""What tests do with a browser and with ``kgfs web``."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

SECONDS = 60.0


class Browser:
    """Chromium, which tells what it complained of."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver
        self.size(1400, 1000)
        self.scheme("light")

    def open(self, page: str | Path) -> None:
        """A page, whole, of which the browser has no complaint."""
        self.driver.get(page if isinstance(page, str) else page.as_uri())
        self.check(str(page))

    def check(self, page: str = "") -> None:
        """That there is nothing in the console, and that nothing ran that came from a text."""
        complaints = [entry["message"] for entry in self.driver.get_log("browser")]
        assert complaints == [], page or self.driver.current_url
        assert self.run("return window.injected === undefined"), page

    def run(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def size(self, width: int, height: int) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def scheme(self, name: str) -> None:
        """``light`` or ``dark``."""
        feature = {"name": "prefers-color-scheme", "value": name}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def keys(self, *keys: str) -> None:
        """Type where the keyboard is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def wait(self, what: Callable[[], Any]) -> Any:
        """The first true answer."""
        deadline = time.monotonic() + SECONDS
        while not (found := what()):
            assert time.monotonic() < deadline, self.driver.current_url
            time.sleep(0.03)
        return found


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: dict[str, str]
    body: bytes


class Served(NamedTuple):
    """A running ``kgfs web``."""

    url: str
    token: str

    @property
    def site(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}/"

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def ask(self, target: str, *, method: str = "GET", cookie: bool = True, **headers: str) -> Answer:
        """One request, with a target as it is written, however wrong."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        connection.putrequest(method, target, skip_host="Host" in headers)
        if cookie:
            connection.putheader("Cookie", f"kgfs-{self.port}={self.token}")
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, body)


def _wait_for(url: str) -> None:
    """It listens before it prints, and answers once it has started its browser."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=SECONDS)
    connection.request("GET", "/")
    connection.getresponse().read()
    connection.close()


@contextmanager
def serving(store: Path, *arguments: str, opens: bool = False) -> Iterator[Served]:
    """``kgfs web`` over a store, on a free port; ``opens``: with a browser."""
    program = [sys.executable, "-m", "kgfs.cli.main", "--store", str(store), "--json", "web", *arguments]
    program += [] if opens else ["--no-open"]
    with subprocess.Popen(program, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            said = msgspec.json.decode(process.stdout.readline())
            _wait_for(said["url"])
            yield Served(said["url"], said["token"])
        finally:
            process.terminate()
            process.wait(SECONDS)
