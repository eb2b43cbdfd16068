"""The records of ``views.yaml``: which table is which view, and what stands beside the views."""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from mvclust.own import NotUnderstood
from mvclust.own.yaml_text import NotYaml, parse

HEAD = """\
# How mvclust reads these data. Edit it freely: nothing else is guessed.
# Each question below `ask` needs an answer: its number, the first one is what is written here.
"""
EMPTY = {"views": {}, "labels": None, "mask": None, "survival": None, "batch": None}
EMPTY |= {"facts": {}, "left_out": {}, "ask": []}  # what may stand there
Text = Annotated[str, Field(min_length=1)]
Scalar = str | int | float | bool


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True, coerce_numbers_to_str=True,
                              use_attribute_docstrings=True)  # fmt: skip


class Where(Record):
    file: Text | None = None
    """the file, as a path from the folder of the data"""
    sheet: Text | None = None
    """the sheet of a workbook"""
    key: Text | None = None
    """the variable inside the file, with / between levels"""
    header: int | None = Field(default=None, ge=0, le=2)
    """lines above the values of a text table or sheet, the first of which names the columns; by
    default 1"""


class Named(Where):
    samples: Literal["rows", "columns"] = "rows"
    """which side of the table holds the samples"""
    ids: Text | list[Text] | None = None
    """the column that names the rows, or several that do so together: the samples, or the features
    where samples are columns"""
    rename: dict[str, str] = {}
    """regular expressions and what replaces them in the names of the samples"""
    plain_ids: bool = False
    """match names of samples in lower case, without marks"""
    by_order: bool = False
    """ignore names of samples: match by order"""
    parts: list[Where] = []
    """tables to stack, such as train and test"""


def line(path: str, value) -> str:
    """Return a line of views.yaml."""
    text = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=10**6,
                          sort_keys=False)  # fmt: skip
    return f"{path}: {text.removesuffix('...' + chr(10)).strip()}"


def titles_of(columns: str | list[str] | None) -> list[str]:
    """Return one column, several or none as a list."""
    return [columns] if isinstance(columns, str) else columns or []


def is_whole(answer: list[str]) -> bool:
    """Whether the lines of an answer replace all, also the questions."""
    return any(each.startswith("ask:") for each in answer)


class Long(Record):
    sample: Text
    """the column that names the samples"""
    feature: Text
    """the column that names the features"""
    value: Text
    """the column of values"""


class View(Named):
    columns: list[Text] | None = None
    """the columns to use; by default all"""
    prefix: Text | None = None
    """use only the columns that begin so"""
    without: list[Text] = []
    """columns to leave out"""
    without_rows: list[Text] = []
    """rows to leave out, by their names"""
    missing: list[Scalar] = []
    """values and texts that mark gaps, such as -999 or ND"""
    kind: Literal["numeric", "categorical", "mixed"] = "numeric"
    """categorical: a column per word of each column; mixed: the same for columns of texts only"""
    transform: Literal["none", "log1p", "gower"] = "none"
    """what is done to the values; gower: a category is worth as much as the range of a number"""
    long: Long | None = None
    """a table with one line per value"""
    slice: tuple[int, int] | None = None
    """of an array with three axes: the axis of the views and the number of this one, from 1"""
    samples_axis: int | None = None
    """of an array with three axes that is one view: the axis of the samples, from 1"""
    repeated: Literal["mean"] | None = None
    """what is done with several rows of one sample"""
    only: Where | None = None
    """a vector with the numbers of the samples that the view has, from 1"""
    triangle: bool = False
    """fill a symmetric matrix of which one half is empty"""


class Column(Named):
    column: Text | None = None
    """the column of values; by default the first"""
    one_hot: list[Text] | bool | None = None
    """columns of zeros and ones, one per class; true for all"""
    pattern: Text | None = None
    """a regular expression for the part of the samples' names that is the value"""
    missing: list[Scalar] = []
    """values and texts that say that it is not known"""


class Facts(Named):
    columns: list[Text] | None = None
    """the columns to compare with clusters; by default all"""
    without: list[Text] = []
    """columns to leave out"""


class Mask(Where):
    present: Literal[0, 1] = 1
    """the value that means that a sample has a view"""
    ids: Text | None = None
    """the column that names the samples"""


class Event(Record):
    column: Text
    """the column that says whether the event happened"""
    is_: Text = Field(alias="is")
    """the value that means that it happened"""


class Survival(Named):
    time: Text | list[Text]
    """the column of times; of several, the first that is known counts"""
    event: Event
    """whether the event happened"""


class Question(Record):
    question: Text
    """what two readings fit"""
    answers: list[list[Text]]
    """for each answer the lines of this file that it means; the first is what is written here"""
    answer: int | None = Field(default=None, ge=1)
    """the number of the right answer; a run refuses until it is given"""


class Views(Record):
    views: dict[Annotated[str, Field(pattern=r"^\w[\w-]*$")], View]
    """name: how a view is read"""
    labels: Column | None = None
    """classes of the samples; no method sees them"""
    mask: Mask | None = None
    """a table of zeros and ones, samples x views in the order of this file"""
    survival: Survival | None = None
    """times and events of the samples; no method sees them"""
    batch: Column | None = None
    """batches of the samples, to compare clusters with; no method sees them"""
    facts: dict[Text, Facts] = {}
    """name: a table about the samples, to compare clusters with; no method sees it"""
    left_out: dict[str, str] = {}
    """what is no view, and why"""
    ask: list[Question] = []
    """questions that only you can answer"""
    _lines: dict = PrivateAttr(default_factory=dict)
    _shown: str = PrivateAttr(default="")

    def place(self, *keys: str | int) -> str:
        """Return where a key is: its line of views.yaml, if the file has been written."""
        above = (keys[:n] for n in range(len(keys), 0, -1))
        line = next((self._lines[k] for k in above if k in self._lines), None)
        name = ".".join(map(str, keys))
        return f"{self._shown}:{line}: {name}" if line else name

    def files(self) -> list[str]:
        """Return the files that are read."""
        beside = [self.labels, self.mask, self.survival, self.batch, *self.facts.values()]
        specs = [*self.views.values(), *beside]
        wheres = [w for s in specs for w in (s, *getattr(s, "parts", ()), getattr(s, "only", None))]
        return list(dict.fromkeys(w.file for w in wheres if w and w.file))

    def lines(self) -> list[str]:
        """Return the lines of views.yaml that replace all that may stand there."""
        content = self.model_dump(by_alias=True, exclude_unset=True)
        return [line(key, content.get(key) or default) for key, default in EMPTY.items()]

    def open_questions(self) -> list[Question]:
        """Return the questions without an answer."""
        return [q for q in self.ask if q.answer is None]

    def text(self) -> str:
        """Return the content of views.yaml."""
        content = self.model_dump(by_alias=True, exclude_unset=True)
        content = {k: v for k, v in content.items() if v or k in ("views", "ask")}
        for question in content.get("ask", []):
            question.setdefault("answer", None)
        return HEAD + yaml.safe_dump(
            content, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None
        )

    def answered(self) -> "Views":
        """Return these records with the lines of the given answers; the first one is written."""
        lines = []
        for n, question in enumerate(self.ask):
            answer, most = question.answer or 1, len(question.answers)
            if answer > most:
                place = self.place("ask", n, "answer")
                raise NotUnderstood(f"{place}: {answer}, expected a number from 1 to {most}.")
            lines += question.answers[answer - 1] if answer > 1 else []
        return self.changed(lines)

    def turned(self) -> "Views":
        """Return what replaces these records if an answer has its own questions, else these.

        Questions that are the same there keep their answers.
        """
        given = {q.question: q for q in self.ask if q.answer and q.answer <= len(q.answers)}
        chosen = (q.answers[q.answer - 1] for q in given.values() if q.answer and q.answer > 1)
        lines = next(filter(is_whole, chosen), None)
        if lines is None:
            return self
        other = self.changed(lines)
        for question in other.ask:
            old = given.get(question.question)
            if old and len(old.answers) == len(question.answers):
                question.answer = old.answer
        return other

    def changed(self, lines: list[str], new: bool = False) -> "Views":
        """Return these records with lines such as `views.a.samples: columns` applied.

        A value of null takes an entry away. A line about an entry that does not exist is passed
        over, since an answer may have taken it away, or, with `new`, makes the entry.
        """
        content: dict[str, Any] = self.model_dump(by_alias=True, exclude_unset=True)
        for line in lines:
            path, _, text = line.partition(":")
            *above, key = path.strip().split(".")
            here: Any = content
            for part in above:
                if new and isinstance(here, dict) and here.get(part) is None:
                    here[part] = {}
                here = here.get(part) if isinstance(here, dict) else None
            if new and not isinstance(here, dict):
                raise NotUnderstood(f"{line}: {'.'.join(above)} has no entries.")
            try:
                value = parse(text).data
            except NotYaml as error:
                raise NotUnderstood(f"{line}: no line of views.yaml: {error.reason}.") from error
            if isinstance(here, dict):
                here[key] = value
                if value is None:
                    del here[key]
        return _checked(content, self._shown, self._lines)


def load(text: str, shown: str = "views.yaml") -> Views:
    """Return the records of a text; a mistake is a sentence with its line."""
    try:
        content, lines, mistakes, _ = parse(text)
    except NotYaml as error:
        raise NotUnderstood(f"{shown}:{error.line}: no YAML: {error.reason}.") from error
    if mistakes:
        raise NotUnderstood("\n".join(f"{shown}:{line}: {why}." for line, why in mistakes))
    if not isinstance(content, dict):
        raise NotUnderstood(f"{shown}: expected keys such as views and labels.")
    return _checked(content, shown, lines)


def read_file(path: Path) -> Views:
    """Return the records of a file."""
    try:
        return load(path.read_text(encoding="utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise NotUnderstood(f"{path}: it cannot be read: {error}.") from error


def _checked(content, shown, lines):
    try:
        made = Views.model_validate(content)
    except ValidationError as error:
        empty = Views.model_construct(views={})
        empty._lines, empty._shown = lines, shown
        raise NotUnderstood("\n".join(_sentence(e, empty) for e in error.errors())) from error
    made._lines, made._shown = lines, shown
    return made


def _sentence(error, views):
    """Return a problem of the records in words, with the nearest right key."""
    from difflib import get_close_matches

    first, *below = error["loc"]
    types = ("str", "bool", "list[str]", "constrained-str")
    keys = [first, *(key for key in below if key not in types)]
    place, words = views.place(*keys), error["msg"].lower()
    if error["type"] != "extra_forbidden":
        return f"{place}: {words}."
    records = {"views": View, "mask": Mask, "survival": Survival, "facts": Facts, "ask": Question}
    record = records.get(str(keys[0]), Column) if len(keys) > 1 else Views
    known = [f.alias or name for name, f in record.model_fields.items()]
    near = get_close_matches(str(keys[-1]), known, 1)
    return f"{place}: there is no such key" + (f"; did you mean {near[0]}?" if near else ".")
