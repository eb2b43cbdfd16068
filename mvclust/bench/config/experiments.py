"""The experiments: one class per way to draw them (`render`), with its own keys and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, Field

from mvclust.bench.config import models
from mvclust.bench.config.applying import check_parameters, labels_each_view, stated_value
from mvclust.bench.config.messages import unknown
from mvclust.bench.config.models import Data, ExperimentName, Filled, Kind, Rates, Text, Unique
from mvclust.bench.config.names import Name, Record, Scope
from mvclust.bench.config.protocols import BASE_OF, BEYOND, BY_CLASS, PER_VIEW, RATES, rate_key

if TYPE_CHECKING:
    from mvclust.bench.config.load import Configuration

Label = Annotated[str, Name("labels")]
OwnMethod = Annotated[str, Name("own methods")]
Labels = Annotated[list[Label], Unique]
Axis = Annotated[str, Name("axes")]
Place = Literal["dataset", "views", "rate", "view", "metric", "method", "rest"]
Places = Annotated[list[Place], Unique]


def _are_methods(value: Any) -> bool:
    return value == "all" or isinstance(value, list)


ABOUT = "how it is drawn; `multiverse` compares protocols with the published rows of a table"
HOW: Any = Field(description=ABOUT)


class Described(Record):
    """What every experiment states."""

    title: str
    """title of the table or figure"""
    caption: str = ""
    """what a reader must know"""
    paper: Text = BEYOND
    """key of the paper in `papers.yaml`, or a text of your own"""
    item: str | None = None
    """its item in `published.csv`"""
    differs: str = ""
    """what differs from print, for the list in docs/reproduction.md"""
    render: str = HOW

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        paper, papers = self.paper, configuration.papers
        if self.item is not None and paper not in papers:
            yield ["paper"], unknown("paper with published numbers", paper, papers)
        elif self.item is not None and self.item not in papers[paper].tables:
            yield ["item"], unknown(f"table of {paper}", self.item, papers[paper].tables)


class Claimed(Described):
    """An experiment of which the paper says something."""

    claim: str = ""
    """what the paper says of it, in one sentence; shown beside what the results say"""


class Statistics(Claimed):
    """A table of what is in the data sets."""

    render: Literal["statistics"] = HOW
    order: models.Texts = []
    """what the paper calls the data sets, in its order"""


class Partitions(Claimed):
    """A figure of the partitions of single views and of their consensus."""

    render: Literal["partitions"] = HOW
    data: Annotated[list[Data], Filled]
    """one data set, whole"""
    views: Annotated[list[models.ViewName], Unique] = []
    """the views whose partitions are drawn, beside the consensus; the table has all; none: all"""

    def offers(self, scopes: dict[str, Scope]) -> dict[str, Scope | None]:
        return self.data[0].offers(scopes)

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        yield from super().check(name, configuration)
        if len(self.data) != 1:
            yield ["data"], "the renderer 'partitions' needs exactly one data set"
        for index, data in enumerate(self.data):
            for key in ("views", "samples"):
                if getattr(data, key) is not None:
                    reason = "the renderer 'partitions' takes the whole data set; take it out"
                    yield ["data", index, key], reason


class Form(Record):
    """The form in which the paper prints an experiment."""

    draw: Literal["table", "curves", "bars", "dots", "surfaces", "convergence"]
    """a table, or what the panels of a figure have; `dots` has a line per method and a dot per data
    set, in a sweep how far its first value is above the mean of the others; tables have all results
    """
    title: str = ""
    """title of the panel, if there is one; by default what rows and columns of panels differ in"""
    beside: Annotated[list[Annotated[str, Name("forms")]], Unique] = []
    """ids of experiments that the paper prints in the same table or figure, each by its own form"""
    methods: Annotated[list[OwnMethod], Unique] = []
    """the methods, in the paper's order; none: all"""
    datasets: Labels = []
    """labels of the data, in the paper's order; none: all"""
    metrics: Annotated[list[Annotated[str, Name("scores")]], Unique] = []
    """the scores, in the paper's order; none: all"""
    rows: Places = []
    """what the lines of a table, or rows of panels, differ in"""
    columns: Places = []
    """what the columns of a table, or of panels, differ in"""
    lines: Place = "method"
    """what the curves or bars of a panel differ in"""
    window: dict[Axis, models.Range] = {}
    """parameter: first and last value of the range that the paper names, which is shaded"""
    mark: dict[Axis, models.Values] = {}
    """parameter: the paper's own values, which are marked"""

    @property
    def selects(self) -> bool:
        """Whether some results are not shown."""
        return bool(self.methods or self.datasets or self.metrics)


class Fitted(Described):
    """What every experiment with fits states."""

    data: Annotated[list[Data], Filled]
    """the data sets"""
    protocol: Literal[
        *("random", "incomplete", "paired", "published", "natural", "complete"),
        *("unmapped", "mapped", "class", "block", "value", "other", "exclusive"),
    ]
    """which instances are present; see Protocols"""
    missing_rates: Rates = None
    """share of the instances of each view that is removed; protocols random, published, class,
    block, value and other"""
    incomplete_rates: Rates = None
    """share of the samples that lack some views; protocols incomplete and exclusive"""
    paired_rates: Rates = None
    """share of the samples that have both views; protocol paired"""
    mapped_rates: Rates = None
    """share of the samples whose correspondence is known; protocol mapped"""
    strength: models.Rate | None = None
    """how strongly it depends on the data who lacks a view: 0 not at all, 1 as far as possible;
    protocols class, block, value, other and exclusive"""
    scale: Literal["view_range", "sample_unit", "view_balanced"] | None = None
    """scaling of each view before any method sees it; none by default"""
    repetitions: models.Count
    """masks or starts per setting"""
    methods: Annotated[
        Annotated[list[models.MethodName], Filled, Unique] | Literal["all"],
        models.expected("all or a list of methods", _are_methods),
    ]
    """methods in `methods.yaml` and `methods_files`; all: every method that can run on these data
    under this protocol, see below"""
    grids: dict[OwnMethod, Annotated[dict[str, models.Grid], Filled]] = {}
    """grids of this experiment, in place of those in `methods.yaml`"""
    fixed: dict[OwnMethod, models.Parameters] = {}
    """parameters that this experiment fixes"""
    metrics: Annotated[dict[str, models.Metric], Filled]
    """name in the paper: metric"""
    unit: Literal["fraction", "percent"]
    """unit of the scores in tables and figures"""

    @property
    def rates(self) -> list[float]:
        """Rates of the protocol; [0] without any."""
        key = rate_key(self.protocol)
        return getattr(self, key) if key else [0]

    @property
    def labels(self) -> list[str]:
        """Labels of its data."""
        return [data.label for data in self.data]

    @property
    def axes(self) -> list[str]:
        """Parameters that it varies."""
        return list(dict.fromkeys(axis for grid in self.grids.values() for axis in grid))

    def offers(self, scopes: dict[str, Scope]) -> dict[str, Scope | None]:
        """Offer its methods, labels, scores and axes; and the experiments beside it."""
        known = scopes["experiments"].names
        forms = [name for name in known if getattr(known[name], "form", None)]  # pyright: ignore[reportIndexIssue]
        return {
            "own methods": Scope("method of the experiment", self.methods),
            "labels": Scope("label of the data", self.labels),
            "scores": Scope("score", self.metrics),
            "axes": Scope("varied parameter", self.axes),
            "forms": Scope("experiment with a form", forms),
        }

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        yield from super().check(name, configuration)
        yield from self._rates()
        yield from models.check_data(self, configuration)
        for index, data in enumerate(self.data):
            if version := data.version_in(configuration.datasets):
                n_views = len(data.views_in(configuration.datasets))
                for below, reason in self._version(n_views, version):
                    yield ["data", index, *below], reason
        yield from self._methods(configuration)

    def _rates(self) -> Iterator[tuple]:
        """Check that the rates fit the protocol."""
        protocol, wanted = self.protocol, rate_key(self.protocol)
        takes = f"takes '{wanted}'" if wanted else "takes no rates"
        for key in (f"{rate}s" for rate in RATES):
            if getattr(self, key) is not None and key != wanted:
                yield [key], f"the protocol '{protocol}' {takes}, not '{key}'"
        needed = [wanted] if wanted else []
        for key in [*needed, "strength"] if protocol in BASE_OF else needed:
            if getattr(self, key) is None:
                yield ["protocol"], f"'{protocol}' needs '{key}'"
        if protocol not in BASE_OF and self.strength is not None:
            yield ["strength"], f"the protocol '{protocol}' takes no strength"

    def _version(self, n_views: int, version: Any) -> Iterator[tuple]:
        """Check that a version of a data set fits the protocol."""
        if self.protocol == "paired" and n_views != 2:
            yield [], f"has {n_views} views; the protocol 'paired' needs two"
        highest, most = max(self.missing_rates or [0]), 1 - 1 / n_views
        if BASE_OF.get(self.protocol, self.protocol) == "random" and highest > most:
            reason = f"with {n_views} views every sample keeps one only up to the rate {most:.3g}"
            yield [], f"{reason}; missing_rates go to {highest:g}"
        if self.protocol in BY_CLASS and self.strength and None in version.classes.values():
            reason = f"has no classes, by which the protocol '{self.protocol}' removes views"
            yield ["dataset"], reason

    def _methods(self, configuration: Configuration) -> Iterator[tuple]:
        """Check that the methods apply, and the parameters that the experiment sets."""
        classes, methods = configuration.classes, configuration.methods
        if not self.methods:
            yield ["methods"], "no method of the catalogue applies to these data"
        for index, name in enumerate(self.methods if self.protocol not in PER_VIEW else ()):
            if name in methods and labels_each_view(name, self, configuration):
                reason = f"'{name}' labels every view apart, for the protocols "
                reason += f"{' and '.join(PER_VIEW)}; the protocol is '{self.protocol}'"
                yield ["methods", index], reason
        for part in ("grids", "fixed"):
            for name, parameters in getattr(self, part).items():
                place = [part, name]
                if name in self.methods and name in methods:
                    yield from check_parameters(place, parameters, methods[name], classes)
                    yield from self._views(place, parameters.get("views", []))
        for name, grid in self.grids.items():
            for key in grid:
                if key in self.fixed.get(name, {}):
                    yield ["grids", name, key], "is also under fixed; keep one"

    def _views(self, place: list, given: Any) -> Iterator[tuple]:
        """Check that the views named by parameters are views of all data."""
        named = given if place[0] == "grids" else [given]
        names = {view for views in named if isinstance(views, list) for view in views}
        for data in self.data:
            views = names if data.views is None else data.views
            for view in sorted(names.difference(views)):
                yield [*place, "views"], unknown(f"view of {data.label}", view, views)


class Shown(Claimed, Fitted):
    """An experiment with tables and figures of its own."""

    repeats: ExperimentName | None = None
    """id of the experiment that this one repeats with the steps that the paper prints; the ledger
    says whether its verdicts turn"""
    extends: ExperimentName | None = None
    """id of the experiment that this one extends by fairer grids, longer sweeps or more masks; in a
    run that has it, claims about that one are tested on it"""
    perturbed_fits: models.Natural = 0
    """above 0: the labels of the samples are written (`labels.csv`, `clusters.csv`, `features.csv`,
    `answer.json`), with so many perturbed fits of the chosen method behind their certainty; for one
    experiment with one data set"""
    survival: str | None = None
    """a csv with the columns `time` and `event` (1 or 0), one row per sample of the data set, empty
    where it is not known: `answer.json` then has curves and log-rank tests of the clusters; with
    `perturbed_fits`"""
    facts: str | None = None
    """a csv with a column per fact about the samples, one row per sample of the data set, empty
    where it is not known: `answer.json` then says which go with the clusters; with
    `perturbed_fits`"""
    gaps: str | None = None
    """a csv with the columns `view`, `sample` and `feature` (numbers from 0): single values of the
    data set that were not known and have the mean of their feature, which no effect counts"""
    leave_out: dict[OwnMethod, Annotated[list[Label], Filled, Unique]] = {}
    """labels of data on which a method does not run, since it would take too long; their table
    cells stay blank"""
    sweep: bool = False
    """show every point of the grid instead of choosing one"""
    form: Form | None = None
    """how the paper prints it: `<id>` has this form, with the tuning `oracle`, and
    `<id>_extended` all methods and tunings; none: `<id>` has all"""

    varies: ClassVar[bool] = False
    is_comparing: ClassVar[bool] = False

    @property
    def compares(self) -> bool:
        """Whether methods that take aligned views are compared, each by its own tuning."""
        return self.is_comparing and not self.sweep and self.protocol not in PER_VIEW

    @property
    def has_more(self) -> bool:
        """Whether the form of the paper leaves out results."""
        form = self.form
        return form is not None and form.draw != "dots" and (form.selects or not self.sweep)

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        yield from super().check(name, configuration)
        if self.form and self.form.draw == "table" and "metric" not in self.form.columns:
            yield ["form", "columns"], "a table needs 'metric'"
        one = len(self.data) == 1 and len(self.rates or ()) == 1 and self.protocol not in PER_VIEW
        if self.perturbed_fits and not one:
            reason = "is for one data set at one rate, whose views have the same samples"
            yield ["perturbed_fits"], f"{reason}; take it out"
        yield from self._circles(name, configuration.experiments)
        if self.has_more and f"{name}_extended" in configuration.experiments:
            reason = f"'{name}_extended' is its table with all methods and tunings; give the "
            yield ["form"], f"{reason}experiment of this id another one"
        for key in ("survival", "facts", "gaps"):
            file = getattr(self, key)
            if file and not self.perturbed_fits:
                yield [key], "is tested by the clusters of samples; needs perturbed_fits above 0"
            if file and not Path(file).is_file():
                yield [key], f"there is no file {file}"

    def _circles(self, name: str, experiments: dict) -> Iterator[tuple]:
        """Check that no experiment is one of those that it names, or that these name."""
        for keys in (["form", "beside"], ["extends"], ["repeats"]):
            names = [name]
            for each in names:  # which grows
                others = _named(experiments.get(each), keys)
                names += [other for other in others if other not in names[1:]]
            if name in names[1:]:
                yield keys, f"leads back to '{name}' itself; take it out"

    def _one_rate(self, axis: str) -> Iterator[tuple]:
        """Check that a figure against something else than the rate shows one rate."""
        if len(self.rates or ()) > 1:
            key = rate_key(self.protocol)
            yield [key], f"a figure against the {axis} shows one rate; give one"

    def _numbers(self) -> Iterator[tuple]:
        """Check that the axes of a figure are numbers."""
        for method, grid in self.grids.items():
            for axis, values in grid.items():
                numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
                if values != "per_view" and not all(numbers):
                    yield ["grids", method, axis], "the axis of a figure needs numbers"

    def _grids(self, wanted: str, fits: Callable[[list[str]], bool]) -> Iterator[tuple]:
        """Check the grid of a figure that shows all of it."""
        for method in self.methods:
            axes = list(self.grids.get(method, {}))
            if not fits(axes) or not self.sweep:
                reason = (
                    f"the renderer '{self.render}' needs 'sweep: true' and under grids.{method}"
                )
                reason += f" a grid over {wanted}, not {' and '.join(axes) or 'nothing'}"
                yield ["grids", method] if axes else ["render"], reason
        yield from self._numbers()


def _named(experiment: Any, keys: list[str]) -> list[str]:
    """Ids of the experiments that one names under a key; an unknown one, None, names none."""
    for key in keys:
        experiment = getattr(experiment, key, None)
    return experiment if isinstance(experiment, list) else [experiment] if experiment else []


class Curves(Shown):
    """Scores against an axis."""

    render: Literal["curves"] = HOW
    x: Literal["rate", "views", "parameter"] = "rate"
    """horizontal axis of curves"""

    is_comparing: ClassVar[bool] = True

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        yield from super().check(name, configuration)
        if self.x != "rate":
            yield from self._one_rate(self.x)
        elif not rate_key(self.protocol):
            reason = "curves against the rate need a protocol with rates"
            yield ["protocol"], f"{reason}, not '{self.protocol}'"
        if self.x == "parameter":
            yield from self._parameter()
            yield from self._numbers()

    def _parameter(self) -> Iterator[tuple]:
        if not self.sweep or not self.grids:
            yield ["x"], "'parameter' needs 'sweep: true' and the parameter's values under grids"
        several = {m: " and ".join(grid) for m, grid in self.grids.items() if len(grid) > 1}
        for method, names in several.items():
            reason = f"'x: parameter' shows one parameter per method, not {names}"
            yield ["grids", method], reason
        if len(self.axes) > 1 and not several:
            reason = "'parameter' shows the same parameter for all methods"
            yield ["x"], f"{reason}, not {' and '.join(self.axes)}"


class Groups(Shown):
    """Scores as bars, in groups."""

    render: Literal["groups"] = HOW

    is_comparing: ClassVar[bool] = True


class Ranks(Shown):
    """Ranks over blocks, and their tests."""

    render: Literal["ranks"] = HOW
    blocks: Literal["settings", "datasets"] = "settings"
    """what a block of the tests is: a data set at one rate, or a data set, by its
    mean over the rates, which the tables in Markdown and LaTeX then show"""

    is_comparing: ClassVar[bool] = True


class Surfaces(Shown):
    """Scores over two or three parameters."""

    render: Literal["surfaces"] = HOW

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        yield from super().check(name, configuration)
        yield from self._grids("two or three parameters", lambda axes: len(axes) in (2, 3))


class Convergence(Shown):
    """Scores and objectives against the iteration."""

    render: Literal["convergence"] = HOW

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        yield from super().check(name, configuration)
        yield from self._grids("max_iter", lambda axes: axes == ["max_iter"])
        yield from self._one_rate("iteration")


class Multiverse(Fitted):
    """Protocols of a table, compared with its published rows."""

    render: Literal["multiverse"] = HOW
    item: str = Field(description="its item in `published.csv`")
    kinds: Annotated[dict[OwnMethod, Annotated[str, Name("kinds")]], Filled]
    """method: its kind in `multiverse.yaml`, whose questions are tried in all combinations with the
    grid"""

    # It has no tables and figures of its own.
    claim: ClassVar[str] = ""
    varies: ClassVar[bool] = True
    compares: ClassVar[bool] = False
    sweep: ClassVar[bool] = False
    has_more: ClassVar[bool] = False
    leave_out: ClassVar[dict[str, list[str]]] = {}
    form: ClassVar[None] = None
    perturbed_fits: ClassVar[int] = 0

    def check(self, name: str, configuration: Configuration) -> Iterable[tuple]:
        yield from super().check(name, configuration)
        methods, kinds = configuration.methods, configuration.kinds
        for method in self.methods:
            if method not in self.kinds:
                yield ["kinds"], f"lacks the kind of '{method}'"
        for method, of in self.kinds.items():
            if of in kinds and method in methods:
                given = kinds[of].questions, methods[method], configuration.classes
                yield from check_parameters(["kinds", method], *given)
                if not configuration.classes.problem(methods[method].estimator):
                    yield from self._stated(method, kinds[of], configuration)

    def _stated(self, method: str, kind: Kind, configuration: Configuration) -> Iterator[tuple]:
        """Check that the experiment's own choices are among the options of every question."""
        for axis, options in kind.questions.items():
            for data in self.data:
                stated = stated_value(axis, method, self, data, configuration)
                if not any(models.is_same(stated, option) for option in options):
                    reason = f"the options lack {stated!r}, which the experiment states for "
                    yield ["kinds", method, axis], reason + data.label
        for names, (meaning, *others) in kind.definitions.items():
            stated = self.metrics.get(names)
            if isinstance(meaning, dict):  # of several names together
                known = meaning.keys() <= self.metrics.keys()
                stated = {one: self.metrics[one] for one in meaning} if known else None
            if stated is not None and stated not in (meaning, *others):
                reason = f"the options lack {stated!r}, which the experiment states"
                yield ["kinds", method, names], reason


Experiment = Shown | Multiverse  # those with fits
AnyExperiment = Annotated[
    Curves | Groups | Surfaces | Convergence | Ranks | Multiverse | Statistics | Partitions,
    Field(discriminator="render"),
]
RENDERS = {
    get_args(kind.model_fields["render"].annotation)[0]: kind
    for kind in get_args(get_args(AnyExperiment)[0])
}


class Rendered(BaseModel):
    """What decides about the class of an experiment."""

    render: Literal[(*RENDERS,)]
