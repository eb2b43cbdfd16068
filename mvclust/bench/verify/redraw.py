"""Tables, figures, ledger and page of a run, made again from its table of runs."""

import time
from pathlib import Path

from mvclust.bench.config.messages import counted
from mvclust.bench.plan.products import PRODUCTS
from mvclust.bench.record.log import make
from mvclust.bench.record.manifest import with_runs, write_manifest
from mvclust.bench.record.provenance import commit_of
from mvclust.bench.report.page import write_run_page
from mvclust.bench.score.runs import write_costs, write_runs
from mvclust.bench.verify.finished import FinishedRun
from mvclust.bench.verify.renew import renewed
from mvclust.bench.verify.stale import estimators_of, sentence, standing_of
from mvclust.datasets.files import sha256_of


def check(folder: Path | str, root: Path | str) -> tuple[list[str], bool]:
    """Redraw a run: how many files changed, and which of its methods other code computed."""
    changed = redraw(folder, root)
    standing = standing_of(folder, estimators_of(root))
    lines = f"{counted(len(changed), 'file')} changed", sentence(standing)
    return [f"{folder}: {line}" for line in lines], True


def redraw(folder: Path | str, root: Path | str, take_new: bool = True) -> list[str]:
    """Remake what follows from the fits of a run with today's code; return the changed files.

    With `take_new`, fits that the target ``old_fits`` remade replace those of runs.parquet.
    """
    run = FinishedRun(folder, root)
    runs = renewed(run.plan(), run.runs) if take_new else run.runs
    folder, before = run.folder, _checksums(run.folder)
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    drawn = {"created": created, "commit": commit_of(run.root)}
    manifest = with_runs(run.manifest | {"drawn": drawn}, runs)
    with run.drawing(runs) as plan:
        if runs is not run.runs:
            write_runs(runs, folder / "runs.parquet")
            write_costs(runs, folder / "costs.csv")
        for product in PRODUCTS:
            for use in plan.slices[product.rule].values() if product.is_drawn else ():
                make(use)
        after = _write_page(plan.slices["report"]["report"], run, manifest)
    return sorted(name for name, digest in after.items() if before.get(name) != digest)


def _write_page(use: dict, run: FinishedRun, manifest: dict) -> dict[str, str]:
    """Write the page and the manifest; return the checksums of all drawn files."""
    planned = {Path(path).parts[-2:] for path in use["inputs"]["products"]}
    made, stale = [], []  # no run of today makes the latter
    for path in _products(run.folder):
        (made if path.parts[-2:] in planned else stale).append(path)
    inputs = {"scores": [run.folder / "runs.parquet"], "products": list(map(str, made))}
    page = run.folder / "report.html"
    write_run_page(page, use | {"inputs": use["inputs"] | inputs}, made_by=manifest)
    after = _checksums(run.folder)
    manifest["sha256"] |= after
    for name in (path.relative_to(run.folder).as_posix() for path in stale):
        del after[name], manifest["sha256"][name]
    write_manifest(manifest, run.folder / "manifest.json")
    return after


def _products(folder: Path) -> list[Path]:
    return [path for part in ("tables", "figures") for path in sorted((folder / part).glob("*"))]


def _checksums(folder: Path) -> dict[str, str]:
    """Checksums of the available products."""
    of_run = [folder / name for name in ("runs.parquet", "costs.csv", "report.html")]
    files = [*_products(folder), *of_run]
    available = filter(Path.is_file, files)
    return {path.relative_to(folder).as_posix(): sha256_of(path) for path in available}
