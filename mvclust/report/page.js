// The report: filters, sections and the address, over the data that the page carries.
// A section is built when it is opened; page_parts.js, which comes before, draws its parts.
const packed = Uint8Array.from(atob(document.getElementById("data").textContent), c => c.charCodeAt(0));
const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
const at = Object.fromEntries(data.columns.map((name, i) => [name, i]));
const FILTERS = { paper: "paper", dataset: "data", rate: "rate or setting", tuning: "tuning", metric: "metric", method: "method" };
const TUNINGS = ["label-free", "default", "oracle"]; // a user has no labels, so that comes first
const RATES = ["missing_rate", "paired_rate", "mapped_rate"];
const FAR_APART = 4; // more comparisons than that are listed by their winners
const FILE = document.title.replace(/^mvclust: /, "");
const printed = data.shown.includes("published");
const byId = id => document.getElementById(id);
const tableOf = id => data.tables.find(table => table.id === id);

// ---- What the reader has chosen. The address holds all of it, so that a link shows the same.

const state = { filters: {}, picked: new Set(), open: new Set(), at: "", sorted: {}, charts: {} };

function readAddress() {
  const hash = decodeURIComponent(location.hash.slice(1)), anchor = hash.includes("=") ? "" : hash;
  const params = new URLSearchParams(anchor ? "" : location.hash.slice(1));
  for (const key of Object.keys(FILTERS)) state.filters[key] = params.get(key) ?? "";
  state.picked = new Set(params.getAll("picked"));
  state.open = new Set(params.has("open") ? params.getAll("open").filter(Boolean) : [sections.has(anchor) ? anchor : "best"]);
  state.sorted = Object.fromEntries(params.getAll("sort").map(text => text.split("|")).map(([id, name, order]) => [id, [name, order]]));
  state.charts = Object.fromEntries(params.getAll("chart").map(text => text.split("|")));
  state.at = (sections.has(anchor) && anchor) || params.get("at") || "";
}

function writeAddress(remember = false) {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(state.filters)) if (value) params.append(key, value);
  for (const method of state.picked) params.append("picked", method);
  for (const [id, sort] of Object.entries(state.sorted)) params.append("sort", [id, ...sort].join("|"));
  for (const chart of Object.entries(state.charts)) params.append("chart", chart.join("|"));
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
const shownBy = { dataset: row => row[at.dataset], rate: rateOf, tuning: row => row[at.tuning], metric: row => row[at.metric], method: row => row[at.method] };
const keyOf = (name, value) => name === "metric" ? metricKey(value) : folded(value);
const fits = (name, value) => !state.filters[name] || keyOf(name, value) === keyOf(name, state.filters[name]);

function keeps(row, but = []) {
  return Object.keys(shownBy).every(name => but.includes(name) || fits(name, shownBy[name](row)) || (name === "tuning" && row[at.tuning] === "fixed"));
}

const kept = rows => rows.filter(row => keeps(row));

// Rows of a plain table that fit the filters whose names are among its columns.
function matching(table) {
  const column = name => table.columns.indexOf(name);
  const place = value => !/rate=/.test(value) || fits("rate", value.replace("_", " ").replace("=", " "));
  const named = { method: key => [key, ...(data.names?.[key] ?? [])].some(label => fits("method", label)), setting: place };
  for (const name of ["paper", "dataset", "metric", "tuning"]) named[name] = value => value === null || fits(name, value);
  const tests = Object.entries(named).filter(([name]) => column(name) >= 0);
  return table.rows.filter(row => tests.every(([name, test]) => test(row[column(name)])));
}

// What has no rows is kept as long as only papers are chosen.
const filtersRows = () => Object.keys(shownBy).some(name => state.filters[name]);
const experimentsKept = () => data.experiments.filter(e => fits("paper", e.paper) && (e.rows.length ? e.rows.some(row => keeps(row)) : !filtersRows()));

// Whether the interval is drawn, as in the figures.
function certain(row) {
  return row[at.n_runs] >= data.fewest_runs && row[at.ci_low] !== null;
}

const tools = {
  data, at, certain, charts: state.charts, picked: state.picked, sorted: state.sorted, onsort: () => writeAddress(),
  width: () => Math.max(320, Math.min(900, (byId("part-experiments").clientWidth || 940) - 4)),
  onchart: (id, title) => { state.charts[id] = title; refresh(); },
  onpick: method => {
    if (method === null) state.picked.clear();
    else if (!state.picked.delete(method)) state.picked.add(method);
    refresh();
  },
};

// ---- Sections.

const sections = new Map();
let version = 0; // of the choices; a section that shows older ones is built anew

function section(place, id, title, note, build, badge = "") {
  const body = element("div", { className: "body" }), small = element("small");
  const summary = element("summary", {}, title, small, ...(badge ? [element("span", { className: "badge", textContent: badge })] : []));
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
  if (details.hidden) choose(Object.fromEntries(Object.keys(FILTERS).map(name => [name, ""])));
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
  writeAddress(true);
  refresh();
}

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

// ---- Best method.

// Comparisons of methods: one for each experiment, data set, rate, number of views and view.
function comparisons() {
  const found = [];
  for (const experiment of data.experiments) {
    if (!fits("paper", experiment.paper)) continue;
    const tuned = experiment.rows.filter(row => row[at.tuning] !== "fixed" && fits("dataset", row[at.dataset]) && fits("rate", rateOf(row)));
    const metrics = unique(tuned.map(row => row[at.metric]));
    const metric = state.filters.metric ? metrics.find(m => fits("metric", m)) : metrics.find(m => metricKey(m) === "acc") ?? metrics[0];
    const tuning = state.filters.tuning || TUNINGS.find(t => tuned.some(row => row[at.tuning] === t));
    const groups = groupBy(tuned.filter(row => row[at.metric] === metric), row => [row[at.dataset], rateOf(row), row[at.n_views], row[at.view]].join("\n"));
    for (const all of groups.values()) {
      const rows = all.filter(row => row[at.tuning] === tuning);
      if (rows.length) found.push({ experiment, metric, tuning, all, ...ranked(rows) });
    }
  }
  return found;
}

function ranked(rows) {
  const order = rows.filter(row => row[at.mean] !== null).sort((a, b) => b[at.mean] - a[at.mean]);
  return { rows: order, lost: rows.filter(row => row[at.mean] === null) };
}

// Whether the interval of a result reaches the best mean; null without an interval.
const reaches = (row, best) => certain(row) ? row[at.ci_high] >= best[at.mean] : null;

function scopeOf(rows) {
  const range = name => { const v = rows.map(row => row[at[name]]).filter(x => x !== null); return v.length ? [Math.min(...v), Math.max(...v)] : [0, 0]; };
  const text = ([low, high]) => low === high ? `${low}` : `${low} to ${high}`;
  const part = (name, one, several) => {
    const ours = range(name), declared = range(`${name}_declared`);
    return `${text(ours)}${ours.join() === declared.join() ? "" : ` of ${text(declared)}`} ${declared[1] === 1 ? one : several}`;
  };
  const masks = ["complete", "natural"].includes(rows[0][at.protocol]) ? ["start", "starts"] : ["mask", "masks"];
  return [part("n_samples", "sample", "samples"), part("repetitions", ...masks), part("grid_points", "grid point", "grid points")].join("; ");
}

const placeOf = ({ rows, lost }) => { const row = rows[0] ?? lost[0]; return [row[at.dataset], rateOf(row), row[at.view] === null ? "" : `view ${row[at.view]}`].filter(Boolean).join(", "); };

function buildBest() {
  const found = comparisons();
  if (!found.length) return [paragraph("No comparison of methods fits these filters.")];
  return found.length > FAR_APART ? winners(found) : found.flatMap(ranking);
}

function winners(found) {
  const won = found.filter(one => one.rows.length), views = won.some(one => one.rows[0][at.view] !== null);
  const list = won.map(one => {
    const [best, second] = one.rows, pick = () => choose({ dataset: best[at.dataset], rate: rateOf(best), paper: "" });
    const percent = value => value === null || one.experiment.unit === "percent" ? value : +(100 * value).toPrecision(5);
    return [{ text: best[at.dataset], go: pick }, rateOf(best), ...(views ? [best[at.view]] : []), best[at.method], ...[at.mean, at.ci_low, at.ci_high].map(i => percent(best[i])),
      second?.[at.method] ?? null, percent(second?.[at.mean] ?? null), one.rows.length, one.metric, one.tuning, best[at.n_samples], best[at.repetitions], best[at.grid_points], { text: one.experiment.id, go: () => go(one.experiment.id) }];
  });
  const columns = ["data", "rate", ...(views ? ["view"] : []), "best", "mean (%)", "95 % low", "95 % high", "second", "its mean (%)", "methods", "metric", "tuning", "n", "masks", "grid points", "experiment"];
  const methods = groupBy(won.flatMap(one => one.rows.map(row => ({ row, best: one.rows[0] }))), ({ row }) => row[at.method]);
  const shares = [...methods].map(([method, own]) => {
    const first = own.filter(({ row, best }) => row[at.mean] === best[at.mean]).length;
    return [method, first, own.some(({ row }) => certain(row)) ? own.filter(({ row, best }) => reaches(row, best)).length : null, own.length, +(100 * first / own.length).toFixed(1)];
  }).sort((a, b) => b[1] - a[1] || b[2] - a[2]);
  return [
    paragraph(`${counted(won.length, "comparison")}. Choose data and a rate above, or a data set in this table, for the whole ranking. Unless you choose otherwise, methods are tuned without labels where the run has that, and compared by accuracy.`),
    makeTable("winners", "best method by data set and rate", columns, list, tools),
    paragraph("How often each method is best. Reaches: its 95 % interval reaches the best mean. Experiments differ in the methods that they compare."),
    makeTable("shares", "how often each method is best", ["method", "best in", "reaches", "compared in", "best in (%)"], shares.filter(row => fits("method", row[0])), tools),
  ];
}

function ranking(one) {
  const { experiment, metric, tuning, rows, lost, all } = one, best = rows[0], unit = experiment.unit === "percent" ? " (%)" : "";
  const id = slug(`ranking-${experiment.id}-${placeOf(one)}-${(best ?? lost[0])[at.n_views]}`), title = `${placeOf(one)}: ${metric}${unit}, tuning: ${tuning}`;
  const others = state.filters.tuning ? [] : TUNINGS.filter(t => t !== tuning && all.some(row => row[at.tuning] === t));
  const other = (row, name) => all.find(r => r[at.tuning] === name && r[at.method] === row[at.method] && r[at.curve] === row[at.curve])?.[at.mean] ?? null;
  const withPrint = printed && rows.some(row => row[at.published] !== null);
  const columns = ["rank", "method", "mean", "95 % low", "95 % high", "reaches the best", "masks", ...others.map(name => `mean, ${name}`), ...(withPrint ? ["published"] : []), "parameters"];
  const lines = rows.map((row, i) => [i + 1, row[at.method], row[at.mean], row[at.ci_low], row[at.ci_high], i ? { true: "yes", false: "no", null: null }[reaches(row, best)] : "best", row[at.n_runs],
    ...others.map(name => other(row, name)), ...(withPrint ? [row[at.published]] : []), row[at.params]]);
  const shownRows = rows.filter(row => fits("method", row[at.method]));
  const answer = best ? `Best: ${best[at.method]}, ${shown(best[at.mean])}${certain(best) ? ` [${shown(best[at.ci_low])}, ${shown(best[at.ci_high])}]` : ""}, of ${rows.length} methods. ` : "No method has a result here. ";
  const also = best ? rows.slice(1).filter(row => reaches(row, best)).map(row => row[at.method]) : [];
  return [
    element("h3", { textContent: title }),
    element("p", { className: "answer" }, answer + (also.length ? `Not clearly behind, since their intervals reach the best mean: ${also.join(", ")}. ` : best && !certain(best) ? "Too few masks for intervals: the order may be chance. " : ""),
      "Experiment: ", element("button", { type: "button", className: "link", textContent: experiment.title, onclick: () => go(experiment.id) }), `; ${scopeOf([...rows, ...lost])}.`),
    ...(shownRows.length ? [rankingChart(id, title, shownRows)] : []),
    makeTable(id, title, columns, lines.filter(line => fits("method", line[1])), tools),
    ...(lost.length ? [paragraph(`Without a result: ${lost.map(row => `${row[at.method]} (${row[at.note] || "no reason given"})`).join("; ")}.`)] : []),
  ];
}

function rankingChart(id, title, rows) {
  const { svg } = dotChart(rows, title, tools.width(), tools);
  return element("figure", {}, element("div", { className: "tools" }, element("span", { textContent: "Chart: means and 95 % intervals" }),
    saver("svg", id, `the chart ${title}`, () => new XMLSerializer().serializeToString(svg))), svg);
}

// ---- Experiments, published numbers, failures, and the other tables.

function buildExperiment(experiment) {
  const { id, rows } = experiment, own = kept(rows);
  return [
    ...(experiment.claim ? [paragraph(`The paper: ${experiment.claim}`)] : []),
    ...(experiment.finding ? [paragraph(`Here: ${experiment.finding}`)] : []),
    paragraph(`${experiment.caption} ${experiment.scope} ${experiment.cut} Files: tables/${id}.csv, .md, .tex; figures/${id}.svg, .pdf, .png. Data from: ${experiment.source || "nowhere"}.`, "caption"),
    ...(experiment.figure ? [picture(experiment.figure, experiment.title, id)] : []),
    ...(rows.length ? [makeChart(id, own, experiment.unit, tools), makeTable(id, experiment.title, data.shown, own.map(row => data.shown.map(name => row[at[name]])), tools)] : []),
  ];
}

function buildPlain(table) {
  return [makeTable(table.id, table.title, table.columns, matching(table), tools)];
}

// Every published number, with the reading of its row where the run tried readings.
function buildPublished(table) {
  const readings = tableOf("readings"), first = ["paper", "item", "dataset", "setting", "method", "metric", "published", "reproduced", "difference", "verdict"];
  const recordsOf = ({ columns, rows }) => rows.map(row => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
  const rowOf = record => ["paper", "item", "dataset", "method"].map(name => record[name]).join("\n");
  const read = new Map((readings ? recordsOf(readings) : []).map(record => [rowOf(record), record]));
  const records = recordsOf({ columns: table.columns, rows: matching(table) }).map(record => ({
    ...record,
    experiment: sections.has(record.experiment) ? { text: record.experiment, go: () => go(record.experiment) } : record.experiment,
    "verdict on the row": read.get(rowOf(record))?.verdict ?? null,
    reading: read.get(rowOf(record))?.reading ?? null,
  }));
  const columns = unique([...first, ...(readings ? ["verdict on the row", "reading"] : []), ...table.columns]);
  const verdicts = [...groupBy(records, record => record.verdict)].map(([verdict, own]) => `${own.length} ${verdict}`).join(", ");
  return [
    paragraph(`Percent points; ours with oracle tuning, as the papers tune. ${verdicts ? `Of ${records.length} numbers: ${verdicts}.` : ""}`),
    paragraph(readings ? "Reading: what the paper leaves open, filled so that ours comes nearest; its verdict is that on the row." : "This run tried no readings of what the papers leave open.", "caption"),
    makeTable(table.id, table.title, columns, records.map(record => columns.map(name => record[name])), tools),
  ];
}

// Results with a reason: those without a number, and those that lack some of their fits.
function lostResults() {
  const rows = data.experiments.flatMap(e => fits("paper", e.paper) ? kept(e.rows).filter(row => row[at.note] || row[at.mean] === null).map(row => [e.id, row]) : []);
  const groups = groupBy(rows, ([id, row]) => [id, row[at.dataset], rateOf(row), row[at.method], row[at.note]].join("\n"));
  return [...groups.values()].map(own => {
    const [id, row] = own[0];
    return [row[at.dataset], rateOf(row), row[at.method], row[at.note] || "no reason given", own.length, own.filter(([, r]) => r[at.mean] === null).length, { text: id, go: () => go(id) }];
  });
}

// Experiments that this run declares and that have no number: a job that crashed leaves them so.
const lostExperiments = () => data.experiments.filter(e => e.render !== "partitions" && fits("paper", e.paper) && !e.rows.some(row => row[at.mean] !== null));

function buildFailures() {
  const table = tableOf("failures"), lost = lostResults(), experiments = lostExperiments();
  const parts = [];
  if (experiments.length) {
    parts.push(element("h3", { textContent: "Experiments without a result" }), element("ul", {}, ...experiments.map(e => element("li", {}, `${e.id}: ${e.scope || "no results reached this page; its job did not finish, see its log."}`))));
  }
  parts.push(element("h3", { textContent: "Results without a number, or with failed fits" }),
    lost.length ? makeTable("lost", "results without a number", ["data", "rate", "method", "why", "results", "without a number", "experiment"], lost, tools) : paragraph("None with these filters."));
  if (table) {
    const rows = matching(table), column = name => table.columns.indexOf(name);
    const reasons = [...groupBy(rows, row => `${row[column("error")]}\n${row[column("method")]}`).values()].map(own => [own[0][column("error")], own[0][column("method")], own.length]).sort((a, b) => b[2] - a[2]);
    if (rows.length) parts.push(element("h3", { textContent: "Failed fits by reason" }), makeTable("reasons", "failed fits by reason", ["error", "method", "fits"], reasons, tools));
    parts.push(element("h3", { textContent: "Every failed fit" }), paragraph("The filter of methods acts here; the others do not: a setting names data and rate in its own way.", "caption"));
    parts.push(rows.length ? makeTable("failures", table.title, table.columns, rows, tools) : paragraph("None with these filters."));
  }
  return parts;
}

function makeSections() {
  const count = table => () => { const n = matching(table).length; return n === table.rows.length ? counted(n, "row") : `${n} of ${counted(table.rows.length, "row")}`; };
  const figure = (place, title) => section(place, slug(title), title, () => "figure", () => [picture(data.figures[title], title, slug(title))]);
  const plain = (place, table, build = buildPlain) => section(place, table.id, table.title, count(table), () => build(table));
  const published = data.tables.filter(t => ["consistency", "readings", "published_vs_reproduced"].includes(t.id) || t.id.startsWith("by_"));
  const failed = tableOf("failures"), others = data.tables.filter(t => !published.includes(t) && t !== failed && t.id !== "warnings");
  if (data.experiments.some(e => e.rows.length)) section("part-start", "best", "Best method", () => "by data, rate, tuning and metric", buildBest);
  for (const e of data.experiments) section("part-experiments", e.id, e.title, () => e.id, () => buildExperiment(e), e.cut ? "cut run" : "");
  for (const t of [...published].sort((a, b) => (b.id === "published_vs_reproduced") - (a.id === "published_vs_reproduced"))) plain("part-published", t, t.id === "published_vs_reproduced" ? buildPublished : buildPlain);
  for (const title of Object.keys(data.figures).filter(t => t !== "Cost")) figure("part-published", title);
  if (failed || data.experiments.length) section("part-failed", "failures", `What failed and why${failed ? ` (${counted(failed.rows.length, "fit")})` : ""}`, () => "", buildFailures);
  if (tableOf("warnings")) plain("part-failed", tableOf("warnings"));
  if (data.figures.Cost) figure("part-tables", "Cost");
  for (const t of others) plain("part-tables", t);
  const provenance = byId("provenance");
  sections.set("provenance", { details: provenance, draw: () => {}, title: "Provenance" });
  provenance.addEventListener("toggle", () => toggled("provenance", provenance));
  if (!data.experiments.length) byId("part-start").append(paragraph("This run has no experiments with results."));
}

// ---- Contents and filters.

function link(id, text) {
  return element("a", { href: `#${encodeURIComponent(id)}`, textContent: text, title: sections.get(id).title, onclick: event => { event.preventDefault?.(); showMenu(false); go(id); } });
}

function showMenu(open) {
  byId("menu").ariaExpanded = String(open);
  byId("contents").className = open ? "open" : "";
}

function makeContents() {
  const list = (title, ids, text = id => sections.get(id).title) => ids.length ? [element("b", { textContent: title }), element("ul", {}, ...ids.map(id => element("li", {}, link(id, text(id)))))] : [];
  const inside = place => [...byId(place).children].map(node => node.id).filter(id => sections.has(id));
  const quick = [["best", "Best method"], ["published_vs_reproduced", "Published beside ours"], ["failures", "What failed and why"]].filter(([id]) => sections.has(id));
  byId("quick").append(...quick.map(([id, text]) => link(id, text)));
  byId("contents").append(
    ...list("Answers", quick.map(([id]) => id), id => quick.find(([name]) => name === id)[1]),
    ...[...groupBy(data.experiments, e => e.paper)].flatMap(([paper, own]) => list(paper, own.map(e => e.id), id => id)),
    ...list("Published numbers", inside("part-published").filter(id => id !== "published_vs_reproduced")),
    ...list("More", [...(sections.has("warnings") ? ["warnings"] : []), ...inside("part-tables"), "provenance"]));
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
  if (name === "tuning") return [...TUNINGS, "fixed"].filter(tuning => values.has(tuning));
  return [...values.values()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

function makeFilters() {
  for (const [name, label] of Object.entries(FILTERS)) {
    byId("filters").append(element("label", { hidden: name === "paper" && valuesOf(name).length < 2 }, element("span", { textContent: label }), element("select", { id: `filter-${name}`, onchange: event => choose({ [name]: event.target.value }) })));
  }
  byId("filters").append(
    element("button", { type: "button", id: "clear", textContent: "Clear filters", onclick: () => choose(Object.fromEntries(Object.keys(FILTERS).map(name => [name, ""]))) }),
    saver("csv", FILE, "all results that the filters keep", () => csvOf(["experiment", ...data.shown], [...experimentsKept()].flatMap(e => kept(e.rows).map(row => [e.id, ...data.shown.map(name => row[at[name]])])))));
}

function fillFilters(chosen) {
  for (const name of Object.keys(FILTERS)) {
    const select = byId(`filter-${name}`), same = value => keyOf(name, value) === keyOf(name, state.filters[name]);
    select.replaceChildren(element("option", { value: "", textContent: "all" }), ...valuesOf(name).map(value => element("option", { value, textContent: value, selected: same(value) })));
  }
  const active = Object.entries(state.filters).filter(([, value]) => value).map(([name, value]) => `${FILTERS[name]}: ${value}`);
  const rows = [...chosen].reduce((sum, e) => sum + kept(e.rows).length, 0);
  byId("status").textContent = `${active.length ? `Shown: ${active.join(", ")}. ` : ""}${counted(rows, "result")} of ${counted(chosen.size, "experiment")}.`;
}

// ---- Print: every section open; after it all is as before.

let printing = false;

function beforePrint() {
  printing = true;
  for (const { details, draw } of sections.values()) { details.open = true; draw(); }
}

function loadImages() {
  for (const e of data.experiments) if (e.figure) imageOf(e.figure, e.title, e.id);
  for (const [title, svg] of Object.entries(data.figures)) imageOf(svg, title, slug(title));
}

function afterPrint() {
  for (const [id, { details }] of sections) details.open = state.open.has(id);
  setTimeout(() => { printing = false; });
}

function show() {
  readAddress();
  Object.assign(tools, { charts: state.charts, picked: state.picked, sorted: state.sorted });
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
addEventListener("resize", () => { if (!printing && tools.width() !== width) { width = tools.width(); refresh(); } });
document.body.dataset.readyMs = Math.round(performance.now());
