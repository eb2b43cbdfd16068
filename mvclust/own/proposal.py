"""A proposal while it grows: views, labels, what is left out, and questions."""

from pathlib import Path

from mvclust.own import NotUnderstood
from mvclust.own.pieces import Piece
from mvclust.own.tables import Table
from mvclust.own.texts import Unreadable, number
from mvclust.own.views import Views


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

    def records(self) -> Views:
        """Return the records of views.yaml; questions about columns say which features are left."""
        ask = []
        for q in self.questions:
            names = q["about"] if "left out of the view" in q["text"] else ()
            left = {self.features[n]: f" of {n}" for n in names if self.features.get(n)}
            left = "".join(f" Features{of * (len(left) > 1)}: {each}." for each, of in left.items())
            question = f"{', '.join(q['about'])}: {q['text']}{left}"
            ask.append({"question": question, "answers": q["answers"]})
        keys = ("views", "labels", "mask", "survival", "facts", "left_out")
        try:
            return Views.model_validate({key: getattr(self, key) for key in keys} | {"ask": ask})
        except ValueError as error:  # a fault of ours: no stack for the user
            raise NotUnderstood(f"{self.path}: no proposal: {error}.") from error
