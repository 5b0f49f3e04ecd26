// Behavior of the pages: light and dark theme, search, sorting, keyboard navigation, the panel with the requirements of
// a site, and the arrows of a finding. Text of the measured program is inserted only as text, never as markup.
"use strict";

const raddle = (() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector, within = document) => within.querySelector(selector);
  const number = (value) => value.toLocaleString("en");

  function make(tag, options = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(options)) {
      if (name === "text") element.textContent = value;
      else if (name === "on") element.addEventListener("click", value);
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  // -- light and dark --------------------------------------------------------------------------------------------

  const storedTheme = {
    get: () => { try { return localStorage.getItem("raddle-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("raddle-theme", value); } catch { /* some browsers provide no storage for local files */ } },
  };
  if (storedTheme.get()) document.documentElement.dataset.theme = storedTheme.get();

  function toggleTheme() {
    const root = document.documentElement;
    const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    storedTheme.set(root.dataset.theme);
  }

  // -- tables ----------------------------------------------------------------------------------------------------

  function valueOf(row, column) {
    const cell = row.cells[column];
    const value = cell.dataset.v ?? cell.textContent.trim();
    const asNumber = value === "" ? -1 : Number(value);
    return Number.isNaN(asNumber) ? value.toLowerCase() : asNumber;
  }

  function compare(a, b) {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  }

  function sort(header) {
    const table = header.closest("table");
    const column = header.cellIndex;
    const isText = header.classList.contains("text");
    const before = header.getAttribute("aria-sort");
    const down = before === "none" ? !isText : before === "ascending";
    all("th[aria-sort]", table).forEach((other) => other.setAttribute("aria-sort", "none"));
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].map((row, place) => ({ row, place, value: valueOf(row, column) }));
    rows.sort((a, b) => (down ? compare(b.value, a.value) : compare(a.value, b.value)) || a.place - b.place);
    table.tBodies[0].append(...rows.map((entry) => entry.row));
  }

  function filter(input) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...document.getElementById(input.dataset.filter).tBodies[0].rows];
    let shown = 0;
    for (const row of rows) {
      const text = row.cells[0].textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    one("#shown").textContent = words.length ? `${number(shown)} of ${number(rows.length)}` : "";
  }

  // -- keyboard navigation ---------------------------------------------------------------------------------------

  function navigable() {
    if (document.body.dataset.page === "source") return all("button.site:not(.quiet)");
    return all(".rows > li, .rows tbody tr, .lanes tr.row").filter((row) => !row.hidden);
  }

  function step(by) {
    const places = navigable();
    if (!places.length) return;
    const source = document.body.dataset.page === "source";
    let here = places.findIndex((place) => (source ? place === document.activeElement || place.getAttribute("aria-pressed") === "true" : place.classList.contains("here")));
    here = here < 0 ? (by > 0 ? 0 : places.length - 1) : Math.min(places.length - 1, Math.max(0, here + by));
    const next = places[here];
    if (source) {
      next.focus({ preventScroll: true });
      select(next);
    } else {
      all(".here").forEach((row) => row.classList.remove("here"));
      next.classList.add("here");
    }
    next.scrollIntoView({ block: "nearest" });
  }

  function follow() {
    const link = one(".here a[href]");
    if (link) link.click();
  }

  function onKey(event) {
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      close();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
    const followLink = (rel) => one(`a[rel="${rel}"]`)?.click();
    const actions = {
      "/": () => one("input[type=search]")?.focus(),
      "?": () => one("#help").showModal(),
      j: () => step(1),
      k: () => step(-1),
      i: () => one(".brand").click(),
      d: toggleTheme,
      "[": () => followLink("prev"),
      "]": () => followLink("next"),
    };
    if (event.key === "Enter" && !event.target.closest("a, button, summary")) follow();
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  }

  // -- panel of the selected site --------------------------------------------------------------------------------

  let data = null;

  function take(given) {
    data = given;
    selectByHash();
  }

  function selectByHash() {
    const match = /^#s(\d+)$/.exec(location.hash);
    if (!match || !data) return;
    const mark = all("button.site").find((button) => button.dataset.s.split(" ").includes(match[1]));
    if (mark) {
      select(mark, match[1]);
      mark.scrollIntoView({ block: "center" });
    }
  }

  function select(mark, site) {
    if (!data) return;
    all("button.site").forEach((button) => { button.setAttribute("aria-pressed", "false"); button.classList.remove("partner"); });
    mark.setAttribute("aria-pressed", "true");
    const sites = mark.dataset.s.split(" ");
    const chosen = site ?? sites[0];
    try { history.replaceState(null, "", `#s${chosen}`); } catch { /* some browsers refuse this for local files */ }
    for (const partner of data.sites[chosen].partners) {
      all("button.site").filter((button) => button.dataset.s.split(" ").includes(String(partner))).forEach((button) => button.classList.add("partner"));
    }
    mark.classList.remove("partner");
    show(mark, sites, chosen);
  }

  function close() {
    one("#panel")?.classList.remove("open");
    all("button.site").forEach((button) => { button.setAttribute("aria-pressed", "false"); button.classList.remove("partner"); });
  }

  function show(mark, sites, chosen) {
    const panel = one("#panel");
    const site = data.sites[chosen];
    const parts = [make("button", { type: "button", class: "close", text: "Close", on: close })];
    if (sites.length > 1) {
      const which = make("div", { class: "which", role: "group", "aria-label": "Sites at this position" });
      for (const other of sites) {
        const { kind, name } = data.sites[other];
        which.append(make("button", { type: "button", "aria-pressed": String(other === chosen), text: `${kind} ${name}`.trim(), on: () => select(mark, other) }));
      }
      parts.push(which);
    }
    parts.push(make("h2", { class: "name", text: `${site.kind} ${site.name}`.trim() }));
    const around = site.function === "<module>" ? "at module level" : `in ${site.function}`;
    const gil = site.switchable ? "CPython with the GIL can switch threads right before this site." : "CPython with the GIL does not switch threads right before this site.";
    parts.push(make("p", { class: "quiet", text: `${site.place}, ${around}. ${gil}` }));
    if (!site.covered && !site.missing) parts.push(make("p", { text: "This site is instrumented, but it is not part of any known requirement." }));
    if (site.partners.length) {
      const list = make("ul", { class: "partner-list" });
      for (const other of site.partners) {
        const [text, href] = data.names[other];
        list.append(make("li", {}, make("a", { href, text }), String(other) === chosen ? " (this site)" : ""));
      }
      if (site.more_partners) list.append(make("li", { text: `and ${number(site.more_partners)} more` }));
      parts.push(make("h2", { text: "Interactions with other threads" }), list);
    }
    parts.push(...sentences("Not covered yet", site.missing_sentences, site.missing, chosen), ...sentences("Covered", site.covered_sentences, site.covered, chosen));
    panel.replaceChildren(...parts);
    panel.scrollTop = 0;
    panel.classList.add("open");
  }

  function sentences(title, places, total, chosen) {
    if (!total) return [];
    const list = make("ul");
    const fill = (criterion) => {
      const some = places.filter((place) => !criterion || data.sentences[place][0] === criterion);
      list.replaceChildren(...some.map((place) => sentence(data.sentences[place], chosen)));
      if (total > places.length && !criterion) list.append(make("li", { class: "quiet", text: `and ${number(total - places.length)} more` }));
    };
    fill("");
    const heading = make("h2", {}, `${title} `, make("span", { class: "number", text: number(total) }));
    const names = [...new Set(places.map((place) => data.sentences[place][0]))];
    if (names.length < 2) return [heading, list];
    const select = make("select", { "aria-label": `${title}: filter by criterion` }, make("option", { value: "", text: "all criteria" }), ...names.map((name) => make("option", { value: name, text: name })));
    select.addEventListener("change", () => fill(select.value));
    return [heading, select, list];
  }

  function withNames(text) { // text between backticks is a name in the program
    const parts = text.split("`");
    return parts.length % 2 ? parts.map((part, place) => (place % 2 ? make("code", { text: part }) : part)) : [text];
  }

  function sentence([criterion, clause, pattern, sites, first, executions], chosen) {
    let text = `Not covered yet: ${clause}.`;
    if (first !== undefined) {
      const only = executions === 1 ? "Covered only by" : "First covered by";
      text = `${only} execution ${number(first)}: ${clause}.`;
    }
    const meta = make("div", { class: "meta" }, make("span", { text: criterion }));
    if (pattern) meta.append(make("span", { text: `pattern ${pattern}` }));
    if (executions > 1) meta.append(make("span", { text: `${number(executions)} executions` }));
    for (const other of sites) {
      if (String(other) !== chosen) meta.append(make("a", { href: data.names[other][1], text: data.names[other][0] }));
    }
    const item = make("li", {}, ...withNames(text), meta);
    const command = data.commands[first];
    if (command) item.append(make("code", { class: "command", text: command }));
    return item;
  }

  // -- arrows of a finding ---------------------------------------------------------------------------------------

  function drawArrows() {
    const table = one(".lanes");
    if (!table) return;
    one("svg.overlay")?.remove();
    const names = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(names, "svg");
    svg.setAttribute("class", "overlay");
    svg.setAttribute("aria-hidden", "true");
    svg.setAttribute("width", table.offsetWidth);
    svg.setAttribute("height", table.offsetHeight);
    const origin = table.getBoundingClientRect();
    const boxOf = (cell) => {
      const first = cell.firstElementChild.getBoundingClientRect();
      const last = cell.lastElementChild.getBoundingClientRect();
      return { left: first.left - origin.left, right: first.right - origin.left, top: first.top - origin.top, bottom: last.bottom - origin.top };
    };
    // Each row contains a step of only one thread, so an arrow can run along its row and then down between two columns.
    const used = new Map();
    for (const cell of all("td[data-from]", table)) {
      const giver = document.getElementById(`step-${cell.dataset.from}`)?.querySelector("td.step");
      if (!giver) continue;
      const from = boxOf(giver);
      const to = boxOf(cell);
      const way = to.left > from.left ? 1 : -1;
      const edge = way > 0 ? to.left : to.right;
      const taken = used.get(edge) ?? [];
      used.set(edge, taken);
      if (!taken.includes(cell.dataset.from)) taken.push(cell.dataset.from);
      const x1 = way > 0 ? from.right : from.left;
      const y1 = from.bottom - 11;
      const y2 = to.top + 13;
      const between = edge - way * (11 + 3 * (taken.indexOf(cell.dataset.from) % 4));
      const round = Math.min(6, Math.abs(between - x1) / 2, (y2 - y1) / 2);
      const path = document.createElementNS(names, "path");
      path.setAttribute("class", `arrow ${cell.dataset.arrow}`);
      path.setAttribute("d", `M ${x1} ${y1} H ${between - way * round} Q ${between} ${y1} ${between} ${y1 + round} V ${y2 - round} Q ${between} ${y2} ${between + way * round} ${y2} H ${edge - way * 7}`);
      const head = document.createElementNS(names, "path");
      head.setAttribute("class", `head ${cell.dataset.arrow}`);
      head.setAttribute("d", `M ${edge - way} ${y2} l ${-8 * way} -4.5 l 0 9 z`);
      svg.append(path, head);
    }
    table.parentElement.append(svg);
  }

  // -- copying ---------------------------------------------------------------------------------------------------

  async function copy(button) {
    const text = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text); // the user can then press Ctrl+C
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  // -- setup -----------------------------------------------------------------------------------------------------

  document.addEventListener("DOMContentLoaded", () => {
    one("#theme").addEventListener("click", toggleTheme);
    one("#help-button").addEventListener("click", () => one("#help").showModal());
    all("th[aria-sort]").forEach((header) => one("button", header).addEventListener("click", () => sort(header)));
    all("[data-filter]").forEach((input) => input.addEventListener("input", () => filter(input)));
    all("[data-copy]").forEach((button) => button.addEventListener("click", () => copy(button)));
    one(".source")?.addEventListener("click", (event) => {
      const mark = event.target.closest("button.site");
      if (mark) select(mark);
    });
    one("#log")?.addEventListener("change", (event) => one(".charts").classList.toggle("log", event.target.checked));
    document.addEventListener("keydown", onKey);
    addEventListener("hashchange", selectByHash);
    addEventListener("resize", drawArrows);
    drawArrows();
  });

  return { take };
})();
