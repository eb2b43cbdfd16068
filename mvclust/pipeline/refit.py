"""One fit of a run, made again from its data on, beside what the run has of it."""

import json
import tempfile
from functools import partial
from pathlib import Path

import pandas as pd

from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.loading import prepare_dataset
from mvclust.datasets.published_masks import published_masks
from mvclust.datasets.record import read_dataset
from mvclust.metrics import SCORES
from mvclust.pipeline.fit.guard import Limits, guarded
from mvclust.pipeline.fit.jobs import run_job
from mvclust.pipeline.fit.masks import draw_masks, write_masks
from mvclust.pipeline.plan.settings import Setting
from mvclust.pipeline.recompute import NotChecked, plan_of, runs_of
from mvclust.pipeline.score.runs import runs_table, score_rows

# What a fit gives, beside its scores, and what it follows from.
OUTCOME = ("error", "n_iter")
FOLLOWS = ("code", "versions", "cpu", "data_sha256", "n_samples", "seed")
# Of a fit alone; the agreement of repetitions needs them all.
OF_ONE_FIT = [name for name, metric in SCORES.items() if metric.takes != "partitions"]


def refit(folder, root, beginning):
    """Make a fit again.

    Parameters
    ----------
    folder : path-like
        The results of a run.
    root : path-like
        The project's folder.
    beginning : str
        Of the key of a fit in runs.parquet.

    Returns
    -------
    before, after : dict
        The row of the fit as the run has it, and as it is now.

    Raises
    ------
    NotChecked
        If there is no such fit, or several, or the configuration of today does not have it.
    """
    runs = runs_of(folder)
    found = runs[runs["key"].str.startswith(beginning)]
    if len(found) != 1:
        raise NotChecked(
            f"{len(found)} fits in {folder} have a key that begins with '{beginning}'; expected one."
        )
    before = found.iloc[0].to_dict()
    plan = plan_of(folder, root)
    job = plan.study.job_of.get(before["key"])
    if job is None:
        raise NotChecked(
            f"the run has no fit {before['key']} as it is configured today; it was made at commit "
            f"{before['commit']}."
        )
    with tempfile.TemporaryDirectory() as place:
        after = _made(plan, job, before, Path(place), root)
    return before, after


def _made(plan, job, before, place, root):
    """The row of the fit, made in a folder of its own."""
    used = plan.slices["fit"][job]
    (fit,) = (each for each in used["fits"] if each[0] == before["key"])
    setting = Setting.from_record(used["settings"][fit[1]])
    data = {setting.dataset: _prepared(plan.slices, setting.dataset, place)}
    masks = {setting.masks: place / "masks.npz"}
    _draw(plan.slices["masks"][setting.masks], setting, data[setting.dataset], masks)
    run = partial(
        run_job,
        used | {"fits": [fit], "methods": {fit[4]: used["methods"][fit[4]]}},
        dataset_files=data,
        mask_files=masks,
        journals=place / "journals",
        threads=int(before["threads"]),
        root=root,
        report=_no_report,
        run="refit",
    )
    rows = guarded(run, Limits(**used["limits"]))
    return runs_table(score_rows(rows, {setting.id: setting}, data, masks)).iloc[0].to_dict()


def _no_report(key, taken):
    """Nobody waits for a line per fit."""


def _prepared(slices, name, place):
    """A prepared data set, made in a folder."""
    used = slices["prepare"][name]
    dataset, where = used["name"], used["where"]
    catalogue, path = {dataset: used["entry"]}, place / f"{name}.h5"
    fetch_dataset(
        dataset, place / "raw", where["mirror"], catalogue, bad_mirror=where["bad_mirror"]
    )
    prepare_dataset(dataset, place / "raw", path, used["subset"], catalogue)
    return path


def _draw(used, setting, data, files):
    """Draw the masks of a setting into its file."""
    numbers = {Setting.from_record(record): number for record, number in used["settings"]}
    given = None
    if setting.protocol == "published":
        given = published_masks(used["name"], setting.rate, data.parent / "raw")
    dataset = read_dataset(data)
    cut = used["samples_per_class"]
    masks = draw_masks(dataset, setting, numbers[setting], used["seed"], cut, given)
    write_masks({setting.id: masks}, files[setting.masks])


def compared(before, after):
    """A fit then and now, side by side.

    Parameters
    ----------
    before, after : dict

    Returns
    -------
    DataFrame
        name, committed, here (texts), same; what the fit follows from first, then what it gives.
    """
    rows = []
    for name in (*FOLLOWS, *OUTCOME, *OF_ONE_FIT):
        then, now = (_value(row, name) for row in (before, after))
        rows.append([name, then, now, then == now])
    return pd.DataFrame(rows, columns=["name", "committed", "here", "same"])


def _value(row, name):
    """A value as text, with all its digits."""
    value = row.get(name)
    if name == "versions":
        return " ".join(f"{key} {version}" for key, version in json.loads(value).items())
    return "" if value is None or pd.isna(value) else str(value)


def described(before, both):
    """A comparison as lines of text.

    Parameters
    ----------
    before : dict
    both : DataFrame
        As `compared` makes it.

    Returns
    -------
    list of str
    """
    given = [f"{n[6:]}={v}" for n, v in before.items() if n.startswith("param_") and not _lacks(v)]
    width = both["committed"].str.len().clip(upper=40).max()
    lines = [
        f"fit {before['key']}: {before['method']} on {before['setting']}, mask "
        f"{before['repetition']}, {', '.join(given)}"
    ]
    for name, then, now, same in both.itertuples(index=False):
        lines.append(f"  {name:22} {then:{width}}  {'the same' if same else f'here {now}'}")
    results = both[~both["name"].isin(FOLLOWS)]
    differing = results.loc[~results["same"], "name"]
    said = f"differs: {', '.join(differing)}" if len(differing) else "the same digits"
    if len(differing) and not both.set_index("name")["same"]["code"]:
        said += f"; the code has changed since commit {before['commit']}"
    return [*lines, said]


def _lacks(value):
    return value is None or pd.isna(value)
