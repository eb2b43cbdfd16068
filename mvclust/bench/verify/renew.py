"""Fits of a finished run that other code made than that of today, and new ones in their place."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mvclust.bench.fit.journal import read_rows
from mvclust.bench.plan.plan import Plan
from mvclust.bench.record.provenance import library_versions
from mvclust.bench.record.records import read_record
from mvclust.bench.score.runs import merge_runs, runs_table, score_rows, scores_and_fitted
from mvclust.datasets.files import sha256_of


def old_fits(plan: Plan, runs: pd.DataFrame) -> dict[str, tuple]:
    """Planned fits that a table of runs lacks or has from other code: key -> (job, code of today).

    Data and masks of the table are assumed to be those of today.
    """
    here = library_versions().items()
    arithmetic = runs.reindex(columns=plan.arithmetic._fields)
    same = (arithmetic == list(plan.arithmetic)).all(axis=1)
    versions = [here <= json.loads(text).items() for text in runs["versions"]]
    stands = same & np.array(versions, dtype=bool)
    made_by = dict(zip(runs["key"][stands], runs["code"][stands], strict=True))
    return {
        key: (job, used["methods"][method]["code"])
        for job, used in plan.slices["fit"].items()
        for key, *_, method in used["fits"]
        if made_by.get(key) != used["methods"][method]["code"]
    }


def renewed(plan: Plan, runs: pd.DataFrame) -> pd.DataFrame:
    """Replace old fits of a table of runs by those that the target ``old_fits`` made."""
    old, untried = old_fits(plan, runs), set(runs["key"][runs["tries"] == 0])
    new = [
        row
        for row in _fits_made(plan.folders.work)
        if row["key"] in old
        and row["code"] == old[row["key"]][1]
        and (row["tries"] or row["key"] in untried)  # data that are missing here replace no fit
    ]
    if not new:
        return runs
    settings = {row["setting"]: plan.study.settings[row["setting"]] for row in new}
    files = plan.folders.data_and_masks(settings.values())
    (use,) = plan.slices["runs"].values()
    stay = runs[~runs["key"].isin([row["key"] for row in new])]
    # They have no labels, and the objectives that a figure shows.
    table = merge_runs([stay, runs_table(score_rows(new, settings, files["data"], files["masks"]))])
    return scores_and_fitted(table, use["curves"])[0]


def _fits_made(work: Path | str) -> Iterator[dict]:
    """Yield the rows of all jobs of fits with unchanged files."""
    for path in sorted(Path(work, "fits").glob("*/*.jsonl")):
        record = read_record(f"{path}.record")
        if record and record["outputs"].get(str(path)) == sha256_of(path):
            yield from read_rows(path, [key for key, *_ in record["slice"]["fits"]])
