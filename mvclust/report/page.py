"""The report: one self-contained HTML page that works without a network."""

import base64
import gzip
import json
import math
from pathlib import Path

import jinja2

from mvclust.benchmark.statistics import FEWEST_RUNS
from mvclust.datasets.files import completed
from mvclust.report.published import shares
from mvclust.report.style import look_of

COLUMNS = (
    *("dataset", "setting", "method", "tuning", "metric", "mean", "std", "n_runs", "ci_low"),
    *("ci_high", "published", "difference", "x", "params", "note"),
)


def write_page(
    path, *, plan, results, figures, statistics, comparison, extra_figures, manifest, runs
):
    """Write the report page.

    Parameters
    ----------
    path : path
    plan : Plan
    results : dict, experiment id -> DataFrame
    figures : dict, experiment id -> path of the svg
    statistics : dict, id of a table of data sets -> DataFrame of texts
    comparison : DataFrame, as `mvclust.report.published.compare` makes it
    extra_figures : dict, title -> path of the svg, shown beside the comparison
    manifest : dict
    runs : DataFrame
    """
    folder = Path(__file__).parent
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string((folder / "page.html.j2").read_text(encoding="utf-8"))
    experiments = [
        _experiment(name, experiment, results.get(name), figures[name])
        for name, experiment in (plan.experiments | plan.partitions).items()
    ]
    failed = runs.loc[runs["error"].notna(), ["method", "setting", "repetition", "params", "error"]]
    data = {
        "experiments": experiments,
        "columns": COLUMNS,
        "fewest_runs": FEWEST_RUNS,
        "colours": {name: look["color"] for name, look in look_of(plan.algorithms).items()},
        "tables": [
            *(_table(name, plan.statistics[name]["title"], t) for name, t in statistics.items()),
            _table(
                "by_paper", "Published numbers that hold, by paper", shares(comparison, "paper")
            ),
            _table(
                "by_method", "Published numbers that hold, by method", shares(comparison, "method")
            ),
            _table("published_vs_reproduced", "Every published number", comparison.round(2)),
            _table("failures", f"Failed fits ({len(failed)})", failed),
            _table("warnings", "Warnings", _count_warnings(runs)),
        ],
        "figures": {title: _read(svg) for title, svg in extra_figures.items()},
    }
    html = template.render(
        data=_packed(data),
        manifest=manifest,
        script=(folder / "page.js").read_text(encoding="utf-8"),
    )
    with completed(path) as unfinished:
        unfinished.write_text(html, encoding="utf-8")


def _experiment(name, experiment, table, figure):
    rows = []
    if table is not None:
        rows = [[_plain(row[c]) for c in COLUMNS] for row in table.to_dict("records")]
    return {
        "id": name,
        "paper": experiment["paper"],
        "title": experiment["title"],
        "caption": experiment.get("caption", ""),
        "unit": experiment.get("unit", ""),
        "source": "" if table is None else "; ".join(sorted(set(table["source"]) - {""})),
        "figure": _read(figure),
        "rows": rows,
    }


def _table(name, title, table):
    rows = [[_plain(cell) for cell in row] for row in table.values.tolist()]
    return {"id": name, "title": title, "columns": list(table.columns), "rows": rows}


def _plain(value):
    """A cell as JSON can hold it, numbers short."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.5g}")
    return value


def _read(path):
    return Path(path).read_text(encoding="utf-8")


def _packed(data):
    """The data as the page carries them: JSON, compressed, in base64."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _count_warnings(runs):
    """Method, warning and number of fits, most frequent first."""
    exploded = runs.explode("warnings").dropna(subset="warnings")
    counts = exploded.groupby(["method", "warnings"]).size().sort_values(ascending=False)
    return counts.rename("fits").reset_index()
