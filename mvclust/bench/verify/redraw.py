"""Tables, figures, ledger and page of a run, made again from its table of runs."""

import tempfile
import time
from pathlib import Path

import pandas as pd

from mvclust.bench.claims.ledger import Ledger
from mvclust.bench.record.manifest import with_runs, write_manifest
from mvclust.bench.record.provenance import commit_of
from mvclust.bench.record.records import read_json
from mvclust.bench.report.claims import write_claims
from mvclust.bench.report.consistency import write_consistency
from mvclust.bench.report.cost_table import write_cost
from mvclust.bench.report.multiverse import write_multiverse
from mvclust.bench.report.published import comparison_of, write_comparison
from mvclust.bench.report.render import render, render_extended
from mvclust.bench.report.run_page import write_run_page
from mvclust.bench.score.results import write_results
from mvclust.bench.score.runs import write_costs, write_runs
from mvclust.bench.score.tuning import keys_of, results_of
from mvclust.bench.verify.recompute import plan_of, require_fits, runs_of
from mvclust.bench.verify.renew import renewed
from mvclust.datasets.files import sha256_of


def redraw(folder: Path | str, root: Path | str, take_new: bool = True) -> list[str]:
    """Remake what follows from the fits of a run with today's code; return the changed files.

    Numbers follow from runs.parquet, in which fits that the target ``old_fits`` remade are replaced
    (unless `take_new` is false); the tables of measurements stay. Raises NotChecked without a table
    of runs, or if it lacks fits of an experiment as configured today.
    """
    folder = Path(folder)
    plan = plan_of(folder, root)
    found = runs_of(folder)
    runs = renewed(plan, found) if take_new else found
    uses, varied = plan.slices["experiment"], plan.slices["multiverse"].values()
    keys = set(runs["key"])
    crossed = [each for use in varied for each in use["experiments"]]
    for use in (*uses.values(), *crossed):
        require_fits(keys_of(use) - keys, folder, f"{use['id']} as it")
    before = _checksums(folder)
    if runs is not found:
        write_runs(runs, folder / "runs.parquet")
        write_costs(runs, folder / "costs.csv")
    with tempfile.TemporaryDirectory() as work:
        results, tuned = {}, {name: Path(work, f"{name}.json") for name in uses}
        for name, use in uses.items():
            results[name] = results_of(use, runs)
            finding = render(use, results[name], runs, folder)
            if name in plan.slices["extended"]:
                render_extended(use, results[name], runs, folder)
            write_results(results[name], tuned[name], finding)
        for use in plan.slices["published"].values():
            write_comparison(comparison_of(use, results), folder)
        for use in plan.slices["consistency"].values():
            write_consistency(use, folder)
        for use in varied:
            write_multiverse(use, runs, folder)
        for use in plan.slices["costs"].values():
            write_cost(runs, use["methods"], use["controls"], folder)
        for use in plan.slices["claims"].values():
            _write_ledger(use, runs, folder)
        made_by = _manifest(folder, runs, root)
        after = _write_page(plan.slices["report"]["report"], tuned, folder, root, made_by)
    return sorted(name for name, digest in after.items() if before.get(name) != digest)


def _write_ledger(use: dict, runs: pd.DataFrame, folder: Path) -> None:
    scores = dict.fromkeys(use["inputs"]["scores"], runs)
    tables = [name for name in use["inputs"] if name != "scores"]  # of measurements
    measured = {name: pd.read_csv(folder / "tables" / f"{name}.csv") for name in tables}
    write_claims(Ledger(use, scores, measured), folder)


def _manifest(folder: Path, runs: pd.DataFrame, root: Path | str) -> dict:
    """Manifest of a run: its current fits, and when it was drawn."""
    manifest = read_json(folder / "manifest.json")
    manifest["drawn"] = {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit_of(root),
    }
    return with_runs(manifest, runs)  # pyright: ignore[reportArgumentType]


def _write_page(
    use: dict, tuned: dict[str, Path], folder: Path, root: Path | str, manifest: dict
) -> dict[str, str]:
    """Write the page and the manifest; return the checksums of all drawn files."""
    made = [str(path) for path in _products(folder)]
    inputs = {"results": tuned, "scores": [folder / "runs.parquet"], "products": made}
    write_run_page(folder / "report.html", use | {"inputs": inputs}, root=root, made_by=manifest)
    after = _checksums(folder)
    manifest["sha256"] |= after
    write_manifest(manifest, folder / "manifest.json")
    return after


def _products(folder: Path) -> list[Path]:
    return [path for part in ("tables", "figures") for path in sorted((folder / part).iterdir())]


def _checksums(folder: Path) -> dict[str, str]:
    """Checksums of the available products."""
    of_run = [folder / name for name in ("runs.parquet", "costs.csv", "report.html")]
    files = [*_products(folder), *of_run]
    return {
        path.relative_to(folder).as_posix(): sha256_of(path) for path in files if path.is_file()
    }
