"""The report: one self-contained HTML page."""

import base64
import math
import re
from pathlib import Path

import jinja2

from mvclust.datasets.files import completed


def write_page(path, *, plan, results, figures, statistics, manifest, runs):
    """Write the report page.

    Parameters
    ----------
    path : path
    plan : Plan
    results : dict, experiment id -> DataFrame
    figures : dict, experiment id -> path of the svg
    statistics : dict, id of a table of data sets -> DataFrame of texts
    manifest : dict
    runs : DataFrame
    """
    template = (Path(__file__).parent / "page.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    sections = [
        {
            "id": name,
            "title": experiment["title"],
            "caption": experiment.get("caption", ""),
            "unit": "percent" if experiment["unit"] == "percent" else "0 to 1",
            "figure": base64.b64encode(Path(figures[name]).read_bytes()).decode(),
            "width": _width_in_pixels(figures[name]),
            "source": "; ".join(sorted(set(results[name]["source"]) - {""})) or "nowhere",
            "rows": [_shown(row, experiment) for row in results[name].to_dict("records")],
            "tunings": list(dict.fromkeys(results[name]["tuning"])),
            "has_published": bool(results[name]["published"].notna().any()),
        }
        for name, experiment in plan.experiments.items()
    ]
    failed = runs.loc[runs["error"].notna(), ["method", "setting", "repetition", "params", "error"]]
    html = environment.from_string(template).render(
        sections=sections,
        statistics=[
            {"id": name, "title": plan.statistics[name]["title"], "table": table}
            for name, table in statistics.items()
        ],
        manifest=manifest,
        failures=failed.to_dict("records"),
        warnings=_count_warnings(runs),
    )
    with completed(path) as unfinished:
        unfinished.write_text(html, encoding="utf-8")


def _shown(row, experiment):
    """One row of a result table with its numbers as texts."""
    digits = 2 if experiment["unit"] == "percent" else 4
    numbers = ("mean", "std", "ci_low", "ci_high", "published", "difference")
    texts = {name: "" if math.isnan(row[name]) else f"{row[name]:.{digits}f}" for name in numbers}
    return row | texts


def _width_in_pixels(svg):
    """Shown width of a figure: half as large again as on paper."""
    (points,) = re.search(r'<svg [^>]*?width="([\d.]+)pt"', Path(svg).read_text()).groups()
    return round(float(points) * 96 / 72 * 1.4)


def _count_warnings(runs):
    """(method, warning, number of fits) triples, most frequent first."""
    exploded = runs.explode("warnings").dropna(subset="warnings")
    counts = exploded.groupby(["method", "warnings"]).size().sort_values(ascending=False)
    return [(method, text, int(n)) for (method, text), n in counts.items()]
