"""The report of a run or a paper: one self-contained HTML page that works without a network."""

import base64
import gzip
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from mvclust.bench.claims.published import PRINTED, counts
from mvclust.bench.config.messages import UNAVAILABLE, counted
from mvclust.bench.plan.settings import RATES
from mvclust.bench.record.manifest import make_manifest, write_manifest
from mvclust.bench.report import writing
from mvclust.bench.report.answer import DRAWINGS
from mvclust.bench.report.claims import for_page
from mvclust.bench.report.published import GROUPS, comparison_of
from mvclust.bench.report.style import look_of
from mvclust.bench.report.text import has_results, in_words, no_results_text, scope_text
from mvclust.bench.score.names import cut_text, digits_text, params_text, rate_text, setting_text
from mvclust.bench.score.results import DECLARED, PARAMETER, plain, read_results
from mvclust.bench.score.runs import merge_runs, read_runs
from mvclust.bench.score.significance import FEWEST_RUNS
from mvclust.bench.score.tuning import CRITERIA, ORACLE
from mvclust.datasets.files import completed, sha256_of
from mvclust.metrics import SCORES

# What a row of a result holds; the page's table shows some of it.
COLUMNS = (
    *("dataset", "setting", "protocol", *RATES, "view"),
    *("n_views", "method", "variant", "tuning", "metric", "mean", "std", "n_runs"),
    *("ci_low", "ci_high", "published", "published_std", "difference"),
    *DECLARED,
    *("params", "note"),
)
SHOWN = (
    *("dataset", "setting", "method", "tuning", "metric", "mean", "std", "n_runs", "ci_low"),
    *("ci_high", "published", "difference", "n_samples", "repetitions", "grid_points"),
    *("params", "note"),
)

FIRST = 10  # rows of a table that are shown without JavaScript

SCRIPTS = ("page_parts.js", "page_state.js", "page_views.js", "page.js")  # joined in this order

EXTRA_TABLES = {name: each.title for name, each in writing.TITLES.items() if each.page}
EXTRA_FIGURES = {each.figure: name for name, each in writing.TITLES.items() if each.figure}


def make_page(used: dict) -> None:
    """Make the page of a run or a paper, and the manifest of a run beside it."""
    page, *others = map(Path, used["outputs"])
    manifest = write_run_page(page, used)
    manifest["sha256"][page.name] = sha256_of(page)
    for file in others:
        write_manifest(manifest, file)


def write_run_page(
    page: Path | str, used: dict, lost: pd.DataFrame | None = None, made_by: dict | None = None
) -> dict:
    """Write the page of a run or a paper beside its tables and figures; return its manifest.

    `lost` are failed jobs of an unfinished run, `made_by` is the manifest of a run that is redrawn.
    """
    inputs, page = used["inputs"], Path(page)
    made = set(inputs["products"])
    figures, tables = page.parent / "figures", page.parent / "tables"
    read = {name: read_results(path) for name, path in inputs["results"].items()}
    results = {name: table for name, (table, _) in read.items()}
    runs = merge_runs([read_runs(path) for path in inputs["scores"]])
    manifest = made_by or make_manifest(used, runs, page.parent)
    stated = {use["id"]: use["title"] for use in used["statistics"]} | EXTRA_TABLES
    shown = {each["id"]: each["id"] for each in used["experiments"] + used["partitions"]}
    write_page(
        page,
        used,
        results=results,
        findings={name: finding for name, (_, finding) in read.items()},
        figures=_figures(figures, shown, made),
        statistics={
            name: (title, _read_table(tables / f"{name}.csv"))
            for name, title in stated.items()
            if str(tables / f"{name}.csv") in made
        },
        comparison=comparison_of(used["compared"], results),
        extra_figures=_figures(figures, EXTRA_FIGURES, made),
        manifest=manifest,
        runs=runs,
        lost=lost,
        answer=_read_answer(inputs, figures),
    )
    return manifest


def _read_answer(inputs: dict, figures: Path) -> tuple[dict, dict] | None:
    """Content of answer.json and the paths of its pictures; None without an answer."""
    if "answer" not in inputs:
        return None
    (path,) = inputs["answer"]
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return content, {name: figures / f"answer_{name}.svg" for name in DRAWINGS}


def _figures(folder: Path, names: Mapping[str, str], made: set[str]) -> dict[str, Path]:
    """Paths of the available figures by title."""
    paths = {title: folder / f"{name}.svg" for title, name in names.items()}
    return {title: path for title, path in paths.items() if str(path) in made}


def _read_table(path: Path) -> pd.DataFrame:
    """Table as text; the main columns of the ledger, the failed rows of the checks."""
    if path.stem == "claims":
        return for_page(pd.read_csv(path))
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    if path.stem == "consistency":
        return table[table["holds"] == "False"].drop(columns="holds")
    return table


def write_page(
    path: Path | str,
    used: dict,
    *,
    results: Mapping[str, pd.DataFrame],
    findings: Mapping[str, str],
    figures: Mapping[str, Path | str],
    statistics: Mapping[str, tuple[str, pd.DataFrame]],
    comparison: pd.DataFrame | None,
    extra_figures: Mapping[str, Path | str],
    manifest: dict,
    runs: pd.DataFrame | None,
    lost: pd.DataFrame | None = None,
    answer: tuple[dict, dict] | None = None,
) -> None:
    """Write the page with results and findings by experiment, figures by title."""
    folder, experiments = Path(__file__).parent, used["experiments"] + used["partitions"]
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_read(folder / "page.html.j2"))
    printed = comparison is not None and len(comparison) > 0
    statistics = [_table(name, *table) for name, table in statistics.items()]
    metrics = {name: column for e in experiments for name, column in e.get("metrics", {}).items()}
    data = {
        "experiments": [
            _experiment(e, results.get(e["id"]), findings.get(e["id"]), figures.get(e["id"]))
            for e in experiments
        ],
        "columns": COLUMNS,
        "shown": [name for name in SHOWN if printed or name not in ("published", "difference")],
        "fewest_runs": FEWEST_RUNS,
        "lower": [name for name, column in metrics.items() if not SCORES[column].higher_is_better],
        "tunings": list(CRITERIA)[::-1],  # a user has no labels: the oracle comes last
        "names": _names(results),
        "controls": used["controls"],  # never shown as the best method
        "colours": {name: look["color"] for name, look in look_of(used["looks"]).items()},
        "tables": statistics
        + (_comparisons(comparison) if printed else [])
        + (_failures(runs, experiments) if runs is not None and len(runs) else [])
        + ([] if lost is None else [_table("jobs", f"Jobs that failed ({len(lost)})", lost)]),
        "figures": {title: _read(svg) for title, svg in extra_figures.items()},
    }
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, default=str)
    filled = [results[e["id"]] for e in experiments if len(results.get(e["id"], ()))]
    budget = (manifest.get("config") or {}).get("budget") or {}
    html = template.render(
        title=used["title"],
        cut=cut_text(pd.concat(filled)) if filled else "",
        budget=", ".join(f"{k.replace('_', ' ')} {v}" for k, v in budget.items() if v is not None),
        held=_held(experiments, used["multiverse"]),
        printed=printed,
        criteria=list(CRITERIA.values())[::-1],
        papers_tuning=ORACLE,
        lost=0 if lost is None else counted(len(lost), "job"),
        empty=sum(not has_results(table) for table in results.values()),
        data=base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode(),
        shown=data["shown"],
        first_rows=[_first_rows(e, data["shown"]) for e in data["experiments"] if e["rows"]],
        manifest=manifest,
        answer=None if answer is None else _answer(*answer),
        style=_read(folder / "page.css"),
        script="\n".join(_read(folder / name) for name in SCRIPTS),
    )
    with completed(path) as unfinished:
        unfinished.write_text(html, encoding="utf-8")


def _first_rows(experiment: dict, shown: list[str]) -> dict:
    """Part of an experiment's table that the page shows without JavaScript."""
    places = [COLUMNS.index(name) for name in shown]
    every = experiment["rows"]
    rows = [["" if row[i] is None else row[i] for i in places] for row in every[:FIRST]]
    return experiment | {"rows": rows, "n_rows": len(every)}


def _answer(content: dict, pictures: Mapping[str, Path | str]) -> dict:
    """Facts, table of clusters and pictures of an answer for the template."""
    clusters = content["clusters"]
    columns = list(clusters[0])
    return content | {
        "columns": columns,
        "n_numbers": 1 + sum(not name.startswith("features: ") for name in columns),
        "rows": [[_cell(cluster[name]) for name in columns] for cluster in clusters],
        "facts": [{k: _cell(v, ".3g") for k, v in row.items()} for row in content["facts"]],
        "files": [Path(file).name for file in content["files"]],
        "pictures": {
            name: f"data:image/svg+xml;base64,{base64.b64encode(Path(path).read_bytes()).decode()}"
            for name, path in pictures.items()
        },
    }


def _cell(value: Any, form: str = ".2f") -> Any:
    """Value of a table for readers; unknown values are blank."""
    return "" if value is None else format(value, form) if isinstance(value, float) else value


def _comparisons(comparison: pd.DataFrame) -> list[dict]:
    """Tables of published numbers."""
    tables = [
        _table(f"by_{by}", f"Published numbers beside ours, by {by}", counts(comparison, columns))
        for by, columns in GROUPS.items()
    ]
    every = comparison[list(PRINTED)].round(2)
    return [*tables, _table("published_vs_reproduced", "Every published number", every)]


def _failures(runs: pd.DataFrame, experiments: list[dict]) -> list[dict]:
    """Tables of failed fits, of fits whose data were not available, and of warnings."""
    absent = runs["error"] == UNAVAILABLE
    failed = _failed(runs[~absent], experiments)
    fits = _failed(runs[absent], experiments).groupby("dataset").size().reset_index(name="fits")
    warned = runs.explode("warnings").dropna(subset="warnings")
    by_warning = warned.groupby(["method", "warnings"]).size().rename("fits")
    by_warning = by_warning.sort_values(ascending=False, kind="stable").reset_index()
    absence = f"No failure: data not available ({counted(int(absent.sum()), 'fit')})"
    return [
        _table("failures", f"Failed fits ({len(failed)})", failed),
        *([_table("absent", absence, fits)] if absent.any() else []),
        _table("warnings", "Warnings", by_warning),
    ]


def _held(experiments: list[dict], protocols: Collection[str]) -> str:
    """Contents of a page in one sentence."""
    parts = [counted(len(experiments), "experiment")] if experiments or not protocols else []
    if protocols:
        parts.append(f"{counted(len(protocols), 'experiment')} with protocols of printed rows")
    return " and ".join(parts)


def _experiment(described: dict, table: Any, finding: str | None, figure: Any) -> dict:
    """Data of one experiment."""
    about = {key: described[key] for key in ("id", "paper", "title")}
    about |= {key: described.get(key) or "" for key in ("caption", "claim")}
    about |= {"finding": finding or "", "unit": described.get("unit") or ""}
    about |= {"render": described["render"], "extended": described.get("extended", False)}
    about |= {"figure": None if figure is None else _read(figure)}
    about |= {"source": "", "scope": "", "cut": "", "rows": []}
    if table is None:  # partitions have no results table
        return about
    if table.empty:
        return about | {"scope": no_results_text(table)}
    rows = [
        row | {"setting": setting_text(row), "params": params_text(row["points"])}
        for row in table.to_dict("records")
    ]
    return about | {
        "source": "; ".join(sorted(set(table["source"]) - {""})),
        "scope": scope_text(table) if has_results(table) else no_results_text(table),
        "cut": " ".join(filter(None, [cut_text(table), digits_text(table)])),
        "rows": [[_short(row[c]) for c in COLUMNS] for row in rows],
    }


def _names(results: Mapping[str, pd.DataFrame]) -> dict[str, list[str]]:
    """Labels that the experiments give a method, by key."""
    names = {}
    for table in results.values():
        for key, label in zip(table["method_key"], table["method"], strict=True):
            names.setdefault(key, set()).add(label)
    return {key: sorted(labels) for key, labels in names.items()}


def _failed(runs: pd.DataFrame, experiments: list[dict]) -> pd.DataFrame:
    """Failed fits with data and rate as in results, and parameters as text."""
    places = {}
    for described in experiments:
        for setting, label in described.get("places", {}).items():
            places.setdefault(setting, {})[label] = True
    failed = runs[runs["error"].notna()]
    rows = failed.to_dict("records")
    names = [name for name in failed if name.startswith(PARAMETER)]
    given = [{n: row[n] for n in names if plain(row[n]) is not None} for row in rows]
    params = [{n.removeprefix(PARAMETER): value for n, value in row.items()} for row in given]
    return failed[["method"]].assign(
        dataset=["; ".join(places.get(setting, ())) for setting in failed["setting"]],
        rate=[in_words(rate_text(row)) or row["protocol"] for row in rows],
        repetition=failed["repetition"],
        params=[params_text([values]) for values in params],
        error=failed["error"],
        tries=failed.get("tries"),  # older runs did not count them
    )


def _table(name: str, title: str, table: pd.DataFrame) -> dict:
    rows = [[_short(cell) for cell in row] for row in table.values.tolist()]
    return {"id": name, "title": title, "columns": list(table.columns), "rows": rows}


def _short(value: Any) -> Any:
    """Convert a cell to a JSON value with short numbers."""
    value = plain(value)
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _read(path: Path | str) -> str:
    return Path(path).read_text(encoding="utf-8")
