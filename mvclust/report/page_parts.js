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

const paragraph = (text, className = "") => element("p", { textContent: text, className });
const slug = text => String(text).replace(/[^\w.-]+/g, "_");
const counted = (number, name) => `${number} ${name}${number === 1 ? "" : "s"}`;
const unique = list => [...new Set(list)];

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) {
    const name = key(item);
    if (groups.has(name)) groups.get(name).push(item);
    else groups.set(name, [item]);
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
  return element("button", {
    type: "button",
    className: `save ${kind}`,
    textContent: kind,
    ariaLabel: `Save ${label} as ${kind}`,
    onclick,
  });
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

function cellOf(cell) {
  const value = valueOf(cell),
    text = shown(value);
  const td = element("td", { className: typeof value === "number" ? "n" : text.length > 40 ? "long" : "" });
  if (cell?.go)
    td.append(element("button", { type: "button", className: "link", textContent: text, onclick: cell.go }));
  else td.textContent = text;
  return td;
}

// `sorted` holds the sort of every table by its id, so that it outlives a change of the filters.
function makeTable(id, label, columns, rows, { sorted, onsort }) {
  if (!rows.length) return paragraph("Nothing to list with these filters.");
  const body = element("tbody"),
    numeric = columns.map((_, i) => rows.some(row => typeof valueOf(row[i]) === "number"));
  const inOrder = () => {
    const [name, order] = sorted[id] ?? [],
      i = columns.indexOf(name);
    return i < 0 ? rows : [...rows].sort((a, b) => compare(valueOf(a[i]), valueOf(b[i]), order === "down"));
  };
  const heads = columns.map((name, i) =>
    element(
      "th",
      { scope: "col", className: numeric[i] ? "n" : "" },
      element("button", {
        type: "button",
        textContent: name,
        onclick: () => {
          const [before, order] = sorted[id] ?? [];
          sorted[id] = [name, before === name && order === "down" ? "up" : "down"];
          fill();
          onsort();
        },
      }),
    ),
  );
  heads.forEach((head, i) => {
    head.dataset.name = columns[i];
  }); // for print, which does not repeat buttons
  const fill = () => {
    const [name, order] = sorted[id] ?? [];
    heads.forEach((head, i) => {
      head.ariaSort = columns[i] === name ? (order === "down" ? "descending" : "ascending") : "none";
    });
    body.replaceChildren(...inOrder().map(row => element("tr", {}, ...row.map(cellOf))));
  };
  fill();
  return element(
    "div",
    { className: "table", id: `table-${id}` },
    element(
      "div",
      { className: "tools" },
      element("span", { textContent: counted(rows.length, "row") }),
      saver("csv", id, `the table ${label}`, () => csvOf(columns, inOrder())),
    ),
    element(
      "div",
      { className: "scroll", tabIndex: 0, role: "region", ariaLabel: `Table: ${label}` },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body),
    ),
  );
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
  if (!images.has(name))
    images.set(
      name,
      element("img", { src: URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })), alt: `Figure: ${title}` }),
    );
  return images.get(name);
}

function picture(svg, title, name) {
  const head = element("span", { textContent: "Figure" });
  return framed(head, name, `the figure ${title}`, () => svg, imageOf(svg, title, name));
}

// About five round numbers within a range.
function roundTicks(from, to) {
  const power = 10 ** Math.floor(Math.log10((to - from) / 5));
  const step = power * [1, 2, 2.5, 5, 10].find(s => s * power >= (to - from) / 5),
    first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, i) => +((first + i) * step).toPrecision(6));
}

const INK = "#1b1b1b",
  GRID = "#dddddd",
  PALE = "#d2d2d2",
  LETTER = 6.6,
  LINE = 17;
const MOST_COLOURED = 8; // curves in colour where the reader has picked none
const MOST_BARS = 4; // curves with intervals; more would hide each other

function scale(from, to, low, high) {
  return value => low + ((value - from) / (to - from || 1)) * (high - low);
}

const words = (x, y, text, anchor = "start") =>
  drawn("text", { x, y, "font-size": 12, fill: INK, "text-anchor": anchor }, text);

function told(row, at) {
  const interval = row[at.ci_low] === null ? "" : ` [${shown(row[at.ci_low])}, ${shown(row[at.ci_high])}]`;
  const published = row[at.published] === null ? "" : `, published ${shown(row[at.published])}`;
  return `${row[at.method]}, ${row[at.setting]}: ${shown(row[at.mean])}${interval}${published}${row[at.params] ? `, ${row[at.params]}` : ""}`;
}

// The mark of a result: its shape separates methods that share a colour.
function mark(x, y, look, title, hollow = false) {
  const paint = { fill: hollow ? "#ffffff" : look.colour, stroke: look.colour, "stroke-width": 1.2 };
  const label = drawn("title", {}, title);
  if (look.shape === 1) return drawn("rect", { x: x - 3.5, y: y - 3.5, width: 7, height: 7, ...paint }, label);
  if (look.shape === 2) return drawn("path", { d: `M${x},${y - 5}l5,9h-10z`, ...paint }, label);
  if (look.shape > 2) return drawn("path", { d: `M${x},${y - 5}l5,5l-5,5l-5,-5z`, ...paint }, label);
  return drawn("circle", { cx: x, cy: y, r: 4, ...paint }, label);
}

function canvas(width, height, title) {
  const svg = drawn("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `Chart: ${title}. The table below has its numbers.`,
    "font-family": "system-ui, sans-serif",
  });
  svg.append(drawn("rect", { width, height, fill: "#ffffff" }), words(10, 16, title));
  return svg;
}

// Colours and shapes of curves; those that are not picked are pale.
function looksOf(curves, data, picked) {
  const coloured = curves.filter(curve => !picked.size || picked.has(curve.method));
  const best = [...coloured]
    .sort((a, b) => b.height - a.height)
    .slice(0, picked.size ? coloured.length : MOST_COLOURED);
  const used = {};
  return new Map(
    curves.map(curve => {
      if (!best.includes(curve)) return [curve.name, { colour: PALE, shape: 0, pale: true }];
      const colour = data.colours[curve.method] || "#333333";
      used[colour] = (used[colour] ?? -1) + 1;
      return [curve.name, { colour, shape: used[colour], pale: false }];
    }),
  );
}

function curveChart(rows, title, width, { data, at, picked, certain }) {
  const curves = [...groupBy(rows, row => row[at.curve])].map(([name, own]) => ({
    name,
    own,
    method: own[0][at.method],
    height: own.reduce((sum, row) => sum + row[at.mean], 0) / own.length,
  }));
  const looks = looksOf(curves, data, picked),
    coloured = curves.filter(curve => !looks.get(curve.name).pale);
  const bars = coloured.length <= MOST_BARS,
    wide = width >= 600;
  const longest = Math.max(...coloured.map(curve => curve.name.length), 4);
  const left = 56,
    right = width - (wide ? Math.min(300, 40 + LETTER * longest) : 16),
    top = 28;
  const bottom = Math.max(wide ? 330 : 290, wide ? top + LINE * coloured.length : 0);
  const height = bottom + 30 + (wide ? 0 : LINE * coloured.length + 8);
  const values = rows
    .flatMap(row => [
      row[at.mean],
      row[at.published],
      ...(bars && certain(row) ? [row[at.ci_low], row[at.ci_high]] : []),
    ])
    .filter(v => v !== null);
  const low = Math.min(...values),
    high = Math.max(...values),
    pad = (high - low) * 0.05 || 1;
  const up = scale(low - pad, high + pad, bottom, top);
  const xs = rows.map(row => row[at.x]).filter(x => x !== null),
    a = Math.min(...xs),
    b = Math.max(...xs);
  const log = a > 0 && b / a >= 100,
    place = log ? Math.log : x => x;
  const across = x => scale(place(a), place(b), left + 8, right - 8)(place(x));
  const svg = canvas(width, height, title);
  for (const t of roundTicks(low - pad, high + pad))
    svg.append(
      drawn("line", { x1: left, x2: right, y1: up(t), y2: up(t), stroke: GRID }),
      words(left - 6, up(t) + 4, shown(t), "end"),
    );
  let last = -Infinity;
  for (const x of unique(xs).sort((p, q) => p - q)) {
    if (across(x) - last < 34) continue; // no room for its number
    last = across(x);
    svg.append(words(last, bottom + 18, shown(x), "middle"));
  }
  for (const pale of [true, false])
    for (const { name, own } of curves.filter(curve => looks.get(curve.name).pale === pale)) {
      const look = looks.get(name),
        placed = own.filter(row => row[at.x] !== null).sort((p, q) => p[at.x] - q[at.x]);
      // What has no place on the axis is a level line.
      for (const row of own.filter(row => row[at.x] === null))
        svg.append(
          drawn(
            "line",
            {
              x1: left,
              x2: right,
              y1: up(row[at.mean]),
              y2: up(row[at.mean]),
              stroke: look.colour,
              "stroke-dasharray": "5 4",
            },
            drawn("title", {}, told(row, at)),
          ),
        );
      svg.append(
        drawn(
          "polyline",
          {
            points: placed.map(row => `${across(row[at.x])},${up(row[at.mean])}`).join(" "),
            fill: "none",
            stroke: look.colour,
            "stroke-width": pale ? 1 : 1.8,
          },
          drawn("title", {}, name),
        ),
      );
      for (const row of pale ? [] : placed) {
        if (bars && certain(row))
          svg.append(
            drawn("line", {
              x1: across(row[at.x]),
              x2: across(row[at.x]),
              y1: up(row[at.ci_low]),
              y2: up(row[at.ci_high]),
              stroke: look.colour,
              "stroke-opacity": 0.6,
            }),
          );
        if (row[at.published] !== null)
          svg.append(mark(across(row[at.x]), up(row[at.published]), look, told(row, at), true));
        svg.append(mark(across(row[at.x]), up(row[at.mean]), look, told(row, at)));
      }
    }
  coloured.forEach(({ name }, i) => {
    const [x, y] = wide ? [right + 16, top + LINE * i] : [left, bottom + 38 + LINE * i];
    svg.append(mark(x, y, looks.get(name), name), words(x + 10, y + 4, name));
  });
  return { svg, looks };
}

// Dots below each other, with their intervals: for a ranking, and where results have no axis.
function dotChart(rows, title, width, { data, at, picked, certain }) {
  const several = unique(rows.map(row => row[at.setting])).length > 1;
  const label = row => (row[at.line] || row[at.method]) + (several ? `, ${row[at.setting]}` : "");
  const longest = Math.max(...rows.map(row => label(row).length));
  const left = Math.min(LETTER * longest + 20, width * 0.5),
    right = width - 20,
    top = 26,
    bottom = top + 18 * rows.length + 10;
  const most = Math.floor((left - 14) / LETTER);
  const values = rows
    .flatMap(row => [row[at.mean], row[at.published], ...(certain(row) ? [row[at.ci_low], row[at.ci_high]] : [])])
    .filter(v => v !== null);
  const low = Math.min(...values),
    high = Math.max(...values),
    pad = (high - low) * 0.05 || 1;
  const along = scale(low - pad, high + pad, left, right),
    svg = canvas(width, bottom + 34, title);
  for (const t of roundTicks(low - pad, high + pad))
    svg.append(
      drawn("line", { y1: top, y2: bottom, x1: along(t), x2: along(t), stroke: GRID }),
      words(along(t), bottom + 18, shown(t), "middle"),
    );
  rows.forEach((row, i) => {
    const y = top + 14 + 18 * i,
      text = label(row),
      pale = picked.size > 0 && !picked.has(row[at.method]);
    const look = { colour: pale ? PALE : data.colours[row[at.method]] || "#333333", shape: 0 };
    svg.append(words(left - 8, y + 4, text.length > most ? `${text.slice(0, most - 1)}…` : text, "end"));
    if (certain(row))
      svg.append(
        drawn("line", {
          x1: along(row[at.ci_low]),
          x2: along(row[at.ci_high]),
          y1: y,
          y2: y,
          stroke: pale ? PALE : "#666666",
        }),
      );
    if (row[at.published] !== null) svg.append(mark(along(row[at.published]), y, look, told(row, at), true));
    svg.append(mark(along(row[at.mean]), y, look, told(row, at)));
  });
  return { svg, looks: new Map() };
}

// The charts that some rows allow: one for each metric, tuning, and panel (or data set).
function casesOf(rows, unit, at) {
  const cases = [];
  for (const tuned of groupBy(
    rows.filter(row => row[at.mean] !== null),
    row => `${row[at.metric]}\n${row[at.tuning]}`,
  ).values()) {
    const panel = tuned.filter(row => row[at.panel] === tuned[0][at.panel] && row[at.x] !== null);
    const curves = unique(panel.map(row => row[at.x])).length > 1;
    for (const own of groupBy(tuned, row => row[at[curves ? "panel" : "dataset"]]).values()) {
      const first = own[0],
        view = first[at.view] === null || !curves ? "" : `, view ${first[at.view]}`;
      const title = `${first[at.dataset]}${view}, ${first[at.metric]}${unit === "percent" ? " (%)" : ""}, tuning: ${first[at.tuning]}`;
      cases.push({ title, rows: own, curves });
    }
  }
  const again = {};
  return cases.map(one => {
    again[one.title] = (again[one.title] ?? 0) + 1;
    return { ...one, title: again[one.title] > 1 ? `${one.title} (${again[one.title]})` : one.title };
  });
}

// Buttons to pick the methods in colour; the best come first.
function makeLegend(id, rows, looks, { data, at, picked, onpick }) {
  const means = [...groupBy(rows, row => row[at.method])].map(([method, own]) => [
    method,
    own.reduce((sum, row) => sum + row[at.mean], 0) / own.length,
  ]);
  if (means.length < 2) return [];
  const pale = method =>
    picked.size
      ? !picked.has(method)
      : [...looks].some(([name, look]) => look.pale && (name === method || name.startsWith(`${method}, `)));
  const buttons = means
    .sort((a, b) => b[1] - a[1])
    .map(([method]) => {
      const dot = element("span", { className: "dot" });
      if (dot.style) dot.style.background = pale(method) ? PALE : data.colours[method] || "#333333";
      return element(
        "button",
        {
          type: "button",
          id: `pick-${id}-${slug(method)}`,
          className: "pick",
          ariaPressed: String(picked.has(method)),
          onclick: () => onpick(method),
        },
        dot,
        method,
      );
    });
  const none = element("button", {
    type: "button",
    id: `pick-${id}-none`,
    className: "pick",
    textContent: "none picked",
    ariaPressed: String(!picked.size),
    onclick: () => onpick(null),
  });
  return [
    element(
      "div",
      { className: "legend", role: "group", ariaLabel: "Methods in colour; the others are grey" },
      none,
      ...buttons,
    ),
  ];
}

// A chart with its choice of case, its legend and its button.
function makeChart(id, rows, unit, tools) {
  const cases = casesOf(rows, unit, tools.at);
  if (!cases.length) return paragraph("Nothing to draw with these filters.");
  const one = cases.find(c => c.title === tools.charts[id]) ?? cases[0];
  const { svg, looks } = (one.curves ? curveChart : dotChart)(one.rows, one.title, tools.width(), tools);
  const select = element(
    "select",
    { id: `chart-${id}`, onchange: event => tools.onchart(id, event.target.value) },
    ...cases.map(c => element("option", { value: c.title, textContent: c.title, selected: c === one })),
  );
  const head = cases.length > 1 ? element("label", {}, "Chart ", select) : element("span", { textContent: "Chart" });
  const legend = makeLegend(id, one.rows, looks, tools);
  return framed(head, `${id}-${one.title}`, `the chart ${one.title}`, textOf(svg), svg, ...legend);
}
