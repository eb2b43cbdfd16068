// What the sections hold: the best method, experiments, published numbers and failures.

const heading = text => element("h3", { textContent: text });

// A cell that leads to a section; a plain value without that section.
const leading = id => (sections.has(id) ? { text: id, go: () => go(id) } : id);

// ---- Best method.

// Comparisons of methods: one for each experiment, data set, rate, number of views and view.
function comparisons() {
  const compared = [];
  for (const experiment of data.experiments) {
    if (!fits("paper", experiment.paper)) continue;
    const tuned = experiment.rows.filter(
      row => row[at.tuning] !== FIXED && !data.controls.includes(row[at.method]) &&
        fits("dataset", row[at.dataset]) && fits("rate", rateOf(row)),
    );
    const metrics = unique(tuned.map(row => row[at.metric]));
    const metric = state.filters.metric
      ? metrics.find(m => fits("metric", m))
      : (metrics.find(m => metricKey(m) === "acc") ?? metrics[0]);
    const tuning = state.filters.tuning || TUNINGS.find(t => tuned.some(row => row[at.tuning] === t));
    const groups = groupBy(
      tuned.filter(row => row[at.metric] === metric),
      row => [row[at.dataset], rateOf(row), row[at.n_views], row[at.view]].join("\n"),
    );
    for (const all of groups.values()) {
      const rows = all.filter(row => row[at.tuning] === tuning);
      if (rows.length) compared.push({ experiment, metric, tuning, all, ...ranked(rows) });
    }
  }
  return compared;
}

// 1, or -1 where lower values are better.
const signOf = row => (data.lower.includes(row[at.metric]) ? -1 : 1);

function ranked(rows) {
  const order = rows.filter(row => row[at.mean] !== null);
  order.sort((a, b) => signOf(a) * (b[at.mean] - a[at.mean]));
  return { rows: order, lost: rows.filter(row => row[at.mean] === null) };
}

// Whether the interval of a result reaches the best mean; null without an interval.
function reaches(row, best) {
  if (!certain(row)) return null;
  return signOf(row) > 0 ? row[at.ci_high] >= best[at.mean] : row[at.ci_low] <= best[at.mean];
}

function scopeOf(rows) {
  const range = name => {
    const v = rows.map(row => row[at[name]]).filter(x => x !== null);
    return v.length ? [Math.min(...v), Math.max(...v)] : [0, 0];
  };
  const text = ([low, high]) => (low === high ? `${low}` : `${low} to ${high}`);
  const part = (name, one, several) => {
    const ours = range(name), declared = range(`${name}_declared`);
    const cut = ours.join() === declared.join() ? "" : ` of ${text(declared)}`;
    return `${text(ours)}${cut} ${declared[1] === 1 ? one : several}`;
  };
  const starts = ["complete", "natural"].includes(rows[0][at.protocol]);
  return [
    part("n_samples", "sample", "samples"),
    part("repetitions", ...(starts ? ["start", "starts"] : ["mask", "masks"])),
    part("grid_points", "grid point", "grid points"),
  ].join("; ");
}

const placeOf = ({ rows, lost }) => {
  const row = rows[0] ?? lost[0];
  const view = row[at.view] === null ? "" : `view ${row[at.view]}`;
  return [row[at.dataset], rateOf(row), view].filter(Boolean).join(", ");
};

function buildBest() {
  const compared = comparisons();
  if (!compared.length) return [paragraph("No comparison of methods fits these filters.")];
  return compared.length > FAR_APART ? winners(compared) : compared.flatMap(ranking);
}

function winners(compared) {
  const won = compared.filter(one => one.rows.length);
  const views = won.some(one => one.rows[0][at.view] !== null);
  const list = won.map(one => {
    const [best, second] = one.rows;
    const pick = () => choose({ dataset: best[at.dataset], rate: rateOf(best), paper: "" });
    const percent = value =>
      value === null || one.experiment.unit === "percent" ? value : +(100 * value).toPrecision(5);
    return [
      { text: best[at.dataset], go: pick }, rateOf(best), ...(views ? [best[at.view]] : []),
      leading(one.experiment.id), best[at.method], ...[at.mean, at.ci_low, at.ci_high].map(i => percent(best[i])),
      second?.[at.method] ?? null, percent(second?.[at.mean] ?? null), one.rows.length, one.metric,
      one.tuning, best[at.n_samples], best[at.repetitions], best[at.grid_points],
    ];
  });
  const columns = [
    "data", "rate", ...(views ? ["view"] : []), "experiment", "best", "mean (%)", "95 % low",
    "95 % high", "second", "its mean (%)", "methods", "metric", "tuning", "n", "masks", "grid points",
  ];
  return [
    paragraph(
      `${counted(won.length, "comparison")}. Choose data and a rate above, or a data set in this table, for the whole ranking. Unless you choose otherwise, methods are tuned without labels where the run has that, and compared by accuracy.`,
    ),
    makeTable("winners", "best method by data set and rate", columns, list),
    paragraph(
      "How often each method is best. Reaches: its 95 % interval reaches the best mean. Experiments differ in the methods that they compare.",
    ),
    makeTable(
      "shares", "how often each method is best",
      ["method", "best in", "reaches", "compared in", "best in (%)"],
      sharesOf(won).filter(row => fits("method", row[0])),
    ),
  ];
}

// For each method how often it is best, reaches the best, and is compared.
function sharesOf(won) {
  const pairs = won.flatMap(one => one.rows.map(row => ({ row, best: one.rows[0] })));
  const shares = [...groupBy(pairs, ({ row }) => row[at.method])].map(([method, group]) => {
    const first = group.filter(({ row, best }) => row[at.mean] === best[at.mean]).length;
    const near = group.filter(({ row, best }) => reaches(row, best)).length;
    const known = group.some(({ row }) => certain(row));
    return [method, first, known ? near : null, group.length, +((100 * first) / group.length).toFixed(1)];
  });
  return shares.sort((a, b) => b[1] - a[1] || b[2] - a[2]);
}

function ranking(one) {
  const { experiment, metric, tuning, rows, lost, all } = one;
  const best = rows[0], unit = experiment.unit === "percent" ? " (%)" : "";
  const id = slug(`ranking-${experiment.id}-${placeOf(one)}-${(best ?? lost[0])[at.n_views]}`);
  const title = `${placeOf(one)}: ${metric}${unit}, tuning: ${tuning}`;
  const others = state.filters.tuning ? [] : TUNINGS.filter(t => t !== tuning && all.some(row => row[at.tuning] === t));
  const other = (row, name) =>
    all.find(r => r[at.tuning] === name && r[at.method] === row[at.method])?.[at.mean] ?? null;
  const withPrint = printed && rows.some(row => row[at.published] !== null);
  const columns = [
    "rank", "method", "mean", "95 % low", "95 % high", "reaches the best", "masks",
    ...others.map(name => `mean, ${name}`), ...(withPrint ? ["published"] : []), "parameters",
  ];
  const lines = rows.map((row, i) => [
    i + 1, row[at.method], row[at.mean], row[at.ci_low], row[at.ci_high],
    i ? { true: "yes", false: "no", null: null }[reaches(row, best)] : "best", row[at.n_runs],
    ...others.map(name => other(row, name)), ...(withPrint ? [row[at.published]] : []), row[at.params],
  ]);
  const shownRows = rows.filter(row => fits("method", row[at.method]));
  const without = lost.map(row => `${row[at.method]} (${row[at.note] || "no reason given"})`).join("; ");
  return [
    heading(title),
    element(
      "p", { className: "answer" }, answerOf(rows), "Experiment: ",
      button(experiment.title, () => go(experiment.id), { className: "link" }),
      `; ${scopeOf([...rows, ...lost])}.`,
    ),
    ...(shownRows.length ? [rankingChart(id, title, shownRows)] : []),
    makeTable(id, title, columns, lines.filter(line => fits("method", line[1]))),
    ...(lost.length ? [paragraph(`Without a result: ${without}.`)] : []),
  ];
}

// The best of ranked rows, and which others are not clearly behind.
function answerOf(rows) {
  const best = rows[0];
  if (!best) return "No method has a result here. ";
  const interval = certain(best) ? ` [${shown(best[at.ci_low])}, ${shown(best[at.ci_high])}]` : "";
  const answer = `Best: ${best[at.method]}, ${shown(best[at.mean])}${interval}, of ${rows.length} methods. `;
  const also = rows.slice(1).filter(row => reaches(row, best)).map(row => row[at.method]);
  if (also.length)
    return `${answer}Not clearly behind, since their intervals reach the best mean: ${also.join(", ")}. `;
  return certain(best) ? answer : `${answer}Too few masks for intervals: the order may be chance. `;
}

function rankingChart(id, title, rows) {
  const svg = dotChart(rows, title, tools.width(), tools);
  const head = element("span", { textContent: "Chart: means and 95 % intervals" });
  return framed(head, id, `the chart ${title}`, textOf(svg), svg);
}

// ---- Experiments, published numbers, failures, and the other tables.

function buildExperiment(experiment) {
  const { id, title, rows } = experiment;
  const extended = experiment.extended ? `; all methods and tunings: ${id}_extended` : "";
  const cells = () => kept(rows).map(row => data.shown.map(name => row[at[name]]));
  return [
    ...(experiment.claim ? [paragraph(`The paper: ${experiment.claim}`)] : []),
    ...(experiment.finding ? [paragraph(`Here: ${experiment.finding}`)] : []),
    ...claimsAbout(experiment),
    paragraph(
      `${experiment.caption} ${experiment.scope} ${experiment.cut} Files: tables/${id}.csv, .md, .tex; figures/${id}.svg, .pdf, .png${extended}. mvclust recompute RUN ${id} computes the table from the fits. Data from: ${experiment.source || "nowhere"}.`,
      "caption",
    ),
    ...(experiment.figure ? [picture(experiment.figure, title, id)] : []),
    ...(rows.length ? [makeTable(id, title, data.shown, cells())] : []),
  ];
}

const buildPlain = table => [makeTable(table.id, table.title, table.columns, matching(table))];

// How many rows have each verdict, as text.
const verdictsOf = (rows, column) =>
  [...groupBy(rows, row => row[column])].map(([verdict, group]) => `${group.length} ${verdict}`).join(", ");

// The rows of a table that the filters keep; cells of its column "experiment" lead there.
function linkedRows(table) {
  const linked = (value, i) => (table.columns[i] === "experiment" ? leading(value) : value);
  return matching(table).map(row => row.map(linked));
}

// The claims of the ledger that rest on an experiment, or on one that is named after it.
function claimsAbout(experiment) {
  const ledger = tableOf("claims");
  if (!ledger) return [];
  const [id, verdict, on] = ["id", "verdict", "experiments"].map(name => ledger.columns.indexOf(name));
  const named = name => `${name}_`.startsWith(`${experiment.id}_`);
  const about = ledger.rows.filter(row => row[on].split(" ").some(named));
  if (!about.length) return [];
  const text = about.map(row => `${row[id]} ${row[verdict]}`).join(", ");
  return [element("p", {}, "Claims: ", button(text, () => go("claims"), { className: "link" }))];
}

// The ledger: how many claims have which verdict, the figure, and a row for each, which leads to the
// first of its experiments.
function buildClaims(table) {
  const on = table.columns.indexOf("experiments");
  const rows = matching(table).map(row => row.with(on, leading(row[on].split(" ")[0])));
  const verdicts = verdictsOf(rows, table.columns.indexOf("verdict"));
  const figure = data.figures[table.title];
  return [
    paragraph(
      `${counted(rows.length, "claim")}${verdicts ? `: ${verdicts}` : ""}. The verdict comes from our runs, with 95 % intervals paired by mask; in_print says what the papers' own numbers say by the same comparisons. The file tables/claims.csv has more columns.`,
    ),
    ...(figure ? [picture(figure, table.title, "claims")] : []),
    makeTable(table.id, table.title, table.columns.with(on, "experiment"), rows),
  ];
}

// Every published number.
function buildPublished(table) {
  const first = ["paper", "item", "dataset", "setting", "method", "metric", "published", "reproduced"];
  const columns = unique([...first, "difference", "verdict", ...table.columns]);
  const places = columns.map(name => table.columns.indexOf(name));
  const rows = linkedRows(table), verdicts = verdictsOf(rows, table.columns.indexOf("verdict"));
  return [
    paragraph(
      `Percent points; ours with oracle tuning, as the papers tune. ${verdicts ? `Of ${rows.length} numbers: ${verdicts}.` : ""}`,
    ),
    makeTable(table.id, table.title, columns, rows.map(row => places.map(i => row[i]))),
  ];
}

// Results with a reason: those without a number, and those that lack some of their fits.
function lostResults() {
  const lost = row => row[at.note] || row[at.mean] === null;
  const rows = data.experiments
    .filter(e => fits("paper", e.paper))
    .flatMap(e => kept(e.rows).filter(lost).map(row => [e.id, row]));
  const groups = groupBy(rows, ([id, row]) =>
    [id, row[at.dataset], rateOf(row), row[at.method], row[at.note]].join("\n"),
  );
  return [...groups.values()].map(group => {
    const [id, row] = group[0], empty = group.filter(([, r]) => r[at.mean] === null).length;
    const why = row[at.note] || "no reason given";
    return [row[at.dataset], rateOf(row), row[at.method], why, group.length, empty, leading(id)];
  });
}

// Experiments that this run declares and that have no number: a job that failed leaves them so.
const lostExperiments = () =>
  data.experiments.filter(
    e => e.render !== "partitions" && fits("paper", e.paper) && !e.rows.some(row => row[at.mean] !== null),
  );

function buildFailures() {
  const table = tableOf("failures"), jobs = tableOf("jobs"), lost = lostResults(), parts = [];
  const add = (title, ...nodes) => parts.push(heading(title), ...nodes);
  const orNone = (id, title, columns, rows) =>
    rows.length ? makeTable(id, title, columns, rows) : paragraph("None with these filters.");
  if (jobs) add("Jobs that failed", makeTable("jobs", jobs.title, jobs.columns, jobs.rows));
  const items = lostExperiments().map(e =>
    element("li", {}, `${e.id}: ${e.scope || "no results: one of its jobs did not finish."}`),
  );
  if (items.length) add("Experiments without a result", element("ul", {}, ...items));
  const columns = ["data", "rate", "method", "why", "results", "without a number", "experiment"];
  add("Results without a number, or with failed fits", orNone("lost", "results without a number", columns, lost));
  if (!table) return parts;
  const rows = matching(table), [error, method] = ["error", "method"].map(name => table.columns.indexOf(name));
  const reasons = [...groupBy(rows, row => `${row[error]}\n${row[method]}`).values()]
    .map(group => [group[0][error], group[0][method], group.length])
    .sort((a, b) => b[2] - a[2]);
  if (rows.length)
    add("Failed fits by reason", makeTable("reasons", "failed fits by reason", ["error", "method", "fits"], reasons));
  add(
    "Every failed fit",
    paragraph("The filters of data, rate and method act here. A fit may serve several tunings and all metrics.", "caption"),
    orNone("failures", table.title, table.columns, rows),
  );
  return parts;
}
