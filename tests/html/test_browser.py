"""The report in a real browser: everything can be reached, nothing complains, nothing leaves the disk."""

from __future__ import annotations

import pytest

KINDS = ("index", "source", "changed", "gone", "finding", "deadlock", "markup", "hidden", "growth", "locks", "order")


@pytest.fixture
def here(browser, page_kinds):
    """Open a page by its kind."""

    def open_(kind, **options):
        browser.open(page_kinds[kind], **options)
        return browser

    return open_


def shown_rows(browser):
    return [row.text.split("\n")[0].split(" ")[0] for row in browser.all("#files tbody tr") if row.is_displayed()]


# -- index -----------------------------------------------------------------------------------------------


def test_search_narrows_the_files(here):
    browser = here("index")
    assert len(shown_rows(browser)) > 3
    browser.press("/", "lost_")
    assert shown_rows(browser) == ["lost_update.py", "lost_wakeup.py"]
    assert browser.find("#shown").text.startswith("2 of")


def test_tables_are_sorted_by_their_heads(here):
    browser = here("index")
    head = browser.find("#criteria thead th:nth-child(2)")
    for order in ("descending", "ascending"):
        head.find_element("tag name", "button").click()
        assert head.get_attribute("aria-sort") == order
        covered = [int(cell.get_attribute("data-v")) for cell in browser.all("#criteria tbody td:nth-child(2)")]
        assert covered == sorted(covered, reverse=order == "descending")


def test_criteria_are_sorted_by_name(here):
    browser = here("index")
    head = browser.find("#criteria thead th:first-child")
    for order in ("ascending", "descending"):
        head.find_element("tag name", "button").click()
        assert head.get_attribute("aria-sort") == order
        names = [cell.text for cell in browser.all("#criteria tbody th")]
        assert len(names) > 10
        assert names == sorted(names, reverse=order == "descending")


def test_the_keyboard_opens_the_first_finding(here):
    browser = here("index")
    browser.press("j")
    assert "here" in browser.find("#findings li").get_attribute("class")
    browser.press("j", "k")
    browser.find("body").send_keys("\ue007")  # Enter
    assert "/finding-1.html" in browser.driver.current_url
    browser.press("i")
    assert browser.driver.current_url.endswith("index.html")


def test_the_keys_are_told(here):
    browser = here("index")
    browser.press("?")
    assert browser.find("#help").is_displayed()
    browser.press("\ue00c")  # Escape
    assert not browser.find("#help").is_displayed()


def test_light_and_dark(here):
    browser = here("index")
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(paper)
    browser.find("#theme").click()
    dark = browser.run(paper)
    assert light != dark
    browser.driver.refresh()
    assert browser.run(paper) == dark  # it is remembered
    browser.press("d")
    assert browser.run(paper) == light
    assert here("index", dark=True).run(paper) == dark  # as the system has it


def test_from_the_index_to_a_file(here):
    browser = here("index")
    next(row for row in browser.all("#files tbody a") if row.text == "lost_update.py").click()
    assert browser.find("h1").text == "lost_update.py"


# -- source ----------------------------------------------------------------------------------------------


def test_a_selected_site_shows_covered_and_missing_interactions(here):
    browser = here("source")
    # `return self.balance` of line 15: it has interacted with both accesses of line 19 and the last read.
    browser.find("#L15 button.site").click()
    panel = browser.find("#panel").text
    assert "read balance" in panel
    assert "Interacted with in other threads" in panel
    assert "two_locked_calls.py:19 write balance" in panel
    assert "Not covered yet" in panel
    assert "Not covered yet: " in panel
    assert "First covered by execution " in panel
    assert browser.find("#L15 button.site").get_attribute("aria-pressed") == "true"
    assert "partner" in browser.find("#L19 button.site").get_attribute("class")


def test_sentences_of_one_criterion(here):
    browser = here("source")
    browser.find("#L15 button.site").click()
    select = browser.find('#panel select[aria-label^="Not covered yet"]')
    next(option for option in select.find_elements("tag name", "option") if option.text == "map").click()
    told = browser.run(
        "return [...arguments[0].nextElementSibling.querySelectorAll('.meta > :first-child')].map(e => e.textContent)",
        select,
    )
    assert told
    assert set(told) == {"map"}


def test_a_witness_has_its_command(here):
    browser = here("source")
    browser.find("#L15 button.site").click()
    commands = {element.text for element in browser.all("#panel code.command")}
    assert commands
    assert all(command.startswith("raddle replay two_locked_calls.py::scenario 'T0; ") for command in commands)


def test_sites_by_keyboard_and_by_address(here, page_kinds):
    browser = here("source")
    browser.press("j")
    first = browser.driver.current_url
    assert "#s" in first
    browser.press("j")
    assert browser.driver.current_url != first
    browser.press("k")
    assert browser.driver.current_url == first
    browser.press("\ue00c")
    assert not browser.all('button.site[aria-pressed="true"]')
    browser.open(page_kinds["source"], mark="#" + first.partition("#")[2])
    assert browser.all('button.site[aria-pressed="true"]')


def test_a_changed_and_a_missing_source_are_marked_by_phrases(here):
    # Line 15 was `return self.balance`; that is line 16 of the changed file.
    browser = here("changed")
    mark = browser.find("#L15 button.site.description")
    assert mark.text == "read balance"
    mark.click()
    assert "read balance" in browser.find("#panel").text
    assert not browser.all("button.site:not(.description)")
    browser = here("gone")
    # `self.balance -= amount`, line 19: it reads, may change in place what it read, and writes.
    told = [mark.text for mark in browser.all("#L19 button.site")]
    assert told == ["read balance", "write self.balance[]", "write balance"]


# -- findings --------------------------------------------------------------------------------------------


def test_the_arrows_are_drawn(here):
    browser = here("finding")
    assert len(browser.all("svg.overlay path.arrow.reads-from")) >= 1
    assert len(browser.all("svg.overlay path.arrow.hand-over")) >= 1
    # An arrow ends at the step that reads: its tip is within the row's height.
    inside = """
      const cell = document.querySelector('td[data-arrow="reads-from"]').getBoundingClientRect();
      const tip = document.querySelector('path.head.reads-from').getBoundingClientRect();
      return tip.top >= cell.top && tip.bottom <= cell.bottom;"""
    assert browser.run(inside)


def test_the_decisive_switch_and_the_command(here):
    browser = here("finding")
    assert "T1 is stopped here" in browser.find("tr.decisive").text
    assert browser.find("#replay").text.startswith("raddle replay two_locked_calls.py::scenario")
    assert "T1 is stopped here" in browser.find("#story").text


def test_copying(here):
    browser = here("finding")
    button = browser.find('button[data-copy="replay"]')
    button.click()
    browser.run("return new Promise(done => setTimeout(done, 0))")
    assert button.text in ("Copied", "Selected")


def test_the_circle_of_a_deadlock(here):
    browser = here("deadlock")
    assert [node.text for node in browser.all(".ring .node.circular")] == ["T1", "T2"]
    assert len(browser.all(".ring .arc.circular")) == 2


def test_steps_by_keyboard_and_the_next_finding(here):
    browser = here("finding")
    browser.press("j", "j")
    assert browser.find(".lanes tr.here th").text == "2"
    before = browser.driver.current_url
    browser.press("]" if browser.all('a[rel="next"]') else "[")
    assert browser.driver.current_url != before


def test_a_long_message_leaves_room_for_the_command(here):
    browser = here("hidden")
    top = "return document.querySelector('#replay-title').getBoundingClientRect().top"
    assert browser.run(top) < 700
    message = browser.find(".message").text
    assert r"\u202egnorw si siht\u202c \x1b[31mred \x00many words" in message
    assert browser.run("return getComputedStyle(document.querySelector('.message')).unicodeBidi") == "isolate"
    whole = browser.find("details.whole pre")
    assert not whole.is_displayed()
    browser.find("details.whole summary").click()
    assert whole.is_displayed()
    assert browser.run(top) < 1200


def test_a_deadlock_calls_its_locks_by_their_names(here):
    browser = here("deadlock")
    labels = {element.text for element in browser.all("svg.ring .arc.circular text")}
    assert labels == {"to acquire Lock 1", "to acquire Lock 2"}
    assert "holds Lock 1 (acquired at crossed_locks.py:20)" in browser.find("#details").text


def test_markup_of_the_program_does_nothing(here, browser, pages):
    assert "<script>" in here("markup").find(".lanes").text
    assert "<img src=x" in browser.find(".message").text
    for path in sorted(pages.glob("*.html")):
        browser.open(path.name)
        assert browser.driver.title != "owned"
        assert not browser.all("main script, main img")


# -- growth ----------------------------------------------------------------------------------------------


def test_the_axis_can_be_logarithmic(here):
    browser = here("growth")
    assert browser.find(".chart.straight").is_displayed()
    browser.find("#log").click()
    assert browser.find(".chart.logarithmic").is_displayed()
    assert not browser.find(".chart.straight").is_displayed()
    assert browser.all(".chart .found")  # where findings fell


# -- all pages -------------------------------------------------------------------------------------------


def test_nothing_leaves_the_disk_and_the_console_is_silent(browser, pages):
    for path in sorted(pages.glob("*.html")):
        browser.open(path.name)
    asked = [address for address in browser.requests() if address != "about:blank"]
    assert asked
    assert [address for address in asked if not address.startswith((pages.as_uri(), "data:"))] == []
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("kind", KINDS)
def test_pictures_and_no_page_is_wider_than_the_screen(here, kind, width):
    browser = here(kind, width=width)
    if kind == "source":
        browser.find("#L15 button.site").click()
    assert browser.run("return document.documentElement.scrollWidth") <= width
    browser.shoot(kind, width)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_accessible(here, kind, dark):
    browser = here(kind, dark=dark)
    if kind == "source":
        browser.find("#L15 button.site").click()
    assert browser.violations() == []
    if dark:
        browser.shoot(f"{kind}-dark", 1280)


@pytest.mark.parametrize("kind", KINDS)
def test_accessible_on_a_telephone(here, kind):
    assert here(kind, width=400).violations() == []
