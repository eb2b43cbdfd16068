"""What is understood of data, for people and for programs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.missingness import describe_missingness, missingness_test
from mvclust.own import NotUnderstood
from mvclust.own.checks import notes_on
from mvclust.own.propose import propose, views_of
from mvclust.own.read import OwnData, read
from mvclust.own.views import Views, read_file

NAME = "views.yaml"


@dataclass
class Look:
    """The records of views.yaml, the data that they describe, and what is to be said of both."""

    file: Path
    views: Views
    data: OwnData | None
    notes: list
    error: str | None = None


def views_file(path: Path) -> Path:
    """Return where the views.yaml of a file or folder is."""
    path = Path(path)
    return path / NAME if path.is_dir() else path.with_name(f"{path.name}.{NAME}")


def look(path: Path, again: bool = False) -> Look:
    """Read the data as views.yaml says; where there is none, or `again`, propose one."""
    file = views_file(path)
    if not Path(path).exists():
        raise NotUnderstood(f"{path}: there is no such file or folder.")
    if file.exists() and not again:
        return _read(Look(file, read_file(file), None, []), path)
    p = propose(path)
    return _read(Look(file, views_of(p), None, list(p.notes)), path, p.pieces)


def _read(found, path, pieces=None):
    try:
        found.data = read(path, found.views, pieces)
    except NotUnderstood as error:
        found.error = str(error)
    else:
        found.notes += notes_on(found.data)
    return found


def save(found: Look) -> str:
    """Write views.yaml beside the data; return a sentence that says so, or why not."""
    try:
        found.file.write_text(found.views.text(), encoding="utf-8")
    except OSError as error:
        return f"{found.file} cannot be written ({error.strerror}); its content is above"
    return f"written: {found.file}"


def settle(views: Views, answers: list[int], lines: list[str]) -> Views:
    """Return views with questions answered by number, and lines of views.yaml applied."""
    views = views.model_copy(deep=True)
    questions = views.open_questions()
    if len(answers) > len(questions):
        raise NotUnderstood(f"{len(answers)} answers to {len(questions)} open questions.")
    for question, answer in zip(questions, answers, strict=False):
        if not 1 <= answer <= len(question.answers):
            raise NotUnderstood(
                f"{question.question}: answer {answer}, expected a number from 1 to "
                f"{len(question.answers)}."
            )
        question.answer = answer
    return views.answered().changed(lines) if lines else views


def turned(views: Views, side: str) -> Views:
    """Return views whose samples are all on one side; a question about sides is answered."""
    lines = [f"views.{name}.samples: {side}" for name in views.views]
    for question in views.open_questions():
        for n, answer in enumerate(question.answers, 1):
            if answer and all(a.endswith(f".samples: {side}") for a in answer):
                question.answer = n
    return views.changed(lines)


def questions_of(views: Views) -> list[str]:
    """Return the open questions with their answers, as lines for people."""
    lines = []
    for n, question in enumerate(views.open_questions(), 1):
        lines.append(f"question {n}: {question.question}")
        for k, answer in enumerate(question.answers, 1):
            shown = "; ".join(answer) or "as written"
            lines.append(f"  {k}. {shown}" + (" (as written)" if k == 1 and answer else ""))
    return lines


def describe(found: Look) -> list[str]:
    """Return what is understood, as lines of text."""
    if found.data is None:
        return [f"not read: {found.error}"]
    data = found.data
    rows = [("view", "features", "missing", "values")]
    for name, X, present, kind in zip(
        data.view_names, data.Xs, data.presence.T, data.kinds, strict=True
    ):
        values = X.data if sparse.issparse(X) else X[present]
        values = values[np.isfinite(values)]
        low, high = (values.min(), values.max()) if values.size else (0, 0)
        low = min(low, 0) if sparse.issparse(X) else low
        missing = int((~present).sum())
        span = f"{low:.4g} to {high:.4g}" + ("" if kind == "numeric" else f", {kind}")
        rows.append((name, str(X.shape[1]), f"{missing} of {len(present)}" if missing else "none",
                     span))  # fmt: skip
    widths = [max(len(row[c]) for row in rows) for c in range(4)]
    lines = [
        f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}" for a, b, c, d in rows
    ]  # fmt: skip
    left = [f"left out: {name} ({why})" for name, why in found.views.left_out.items()]
    files = dict.fromkeys(
        w.file for spec in found.views.views.values() for w in (spec, *spec.parts) if w.file
    )
    return [*lines, _samples(data), f"read: {', '.join(files)}", *left, *found.notes]


def _samples(data):
    if not data.label_names:
        return f"{data.n_samples} samples, no labels"
    n_classes = len(data.label_names)
    if data.y is None:
        return f"{data.n_samples} samples, {n_classes} classes, not all labels known"
    counts = np.bincount(data.y, minlength=n_classes)
    shown = ", ".join(f"{name} ({n})" for name, n in zip(data.label_names, counts, strict=True))
    shown = shown if len(shown) < 300 else f"{counts.min()} to {counts.max()} samples each"
    return f"{data.n_samples} samples, {n_classes} classes: {shown}"


def presence_tested(data: OwnData) -> tuple[list[str], dict | None]:
    """Test whether it depends on the samples which views are present, in words and for JSON."""
    if data.presence.all():
        return [], None
    result = missingness_test(data.Xs, data.presence)
    if not result.views:
        return [], None
    names = data.view_names
    views = [
        {
            "view": names[of.view],
            "n_samples": of.n_samples,
            "p": of.p,
            "p_location": of.p_location,
            "p_magnitude": of.p_magnitude,
            "auc": {names[v]: auc for v, auc in of.aucs.items()},
        }
        for of in result.views
    ]
    return describe_missingness(result, names), {"p": result.p, "views": views}


def as_record(found: Look) -> dict:
    """Return what is understood, as one object for JSON."""
    ask = [{"question": q.question, "answers": q.answers} for q in found.views.open_questions()]
    left = [f"{name}: {why}" for name, why in found.views.left_out.items()]
    beside = {"ask": ask, "left_out": left, "notes": found.notes}
    if found.data is None:
        return {"error": found.error, **beside}
    data = found.data
    views = [
        {"name": name, "n_features": int(X.shape[1]), "missing": int((~present).sum()),
         "kind": kind}
        for name, X, present, kind in zip(
            data.view_names, data.Xs, data.presence.T, data.kinds, strict=True
        )
    ]  # fmt: skip
    classes = len(data.label_names) if len(data.label_names) > 1 else None
    named = {"label_names": data.label_names, "survival": data.survival and data.survival.columns}
    return {"n_samples": data.n_samples, "views": views, "n_classes": classes, **named, **beside}
