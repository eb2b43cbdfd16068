// The report: its sections, contents and filters. A section is built when it is opened.
// The other scripts come before this one: page.py joins them.

// ---- Sections.

const sections = new Map();
let version = 0; // of the choices; a section that shows older ones is built anew

function section(place, id, title, note, build, badge = "") {
  const body = element("div", { className: "body" }), small = element("small");
  const badges = badge ? [element("span", { className: "badge", textContent: badge })] : [];
  const summary = element("summary", {}, title, small, ...badges);
  const details = element("details", { id }, summary, body);
  const draw = () => {
    small.textContent = note();
    if (!details.open || details.version === version) return;
    details.version = version;
    body.replaceChildren(...build());
  };
  details.addEventListener("toggle", () => toggled(id, details));
  byId(place).append(details);
  byId(place).hidden = false;
  sections.set(id, { details, draw, title });
}

function toggled(id, details) {
  if (printing) return;
  if (state.open.has(id) !== details.open) {
    state.open[details.open ? "add" : "delete"](id);
    writeAddress();
  }
  sections.get(id).draw();
}

function go(id) {
  if (!sections.has(id)) return;
  const { details, draw } = sections.get(id);
  if (details.hidden) clearFilters();
  state.open.add(id);
  state.at = id;
  details.open = true;
  draw();
  writeAddress();
  details.scrollIntoView();
  details.querySelector("summary").focus({ preventScroll: true });
}

function choose(changes) {
  Object.assign(state.filters, changes);
  tools.paged = state.paged = {}; // other rows begin with their first page
  writeAddress(true);
  refresh();
}

const clearFilters = () => choose(Object.fromEntries(Object.keys(FILTERS).map(name => [name, ""])));

function refresh() {
  version += 1;
  const focused = document.activeElement?.id;
  const chosen = new Set(experimentsKept());
  for (const experiment of data.experiments) sections.get(experiment.id).details.hidden = !chosen.has(experiment);
  for (const { draw } of sections.values()) draw();
  fillFilters(chosen);
  writeAddress();
  if (focused) byId(focused)?.focus({ preventScroll: true });
}

function makeSections() {
  const count = table => () => {
    const n = matching(table).length;
    return n === table.rows.length ? counted(n, "row") : `${n} of ${counted(table.rows.length, "row")}`;
  };
  const figure = (place, title) => {
    const build = () => [picture(data.figures[title], title, slug(title))];
    section(place, slug(title), title, () => "figure", build);
  };
  const plain = (place, table, build = buildPlain) =>
    section(place, table.id, table.title, count(table), () => build(table));
  const every = tableOf(EVERY), ledger = tableOf("claims");
  const published = data.tables.filter(t => /^(consistency$|multiverse|by_)/.test(t.id));
  const others = data.tables.filter(
    t => ![...published, every, ledger].includes(t) && !["failures", "absent", "warnings", "jobs"].includes(t.id),
  );
  if (ledger) plain("part-claims", ledger, buildClaims);
  const withRows = data.experiments.filter(e => e.rows.length);
  if (withRows.some(e => e.rows.some(row => row[at.tuning] !== FIXED)))
    section("part-start", "best", "Best method", () => "by data, rate, tuning and metric", buildBest);
  else if (withRows.length) byId("part-start").hidden = true; // its experiments compare no methods
  for (const e of data.experiments)
    section("part-experiments", e.id, e.title, () => e.id, () => buildExperiment(e), e.cut ? "cut run" : "");
  if (every) plain("part-published", every, buildPublished);
  for (const t of published) plain("part-published", t);
  for (const title of Object.keys(data.figures).filter(t => !["Cost", ledger?.title].includes(t)))
    figure("part-published", title);
  const numbers = Object.entries({ jobs: "job", failures: "fit" })
    .filter(([id]) => tableOf(id))
    .map(([id, one]) => counted(tableOf(id).rows.length, one));
  const failed = `What failed and why${numbers.length ? ` (${numbers.join(", ")})` : ""}`;
  if (numbers.length || data.experiments.length)
    section("part-failed", "failures", failed, () => "", buildFailures);
  for (const id of ["absent", "warnings"]) if (tableOf(id)) plain("part-failed", tableOf(id));
  if (data.figures.Cost) figure("part-tables", "Cost");
  for (const t of others) plain("part-tables", t);
  const provenance = byId("provenance");
  sections.set("provenance", { details: provenance, draw: () => {}, title: "Provenance" });
  provenance.addEventListener("toggle", () => toggled("provenance", provenance));
  if (!data.experiments.length) {
    // A run of protocols alone has tables of published numbers, but nothing that filters act on.
    for (const id of ["filters", "status", "how"]) byId(id).hidden = true;
    if (every || published.length) byId("part-start").hidden = true;
    else byId("part-start").append(paragraph("This run has no experiments with results."));
  }
}

// ---- Contents and filters.

function link(id, text) {
  return element("a", {
    href: `#${encodeURIComponent(id)}`,
    textContent: text,
    title: sections.get(id).title,
    onclick: event => {
      event.preventDefault?.();
      showMenu(false);
      go(id);
    },
  });
}

function showMenu(open) {
  byId("menu").ariaExpanded = String(open);
  byId("contents").className = open ? "open" : "";
}

function makeContents() {
  const list = (title, ids, text = id => sections.get(id).title) => {
    const items = ids.map(id => element("li", {}, link(id, text(id))));
    return items.length ? [element("b", { textContent: title }), element("ul", {}, ...items)] : [];
  };
  const inside = place => [...byId(place).children].map(node => node.id).filter(id => sections.has(id));
  const titles = {
    claims: "Which claims hold", best: "Best method", [EVERY]: "Published beside ours",
    multiverse: "Which protocols agree", failures: "What failed and why",
  };
  const quick = Object.keys(titles).filter(id => sections.has(id));
  byId("quick").append(...quick.map(id => link(id, titles[id])));
  const papers = [...groupBy(data.experiments, e => e.paper)].flatMap(([paper, group]) =>
    list(paper === "beyond" ? "Comparisons" : paper, group.map(e => e.id), id => id),
  );
  byId("contents").append(
    ...list("Answers", quick, id => titles[id]),
    ...papers,
    ...list("Published numbers", inside("part-published").filter(id => id !== EVERY)),
    ...list("More", [...(sections.has("warnings") ? ["warnings"] : []), ...inside("part-tables"), "provenance"]),
  );
  byId("menu").onclick = () => showMenu(byId("menu").ariaExpanded !== "true");
}

// The values of a filter that the other filters leave.
function valuesOf(name) {
  if (name === "paper") return unique(data.experiments.map(e => e.paper));
  const values = new Map();
  for (const e of data.experiments) {
    if (!fits("paper", e.paper)) continue;
    for (const row of e.rows) {
      const value = shownBy[name](row), key = keyOf(name, value);
      if (!values.has(key) && keeps(row, [name])) values.set(key, value);
    }
  }
  const chosen = state.filters[name];
  if (chosen && !values.has(keyOf(name, chosen))) values.set(keyOf(name, chosen), chosen);
  if (name === "tuning") return [...TUNINGS, FIXED].filter(tuning => values.has(tuning));
  return [...values.values()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

function makeFilters() {
  for (const [name, label] of Object.entries(FILTERS)) {
    const hidden = name === "paper" && valuesOf(name).length < 2;
    const onchange = event => choose({ [name]: event.target.value });
    const select = element("select", { id: `filter-${name}`, onchange });
    byId("filters").append(element("label", { hidden }, element("span", { textContent: label }), select));
  }
  const rowsOf = e => kept(e.rows).map(row => [e.id, ...data.shown.map(name => row[at[name]])]);
  byId("filters").append(
    button("Clear filters", clearFilters, { id: "clear" }),
    saver("csv", FILE, "all results that the filters keep", () =>
      csvOf(["experiment", ...data.shown], experimentsKept().flatMap(rowsOf)),
    ),
  );
}

function fillFilters(chosen) {
  for (const name of Object.keys(FILTERS)) {
    const select = byId(`filter-${name}`);
    const same = value => keyOf(name, value) === keyOf(name, state.filters[name]);
    select.replaceChildren(
      element("option", { value: "", textContent: "all" }),
      ...valuesOf(name).map(value => element("option", { value, textContent: value, selected: same(value) })),
    );
  }
  const active = Object.entries(state.filters)
    .filter(([, value]) => value)
    .map(([name, value]) => `${FILTERS[name]}: ${value}`);
  const rows = [...chosen].reduce((sum, e) => sum + kept(e.rows).length, 0);
  const filters = active.length ? `Shown: ${active.join(", ")}. ` : "";
  byId("status").textContent = `${filters}${counted(rows, "result")} of ${counted(chosen.size, "experiment")}.`;
}

// ---- Print: every section open; after it all is as before.

let printing = false;

function beforePrint() {
  printing = true;
  for (const { details, draw } of sections.values()) {
    details.open = true;
    draw();
  }
}

function loadImages() {
  for (const e of data.experiments) if (e.figure) imageOf(e.figure, e.title, e.id);
  for (const [title, svg] of Object.entries(data.figures)) imageOf(svg, title, slug(title));
}

function afterPrint() {
  for (const [id, { details }] of sections) details.open = state.open.has(id);
  setTimeout(() => {
    printing = false;
  });
}

function show() {
  readAddress();
  for (const name of ["sorted", "found", "paged"]) tools[name] = state[name];
  for (const [id, { details }] of sections) details.open = state.open.has(id);
  refresh();
  if (state.at) go(state.at);
}

makeSections();
makeContents();
makeFilters();
show();
setTimeout(loadImages, 200);
addEventListener("hashchange", show);
addEventListener("beforeprint", beforePrint);
addEventListener("afterprint", afterPrint);
let width = tools.width();
addEventListener("resize", () => {
  if (!printing && tools.width() !== width) {
    width = tools.width();
    refresh();
  }
});
document.body.dataset.readyMs = Math.round(performance.now());
