"""A proposal while it grows: views, labels, what is left out, and questions."""

import copy
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from mvclust.own import words
from mvclust.own.pieces import Piece
from mvclust.own.tables import Table
from mvclust.own.texts import Unreadable, number
from mvclust.own.views import line

MARKED = "text", "names"  # kinds of columns whose numbers may have other marks


class Proposal:
    """The content of views.yaml, notes, and the pieces that it is about."""

    def __init__(
        self, path: Path, pieces: list[Piece], unread: dict[str, Unreadable], sides: dict[str, str]
    ):
        self.path, self.pieces, self.unread = path, pieces, unread
        self.sides = sides  # given sides of the samples, by table
        self.turns: list = []  # of the question about sides: answer, and what it says of tables
        self.views: dict = {}
        self.labels = self.mask = self.survival = None
        self.left_out: dict = {}
        self.facts: dict = {}
        self.features: dict = {}  # of a view of which columns are left out, in words
        self.questions: list = []
        self.notes = [p.note for p in pieces if p.note]
        for name, error in unread.items():
            self.leave(name, str(error))
            if not error.prose:
                self.ask(name, f"{error}. Go on without it?")

    def ask(self, about: Table | list[Table] | str, text: str, *others: str | list) -> None:
        """Put a question whose first answer is the proposal as it is; the others are lines."""
        self.choose(about, text, [], *others)

    def choose(self, about: Table | list[Table] | str, text: str, *answers: str | list) -> None:
        """Put a question, one for all tables; answers are lines, the first one is the proposal."""
        tables = about if isinstance(about, list) else [about]
        about = ", ".join(t if isinstance(t, str) else t.name for t in tables)
        several = [[a] if isinstance(a, str) else list(a) for a in answers]
        lines = [each for answer in several for each in answer]
        for q in (q for q in self.questions if q["text"] == text):
            if any(each.startswith("mask") for each in lines):  # one of them
                q["answers"] += [a for a in several if a not in q["answers"]]
            elif len(q["answers"]) != len(several) or any(x.startswith("labels") for x in lines):
                continue
            else:
                q["answers"] = [[*a, *b] for a, b in zip(q["answers"], several, strict=True)]
            q["about"].append(about)
            return
        self.questions.append({"about": [about], "text": text, "answers": several})

    def ask_unknown(self, classes: list) -> None:
        """Ask whether a negative number among classes says that the class is not known."""
        known = {x for c in classes if (x := number(c)) is not None}
        below = sorted(v for v in known if v < 0)
        if len(below) == 1 and len(known) > 2 and min(known - {*below}) >= 0:
            text = f"is {below[0]:g} a class, and no mark of samples without one?"
            self.ask("labels", text, f"labels.missing: [{below[0]:g}]")

    def leave(self, name: str, why: str, text: str = "", *others: str | list) -> None:
        """Leave a piece or file out; a text asks whether that is right."""
        self.left_out[name] = why
        if text:
            self.ask(name, text, *others)

    def tells(self, t: Table, only_labels: bool) -> None:
        """Compare the clusters with a table about the samples, or leave it out."""
        if t.columns and t.side == "rows" and not only_labels:
            self.facts[t.name] = self.spec(t, by_order=t.by_order())
        else:
            self.leave(t.name, "tells about the samples")
        texts = [[c for c in t.cells(j)[:99] if re.match(r"\W*\d", c)] for j in t.data(*MARKED)]
        marked = [cells[0] for cells in texts if len(cells) > 0.7 * min(99, len(t.values))]
        if len(marked) > max(1, len(t.data()) / 2):
            self.ask(t, f"holds texts such as {marked[0]}: are these no numbers?")
        n_words = len(t.data("few", "words"))
        if n_words > 1 and not (words.FACTS.search(t.name) or words.LABEL_PART.search(t.name)):
            kind = "categorical" if n_words == len(t.data()) else "mixed"
            text = "holds categories: facts about the samples, or a view to cluster by?"
            self.ask(t, text, self.view(t, samples=t.side, kind=kind, transform="gower"))

    def spec(self, t: Table, **more) -> dict:
        """Return what views.yaml says of a table, with more keys; None says nothing."""
        spec = t.piece.where if "long" in t.piece.where else t.piece.place(t.header)
        ids = t.titles(t.key) or (None if t.names is None else t.title(t.names))
        more = {"ids": ids, **t.match, **more}
        return copy.deepcopy({**spec, **{k: v for k, v in more.items() if v is not None}})

    def view(self, t: Table, **more) -> str:
        """Return the line that makes a table a view."""
        return line(f"views.{t.name}", self.spec(t, **more))

    def column(self, t: Table, j: int) -> dict:
        """Return what views.yaml says of a column beside the views."""
        return self.spec(t, column=t.title(j), by_order=t.by_order())

    def content(self) -> dict:
        """Return the content of views.yaml."""
        questions = [
            {"question": f"{', '.join(q['about'])}: {q['text']}{self._left(q)}",
             "answers": q["answers"]} for q in self.questions
        ]  # fmt: skip
        keys = ("views", "labels", "mask", "survival", "facts", "left_out")
        content = {key: getattr(self, key) for key in keys} | {"ask": questions}
        return {k: v for k, v in content.items() if v or k in ("views", "ask")}

    def _left(self, q):
        """Return the features that are left, after a question about columns that are not."""
        names = q["about"] if "left out of the view" in q["text"] else ()
        left = {self.features[name]: f" of {name}" for name in names if self.features.get(name)}
        return "".join(f" Features{of * (len(left) > 1)}: {each}." for each, of in left.items())


def vector(piece: Piece) -> np.ndarray:
    """Return the values of a vector: numbers where all are, else texts."""
    values = piece.values.reshape(-1)[piece.header :]
    found = [number(v) for v in values]
    if any(f is None for f in found):
        return np.array([str(v) for v in values], dtype=object)
    return np.array(found, dtype=float)


def grouped(pairs: Iterable[tuple]) -> dict[Any, list]:
    """Return the values of each key, in their order."""
    found: dict = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
