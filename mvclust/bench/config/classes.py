"""What classes of methods take: their parameters, the values of these, and which views.

Classes are imported, and scikit-learn's constraints decide which values are allowed; what was
learned is kept under the hash of their code.
"""

import inspect
import math
import shlex
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.metadata import EntryPoint
from json import dumps, loads  # by name: a class that is asked may patch the module
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mvclust.bench.config.finding import apart, ask
from mvclust.bench.config.messages import explain, shown
from mvclust.bench.config.models import Preparation
from mvclust.bench.config.protocols import PREPARATION
from mvclust.bench.config.yaml_lines import Document
from mvclust.bench.record.digest import code_hash, module_file
from mvclust.bench.record.records import read_json, write_json
from mvclust.numerics.scaling import refuse_old_word

ENTRY_POINTS = "mvclust.methods"
FACTS = {"code", "parameters", "tags", "whole", "defaults", "answers"}  # of a class


class Classes:
    """Known facts of classes by their dotted names, from the file that `save` wrote, if any."""

    def __init__(self, path: Path | str | None = None) -> None:
        known = (read_json(path) if path else None) or {}
        whole = [n for n, of in known.items() if isinstance(of, dict) and of.keys() == FACTS]
        self.known = {name: known[name] for name in whole}
        self.changed = False

    def problem(self, estimator: str) -> str | None:
        """Why a class cannot be loaded; None if it can."""
        try:
            self._facts(estimator)
        except LookupError as error:
            return str(error)
        return None

    def parameters(self, estimator: str) -> list[str] | None:
        """Names of its parameters, None if it takes any; LookupError if it cannot be loaded."""
        return self._facts(estimator)["parameters"]

    def tags(self, estimator: str) -> dict:
        """Statements of a class in ``view_tags``; empty without any, or if it cannot be loaded."""
        return {} if self.problem(estimator) else self._facts(estimator)["tags"]

    def default(self, estimator: str, parameter: str) -> Any:
        """Default of a parameter; None without one, or without one that YAML can hold."""
        return self._facts(estimator)["defaults"].get(parameter)

    def takes_whole_numbers(self, estimator: str, parameter: str) -> bool:
        """Whether a parameter takes whole numbers, such as the index of a view."""
        return parameter in self._facts(estimator)["whole"]

    def why_not(self, estimator: str, parameter: str, value: Any) -> str | None:
        """Why a parameter, also of `Preparation`, does not take a value; None if it may."""
        try:
            refuse_old_word(parameter, value)
        except ValueError as error:
            return str(error).partition("=")[2].removesuffix(".")
        if parameter in PREPARATION:
            return why_not_prepared(parameter, value)
        if parameter == "command" and not _is_command(value):
            return f"expected a program and its arguments as in a shell, got {shown(value)}"
        answers = self._facts(estimator)["answers"]
        question = dumps([parameter, value], default=str)
        if question not in answers:
            answers[question] = ask(estimator, _refusal, parameter, value)
            self.changed = True
        return answers[question]

    def save(self, path: Path | str) -> None:
        """Store the facts for the next time, if there are new ones."""
        if self.changed:
            write_json(path, self.known)
            self.changed = False

    def _facts(self, estimator: str) -> dict:
        code = _code_of(estimator)
        facts = self.known.get(estimator)
        if facts is None or facts["code"] != code:
            facts = {"code": code, **ask(estimator, _learned, estimator)}
            self.known[estimator] = facts
            self.changed = True
        return facts


def why_not_prepared(parameter: str, value: Any) -> str | None:
    """`Classes.why_not` for the pipeline's preprocessing of the views."""
    try:
        Preparation.model_validate({parameter: value})
    except ValidationError as error:
        schema = Preparation.model_json_schema()
        (sentence, *_) = explain(error.errors(), schema, str)
        return sentence.partition(f"{parameter}: ")[2].removesuffix(".")
    return None


def _is_command(value: Any) -> bool:
    """Whether `plan.code` can look for files among the words of a value."""
    with suppress(ValueError):
        return isinstance(value, str) and bool(shlex.split(value))
    return False


@cache
def _code_of(estimator: str) -> str:
    """Digest that decides whether stored facts are still valid."""
    module = estimator.rpartition(".")[0]
    code = code_hash(module) if module_file(module) else ""
    return f"{code} scikit-learn {metadata.version('scikit-learn')}"


def _learned(class_: type, estimator: str) -> dict:
    """Facts of a class that its signature, its constraints and its ``view_tags`` state."""
    try:
        parameters = inspect.signature(class_).parameters.values()
    except ValueError as error:  # some classes of compiled code
        raise LookupError(f"the parameters of '{estimator}' cannot be read: {error}") from error
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    defaults = {p.name: p.default for p in parameters if isinstance(p.default, str | int | float)}
    tags = getattr(class_, "view_tags", None)
    try:
        constraints = dict(getattr(class_, "_parameter_constraints", {}))
        for name in constraints:
            _constraints(class_, name)
        facts = {
            "parameters": None if takes_any else [parameter.name for parameter in parameters],
            "tags": {} if tags is None else dict(vars(tags)),
            "whole": [name for name, given in constraints.items() if _takes_whole(given)],
            "defaults": defaults,
            "answers": {},
        }
        if not isinstance(facts["tags"].get("n_views"), int | None):
            raise TypeError("the n_views of its view_tags is no whole number")
        return loads(dumps(facts))  # as they are kept, and without classes of its own
    except (TypeError, ValueError) as error:
        raise LookupError(f"what '{estimator}' states cannot be read: {error}") from error


def _constraints(class_: type, parameter: str) -> list | None:
    """Constraints of a parameter as scikit-learn's objects; None if the class has none."""
    # scikit-learn's validators are private there; only here and in mvclust.estimators.constraints.
    from sklearn.utils._param_validation import make_constraint

    declared = getattr(class_, "_parameter_constraints", {}).get(parameter)
    if not isinstance(declared, list):
        return None
    return [make_constraint(constraint) for constraint in declared]


def _takes_whole(declared: list) -> bool:
    kinds = [c if inspect.isclass(c) else getattr(c, "type", None) for c in declared or ()]
    return Integral in kinds


def _refusal(class_: type, parameter: str, value: Any) -> str | None:
    constraints = _constraints(class_, parameter)
    if constraints is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    allowed = [c for c in constraints if c.is_satisfied_by(value)]
    if not is_number:  # scikit-learn takes True for 1
        allowed = [c for c in allowed if getattr(c, "type", None) not in (Integral, Real)]
    elif not abs(value) < math.inf:
        allowed = []
    if allowed:
        return None
    expected = " or ".join(filter(None, map(_words, constraints)))
    return f"expected {expected}, got {shown(value)}{_hint(value)}"


def _words(constraint: Any) -> str:
    """Describe a constraint; empty for values that only code can pass."""
    options = getattr(constraint, "options", None)
    if options is not None:
        return " or ".join(map(shown, sorted(options, key=str)))
    name = type(constraint).__name__
    if "Boolean" in name:
        return "true or false"
    if "None" in name:
        return "null"
    kind = getattr(constraint, "type", None)
    if kind not in (Integral, Real):
        return ""
    words = ["a whole number" if kind is Integral else "a number"]
    closed = getattr(constraint, "closed", "neither")
    if getattr(constraint, "left", None) is not None:
        words.append(f"{'from' if closed in ('left', 'both') else 'above'} {constraint.left}")
    if getattr(constraint, "right", None) is not None:
        words.append(f"{'to' if closed in ('right', 'both') else 'below'} {constraint.right}")
    return " ".join(words)


def _hint(value: Any) -> str:
    """Hint for texts like 1e-3, which YAML reads as a text without a point."""
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return ""
    return f"; write {number:g}" if math.isfinite(number) else ""


def entry_points() -> dict[str, EntryPoint]:
    """Methods of installed distributions by name; nothing is imported."""
    return {point.name: point for point in metadata.entry_points(group=ENTRY_POINTS)}


def _load(name: str, value: str, group: str) -> Any:
    return metadata.EntryPoint(name, value, group).load()


def read_entry_point(point: EntryPoint) -> Document:
    """Read the dict of an entry point, with the keys of a method, as a document."""
    path = f"entry point {point.value} ({point.dist.name if point.dist else 'unknown'})"
    try:
        entry = apart(point.module, _load, point.name, point.value, point.group)
    except LookupError as error:
        return Document(path, {}, None, [f"{path}: {point.name} cannot be imported: {error}."])
    return Document(path, {point.name: entry}, None, [])
