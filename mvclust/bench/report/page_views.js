// What the sections hold: the best method, experiments, published numbers and failures.

// ---- Best method.

// Comparisons of methods: one for each experiment, data set, rate, number of views and view.
function comparisons() {
  const compared = [];
  for (const experiment of data.experiments) {
    if (!fits("paper", experiment.paper)) continue;
    const tuned = experiment.rows.filter(
      row =>
        row[at.tuning] !== FIXED &&
        !data.controls.includes(row[at.method]) &&
        fits("dataset", row[at.dataset]) &&
        fits("rate", rateOf(row)),
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
  const order = rows
    .filter(row => row[at.mean] !== null)
    .sort((a, b) => signOf(a) * (b[at.mean] - a[at.mean]));
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
    const ours = range(name),
      declared = range(`${name}_declared`);
    return `${text(ours)}${ours.join() === declared.join() ? "" : ` of ${text(declared)}`} ${declared[1] === 1 ? one : several}`;
  };
  const masks = ["complete", "natural"].includes(rows[0][at.protocol]) ? ["start", "starts"] : ["mask", "masks"];
  return [
    part("n_samples", "sample", "samples"),
    part("repetitions", ...masks),
    part("grid_points", "grid point", "grid points"),
  ].join("; ");
}

const placeOf = ({ rows, lost }) => {
  const row = rows[0] ?? lost[0];
  return [row[at.dataset], rateOf(row), row[at.view] === null ? "" : `view ${row[at.view]}`].filter(Boolean).join(", ");
};

function buildBest() {
  const compared = comparisons();
  if (!compared.length) return [paragraph("No comparison of methods fits these filters.")];
  return compared.length > FAR_APART ? winners(compared) : compared.flatMap(ranking);
}

function winners(compared) {
  const won = compared.filter(one => one.rows.length),
    views = won.some(one => one.rows[0][at.view] !== null);
  const list = won.map(one => {
    const [best, second] = one.rows,
      pick = () => choose({ dataset: best[at.dataset], rate: rateOf(best), paper: "" });
    const percent = value =>
      value === null || one.experiment.unit === "percent" ? value : +(100 * value).toPrecision(5);
    return [
      { text: best[at.dataset], go: pick },
      rateOf(best),
      ...(views ? [best[at.view]] : []),
      best[at.method],
      ...[at.mean, at.ci_low, at.ci_high].map(i => percent(best[i])),
      second?.[at.method] ?? null,
      percent(second?.[at.mean] ?? null),
      one.rows.length,
      one.metric,
      one.tuning,
      best[at.n_samples],
      best[at.repetitions],
      best[at.grid_points],
      { text: one.experiment.id, go: () => go(one.experiment.id) },
    ];
  });
  const columns = [
    "data",
    "rate",
    ...(views ? ["view"] : []),
    "best",
    "mean (%)",
    "95 % low",
    "95 % high",
    "second",
    "its mean (%)",
    "methods",
    "metric",
    "tuning",
    "n",
    "masks",
    "grid points",
    "experiment",
  ];
  const methods = groupBy(
    won.flatMap(one => one.rows.map(row => ({ row, best: one.rows[0] }))),
    ({ row }) => row[at.method],
  );
  const shares = [...methods]
    .map(([method, group]) => {
      const first = group.filter(({ row, best }) => row[at.mean] === best[at.mean]).length;
      return [
        method,
        first,
        group.some(({ row }) => certain(row)) ? group.filter(({ row, best }) => reaches(row, best)).length : null,
        group.length,
        +((100 * first) / group.length).toFixed(1),
      ];
    })
    .sort((a, b) => b[1] - a[1] || b[2] - a[2]);
  return [
    paragraph(
      `${counted(won.length, "comparison")}. Choose data and a rate above, or a data set in this table, for the whole ranking. Unless you choose otherwise, methods are tuned without labels where the run has that, and compared by accuracy.`,
    ),
    makeTable("winners", "best method by data set and rate", columns, list, tools),
    paragraph(
      "How often each method is best. Reaches: its 95 % interval reaches the best mean. Experiments differ in the methods that they compare.",
    ),
    makeTable(
      "shares",
      "how often each method is best",
      ["method", "best in", "reaches", "compared in", "best in (%)"],
      shares.filter(row => fits("method", row[0])),
      tools,
    ),
  ];
}

function ranking(one) {
  const { experiment, metric, tuning, rows, lost, all } = one,
    best = rows[0],
    unit = experiment.unit === "percent" ? " (%)" : "";
  const id = slug(`ranking-${experiment.id}-${placeOf(one)}-${(best ?? lost[0])[at.n_views]}`),
    title = `${placeOf(one)}: ${metric}${unit}, tuning: ${tuning}`;
  const others = state.filters.tuning ? [] : TUNINGS.filter(t => t !== tuning && all.some(row => row[at.tuning] === t));
  const other = (row, name) =>
    all.find(r => r[at.tuning] === name && r[at.method] === row[at.method])?.[
      at.mean
    ] ?? null;
  const withPrint = printed && rows.some(row => row[at.published] !== null);
  const columns = [
    "rank",
    "method",
    "mean",
    "95 % low",
    "95 % high",
    "reaches the best",
    "masks",
    ...others.map(name => `mean, ${name}`),
    ...(withPrint ? ["published"] : []),
    "parameters",
  ];
  const lines = rows.map((row, i) => [
    i + 1,
    row[at.method],
    row[at.mean],
    row[at.ci_low],
    row[at.ci_high],
    i ? { true: "yes", false: "no", null: null }[reaches(row, best)] : "best",
    row[at.n_runs],
    ...others.map(name => other(row, name)),
    ...(withPrint ? [row[at.published]] : []),
    row[at.params],
  ]);
  const shownRows = rows.filter(row => fits("method", row[at.method]));
  const answer = best
    ? `Best: ${best[at.method]}, ${shown(best[at.mean])}${certain(best) ? ` [${shown(best[at.ci_low])}, ${shown(best[at.ci_high])}]` : ""}, of ${rows.length} methods. `
    : "No method has a result here. ";
  const also = best
    ? rows
        .slice(1)
        .filter(row => reaches(row, best))
        .map(row => row[at.method])
    : [];
  return [
    element("h3", { textContent: title }),
    element(
      "p",
      { className: "answer" },
      answer +
        (also.length
          ? `Not clearly behind, since their intervals reach the best mean: ${also.join(", ")}. `
          : best && !certain(best)
            ? "Too few masks for intervals: the order may be chance. "
            : ""),
      "Experiment: ",
      element("button", {
        type: "button",
        className: "link",
        textContent: experiment.title,
        onclick: () => go(experiment.id),
      }),
      `; ${scopeOf([...rows, ...lost])}.`,
    ),
    ...(shownRows.length ? [rankingChart(id, title, shownRows)] : []),
    makeTable(
      id,
      title,
      columns,
      lines.filter(line => fits("method", line[1])),
      tools,
    ),
    ...(lost.length
      ? [
          paragraph(
            `Without a result: ${lost.map(row => `${row[at.method]} (${row[at.note] || "no reason given"})`).join("; ")}.`,
          ),
        ]
      : []),
  ];
}

function rankingChart(id, title, rows) {
  const svg = dotChart(rows, title, tools.width(), tools);
  const head = element("span", { textContent: "Chart: means and 95 % intervals" });
  return framed(head, id, `the chart ${title}`, textOf(svg), svg);
}

// ---- Experiments, published numbers, failures, and the other tables.

function buildExperiment(experiment) {
  const { id, rows } = experiment,
    shownRows = kept(rows);
  return [
    ...(experiment.claim ? [paragraph(`The paper: ${experiment.claim}`)] : []),
    ...(experiment.finding ? [paragraph(`Here: ${experiment.finding}`)] : []),
    paragraph(
      `${experiment.caption} ${experiment.scope} ${experiment.cut} Files: tables/${id}.csv, .md, .tex; figures/${id}.svg, .pdf, .png${experiment.extended ? `; all methods and tunings: ${id}_extended` : ""}. Data from: ${experiment.source || "nowhere"}.`,
      "caption",
    ),
    ...(experiment.figure ? [picture(experiment.figure, experiment.title, id)] : []),
    ...(rows.length
      ? [
          makeTable(
            id,
            experiment.title,
            data.shown,
            shownRows.map(row => data.shown.map(name => row[at[name]])),
            tools,
          ),
        ]
      : []),
  ];
}

function buildPlain(table) {
  return [makeTable(table.id, table.title, table.columns, matching(table), tools)];
}

// The ledger: how many claims have which verdict, the figure, and a row for each.
function buildClaims(table) {
  const rows = matching(table),
    column = name => table.columns.indexOf(name);
  const verdicts = [...groupBy(rows, row => row[column("verdict")])]
    .map(([verdict, group]) => `${group.length} ${verdict}`)
    .join(", ");
  const linked = (value, i) =>
    table.columns[i] === "experiment" && sections.has(value) ? { text: value, go: () => go(value) } : value;
  const figure = data.figures[table.title];
  return [
    paragraph(
      `${counted(rows.length, "claim")}${verdicts ? `: ${verdicts}` : ""}. The verdict comes from our runs, with 95 % intervals paired by mask; in_print says what the papers' own numbers say by the same comparisons.`,
    ),
    ...(figure ? [picture(figure, table.title, "claims")] : []),
    makeTable(
      table.id,
      table.title,
      table.columns,
      rows.map(row => row.map(linked)),
      tools,
    ),
  ];
}

// Every published number.
function buildPublished(table) {
  const first = [
    "paper",
    "item",
    "dataset",
    "setting",
    "method",
    "metric",
    "published",
    "reproduced",
    "difference",
    "verdict",
  ];
  const recordsOf = ({ columns, rows }) =>
    rows.map(row => Object.fromEntries(columns.map((name, i) => [name, row[i]])));
  const records = recordsOf({ columns: table.columns, rows: matching(table) }).map(record => ({
    ...record,
    experiment: sections.has(record.experiment)
      ? { text: record.experiment, go: () => go(record.experiment) }
      : record.experiment,
  }));
  const columns = unique([...first, ...table.columns]);
  const verdicts = [...groupBy(records, record => record.verdict)]
    .map(([verdict, group]) => `${group.length} ${verdict}`)
    .join(", ");
  return [
    paragraph(
      `Percent points; ours with oracle tuning, as the papers tune. ${verdicts ? `Of ${records.length} numbers: ${verdicts}.` : ""}`,
    ),
    makeTable(
      table.id,
      table.title,
      columns,
      records.map(record => columns.map(name => record[name])),
      tools,
    ),
  ];
}

// Results with a reason: those without a number, and those that lack some of their fits.
function lostResults() {
  const rows = data.experiments.flatMap(e =>
    fits("paper", e.paper)
      ? kept(e.rows)
          .filter(row => row[at.note] || row[at.mean] === null)
          .map(row => [e.id, row])
      : [],
  );
  const groups = groupBy(rows, ([id, row]) =>
    [id, row[at.dataset], rateOf(row), row[at.method], row[at.note]].join("\n"),
  );
  return [...groups.values()].map(group => {
    const [id, row] = group[0];
    return [
      row[at.dataset],
      rateOf(row),
      row[at.method],
      row[at.note] || "no reason given",
      group.length,
      group.filter(([, r]) => r[at.mean] === null).length,
      { text: id, go: () => go(id) },
    ];
  });
}

// Experiments that this run declares and that have no number: a job that failed leaves them so.
const lostExperiments = () =>
  data.experiments.filter(
    e => e.render !== "partitions" && fits("paper", e.paper) && !e.rows.some(row => row[at.mean] !== null),
  );

function buildFailures() {
  const table = tableOf("failures"),
    lost = lostResults(),
    experiments = lostExperiments(),
    jobs = tableOf("jobs");
  const parts = [];
  if (jobs)
    parts.push(
      element("h3", { textContent: "Jobs that failed" }),
      makeTable("jobs", jobs.title, jobs.columns, jobs.rows, tools),
    );
  if (experiments.length) {
    parts.push(
      element("h3", { textContent: "Experiments without a result" }),
      element(
        "ul",
        {},
        ...experiments.map(e =>
          element(
            "li",
            {},
            `${e.id}: ${e.scope || "no results: one of its jobs did not finish."}`,
          ),
        ),
      ),
    );
  }
  parts.push(
    element("h3", { textContent: "Results without a number, or with failed fits" }),
    lost.length
      ? makeTable(
          "lost",
          "results without a number",
          ["data", "rate", "method", "why", "results", "without a number", "experiment"],
          lost,
          tools,
        )
      : paragraph("None with these filters."),
  );
  if (table) {
    const rows = matching(table),
      column = name => table.columns.indexOf(name);
    const reasons = [...groupBy(rows, row => `${row[column("error")]}\n${row[column("method")]}`).values()]
      .map(group => [group[0][column("error")], group[0][column("method")], group.length])
      .sort((a, b) => b[2] - a[2]);
    if (rows.length)
      parts.push(
        element("h3", { textContent: "Failed fits by reason" }),
        makeTable("reasons", "failed fits by reason", ["error", "method", "fits"], reasons, tools),
      );
    parts.push(
      element("h3", { textContent: "Every failed fit" }),
      paragraph(
        "The filters of data, rate and method act here. A fit may serve several tunings and all metrics.",
        "caption",
      ),
    );
    parts.push(
      rows.length
        ? makeTable("failures", table.title, table.columns, rows, tools)
        : paragraph("None with these filters."),
    );
  }
  return parts;
}
