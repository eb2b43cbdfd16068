"""Which values a method's parameters take, and which views: read from its code, not imported."""

import ast
import math
from dataclasses import dataclass
from functools import cache

from mvclust.pipeline.plan.digest import is_ours, module_file
from mvclust.pipeline.plan.outside import find_class


@dataclass(frozen=True)
class Interval:
    """Numbers between two bounds, as scikit-learn's constraint of this name.

    Parameters
    ----------
    whole : bool
        Only whole numbers.
    low, high : float or None, default=None
        None for no bound.
    closed : {"left", "right", "both", "neither"}, default="both"
        Which bounds belong to the interval.
    """

    whole: bool
    low: float | None = None
    high: float | None = None
    closed: str = "both"

    def __contains__(self, value):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if not math.isfinite(value) or (self.whole and value != int(value)):
            return False
        above = self.low is None or value > self.low
        below = self.high is None or value < self.high
        at_low = self.closed in ("left", "both") and value == self.low
        at_high = self.closed in ("right", "both") and value == self.high
        return (above or at_low) and (below or at_high)

    def __str__(self):
        words = ["a whole number" if self.whole else "a number"]
        if self.low is not None:
            words.append(f"{'from' if self.closed in ('left', 'both') else 'above'} {self.low}")
        if self.high is not None:
            words.append(f"{'to' if self.closed in ('right', 'both') else 'below'} {self.high}")
        return " ".join(words)


@dataclass(frozen=True)
class Options:
    """One of some values."""

    values: tuple

    def __contains__(self, value):
        return any(value is v or (isinstance(v, str) and value == v) for v in self.values)

    def __str__(self):
        shown = {None: "null", True: "true", False: "false"}
        return " or ".join(shown.get(v, f"'{v}'") for v in self.values)


@dataclass(frozen=True)
class Text:
    """Any text."""

    def __contains__(self, value):
        return isinstance(value, str)

    def __str__(self):
        return "a text"


@dataclass(frozen=True)
class Steps:
    """One word, or a list of several."""

    words: tuple

    def __contains__(self, value):
        several = value if isinstance(value, list) else [value]
        return bool(several) and all(word in self.words for word in several)

    def __str__(self):
        return f"{', '.join(self.words)}, or a list of several of these"


NULL, BOOLEAN = Options((None,)), Options((True, False))

# The steps of mvclust.numerics.features.
SCALING = Steps(
    (
        *("feature_minmax", "feature_symmetric", "feature_standard", "view_range"),
        *("feature_unit", "view_total", "log", "tf-idf", "sample_unit", "sample_degree"),
    )
)

# What the pipeline does to the views for a method. These keys are in the catalogue beside the
# method's own parameters, so that a fit's parameters say all that was done.
PREPARATION = {
    "views": [Text()],
    "features": [SCALING, NULL],
    "shift": [BOOLEAN],
    "fill": [Options(("mean", "knn"))],
    "each_view": [BOOLEAN],
    "view_labels": [BOOLEAN],
    "constraints": [Interval(False, 0, 1)],
    "constrained": [Options(("pairs", "samples"))],
    "mapping": [Options(("known", "ignored"))],
    "start": [Interval(True, 0)],
    "order": [Interval(True, 0)],
    "control": [Options(("labels", "presence", "noise"))],
}


def why_not(estimator, parameter, value):
    """Say why a parameter does not take a value.

    Parameters
    ----------
    estimator : str
        "package.module.Class".
    parameter : str
        A parameter of the class, or a key of `PREPARATION`.
    value : str, int, float, bool or None

    Returns
    -------
    str or None
        The end of a sentence; None if the value is allowed, or the class does not declare it.

    Examples
    --------
    >>> why_not("mvclust.estimators.pvc.PVC", "lam", -1)
    'expected a number from 0, got -1'
    """
    constraints = (PREPARATION | parameter_constraints(estimator)).get(parameter)
    return None if constraints is None else refusal(constraints, value)


def refusal(constraints, value):
    """Say why a value fits none of some constraints.

    Parameters
    ----------
    constraints : list of Interval, Options, Text and Steps
    value : str, int, float, bool or None

    Returns
    -------
    str or None
        The end of a sentence; None if the value fits one.

    Examples
    --------
    >>> refusal([Options(("mean", "knn"))], "median")
    "expected 'mean' or 'knn', got 'median'"
    """
    if any(value in constraint for constraint in constraints):
        return None
    expected = " or ".join(map(str, constraints))
    shown = {None: "null", True: "true", False: "false"}
    got = shown[value] if value is None or isinstance(value, bool) else repr(value)
    return f"expected {expected}, got {got}{_hint(value)}"


def takes_whole_numbers(estimator, parameter):
    """Whether a parameter takes whole numbers, such as the index of a view."""
    constraints = parameter_constraints(estimator).get(parameter) or []
    return any(isinstance(c, Interval) and c.whole for c in constraints)


@cache
def parameter_constraints(estimator):
    """The constraints that a class declares in ``_parameter_constraints``.

    Only what a YAML value can be is kept (numbers, texts, true, false, null). A parameter with a
    constraint that is not understood is left out, so that nothing right is refused.

    Parameters
    ----------
    estimator : str
        "package.module.Class".

    Returns
    -------
    dict
        Parameter -> list of Interval and Options.
    """
    if not is_ours(estimator):
        return {}  # scikit-learn checks those of other packages, if they declare any
    module, _, name = estimator.rpartition(".")
    found = _declared(name, _read_module(module))
    read = {key: _constraints(nodes.elts, home) for key, (nodes, home) in found.items()}
    return {key: constraints for key, constraints in read.items() if constraints}


@cache
def view_tags(estimator):
    """What a class states in ``view_tags``; classes of other packages are imported for it.

    Parameters
    ----------
    estimator : str
        "package.module.Class".

    Returns
    -------
    dict
        Of the fields of `mvclust.estimators.base.ViewTags` those that are stated.

    Examples
    --------
    >>> view_tags("mvclust.estimators.img.IMG")
    {'sparse': True, 'n_views': 2}
    """
    if not is_ours(estimator):
        tags = getattr(find_class(estimator), "view_tags", None)
        return {} if tags is None else dict(vars(tags))
    module, _, name = estimator.rpartition(".")
    node, _ = _read_module(module).find(name)
    stated = [n.value for n in getattr(node, "body", ()) if "view_tags" in _targets(n)]
    return {word.arg: ast.literal_eval(word.value) for call in stated for word in call.keywords}


class _Module:
    """The code of a module, in which names are looked up."""

    def __init__(self, path):
        self.body = ast.parse(path.read_bytes()).body if path else []

    def find(self, name):
        """The class, or the value of a constant, and the module that defines it."""
        for node in self.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return node, self
            if name in _targets(node):
                return node.value, self
            if isinstance(node, ast.ImportFrom) and name in [alias.name for alias in node.names]:
                return _read_module(node.module).find(name)
        return None, self


@cache
def _read_module(module):
    """A module of the package; one without code if there is none."""
    return _Module(module_file(module))


def _targets(node):
    """The names that an assignment defines."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _declared(name, module):
    """Of a class or a constant: parameter -> (the list of its constraints, where that is)."""
    node, home = module.find(name)
    if isinstance(node, ast.ClassDef):
        body = [n.value for n in node.body if "_parameter_constraints" in _targets(n)]
        node = body[0] if body else ast.Tuple(node.bases)
    found = {}
    for part in ast.walk(node) if node else []:
        if isinstance(part, ast.Name):  # another class or constant; what is here wins
            found = _declared(part.id, home) | found
        elif isinstance(part, ast.Dict):
            for key, value in zip(part.keys, part.values, strict=True):
                named = isinstance(value, ast.Name)
                value, where = home.find(value.id) if named else (value, home)
                if isinstance(key, ast.Constant) and isinstance(value, ast.List):
                    found[key.value] = value, where
    return found


# What only code can pass.
_ONLY_CODE = ("dict", "callable", "array-like", "random_state")


def _constraints(nodes, module):
    """The constraints of one parameter, or None if one of them is not understood."""
    found = []
    for node in nodes:
        if isinstance(node, ast.Starred):  # a list of constraints by its name
            named, home = module.find(node.value.id)
            found += _constraints(named.elts, home) or [None]
            continue
        text = node.id if isinstance(node, ast.Name) else getattr(node, "value", "")
        if isinstance(node, ast.Constant) and node.value is None:
            found.append(NULL)
        elif text == "boolean":
            found.append(BOOLEAN)
        elif text in ("Integral", "Real"):
            found.append(Interval(text == "Integral"))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.append(_called(node, module))
        elif text not in _ONLY_CODE and not isinstance(node, ast.Attribute):
            return None
    return None if None in found else found


def _called(node, module):
    """``Interval(Real, 0, None, closed="left")`` or ``StrOptions({...})``, or None."""
    try:
        if node.func.id == "Interval":
            kind, low, high = node.args
            (closed,) = node.keywords
            bounds = ast.literal_eval(low), ast.literal_eval(high)
            return Interval(kind.id == "Integral", *bounds, ast.literal_eval(closed.value))
        if node.func.id == "StrOptions":
            return Options(tuple(sorted(_names(node.args[0], module))))
    except (ValueError, AttributeError, TypeError):
        return None
    return None


def _names(node, module):
    """``{"a", "b"}``, or ``set(NAME)`` of a constant."""
    if isinstance(node, ast.Call):
        node, _ = module.find(node.args[0].id)
    return ast.literal_eval(node)


def _hint(value):
    """YAML reads 1e-3 as a text, since its numbers with exponents need a point."""
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return ""
    return f"; write {number:g}" if math.isfinite(number) else ""
