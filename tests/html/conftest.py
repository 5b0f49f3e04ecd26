"""Fixtures for browser tests: a report on real runs, and a headless browser that opens it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

import processes

PROGRAMS = Path(__file__).parents[1] / "programs" / "faulty"
SCREENSHOTS = Path(__file__).parents[2] / "build" / "screenshots"
# `make test-browser` installs axe-core with npm.
AXE = Path(__file__).parents[2] / "build" / "node_modules" / "axe-core" / "axe.min.js"

MARKUP = """\
import threading


class Box:
    def __init__(self):
        self.text = ""

    def add(self):
        old = self.text
        self.text = old + "<script>document.title='owned'</script>"


def scenario():
    box = Box()
    threads = [threading.Thread(target=box.add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(box.text) > 50, "<img src=x onerror=document.title='owned'>" + box.text
"""

# A message that is too long for one screen, with characters that reverse text direction and change terminal colors.
HIDDEN = MARKUP.replace(
    """"<img src=x onerror=document.title='owned'>" + box.text""",
    r""""\u202egnorw si siht\u202c \x1b[31mred \x00" + "many words " * 2_000""",
)


@pytest.fixture(scope="session", autouse=True)
def skip_unless_requested():
    if not os.environ.get("RADDLE_BROWSER"):
        pytest.skip("browser tests run only with `make test-browser`")


@pytest.fixture(autouse=True)
def no_child_is_left():
    """Override the check for leftover child processes, because the browser keeps running between tests."""


@pytest.fixture(scope="module", autouse=True)
def no_descendant_is_left():
    """Override the check for leftover descendants, because the browser's own processes run until the session ends."""


def raddle(*arguments, folder):
    processes.run([sys.executable, "-m", "raddle", *arguments], cwd=folder, capture_output=True)


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """The folder with an HTML report on several faulty programs.

    The failure message of one program contains markup, and that of another contains invisible characters. After the
    measurement, one source file is changed and another one is deleted.
    """
    folder = tmp_path_factory.mktemp("html")
    (folder / "pyproject.toml").write_text("", "utf-8")  # marks the project root, to which file names are relative
    (folder / "markup.py").write_text(MARKUP, "utf-8")
    (folder / "hidden.py").write_text(HIDDEN, "utf-8")
    for name in ("changed", "gone"):
        shutil.copy(PROGRAMS / "two_locked_calls.py", folder / f"{name}.py")
    for name in ("lost_update", "crossed_locks", "lost_wakeup", "two_locked_calls"):
        shutil.copy(PROGRAMS / f"{name}.py", folder)
    for path in sorted(folder.glob("*.py")):
        raddle(
            "explore", f"{path.name}::scenario", "--criteria", "every", "--executions", "40", "--until", "budget",
            folder=folder,
        )  # fmt: skip
    changed = folder / "changed.py"
    changed.write_text("# An additional line.\n" + changed.read_text("utf-8"), "utf-8")
    (folder / "gone.py").unlink()
    raddle("html", folder=folder)
    assert (folder / "raddle-html" / "index.html").is_file()
    return folder / "raddle-html"


@pytest.fixture(scope="session")
def driver():
    """A headless chromium."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="skipped: no browser (selenium is not installed)")
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    service = shutil.which("chromedriver")
    if binary is None or service is None:
        pytest.skip("skipped: no browser (apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # chromium's sandbox does not work as root
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    yield browser
    browser.quit()


class Browser:
    """Operations on the open page."""

    def __init__(self, driver, pages):
        self.driver, self.pages = driver, pages
        self.driver.get_log("browser")
        self.driver.get_log("performance")

    def open(self, page, *, mark="", width=1280, height=900, dark=False):
        """Open a page without any state from earlier visits. `mark` is the URL fragment, if any."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        preferences = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in preferences.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get("about:blank")
        self.driver.get((self.pages / page).as_uri() + mark)
        self.run("localStorage.clear(); delete document.documentElement.dataset.theme")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def press(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def shoot(self, name, width):
        """Save a screenshot of the whole page for visual inspection."""
        height = min(4_000, self.run("return document.documentElement.scrollHeight"))
        size = {"width": width, "height": max(700, height), "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}-{width}.png"))

    def console_messages(self):
        """Return the messages of the browser console."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self):
        """Return every URL that the browser has requested."""
        entries = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [
            entry["params"]["request"]["url"] for entry in entries if entry["method"] == "Network.requestWillBeSent"
        ]

    def violations(self):
        """Return the accessibility violations that axe reports."""
        if not AXE.exists():
            pytest.skip("no axe-core: npm install --prefix build axe-core")
        self.run(AXE.read_text("utf-8"))
        found = self.driver.execute_async_script("const done = arguments[0]; axe.run().then(r => done(r.violations))")
        return [(rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found]


@pytest.fixture
def browser(driver, pages):
    return Browser(driver, pages)


@pytest.fixture(scope="session")
def page_kinds(pages):
    """A dict that maps screenshot names to pages, with one page of each kind."""

    def containing(pattern, text):
        return next(path.name for path in sorted(pages.glob(pattern)) if text in path.read_text("utf-8"))

    return {
        "index": "index.html",
        "source": containing("source-*.html", '<h1 class="path">two_locked_calls.py'),
        "finding": containing("finding-*.html", "two_locked_calls.py::scenario"),
        "deadlock": containing("finding-*.html", "crossed_locks.py::scenario"),
        "markup": containing("finding-*.html", "markup.py::scenario"),
        "hidden": containing("finding-*.html", "hidden.py::scenario"),
        "changed": containing("source-*.html", '<h1 class="path">changed.py'),
        "gone": containing("source-*.html", '<h1 class="path">gone.py'),
        "growth": "growth.html",
        "locks": "locks.html",
        "order": "order.html",
    }
