"""One fit of a run, made again from its data on, beside what the run has of it."""

import difflib
import json
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from mvclust.bench.arithmetic import Arithmetic
from mvclust.bench.fit.guard import Limits, guarded
from mvclust.bench.fit.jobs import run_job
from mvclust.bench.fit.masks import draw_masks, write_masks
from mvclust.bench.plan.settings import Setting
from mvclust.bench.score.results import PARAMETER
from mvclust.bench.score.runs import runs_table, score_rows
from mvclust.bench.verify.finished import FinishedRun, NotChecked
from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.loading import prepare_dataset
from mvclust.datasets.published_masks import published_masks
from mvclust.datasets.record import read_dataset
from mvclust.metrics import SCORES

LIBRARY = "version of "
# What a fit follows from beside the libraries, and what it gives; the agreement of repetitions is
# not that of one fit.
FOLLOWS = ("code", *Arithmetic._fields, "data_sha256", "n_samples", "seed")
GIVES = ("error", "n_iter", *(m.name for m in SCORES.values() if m.takes != "partitions"))


def check(folder: Path | str, root: Path | str, beginning: str) -> tuple[list[str], bool]:
    """Repeat a fit, named by the beginning of its key: lines of text, and whether all agree."""
    run = FinishedRun(folder, root)
    matches = run.runs[run.runs["key"].str.startswith(beginning)]
    if matches.empty:
        keys = list(run.runs["key"])
        near = difflib.get_close_matches(beginning, keys, n=1)
        such = f"one such as '{keys[0]}'" if keys else "none"
        hint = f"did you mean '{near[0]}'?" if near else f"runs.parquet has {such}."
        raise NotChecked(f"no fit in {folder} has a key that begins '{beginning}'; {hint}")
    if len(matches) > 1:
        raise NotChecked(f"{len(matches)} fits in {folder} have a key that begins '{beginning}'.")
    (rows,) = repeated(run, matches)
    before, after = map(_texts, rows)
    given = {n.removeprefix(PARAMETER): x for n, x in before.items() if n.startswith(PARAMETER)}
    parameters = ", ".join(f"{name}={text}" for name, text in given.items() if text)
    lines = [
        f"fit {before['key']}: {before['method']} on {before['setting']}, mask "
        f"{before['repetition']}, {parameters}"
    ]
    for name in (*_causes(before), *GIVES):
        then, here = before.get(name, ""), after.get(name, "")
        lines.append(f"  {name:22} {then:24.24} {'the same' if then == here else f'here {here}'}")
    follows, gives = differing(*rows)
    if not gives:
        return [*lines, "the same digits"], True
    ending = f"differs: {', '.join(gives)}; made at commit {before['commit']}"
    causes = ", ".join(follows) or "nothing"
    return [*lines, f"{ending}; of what it follows from: {causes}"], False


def repeated(run: FinishedRun, fits: pd.DataFrame) -> Iterator[tuple[dict, dict]]:
    """Repeat fits of a run with their data and masks; yield the stored row and the new one."""
    if fits.empty:
        return
    plan = run.plan()
    for key, commit in zip(fits["key"], fits["commit"], strict=True):
        if key not in plan.study.job_of:
            raise NotChecked(
                f"{run.folder} has no fit {key} as it is configured today; it was made at commit "
                f"{commit}."
            )
    for _, of_data in fits.groupby(fits["setting"].str.split(".", n=1).str[0], sort=False):
        with tempfile.TemporaryDirectory() as place:
            for before in of_data.sort_values("setting", kind="stable").to_dict("records"):
                job = plan.study.job_of[before["key"]]
                yield before, _made(plan.slices, job, before, Path(place), run.root)


def differing(before: dict, after: dict) -> tuple[list[str], ...]:
    """Names in which two rows of a fit differ: among its causes, and among its results."""
    before, after = _texts(before), _texts(after)
    return tuple(
        [name for name in names if before.get(name, "") != after.get(name, "")]
        for names in (_causes(before), GIVES)
    )


def _causes(texts: dict[str, str]) -> list[str]:
    """What a fit follows from, the versions of libraries included."""
    return [*FOLLOWS, *(name for name in texts if name.startswith(LIBRARY))]


def _made(slices: dict, job: str, before: dict, place: Path, root: Path | str) -> dict:
    """Row of the fit, repeated in a folder of its own."""
    used = slices["fit"][job]
    (fit,) = (each for each in used["fits"] if each[0] == before["key"])
    setting = Setting.from_record(used["settings"][fit[1]])
    data = {setting.dataset: _prepare(slices["prepare"][setting.dataset], place)}
    masks = {setting.masks: place / f"{setting.id}.npz"}
    if not masks[setting.masks].exists():
        source = slices["masks"][setting.masks], data[setting.dataset]
        _draw(*source, setting, place, masks[setting.masks])
    alone = {"fits": [fit], "methods": {fit[4]: used["methods"][fit[4]]}}
    alone |= {"inputs": {"data": data, "masks": masks}}
    alone["where"] = used["where"] | {"journals": place / "journals"}
    run = partial(
        run_job,
        used | alone,
        threads=int(before["threads"]),
        root=root,
        report=lambda *_: None,
        run="refit",
    )
    rows = guarded(run, Limits(**used["limits"]))
    return runs_table(score_rows(rows, {setting.id: setting}, data, masks)).iloc[0].to_dict()


def _prepare(used: dict, place: Path) -> Path:
    """Prepare the data set in a folder from its raw files."""
    name, where = used["name"], used["where"]
    catalogue = {name: used["entry"]}
    raw, path = place / "raw" / name, place / f"{name}.{used['subset']}.h5"
    if path.exists():
        return path
    fetch_dataset(name, raw, where["mirror"], catalogue, bad_mirror=where["bad_mirror"])
    prepare_dataset(name, raw, path, used["subset"], catalogue)
    return path


def _draw(used: dict, data: Path, setting: Setting, place: Path, path: Path) -> None:
    """Draw the masks of a setting into a file."""
    (number,) = (n for record, n in used["settings"] if Setting.from_record(record) == setting)
    released, raw = setting.protocol == "published", place / "raw" / used["name"]
    given = published_masks(used["name"], setting.rate, raw) if released else None
    dataset, cut = read_dataset(data), used["samples_per_class"]
    masks = draw_masks(dataset, setting, number, used["seed"], cut, given)
    write_masks({setting.id: masks}, path)


def _texts(row: dict) -> dict[str, str]:
    """Single values of a row, and the versions of libraries, with all their digits."""
    row = row | {f"{LIBRARY}{name}": v for name, v in json.loads(row["versions"]).items()}
    single = {name: value for name, value in row.items() if pd.api.types.is_scalar(value)}
    return {name: "" if pd.isna(value) else str(value) for name, value in single.items()}
