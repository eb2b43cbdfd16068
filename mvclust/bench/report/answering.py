"""The answer on samples with its pictures: it follows from the code that runs fits."""

import json
from pathlib import Path

import numpy as np

from mvclust.bench.report.answer import draw_answer
from mvclust.bench.report.writing import results_folder, without_formulas
from mvclust.bench.score.answer import answer_of
from mvclust.datasets.files import completed
from mvclust.own.answer import Answer


def make_answer(used: dict) -> None:
    """Choose a method, fit it on parts of the data, write and draw the answer."""
    folder, answer = results_folder(used), answer_of(used)
    write_answer(answer, folder)
    draw_answer(answer, folder)


def write_answer(answer: Answer, folder: Path | str) -> None:
    """Write labels.csv, clusters.csv, features.csv, facts.csv and answer.json."""
    tables = {name: getattr(answer, name) for name in ("labels", "clusters", "features")}
    every = answer.associations["clusters"]
    clusters = sorted({cluster for each in every for cluster in each})
    words = {f"cluster {c}": [each.get(c) for each in every] for c in clusters}
    tables["facts"] = answer.associations.drop(columns="clusters").assign(**words)
    files = {name: Path(folder, f"{name}.csv") for name in tables}
    for name, table in tables.items():
        with completed(files[name]) as unfinished:
            shown = without_formulas(table)
            shown.to_csv(unfinished, index=False, float_format="%.4g", lineterminator="\n")
    content = answer.facts | {"files": list(map(str, files.values()))}
    content |= {name: table.to_dict("records") for name, table in tables.items()}
    with completed(Path(folder, "answer.json")) as unfinished:
        text = json.dumps(_plain(content), indent=1, ensure_ascii=False, allow_nan=False)
        unfinished.write_text(text + "\n", encoding="utf-8")


def _plain(value):
    """The same as JSON can hold it: no arrays, null for what is not known."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
