"""The report in a real browser: navigation, accessibility, no console errors, and no network requests."""

from __future__ import annotations

import pytest

KINDS = ("index", "source", "changed", "gone", "finding", "deadlock", "markup", "hidden", "growth", "locks", "order")


@pytest.fixture
def open_page(browser, page_kinds):
    """A function that opens a page of a given kind."""

    def open_(kind, **options):
        browser.open(page_kinds[kind], **options)
        return browser

    return open_


def shown_rows(browser):
    return [row.text.split("\n")[0].split(" ")[0] for row in browser.all("#files tbody tr") if row.is_displayed()]


# -- index -----------------------------------------------------------------------------------------------


def test_search_filters_the_files(open_page):
    browser = open_page("index")
    assert len(shown_rows(browser)) > 3
    browser.press("/", "lost_")
    assert shown_rows(browser) == ["lost_update.py", "lost_wakeup.py"]
    assert browser.find("#shown").text.startswith("2 of")


def test_a_click_on_a_header_sorts_the_table(open_page):
    browser = open_page("index")
    head = browser.find("#criteria thead th:nth-child(2)")
    for order in ("descending", "ascending"):
        head.find_element("tag name", "button").click()
        assert head.get_attribute("aria-sort") == order
        covered = [int(cell.get_attribute("data-v")) for cell in browser.all("#criteria tbody td:nth-child(2)")]
        assert covered == sorted(covered, reverse=order == "descending")


def test_criteria_are_sorted_by_name(open_page):
    browser = open_page("index")
    head = browser.find("#criteria thead th:first-child")
    for order in ("ascending", "descending"):
        head.find_element("tag name", "button").click()
        assert head.get_attribute("aria-sort") == order
        names = [cell.text for cell in browser.all("#criteria tbody th")]
        assert len(names) > 10
        assert names == sorted(names, reverse=order == "descending")


def test_the_keyboard_opens_the_first_finding(open_page):
    browser = open_page("index")
    browser.press("j")
    assert "here" in browser.find("#findings li").get_attribute("class")
    browser.press("j", "k")
    browser.find("body").send_keys("\ue007")  # Enter
    assert "/finding-1.html" in browser.driver.current_url
    browser.press("i")
    assert browser.driver.current_url.endswith("index.html")


def test_the_question_mark_shows_the_keys(open_page):
    browser = open_page("index")
    browser.press("?")
    assert browser.find("#help").is_displayed()
    browser.press("\ue00c")  # Escape
    assert not browser.find("#help").is_displayed()


def test_the_theme_can_be_switched_and_follows_the_system(open_page):
    browser = open_page("index")
    background = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(background)
    browser.find("#theme").click()
    dark = browser.run(background)
    assert light != dark
    browser.driver.refresh()
    assert browser.run(background) == dark  # the choice is stored
    browser.press("d")
    assert browser.run(background) == light
    assert open_page("index", dark=True).run(background) == dark  # the default follows the system


def test_the_index_links_to_a_file(open_page):
    browser = open_page("index")
    next(row for row in browser.all("#files tbody a") if row.text == "lost_update.py").click()
    assert browser.find("h1").text == "lost_update.py"


# -- source ----------------------------------------------------------------------------------------------


def test_a_selected_site_shows_covered_and_missing_interactions(open_page):
    browser = open_page("source")
    # The read on line 15, `return self.balance`, has interacted with the accesses on line 19.
    browser.find("#L15 button.site").click()
    panel = browser.find("#panel").text
    assert "read balance" in panel
    assert "Interactions with other threads" in panel
    assert "two_locked_calls.py:19 write balance" in panel
    assert "Not covered yet" in panel
    assert "Not covered yet: " in panel
    assert "First covered by execution " in panel
    assert browser.find("#L15 button.site").get_attribute("aria-pressed") == "true"
    assert "partner" in browser.find("#L19 button.site").get_attribute("class")


def test_sentences_can_be_filtered_by_criterion(open_page):
    browser = open_page("source")
    browser.find("#L15 button.site").click()
    select = browser.find('#panel select[aria-label^="Not covered yet"]')
    next(option for option in select.find_elements("tag name", "option") if option.text == "map").click()
    shown_criteria = browser.run(
        "return [...arguments[0].nextElementSibling.querySelectorAll('.meta > :first-child')].map(e => e.textContent)",
        select,
    )
    assert shown_criteria
    assert set(shown_criteria) == {"map"}


def test_a_witness_has_a_replay_command(open_page):
    browser = open_page("source")
    browser.find("#L15 button.site").click()
    commands = {element.text for element in browser.all("#panel code.command")}
    assert commands
    assert all(command.startswith("raddle replay two_locked_calls.py::scenario 'T0; ") for command in commands)


def test_sites_can_be_selected_by_keyboard_and_by_address(open_page, page_kinds):
    browser = open_page("source")
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


def test_sites_in_a_changed_or_missing_source_are_described_in_words(open_page):
    # At the time of the measurement, line 15 was `return self.balance`, which is line 16 of the changed file.
    browser = open_page("changed")
    mark = browser.find("#L15 button.site.description")
    assert mark.text == "read balance"
    mark.click()
    assert "read balance" in browser.find("#panel").text
    assert not browser.all("button.site:not(.description)")
    browser = open_page("gone")
    # Line 19 is `self.balance -= amount`: a read, a possible in-place change of the value, and a write.
    descriptions = [mark.text for mark in browser.all("#L19 button.site")]
    assert descriptions == ["read balance", "write self.balance[]", "write balance"]


# -- findings --------------------------------------------------------------------------------------------


def test_arrows_point_to_their_steps(open_page):
    browser = open_page("finding")
    assert len(browser.all("svg.overlay path.arrow.reads-from")) >= 1
    assert len(browser.all("svg.overlay path.arrow.hand-over")) >= 1
    # An arrow ends at the step that reads: its tip is within the height of that row.
    inside = """
      const cell = document.querySelector('td[data-arrow="reads-from"]').getBoundingClientRect();
      const tip = document.querySelector('path.head.reads-from').getBoundingClientRect();
      return tip.top >= cell.top && tip.bottom <= cell.bottom;"""
    assert browser.run(inside)


def test_a_finding_shows_the_decisive_preemption_and_the_replay_command(open_page):
    browser = open_page("finding")
    assert "T1 is preempted here" in browser.find("tr.decisive").text
    assert browser.find("#replay").text.startswith("raddle replay two_locked_calls.py::scenario")
    assert "T1 is preempted here" in browser.find("#story").text


def test_the_copy_button_copies_or_selects_the_command(open_page):
    browser = open_page("finding")
    button = browser.find('button[data-copy="replay"]')
    button.click()
    browser.run("return new Promise(done => setTimeout(done, 0))")
    assert button.text in ("Copied", "Selected")


def test_the_cycle_of_a_deadlock_is_drawn(open_page):
    browser = open_page("deadlock")
    assert [node.text for node in browser.all(".ring .node.circular")] == ["T1", "T2"]
    assert len(browser.all(".ring .arc.circular")) == 2


def test_keys_select_steps_and_the_next_finding(open_page):
    browser = open_page("finding")
    browser.press("j", "j")
    assert browser.find(".lanes tr.here th").text == "2"
    before = browser.driver.current_url
    browser.press("]" if browser.all('a[rel="next"]') else "[")
    assert browser.driver.current_url != before


def test_a_long_message_is_folded_above_the_command(open_page):
    browser = open_page("hidden")
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


def test_a_deadlock_uses_the_names_of_its_locks(open_page):
    browser = open_page("deadlock")
    labels = {element.text for element in browser.all("svg.ring .arc.circular text")}
    assert labels == {"to acquire Lock 1", "to acquire Lock 2"}
    assert "holds Lock 1 (acquired at crossed_locks.py:20)" in browser.find("#details").text


def test_markup_from_the_program_is_not_interpreted(open_page, browser, pages):
    assert "<script>" in open_page("markup").find(".lanes").text
    assert "<img src=x" in browser.find(".message").text
    for path in sorted(pages.glob("*.html")):
        browser.open(path.name)
        assert browser.driver.title != "owned"
        assert not browser.all("main script, main img")


# -- growth ----------------------------------------------------------------------------------------------


def test_the_axis_can_be_logarithmic(open_page):
    browser = open_page("growth")
    assert browser.find(".chart.straight").is_displayed()
    browser.find("#log").click()
    assert browser.find(".chart.logarithmic").is_displayed()
    assert not browser.find(".chart.straight").is_displayed()
    assert browser.all(".chart .found")  # marks at the executions with findings


# -- all pages -------------------------------------------------------------------------------------------


def test_pages_make_no_network_requests_and_log_nothing(browser, pages):
    for path in sorted(pages.glob("*.html")):
        browser.open(path.name)
    requested = [address for address in browser.requests() if address != "about:blank"]
    assert requested
    assert [address for address in requested if not address.startswith((pages.as_uri(), "data:"))] == []
    assert browser.console_messages() == []


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("kind", KINDS)
def test_no_page_is_wider_than_the_screen(open_page, kind, width):
    browser = open_page(kind, width=width)
    if kind == "source":
        browser.find("#L15 button.site").click()
    assert browser.run("return document.documentElement.scrollWidth") <= width
    browser.shoot(kind, width)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_accessible(open_page, kind, dark):
    browser = open_page(kind, dark=dark)
    if kind == "source":
        browser.find("#L15 button.site").click()
    assert browser.violations() == []
    if dark:
        browser.shoot(f"{kind}-dark", 1280)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_accessible_on_a_phone(open_page, kind):
    assert open_page(kind, width=400).violations() == []
