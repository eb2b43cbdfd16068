// The data that the page carries, what the reader has chosen, and which rows that keeps.
const packed = Uint8Array.from(atob(document.getElementById("data").textContent), c => c.charCodeAt(0));
const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
const at = Object.fromEntries(data.columns.map((name, i) => [name, i]));
const FILTERS = {
  paper: "paper", dataset: "data", rate: "rate or setting", tuning: "tuning", metric: "metric", method: "method",
};
const TUNINGS = data.tunings, FIXED = "fixed"; // the tuning of a sweep
const EVERY = "published_vs_reproduced"; // the table of all published numbers
const RATES = ["missing_rate", "incomplete_rate", "paired_rate", "mapped_rate"];
const FAR_APART = 4; // more comparisons than that are listed by their winners
const FILE = document.title.replace(/^mvclust: /, "");
const printed = data.shown.includes("published");
const byId = id => document.getElementById(id);
const tableOf = id => data.tables.find(table => table.id === id);

// Whether a ledger of claims decides any; one of a small run says only what is open.
const decides = ledger =>
  Boolean(ledger?.rows.some(row => ["holds", "partly", "fails"].includes(row[ledger.columns.indexOf("verdict")])));

// The first of some sections that the page has.
const firstOf = (...ids) => ids.find(id => sections.has(id));

// ---- What the reader has chosen. The address holds all of it, so that a link shows the same.

const state = { filters: {}, open: new Set(), at: "", sorted: {}, found: {}, paged: {} };

function readAddress() {
  const hash = decodeURIComponent(location.hash.slice(1)), anchor = hash.includes("=") ? "" : hash;
  const params = new URLSearchParams(anchor ? "" : location.hash.slice(1));
  for (const key of Object.keys(FILTERS)) state.filters[key] = params.get(key) ?? "";
  state.open = new Set(
    params.has("open")
      ? params.getAll("open").filter(Boolean)
      : [firstOf(anchor, decides(tableOf("claims")) && "claims", "best", data.experiments[0]?.id)],
  );
  const parts = key => params.getAll(key).map(text => text.split("|"));
  state.sorted = Object.fromEntries(parts("sort").map(([id, name, order]) => [id, [name, order]]));
  state.found = Object.fromEntries(parts("find").map(([id, ...words]) => [id, words.join("|")]));
  state.paged = Object.fromEntries(parts("page").map(([id, page]) => [id, Number(page) || 1]));
  state.at = (sections.has(anchor) && anchor) || params.get("at") || "";
}

function writeAddress(remember = false) {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(state.filters)) if (value) params.append(key, value);
  for (const [id, sort] of Object.entries(state.sorted)) params.append("sort", [id, ...sort].join("|"));
  for (const [id, words] of Object.entries(state.found)) if (words) params.append("find", `${id}|${words}`);
  for (const [id, page] of Object.entries(state.paged)) if (page > 1) params.append("page", `${id}|${page}`);
  for (const id of state.open.size ? state.open : [""]) params.append("open", id);
  if (state.at) params.append("at", state.at);
  history[remember ? "pushState" : "replaceState"](null, "", `#${params}`);
}

// ---- Which rows the filters keep. Papers write one name in several ways: 3Sources, 3 Sources.

const folded = text => String(text).toLowerCase().replace(/\s/g, "");
const metricKey = text => ({ ac: "acc" })[folded(text)] ?? folded(text).replace("-", "_");

function rateOf(row) {
  const name = RATES.find(rate => row[at[rate]] !== null);
  return name ? `${name.replace("_", " ")} ${row[at[name]]}` : row[at.protocol];
}

// Filter -> the value of a row, as filters compare it, and as they show it.
const shownBy = {
  dataset: row => row[at.dataset],
  rate: rateOf,
  tuning: row => row[at.tuning],
  metric: row => row[at.metric],
  method: row => row[at.method],
};
const keyOf = (name, value) => (name === "metric" ? metricKey(value) : folded(value));
const fits = (name, value) => !state.filters[name] || keyOf(name, value) === keyOf(name, state.filters[name]);

function keeps(row, but = []) {
  return Object.keys(shownBy).every(
    name => but.includes(name) || fits(name, shownBy[name](row)) || (name === "tuning" && row[at.tuning] === FIXED),
  );
}

const kept = rows => rows.filter(row => keeps(row));

// Rows of a plain table that fit the filters whose names are among its columns.
function matching(table) {
  const column = name => table.columns.indexOf(name);
  const place = value => !/rate=/.test(value) || fits("rate", value.replace("_", " ").replace("=", " "));
  const named = {
    method: key => [key, ...(data.names?.[key] ?? [])].some(label => fits("method", label)),
    setting: place,
    dataset: labels => labels === null || labels.split("; ").some(label => fits("dataset", label)),
    rate: words => fits("rate", words),
  };
  for (const name of ["paper", "metric", "tuning"])
    named[name] = value => value === null || fits(name, value);
  const tests = Object.entries(named).filter(([name]) => column(name) >= 0);
  return table.rows.filter(row => tests.every(([name, test]) => test(row[column(name)])));
}

// What has no rows is kept as long as only papers are chosen.
const filtersRows = () => Object.keys(shownBy).some(name => state.filters[name]);
const experimentsKept = () =>
  data.experiments.filter(
    e => fits("paper", e.paper) && (e.rows.length ? e.rows.some(row => keeps(row)) : !filtersRows()),
  );

// Whether the interval is drawn, as in the figures.
function certain(row) {
  return row[at.n_runs] >= data.fewest_runs && row[at.ci_low] !== null;
}

const tools = {
  data, at, certain, sorted: state.sorted, found: state.found, paged: state.paged,
  onchange: () => writeAddress(),
  width: () => Math.max(320, Math.min(900, (byId("part-experiments").clientWidth || 940) - 4)),
};
