"""What two records must agree on: methods and classes, experiments and catalogues."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from mvclust.bench.config.applying import labels_each_view, stated_value
from mvclust.bench.config.classes import why_not_prepared as why_not
from mvclust.bench.config.messages import unknown
from mvclust.bench.config.models import FEWEST_POINTS, WITHOUT_FITS
from mvclust.bench.config.protocols import (
    BASE_OF,
    BY_CLASS,
    PER_VIEW,
    PREPARATION,
    RATES,
    rate_key,
)
from mvclust.bench.record.digest import module_file
from mvclust.metrics import INTERNAL, METRICS, STABILITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mvclust.bench.config.classes import Classes
    from mvclust.bench.config.load import Configuration
    from mvclust.bench.config.models import (
        Claim,
        ClaimTest,
        Data,
        DataSet,
        Experiment,
        Kind,
        Method,
        Partitions,
        Probe,
        Statistics,
        Version,
    )
    from mvclust.bench.config.yaml_lines import Document

SET_BY_THE_PIPELINE = ("n_clusters", "random_state")
SCORES = (*METRICS, INTERNAL, STABILITY)
RATE_KEYS = tuple(f"{rate}s" for rate in RATES)


class Mistakes:
    """Collects mistakes in a document, each with its place and key, below the keys `above`."""

    def __init__(self, document: Document, above: tuple = ()) -> None:
        self.document, self.above, self.sentences = document, above, []

    def add(self, keys: Iterable, reason: str) -> None:
        """Add a mistake at a key of the entry."""
        keys = [*self.above, *keys]
        place, name = self.document.where(keys), ".".join(map(str, keys))
        said = f"{name} {reason}" if reason.startswith("is ") else f"{name}: {reason}"
        self.sentences.append(f"{place}: {said}" + "." * (reason[-1] not in ".?"))


def check_methods(
    methods: dict[str, Method], documents: dict[str, Document], classes: Classes
) -> list[str]:
    """Mistakes of methods: classes, parameters, labels."""
    sentences, labels = [], {}
    for name, method in methods.items():
        mistakes = Mistakes(documents[name], (name,))
        _check_method(name, method, classes, mistakes)
        label = method.label or name
        if label in labels:
            mistakes.add(
                ["label"],
                f"'{label}' is also the label of {labels[label]}; tables and figures need "
                "different ones",
            )
        labels.setdefault(label, name)
        sentences += mistakes.sentences
    return sentences


def _check_method(name: str, method: Method, classes: Classes, mistakes: Mistakes) -> None:
    try:
        classes.parameters(method.estimator)
    except LookupError as error:
        mistakes.add(["estimator"], str(error))
        return
    class_name = method.estimator.rpartition(".")[2]
    if name.partition("-")[0] != class_name:
        mistakes.add(
            [],
            f"the key of a method is the name of its class, '{class_name}', or begins with "
            f"'{class_name}-'",
        )
    for part in ("fixed", "by_kind", "default", "grid"):
        check_parameters(part, [part], getattr(method, part), method, classes, mistakes)
    for part in ("by_kind", "default", "grid"):
        for key in getattr(method, part):
            if key in method.fixed:
                mistakes.add([part, key], "is also under fixed; keep one")
    for key in method.grid:
        if key not in method.default and key not in method.fixed:
            place = mistakes.document.where([name, "grid", key])
            mistakes.sentences.append(
                f"{place}: {name}.default lacks '{key}', which the grid varies: give the value "
                'that the tuning "default" uses.'
            )


def check_parameters(
    part: str, keys: list, parameters: dict, method: Method, classes: Classes, mistakes: Mistakes
) -> None:
    """Add the mistakes in names and values of parameters of a method, at `keys` of its entry.

    A grid has a list of values, "per_view" or "per_pair"; by_kind has a `ByKind`.
    """
    estimator = method.estimator
    try:
        known = classes.parameters(estimator)
    except LookupError:
        return  # reported where the catalogue names the class
    if known is not None and part != "by_kind":
        known = [*known, *PREPARATION]
    for key, value in parameters.items():
        place = [*keys, key]
        if key in SET_BY_THE_PIPELINE:
            mistakes.add(place, "is set by the pipeline; take it out")
        elif known is not None and key not in known:
            mistakes.add(place, unknown("parameter", key, known))
        elif part in ("grid", "grids", "kinds"):
            _check_grid(place, value, estimator, classes, mistakes)
        elif part == "by_kind":
            for kind, of_kind in value.model_dump(by_alias=True).items():
                _check_value([*place, kind], key, of_kind, estimator, classes, mistakes)
        else:
            _check_value(place, key, value, estimator, classes, mistakes)


def _check_value(
    place: list, parameter: str, value: Any, estimator: str, classes: Classes, mistakes: Mistakes
) -> None:
    reason = classes.why_not(estimator, parameter, value)
    if reason:
        mistakes.add(place, reason)


def _check_grid(
    place: list, values: Any, estimator: str, classes: Classes, mistakes: Mistakes
) -> None:
    parameter = place[-1]
    if values == "per_pair":
        if parameter != "views":
            mistakes.add(place, "per_pair is only for 'views'")
    elif values == "per_view":
        if not classes.takes_whole_numbers(estimator, parameter):
            mistakes.add(place, "per_view is only for a parameter that takes the index of a view")
    else:
        for index, value in enumerate(values):
            _check_value([*place, index], parameter, value, estimator, classes, mistakes)


def check_datasets(datasets: dict[str, DataSet], documents: dict[str, Document]) -> list[str]:
    """Mistakes of data sets: readers and versions."""
    sentences = []
    for name, dataset in datasets.items():
        mistakes = Mistakes(documents[name], (name,))
        reader = f"mvclust.datasets.readers.{dataset.reader}"
        if module_file(reader) is None:
            mistakes.add(["reader"], f"there is no module '{reader}'")
        if dataset.default_subset not in dataset.subsets:
            mistakes.add(
                ["default_subset"], unknown("version", dataset.default_subset, dataset.subsets)
            )
        sentences += mistakes.sentences
    return sentences


def check_experiment(
    name: str,
    experiment: Any,
    document: Document,
    configuration: Configuration,
) -> list[str]:
    """Mistakes of an experiment."""
    mistakes = Mistakes(document, (name,))
    checks = [_paper(experiment, configuration)]
    if experiment.render == "partitions":
        checks.append(_partitions(experiment, configuration))
    elif experiment.render not in WITHOUT_FITS:
        checks += [
            _rates(experiment),
            _data(experiment, configuration),
            _labels(experiment),
            _methods(experiment, configuration, mistakes),
            _render(experiment),
            _originals(experiment, configuration),
            _form(experiment, configuration),
            _answer(experiment),
        ]
        if experiment.varies:
            checks.append(_multiverse(experiment, configuration, mistakes))
    for keys, reason in chain(*checks):
        mistakes.add(keys, reason)
    return mistakes.sentences


def check_claim(
    name: str, claim: Claim, document: Document, configuration: Configuration
) -> list[str]:
    """Mistakes of a claim."""
    mistakes = Mistakes(document, (name,))
    if claim.paper not in configuration.papers:
        mistakes.add(["paper"], unknown("paper", claim.paper, configuration.papers))
    if not (claim.tests or claim.proof or claim.needs or claim.out_of_scope):
        mistakes.add(
            [], "a claim has tests or a proof, or what it needs, or why it is out of scope"
        )
    for part in ("tests", "printed"):
        for index, test in enumerate(getattr(claim, part) or ()):
            for keys, reason in _claim_test(test, configuration):
                mistakes.add([part, index, *keys], reason)
    for index, test in enumerate(claim.tests):
        for keys, reason in _undecidable(test, configuration):
            mistakes.add(["tests", index, *keys], reason)
    return mistakes.sentences


def _undecidable(test: ClaimTest, configuration: Configuration) -> Iterator[tuple]:
    """Find what keeps a test from deciding anything: points, rivals, curves."""
    known = configuration.experiments
    used = [
        each
        for name, each in known.items()
        if each.render not in WITHOUT_FITS
        and {name, getattr(each, "extends", None)} & set(test.experiments)
    ]
    if test.kind in ("trend", "rise_then_flat") and used:
        most = max(_points(test, each) for each in used)
        if most < FEWEST_POINTS:
            yield ["kind"], f"a trend needs {FEWEST_POINTS} points, the axis has {most}"
    for index, name in enumerate(test.against):
        if name in configuration.methods and configuration.methods[name].reconstructed:
            alone = not {*test.against} - {name} and not test.against_printed
            if alone:
                yield ["against", index], f"'{name}' is reconstructed: compare with its printed row"
    if test.axis == "views" and test.measure == "lead":
        for index, name in enumerate(test.against):
            method = configuration.methods.get(name)
            if method and method.grid.get("views") == "per_pair":
                yield ["against", index], f"'{name}' takes two views, so its lead says nothing"
    if test.kind == "descent" and used and max(each.repetitions for each in used) < FEWEST_CURVES:
        yield ["kind"], f"'descent' needs {FEWEST_CURVES} curves"
    if test.kind in PAIRED and used and max(e.repetitions for e in used) < FEWEST_RUNS:
        yield ["kind"], f"'{test.kind}' needs {FEWEST_RUNS} runs"


def _points(test: ClaimTest, experiment: Experiment) -> int:
    """Number of points of the axis of a trend in an experiment."""
    if test.axis == "views":
        return len({len(data.views or ()) for data in experiment.data})
    if test.parameter:
        grids = [experiment.grids.get(name, {}) for name in test.methods]
        return max((len(grid.get(test.parameter, ())) for grid in grids), default=0)
    return len([r for r in experiment.rates or () if not test.rates or r in test.rates])


def check_probe(
    name: str, probe: Probe, document: Document, configuration: Configuration
) -> list[str]:
    """Mistakes of a probe."""
    mistakes = Mistakes(document, (name,))
    if module_file(probe.measure.rpartition(".")[0]) is None:
        mistakes.add(["measure"], f"there is no module '{probe.measure.rpartition('.')[0]}'")
    for keys, reason in chain(_data(probe, configuration), _labels(probe)):
        mistakes.add(keys, reason)
    for index, data in enumerate(probe.data):
        if data.samples is not None:
            mistakes.add(["data", index, "samples"], "a probe takes all samples")
    return mistakes.sentences


# The kinds of tests that the numbers of probes can take.
OF_PROBES = ("above", "much_above", "within", "one_run")

# What a kind of test cannot do without.
NEEDED = {
    "above": ("against",),
    "much_above": ("against",),
    "gain": ("methods", "against", "gain"),
    "within": ("methods", "against"),
    "best": ("methods", "against"),
    "worst": ("methods", "against"),
    "not_best": ("methods", "against"),
    "below_median": ("methods", "against"),
    "rise_then_flat": ("methods", "parameter", "window"),
    "window": ("methods", "parameter", "window"),
    "insensitive": ("methods",),
    "less_spread": ("methods", "parameter"),
    "exponent": ("methods", "grows", "stated"),
}


# Kinds that compare runs, of which so many are needed; curves that a descent needs.
PAIRED = ("above", "much_above", "gain", "within", "best", "worst", "not_best", "below_median")
FEWEST_RUNS, FEWEST_CURVES = 3, 5


# The methods whose growth can be measured: those of claims.growth, which is a higher room.
MEASURED = ("DAIMC", "PVC", "UEAF", "MPAC", "MultiNMF", "CMVNMF")


def _claim_test(test: ClaimTest, configuration: Configuration) -> Iterator[tuple]:
    """Check that a test names what its experiments have."""
    known = configuration.experiments
    for key in NEEDED.get(test.kind, ()):
        if getattr(test, key) in (None, [], {}):
            yield ["kind"], f"'{test.kind}' needs '{key}'"
    if test.kind == "exponent":
        for index, name in enumerate(test.methods):
            if name not in MEASURED:
                yield ["methods", index], unknown("method whose growth is measured", name, MEASURED)
    elif test.probes:
        yield from _probed(test, configuration.probes)
        return
    elif not test.experiments:
        yield ["kind"], f"'{test.kind}' needs 'experiments'"
    for index, name in enumerate(test.experiments):
        if name not in known:
            yield ["experiments", index], unknown("experiment", name, known)
        elif known[name].render in WITHOUT_FITS:
            reason = f"'{name}' has no scores (renderer '{known[name].render}')"
            yield ["experiments", index], reason
    used = [
        known[name]
        for name in test.experiments
        if name in known and known[name].render not in WITHOUT_FITS
    ]
    if not used:
        return
    there = {
        "methods": list(dict.fromkeys(m for each in used for m in each.methods)),
        "metrics": list(dict.fromkeys(m for each in used for m in each.metrics)),
        "datasets": list(dict.fromkeys(d.label for each in used for d in each.data)),
        "rates": list(dict.fromkeys(rate for each in used for rate in each.rates or ())),
    }
    there |= {"against": there["methods"], "gain": there["metrics"]}
    kinds = {"methods": "method", "against": "method", "metrics": "score", "gain": "score"}
    for key in ("methods", "against", "metrics", "datasets", "rates", "gain"):
        for index, name in enumerate(getattr(test, key)):
            if name not in there[key]:
                kind = kinds.get(key, key.rstrip("s").replace("dataset", "data set"))
                of = " and ".join(test.experiments)
                place = [key, name if key == "gain" else index]
                yield place, unknown(f"{kind} of {of}", name, there[key])
    if test.axis == "parameter" and not test.parameter:
        yield ["axis"], "the axis 'parameter' needs 'parameter'"
    if test.kind in ("gain", "below_median") and len(test.methods) > 1:
        yield ["methods"], f"'{test.kind}' takes one method, got {len(test.methods)}"


def _probed(test: ClaimTest, known: dict[str, Probe]) -> Iterator[tuple]:
    """Check that a test names what its probes have."""
    if test.kind not in OF_PROBES:
        yield ["kind"], unknown("kind of test of probes", test.kind, OF_PROBES)
    if test.experiments:
        yield ["experiments"], "a test looks at experiments or at probes, not at both"
    for index, name in enumerate(test.probes):
        if name not in known:
            yield ["probes", index], unknown("probe", name, known)
    used = [known[name] for name in test.probes if name in known]
    there = {
        "methods": [arm for probe in used for arm in probe.arms],
        "datasets": [data.label for probe in used for data in probe.data],
    }
    there["against"] = there["methods"]
    for key, what in {"methods": "arm", "against": "arm", "datasets": "data set"}.items():
        for index, name in enumerate(getattr(test, key)):
            if used and name not in there[key]:
                yield (
                    [key, index],
                    unknown(f"{what} of {' and '.join(test.probes)}", name, there[key]),
                )


# Each of the following gives the mistakes of an experiment: pairs of keys and reason.


def _paper(
    experiment: Statistics | Experiment | Partitions, configuration: Configuration
) -> Iterator[tuple]:
    """Check that an item belongs to a paper with published numbers."""
    paper, item, papers = experiment.paper, experiment.item, configuration.papers
    if item is not None and paper not in papers:
        yield ["paper"], unknown("paper with published numbers", paper, papers)
    elif item is not None and item not in papers[paper].tables:
        yield ["item"], unknown(f"table of {paper}", item, papers[paper].tables)


def _originals(experiment: Experiment, configuration: Configuration) -> Iterator[tuple]:
    known = configuration.experiments
    for key in ("repeats", "extends"):
        name = getattr(experiment, key)
        if name is not None and name not in known:
            yield [key], unknown("experiment", name, known)


def _form(experiment: Experiment, configuration: Configuration) -> Iterator[tuple]:
    """Check that a form names what its experiment has."""
    form, known = experiment.form, configuration.experiments
    if form is None:
        return
    there = {
        "beside": ("experiment with a form", [n for n in known if getattr(known[n], "form", None)]),
        "methods": ("method", experiment.methods),
        "datasets": ("data set", [data.label for data in experiment.data]),
        "metrics": ("score", experiment.metrics),
    }
    for key, (kind, names) in there.items():
        for index, name in enumerate(getattr(form, key)):
            if name not in names:
                yield ["form", key, index], unknown(kind, name, names)
    axes = {axis for grid in experiment.grids.values() for axis in grid}
    for key in ("window", "mark"):
        for name in getattr(form, key):
            if name not in axes:
                yield ["form", key, name], unknown("varied parameter", name, axes)
    if form.draw == "table" and "metric" not in form.columns:
        yield ["form", "columns"], "a table needs 'metric'"


def _partitions(experiment: Partitions, configuration: Configuration) -> Iterator[tuple]:
    yield from _data(experiment, configuration)
    if len(experiment.data) != 1:
        yield ["data"], "the renderer 'partitions' needs exactly one data set"
    for index, data in enumerate(experiment.data):
        for key in ("views", "samples"):
            if getattr(data, key) is not None:
                reason = "the renderer 'partitions' takes the whole data set; take it out"
                yield ["data", index, key], reason


def _rates(experiment: Experiment) -> Iterator[tuple]:
    """Check that the rates fit the protocol."""
    protocol = experiment.protocol
    wanted = rate_key(protocol)
    takes = f"takes '{wanted}'" if wanted else "takes no rates"
    for key in RATE_KEYS:
        if getattr(experiment, key) is not None and key != wanted:
            yield [key], f"the protocol '{protocol}' {takes}, not '{key}'"
    if wanted and getattr(experiment, wanted) is None:
        yield ["protocol"], f"'{protocol}' needs '{wanted}'"
    if protocol in BASE_OF and experiment.strength is None:
        yield ["protocol"], f"'{protocol}' needs 'strength'"
    if protocol not in BASE_OF and experiment.strength is not None:
        yield ["strength"], f"the protocol '{protocol}' takes no strength"


def _data(
    experiment: Experiment | Partitions | Probe, configuration: Configuration
) -> Iterator[tuple]:
    """Check that the data sets exist with their versions and views, and fit the protocol."""
    datasets = configuration.datasets
    for index, data in enumerate(experiment.data):
        keys, dataset = ["data", index], datasets.get(data.dataset)
        if dataset is None:
            yield [*keys, "dataset"], unknown("data set", data.dataset, datasets)
        elif data.subset is not None and data.subset not in dataset.subsets:
            yield [*keys, "subset"], unknown("version", data.subset, dataset.subsets)
        elif (data.subset or dataset.default_subset) in dataset.subsets:
            for below, reason in _version(experiment, data, dataset.version(data.subset)):
                yield [*keys, *below], reason


def _version(
    experiment: Experiment | Partitions | Probe, data: Data, version: Version
) -> Iterator[tuple]:
    """Check that a version of a data set has the inputs of an experiment."""
    if data.samples is not None and data.samples > version.n_samples:
        yield ["samples"], f"{data.samples} is more than the {version.n_samples} samples"
    known = [view.name for view in version.views]
    views = known if data.views is None else data.views
    for number, view in enumerate(views):
        if view not in known:
            yield ["views", number], unknown("view", view, known)
    given = "features" in data.model_fields_set
    if given and (reason := why_not("features", data.features)):
        yield ["features"], reason
    protocol = getattr(experiment, "protocol", None)
    if protocol == "paired" and len(views) != 2:
        yield [], f"has {len(views)} views; the protocol 'paired' needs two"
    highest, most = max(getattr(experiment, "missing_rates", None) or [0]), 1 - 1 / len(views)
    if BASE_OF.get(protocol, protocol) == "random" and highest > most:  # pyright: ignore[reportArgumentType]
        reason = f"with {len(views)} views every sample keeps one only up to the rate {most:.3g}"
        yield [], f"{reason}; missing_rates go to {highest:g}"
    if protocol in BY_CLASS and experiment.strength and None in version.classes.values():
        yield ["dataset"], f"has no classes, by which the protocol '{protocol}' removes views"


def _labels(experiment: Experiment | Probe) -> Iterator[tuple]:
    """Check that rows of a table are distinguishable."""
    labels, scalings = [], {}
    for index, data in enumerate(experiment.data):
        if data.label in labels:
            reason = f"'{data.label}' is already the label of another data set; use different ones"
            yield ["data", index, "label"], reason
        labels.append(data.label)
        same = repr(data.model_copy(update={"label": "", "features": None}))
        if scalings.setdefault(same, data.features) != data.features:
            yield ["data", index, "features"], "the same data have another scaling above"


def _methods(
    experiment: Experiment, configuration: Configuration, mistakes: Mistakes
) -> Iterator[tuple]:
    """Check that the methods, and the parameters that the experiment sets, exist."""
    chosen, methods = experiment.methods, configuration.methods
    if not chosen:
        yield ["methods"], "no method of the catalogue applies to these data"
    for index, method in enumerate(chosen):
        if method not in methods:
            yield ["methods", index], unknown("method", method, methods)
        elif experiment.protocol not in PER_VIEW and labels_each_view(
            method, methods[method], experiment, configuration.classes
        ):
            reason = (
                f"'{method}' labels every view apart, for the protocols {' and '.join(PER_VIEW)}"
            )
            yield ["methods", index], f"{reason}; the protocol is '{experiment.protocol}'"
    for part in ("grids", "fixed", "kinds", "leave_out"):
        for method in getattr(experiment, part):
            if method not in chosen:
                yield [part, method], unknown("method of the experiment", method, chosen)
    for part in ("grids", "fixed"):
        for method, parameters in getattr(experiment, part).items():
            if method in chosen and method in methods:
                place, entry = [part, method], methods[method]
                check_parameters(part, place, parameters, entry, configuration.classes, mistakes)
                yield from _views(experiment, part, method, parameters)
            for key in parameters if part != "fixed" else ():
                if key in experiment.fixed.get(method, {}):
                    yield [part, method, key], "is also under fixed; keep one"
    labels = [data.label for data in experiment.data]
    for method, left_out in experiment.leave_out.items():
        for index, label in enumerate(left_out):
            if label not in labels:
                reason = unknown("label of the data", label, labels)
                yield ["leave_out", method, index], reason


def _views(experiment: Experiment, part: str, method: str, parameters: dict) -> Iterator[tuple]:
    """Check that the views named by parameters are views of all data."""
    given = parameters.get("views", [])
    named = [each for each in (given if part != "fixed" else [given]) if isinstance(each, list)]
    names = {view for views in named for view in views}
    for data in experiment.data:
        views = names if data.views is None else data.views
        for view in sorted(names.difference(views)):
            yield [part, method, "views"], unknown(f"view of {data.label}", view, views)


def _render(experiment: Experiment) -> Iterator[tuple]:
    """Check that a figure has its axes."""
    render, x, given = experiment.render, experiment.x, experiment.model_fields_set
    drawn_by = {"blocks": "ranks", "x": "curves", "kinds": "multiverse"}
    for key, drawn in drawn_by.items():
        if key in given and render != drawn:
            yield [key], f"is only for the renderer '{drawn}', not '{render}'"
    if render == "curves" and x == "rate" and not rate_key(experiment.protocol):
        reason = "curves against the rate need a protocol with rates"
        yield ["protocol"], f"{reason}, not '{experiment.protocol}'"
    by_parameter = render == "curves" and x == "parameter"
    if by_parameter:
        yield from _parameter_axis(experiment)
    if render in ("surfaces", "convergence"):
        yield from _shown_grid(experiment)
    if by_parameter or render in ("surfaces", "convergence"):
        yield from _numbers(experiment)
    if render == "convergence" or (render == "curves" and x != "rate"):
        key = rate_key(experiment.protocol)
        if key and len(getattr(experiment, key) or []) > 1:
            against = "iteration" if render == "convergence" else x
            yield [key], f"a figure against the {against} shows one rate; give one"


def _parameter_axis(experiment: Experiment) -> Iterator[tuple]:
    grids = experiment.grids
    if not experiment.sweep or not grids:
        yield ["x"], "'parameter' needs 'sweep: true' and the parameter's values under grids"
    axes = list(dict.fromkeys(axis for grid in grids.values() for axis in grid))
    several = {method: " and ".join(grid) for method, grid in grids.items() if len(grid) > 1}
    for method, names in several.items():
        yield ["grids", method], f"'x: parameter' shows one parameter per method, not {names}"
    if len(axes) > 1 and not several:
        reason = "'parameter' shows the same parameter for all methods"
        yield ["x"], f"{reason}, not {' and '.join(axes)}"


def _shown_grid(experiment: Experiment) -> Iterator[tuple]:
    """Check the grid of figures that show it unchanged."""
    render = experiment.render
    wanted = {"surfaces": "two or three parameters", "convergence": "max_iter"}[render]
    for method in experiment.methods:
        axes = list(experiment.grids.get(method, {}))
        right = len(axes) in (2, 3) if render == "surfaces" else axes == ["max_iter"]
        if not right or not experiment.sweep:
            yield (
                ["grids", method] if axes else ["render"],
                f"the renderer '{render}' needs 'sweep: true' and under grids.{method} a grid over "
                f"{wanted}, not {' and '.join(axes) or 'nothing'}",
            )


def _numbers(experiment: Experiment) -> Iterator[tuple]:
    """Check that the axes of a figure are numbers."""
    for method, grid in experiment.grids.items():
        for axis, values in grid.items():
            numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
            if values != "per_view" and not all(numbers):
                yield ["grids", method, axis], "the axis of a figure needs numbers"


def _answer(experiment: Experiment) -> Iterator[tuple]:
    """Check that an answer uses one data set whose samples have one label each."""
    if experiment.perturbed_fits and (
        len(experiment.data) != 1
        or len(experiment.rates or ()) != 1
        or experiment.protocol in PER_VIEW
        or experiment.varies
    ):
        reason = "is for one data set at one rate, whose views have the same samples; take it out"
        yield ["perturbed_fits"], reason
    for key in ("survival", "facts"):
        file = getattr(experiment, key)
        if file and not experiment.perturbed_fits:
            yield [key], "is tested by the clusters of samples; needs perturbed_fits above 0"
        if file and not Path(file).is_file():
            yield [key], f"there is no file {file}"


def _multiverse(
    experiment: Experiment, configuration: Configuration, mistakes: Mistakes
) -> Iterator[tuple]:
    """Check that protocols belong to a printed table, and each method to a kind that fits it."""
    for key in ("item", "kinds"):
        if not getattr(experiment, key):
            yield ["render"], f"the renderer 'multiverse' needs '{key}'"
    for key in ("sweep", "claim", "leave_out"):
        if key in experiment.model_fields_set:
            yield [key], f"the renderer 'multiverse' takes no {key}; take it out"
    for method in experiment.methods:
        if method not in experiment.kinds:
            yield ["kinds"], f"lacks the kind of '{method}'"
    for method, name in experiment.kinds.items():
        place, kind = ["kinds", method], configuration.kinds.get(name)
        if kind is None:
            yield place, unknown("kind of methods", name, configuration.kinds)
            continue
        entry = configuration.methods.get(method)
        if entry is not None:
            classes = configuration.classes
            check_parameters("kinds", place, kind.questions, entry, classes, mistakes)
            yield from _stated(experiment, method, kind, configuration)
        for names, meanings in kind.definitions.items():
            stated = _named_metrics(names, meanings[0], experiment.metrics)
            if stated is not None and stated not in meanings:
                reason = f"the options lack {stated!r}, which the experiment states"
                yield [*place, names], reason


def _stated(
    experiment: Experiment, method: str, kind: Kind, configuration: Configuration
) -> Iterator[tuple]:
    """Check that the experiment's own choices are among the options of every question."""
    for axis, options in kind.questions.items():
        for data in experiment.data:
            stated = stated_value(axis, method, experiment, data, configuration)
            if not any(_is_same(stated, option) for option in options):
                reason = (
                    f"the options lack {stated!r}, which the experiment states for {data.label}"
                )
                yield ["kinds", method, axis], reason


def check_kinds(configuration: Configuration, owners: dict[str, Document]) -> list[str]:
    """Mistakes of the kinds of methods: options that `questions.yaml` does not explain."""
    sentences = []
    for name, kind in configuration.kinds.items():
        mistakes = Mistakes(owners[name], (name,))
        tried = {("questions", axis): options for axis, options in kind.questions.items()}
        tried |= {("definitions", names): given for names, given in kind.definitions.items()}
        for keys, options in tried.items():
            question = configuration.questions.get(keys[-1])
            if question is None:
                mistakes.add(keys, f"config/questions.yaml does not explain '{keys[-1]}'")
                continue
            known = [option.value for option in question.values]
            for value in options:
                if not any(_is_same(value, each) for each in known):
                    reason = f"config/questions.yaml does not explain the value {value!r}"
                    mistakes.add(keys, reason)
        sentences += mistakes.sentences
    return sentences


def _named_metrics(names: str, meaning: Any, metrics: dict[str, str]) -> Any:
    """An experiment's meaning of a name, in the form of a meaning; None without one."""
    if not isinstance(meaning, dict):
        return metrics.get(names)
    return {one: metrics[one] for one in meaning} if set(meaning) <= set(metrics) else None


def _is_same(value: Any, other: Any) -> bool:
    """Whether two values of YAML are equal; true is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)
