// Draws the report from the data that the page carries; a section is built when it is opened.
const packed = Uint8Array.from(atob(document.getElementById("data").textContent), c => c.charCodeAt(0));
const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
const at = Object.fromEntries(data.columns.map((name, i) => [name, i]));
const filters = { paper: "", dataset: "", method: "", tuning: "", metric: "" };
const redraw = [];

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  Object.assign(node, attributes);
  node.append(...children);
  return node;
}

function drawn(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function chosen(rows) {
  const kept = ["dataset", "method", "tuning", "metric"].filter(key => filters[key]);
  return rows.filter(row => kept.every(key => row[at[key]] === filters[key] || (key === "tuning" && row[at.tuning] === "fixed")));
}

// Rows of a plain table that fit the filters whose names are among its columns.
function matching(table) {
  const kept = Object.keys(filters).filter(key => filters[key] && table.columns.includes(key));
  const same = (a, b) => String(a).toLowerCase() === String(b).toLowerCase();
  return table.rows.filter(row => kept.every(key => same(row[table.columns.indexOf(key)], filters[key])));
}

function shown(value) {
  return value === null ? "" : typeof value === "number" && !Number.isInteger(value) ? String(+value.toPrecision(4)) : String(value);
}

function makeTable(columns, rows) {
  const body = element("tbody");
  const fill = list => body.replaceChildren(...list.map(row => element("tr", {}, ...row.map(cell =>
    element("td", { className: typeof cell === "number" ? "n" : "", textContent: shown(cell) })))));
  const heads = columns.map((name, i) => element("th", { textContent: name, onclick: event => {
    const down = event.target.dataset.order !== "down";
    for (const head of event.target.parentNode.cells) delete head.dataset.order;
    event.target.dataset.order = down ? "down" : "up";
    rows = [...rows].sort((a, b) => (down ? -1 : 1) * compare(a[i], b[i]));
    fill(rows);
  } }));
  fill(rows);
  return element("div", { className: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
}

function compare(a, b) {
  if (a === null || b === null) return (a !== null) - (b !== null);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

// About four round numbers within a range.
function roundTicks(from, to) {
  const power = 10 ** Math.floor(Math.log10((to - from) / 4));
  const step = power * [1, 2, 5, 10].find(s => s * power >= (to - from) / 4), first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(6));
}

// Whether the interval is drawn, as in the figures.
function certain(row) {
  return row[at.n_runs] >= data.fewest_runs && row[at.ci_low] !== null;
}

// A chart of curves where results have places on a horizontal axis, else of dots below each other.
function makeChart(rows, unit) {
  rows = rows.filter(row => row[at.mean] !== null);
  if (!rows.length) return element("p", { textContent: "Nothing to draw with these filters." });
  // One case at a time: the first metric, tuning and panel (or data set) that the filters leave.
  const same = key => { const value = rows[0][at[key]]; rows = rows.filter(row => row[at[key]] === value); };
  for (const key of ["metric", "tuning"]) same(key);
  const views = new Set(rows.filter(row => row[at.panel] === rows[0][at.panel] && row[at.x] !== null).map(row => row[at.x])).size > 1;
  same(views ? "panel" : "dataset");
  const first = rows[0], label = row => row[at[views ? "curve" : "line"]];
  const width = 900, left = views ? 60 : 190, right = width - (views ? 190 : 20), top = 26;
  const curves = [...new Set(rows.map(label))];
  const bottom = views ? 330 : top + 18 * rows.length + 10;
  const values = rows.flatMap(row => [row[at.mean], row[at.published], ...(certain(row) && !views ? [row[at.ci_low], row[at.ci_high]] : [])]).filter(v => v !== null);
  const low = Math.min(...values), high = Math.max(...values), pad = (high - low) * 0.05 || 1;
  const scale = (v, a, b, from, to) => from + (v - a) / (b - a || 1) * (to - from);
  const svg = drawn("svg", { class: "chart", viewBox: `0 0 ${width} ${bottom + 34}` });
  const words = (x, y, text, anchor = "start") => drawn("text", { x, y, "font-size": 12, "text-anchor": anchor }, text);
  const add = (...nodes) => svg.append(...nodes);
  add(words(left, 16, `${first[at.dataset]}${first[at.view] === null || !views ? "" : `, view ${first[at.view]}`}, ${first[at.metric]}${unit === "percent" ? " (%)" : ""}, tuning: ${first[at.tuning]}`));
  const ticks = roundTicks(low - pad, high + pad);
  const told = row => `${row[at.method]}, ${row[at.setting]}: ${shown(row[at.mean])} [${shown(row[at.ci_low])}, ${shown(row[at.ci_high])}]`
    + (row[at.published] === null ? "" : `, published ${shown(row[at.published])}`) + (row[at.params] ? `, ${row[at.params]}` : "");
  const dot = (cx, cy, row) => drawn("circle", { cx, cy, r: 4, fill: data.colours[row[at.method]] || "#333" }, drawn("title", {}, told(row)));
  const ring = (cx, cy, row) => drawn("circle", { cx, cy, r: 4, fill: "white", stroke: data.colours[row[at.method]] || "#333" }, drawn("title", {}, told(row)));
  const along = v => scale(v, low - pad, high + pad, left, right), up = v => scale(v, low - pad, high + pad, bottom, top);
  if (views) {
    const xs = rows.map(row => row[at.x]).filter(x => x !== null), a = Math.min(...xs), b = Math.max(...xs), log = a > 0 && b / a >= 100;
    const across = x => log ? scale(Math.log(x), Math.log(a), Math.log(b), left, right) : scale(x, a, b, left, right);
    for (const t of ticks) add(drawn("line", { x1: left, x2: right, y1: up(t), y2: up(t), stroke: "#ddd" }), words(left - 6, up(t) + 4, shown(t), "end"));
    for (const x of new Set(xs)) add(words(across(x), bottom + 18, shown(x), "middle"));
    curves.forEach((curve, i) => {
      const all = rows.filter(row => label(row) === curve), colour = data.colours[all[0][at.method]] || "#333";
      const own = all.filter(row => row[at.x] !== null).sort((p, q) => p[at.x] - q[at.x]);
      // What has no place on the axis is a level line.
      for (const row of all.filter(row => row[at.x] === null)) add(drawn("line", { x1: left, x2: right, y1: up(row[at.mean]), y2: up(row[at.mean]), stroke: colour, "stroke-dasharray": "5 4" }, drawn("title", {}, told(row))));
      add(drawn("polyline", { points: own.map(row => `${across(row[at.x])},${up(row[at.mean])}`).join(" "), fill: "none", stroke: colour, "stroke-width": 1.5 }));
      for (const row of own) { if (row[at.published] !== null) add(ring(across(row[at.x]), up(row[at.published]), row)); add(dot(across(row[at.x]), up(row[at.mean]), row)); }
      add(drawn("circle", { cx: right + 16, cy: top + 17 * i, r: 4, fill: colour }), words(right + 26, top + 4 + 17 * i, curve));
    });
  } else {
    for (const t of ticks) add(drawn("line", { y1: top, y2: bottom, x1: along(t), x2: along(t), stroke: "#ddd" }), words(along(t), bottom + 18, shown(t), "middle"));
    rows.forEach((row, i) => {
      const y = top + 14 + 18 * i, setting = new Set(rows.map(r => r[at.setting])).size > 1 ? `, ${row[at.setting]}` : "";
      add(words(left - 8, y + 4, label(row) + setting, "end"));
      if (certain(row)) add(drawn("line", { x1: along(row[at.ci_low]), x2: along(row[at.ci_high]), y1: y, y2: y, stroke: "#888" }));
      if (row[at.published] !== null) add(ring(along(row[at.published]), y, row));
      add(dot(along(row[at.mean]), y, row));
    });
  }
  zoomable(svg, width, bottom + 34);
  return svg;
}

function zoomable(svg, width, height) {
  let box = [0, 0, width, height], from = null;
  const apply = () => svg.setAttribute("viewBox", box.join(" "));
  const place = event => { const r = svg.getBoundingClientRect(); return [(event.clientX - r.left) / r.width, (event.clientY - r.top) / r.height]; };
  svg.addEventListener("wheel", event => {
    event.preventDefault();
    const factor = event.deltaY < 0 ? 0.8 : 1.25, [u, v] = place(event);
    box = [box[0] + u * box[2] * (1 - factor), box[1] + v * box[3] * (1 - factor), box[2] * factor, box[3] * factor];
    apply();
  }, { passive: false });
  svg.addEventListener("pointerdown", event => { from = place(event); });
  svg.addEventListener("pointermove", event => {
    if (!from) return;
    const to = place(event);
    box = [box[0] + (from[0] - to[0]) * box[2], box[1] + (from[1] - to[1]) * box[3], box[2], box[3]];
    from = to;
    apply();
  });
  for (const name of ["pointerup", "pointerleave"]) svg.addEventListener(name, () => { from = null; });
  svg.addEventListener("dblclick", () => { box = [0, 0, width, height]; apply(); });
}

function section(id, title, note, build, badge = "") {
  const body = element("div"), details = element("details", { id }, element("summary", {}, title, element("small", { textContent: note }), ...(badge ? [element("span", { className: "badge", textContent: badge })] : [])), body);
  const draw = () => { if (details.open) body.replaceChildren(...build()); };
  details.addEventListener("toggle", draw);
  redraw.push(draw);
  return details;
}

function picture(svg, title) {
  const src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  return element("img", { src, alt: title, onload: () => URL.revokeObjectURL(src) });
}

const contents = document.getElementById("contents"), papers = [...new Set(data.experiments.map(e => e.paper))];
const places = {};
for (const experiment of data.experiments) {
  const place = section(experiment.id, experiment.title, experiment.id, () => [
    ...(experiment.claim ? [element("p", { textContent: `The paper: ${experiment.claim}` })] : []),
    ...(experiment.finding ? [element("p", { textContent: `Here: ${experiment.finding}` })] : []),
    element("p", { className: "caption", textContent: `${experiment.caption} ${experiment.scope} ${experiment.cut} Files: tables/${experiment.id}.csv, .md, .tex; figures/${experiment.id}.svg, .pdf, .png. Data from: ${experiment.source || "nowhere"}.` }),
    ...(experiment.figure ? [picture(experiment.figure, experiment.title)] : []),
    ...(experiment.rows.length ? [makeChart(chosen(experiment.rows), experiment.unit), makeTable(data.shown, chosen(experiment.rows).map(row => data.shown.map(name => row[at[name]])))] : []),
  ], experiment.cut ? "cut run" : "");
  places[experiment.id] = place;
  document.getElementById("experiments").append(place);
}
for (const table of data.tables) document.getElementById("tables").append(section(table.id, table.title, `${table.rows.length} rows`, () => [makeTable(table.columns, matching(table))]));
for (const [title, code] of Object.entries(data.figures)) document.getElementById("tables").prepend(section(title.replaceAll(" ", "_"), title, "figure", () => [picture(code, title)]));

function link(id, text) {
  return element("a", { href: `#${id}`, textContent: text, onclick: () => { document.getElementById(id).open = true; } });
}
for (const paper of papers) contents.append(element("b", { textContent: paper }), ...data.experiments.filter(e => e.paper === paper).map(e => link(e.id, e.id)));
contents.append(element("b", { textContent: "all" }), ...Object.keys(data.figures).map(t => link(t.replaceAll(" ", "_"), t)), ...data.tables.map(t => link(t.id, t.title)), link("provenance", "provenance"));

const values = key => key === "paper" ? papers : [...new Set(data.experiments.flatMap(e => e.rows.map(row => row[at[key]])))].sort();
for (const key of Object.keys(filters)) {
  const select = element("select", { id: `filter-${key}`, onchange: event => {
    filters[key] = event.target.value;
    for (const e of data.experiments) {
      places[e.id].hidden = (filters.paper && e.paper !== filters.paper) || (e.rows.length && !chosen(e.rows).length);
    }
    for (const draw of redraw) draw();
  } }, element("option", { value: "", textContent: "all" }), ...values(key).map(v => element("option", { value: v, textContent: v })));
  document.getElementById("filters").append(element("label", {}, `${key} `, select));
}
if (!data.experiments.length) document.getElementById("experiments").append(element("p", { textContent: "This run has no experiments with results." }));
const start = document.getElementById(location.hash.slice(1)) || document.querySelector("#experiments details");
if (start) start.open = true;
document.body.dataset.readyMs = Math.round(performance.now());
