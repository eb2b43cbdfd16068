// Parts of the page: elements, tables, charts and figures, each with the button that saves it.

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

const button = (textContent, onclick, more = {}) =>
  element("button", { type: "button", textContent, onclick, ...more });
const paragraph = (text, className = "") => element("p", { textContent: text, className });
const slug = text => String(text).replace(/[^\w.-]+/g, "_");
const counted = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;
const unique = list => [...new Set(list)];

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return groups;
}

function save(name, text, type) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

function saver(kind, name, label, make) {
  const type = kind === "csv" ? "text/csv" : "image/svg+xml";
  const onclick = () => save(`${slug(name)}.${kind}`, make(), type);
  return button(kind, onclick, { className: `save ${kind}`, ariaLabel: `Save ${label} as ${kind}` });
}

// ---- Tables. A cell is a value, or {text, go} for a value that leads somewhere.

const valueOf = cell => (cell?.go ? cell.text : cell);

function shown(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "number" && !Number.isInteger(value) ? String(+value.toPrecision(4)) : String(value);
}

// Missing values come last in either direction.
function compare(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  return down ? -order : order;
}

function csvOf(columns, rows) {
  const quoted = value => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const line = cells => cells.map(cell => quoted(String(valueOf(cell) ?? ""))).join(",");
  return [columns, ...rows].map(line).join("\n") + "\n";
}

function cellOf(cell, name) {
  const value = valueOf(cell), text = shown(value);
  const td = element("td", { className: typeof value === "number" ? "n" : text.length > 40 ? "long" : "" });
  td.dataset.name = name;
  if (cell?.go) td.append(button(text, cell.go, { className: "link" }));
  else td.textContent = text;
  return td;
}

// Rows of large tables are shown a page at a time: a browser is slow with 100,000 cells.
const PAGE_ROWS = 100;

// `sorted`, `found` and `paged` of the tools hold by the id of a table its sort, the words that its rows
// must have, and the number of its page, so that they outlive a change of the filters.
function makeTable(id, label, columns, rows) {
  const { sorted, found, paged, onchange } = tools;
  if (!rows.length) return paragraph("Nothing to list with these filters.");
  const body = element("tbody"), count = element("span", { role: "status" });
  const large = rows.length > PAGE_ROWS;
  const numeric = columns.map((_, i) => rows.some(row => typeof valueOf(row[i]) === "number"));
  // A column without a value takes room from others; it is in the csv alone.
  const filled = [...columns.keys()].filter(i => rows.some(row => shown(valueOf(row[i])) !== ""));
  let listed = [];
  const sortBy = name => {
    const [before, order] = sorted[id] ?? [];
    sorted[id] = [name, before === name && order === "down" ? "up" : "down"];
    list(1);
    onchange();
  };
  const heads = columns.map((name, i) =>
    element("th", { scope: "col", className: numeric[i] ? "n" : "" }, button(name, () => sortBy(name))),
  );
  heads.forEach((head, i) => {
    head.dataset.name = columns[i];
  }); // for print, which does not repeat buttons
  const turner = (text, step) =>
    button(text, () => {
      turn(paged[id] + step);
      onchange();
    });
  const previous = turner("previous", -1), next = turner("next", 1);
  const find = element("input", {
    type: "search", id: `find-${id}`, value: found[id] ?? "", placeholder: "find in the table",
    ariaLabel: `Find in the table ${label}`,
    oninput: () => {
      found[id] = find.value;
      list(1);
      onchange();
    },
  });

  // Sort and filter the rows, then show a page of them.
  function list(page) {
    const [name, order] = sorted[id] ?? [], i = columns.indexOf(name);
    heads.forEach((head, j) => {
      head.ariaSort = i === j ? (order === "down" ? "descending" : "ascending") : "none";
    });
    listed = large ? withWords(rows, found[id] ?? "") : rows;
    if (i >= 0) listed = [...listed].sort((a, b) => compare(valueOf(a[i]), valueOf(b[i]), order === "down"));
    turn(page);
  }

  function turn(page) {
    const last = Math.max(1, Math.ceil(listed.length / PAGE_ROWS));
    paged[id] = Math.min(Math.max(page, 1), last);
    const first = PAGE_ROWS * (paged[id] - 1), onPage = listed.slice(first, first + PAGE_ROWS);
    body.replaceChildren(...onPage.map(row => element("tr", {}, ...filled.map(i => cellOf(row[i], columns[i])))));
    // A disabled button would lose the focus.
    previous.ariaDisabled = String(first === 0);
    next.ariaDisabled = String(paged[id] === last);
    count.textContent = onPage.length === listed.length
      ? counted(listed.length, "row")
      : `rows ${first + 1} to ${first + onPage.length} of ${listed.length}`;
  }

  list(paged[id] ?? 1);
  const saves = saver("csv", id, `the table ${label}`, () => csvOf(columns, listed));
  const search = element("div", { className: "tools" }, count, ...(large ? [previous, next, find] : []), saves);
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...filled.map(i => heads[i]))), body);
  const region = { className: "scroll", tabIndex: 0, role: "region", ariaLabel: `Table: ${label}` };
  return element("div", { className: "table", id: `table-${id}` }, search, element("div", region, table));
}

// The rows that have each of some words in one of their cells.
function withWords(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return rows;
  return rows.filter(row => {
    const cells = row.map(cell => shown(valueOf(cell)).toLowerCase());
    return words.every(word => cells.some(cell => cell.includes(word)));
  });
}

// ---- Figures and charts. Both keep a white ground, so that a saved svg looks as it did here.

// What is shown under its tools: a head, and the button that saves what `text` makes.
function framed(head, name, label, text, ...shown) {
  return element("figure", {}, element("div", { className: "tools" }, head, saver("svg", name, label, text)), ...shown);
}

const textOf = svg => () => new XMLSerializer().serializeToString(svg);

// Images by name. They are loaded before they are shown, since a print does not wait for them.
const images = new Map();

function imageOf(svg, title, name) {
  const src = () => URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  if (!images.has(name)) images.set(name, element("img", { src: src(), alt: `Figure: ${title}` }));
  return images.get(name);
}

function picture(svg, title, name) {
  const head = element("span", { textContent: "Figure" });
  return framed(head, name, `the figure ${title}`, () => svg, imageOf(svg, title, name));
}

// About five round numbers within a range.
function roundTicks(from, to) {
  const power = 10 ** Math.floor(Math.log10((to - from) / 5));
  const step = power * [1, 2, 2.5, 5, 10].find(s => s * power >= (to - from) / 5);
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(6));
}

const INK = "#1b1b1b", GRID = "#dddddd", LETTER = 6.6;

function scale(from, to, low, high) {
  return value => low + ((value - from) / (to - from || 1)) * (high - low);
}

const words = (x, y, text, anchor = "start") =>
  drawn("text", { x, y, "font-size": 12, fill: INK, "text-anchor": anchor }, text);

function described(row, at) {
  const interval = row[at.ci_low] === null ? "" : ` [${shown(row[at.ci_low])}, ${shown(row[at.ci_high])}]`;
  const published = row[at.published] === null ? "" : `, published ${shown(row[at.published])}`;
  const params = row[at.params] ? `, ${row[at.params]}` : "";
  return `${row[at.method]}, ${row[at.setting]}: ${shown(row[at.mean])}${interval}${published}${params}`;
}

function mark(x, y, colour, title, hollow = false) {
  const fill = hollow ? "#ffffff" : colour;
  return drawn("circle", { cx: x, cy: y, r: 4, fill, stroke: colour, "stroke-width": 1.2 }, drawn("title", {}, title));
}

function canvas(width, height, title) {
  const svg = drawn("svg", {
    class: "chart", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": `Chart: ${title}. The table below has its numbers.`,
    "font-family": "system-ui, sans-serif",
  });
  svg.append(drawn("rect", { width, height, fill: "#ffffff" }), words(10, 16, title));
  return svg;
}

// The means of a ranking below each other, with their intervals.
function dotChart(rows, title, width, { data, at, certain }) {
  const longest = Math.max(...rows.map(row => row[at.method].length));
  const left = Math.min(LETTER * longest + 20, width * 0.5), right = width - 20;
  const top = 26, bottom = top + 18 * rows.length + 10;
  const most = Math.floor((left - 14) / LETTER);
  const values = rows
    .flatMap(row => [row[at.mean], row[at.published], ...(certain(row) ? [row[at.ci_low], row[at.ci_high]] : [])])
    .filter(v => v !== null);
  const low = Math.min(...values), high = Math.max(...values), pad = (high - low) * 0.05 || 1;
  const along = scale(low - pad, high + pad, left, right), svg = canvas(width, bottom + 34, title);
  for (const t of roundTicks(low - pad, high + pad))
    svg.append(
      drawn("line", { y1: top, y2: bottom, x1: along(t), x2: along(t), stroke: GRID }),
      words(along(t), bottom + 18, shown(t), "middle"),
    );
  rows.forEach((row, i) => {
    const y = top + 14 + 18 * i, text = row[at.method], colour = data.colours[text] || "#333333";
    svg.append(words(left - 8, y + 4, text.length > most ? `${text.slice(0, most - 1)}…` : text, "end"));
    if (certain(row)) {
      const x = { x1: along(row[at.ci_low]), x2: along(row[at.ci_high]) };
      svg.append(drawn("line", { ...x, y1: y, y2: y, stroke: "#666666" }));
    }
    if (row[at.published] !== null) svg.append(mark(along(row[at.published]), y, colour, described(row, at), true));
    svg.append(mark(along(row[at.mean]), y, colour, described(row, at)));
  });
  return svg;
}
