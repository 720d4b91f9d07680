"""The pictures of docs/web.md, of the sample's website. ``scripts/screenshots`` runs it."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from tests.web.browsing import Browser, serving

ROOT = Path(__file__).resolve().parents[1]
COLOURS = 200
MOST_BYTES = 150_000


def kgfs(*arguments: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "kgfs.cli.main", "--quiet", *map(str, arguments)], cwd=ROOT, check=True)


def save(browser: Browser, path: Path) -> None:
    """What the browser shows, in few colours."""
    image = Image.open(io.BytesIO(browser.driver.get_screenshot_as_png())).convert("RGB")
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"screenshots: {path} has {path.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
    print(path)


def take(browser: Browser, site: Path, served: str, images: Path) -> None:
    """All of them."""
    browser.size(1400, 860)
    browser.open(site / "index.html")
    save(browser, images / "web-home.png")
    browser.open(site / "entities/organizations/Alphabet_Inc.html")
    browser.run("document.activeElement.blur()")
    save(browser, images / "web-entity.png")
    browser.size(800, 700)
    browser.scheme("dark")
    fact = min(path for path in (site / "facts/ACQUIRED").glob("f_*.html") if b"DeepMind" in path.read_bytes())
    browser.open(fact)
    save(browser, images / "web-fact.png")
    browser.size(360, 700)
    browser.scheme("light")
    browser.open(site / "entities/people/Geoffrey_Hinton.html")
    save(browser, images / "web-narrow.png")
    browser.size(1400, 760)
    browser.scheme("dark")
    browser.open(served)
    browser.one("#search").send_keys("which AI labs did Google buy")
    browser.wait(lambda: browser.all("#found [role=option]"))
    save(browser, images / "web-search.png")


def main() -> None:
    images = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs" / "images").resolve()
    images.mkdir(parents=True, exist_ok=True)
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory(prefix="kgfs-screenshots-") as place:
        for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):  # nothing of the user's is touched
            os.environ[name] = place
        store, mounted = Path(place, "store"), Path(place, "kg")
        kgfs("--store", store, "add", ROOT / "kgfs" / "samples")
        kgfs("--store", store, "mount", mounted)
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            with serving(store) as served:
                take(Browser(driver), mounted / "@web", served.url, images)
        finally:
            driver.quit()
            kgfs("umount", mounted)


if __name__ == "__main__":
    main()
