"""Check experiments one by one, after their schema."""

from mvclust.datasets.catalogue import find_subset
from mvclust.metrics import INTERNAL, METRICS, STABILITY
from mvclust.pipeline.plan.allowed import SCALING, refusal
from mvclust.pipeline.plan.check_catalogues import check_parameters
from mvclust.pipeline.plan.schema import counted, unknown
from mvclust.pipeline.plan.settings import PAPERS, RATE_OF, RATES, TOGETHER, canonical

# What an experiment without fits of its own has.
ABOUT = ("title", "caption", "claim", "paper", "item", "render")
WITHOUT_FITS = {"statistics": ABOUT, "partitions": (*ABOUT, "data")}

SCORES = (*METRICS, INTERNAL, STABILITY)

# Keys of an experiment that list rates.
RATE_KEYS = tuple(f"{rate}s" for rate in RATES)


def rate_key(protocol):
    """The key that lists the rates of a protocol, or None if it has none.

    Examples
    --------
    >>> rate_key("random"), rate_key("complete")
    ('missing_rates', None)
    """
    return f"{RATE_OF[protocol]}s" if protocol in RATE_OF else None


def check_experiment(name, experiment, document, methods, datasets):
    """The mistakes in one experiment.

    Parameters
    ----------
    name : str
    experiment : dict
    document : Document
        The file that declares it.
    methods, datasets : dict
        The catalogues.

    Returns
    -------
    list of str
    """
    if experiment["render"] in WITHOUT_FITS:
        return _check_without_fits(name, experiment, document, datasets)
    checker = _Checker(name, experiment, document)
    checker.check_paper()
    checker.check_rates()
    for index, data in enumerate(experiment["data"]):
        checker.check_data(index, data, datasets)
    checker.check_labels()
    checker.check_methods(methods)
    checker.check_render()
    return checker.problems


def _check_without_fits(name, experiment, document, datasets):
    checker = _Checker(name, experiment, document)
    kind = experiment["render"]
    for key in experiment:
        if key not in WITHOUT_FITS[kind]:
            checker.refuse([key], f"the renderer '{kind}' takes no {key}; take it out")
    if kind == "partitions":
        if len(experiment.get("data", [])) != 1:
            checker.refuse(["data"], "the renderer 'partitions' needs exactly one data set")
        for index, data in enumerate(experiment.get("data", [])):
            checker.check_data(index, data, datasets)
            for key in ("views", "samples"):
                if key in data:
                    said = "the renderer 'partitions' takes the whole data set; take it out"
                    checker.refuse(["data", index, key], said)
    return checker.problems


class _Checker:
    """Collects the mistakes of one experiment."""

    def __init__(self, name, experiment, document):
        self.name = name
        self.experiment = experiment
        self.document = document
        self.problems = []

    def refuse(self, keys, reason):
        """Note a mistake at a key of the experiment."""
        keys = [self.name, *keys]
        place, shown = self.document.where(keys), ".".join(map(str, keys))
        self.problems.append(f"{place}: {shown}: {reason}" + "." * (reason[-1] not in ".?"))

    def check_paper(self):
        """Whether an item is one of a paper with published numbers."""
        paper = self.experiment["paper"]
        if "item" in self.experiment and paper not in PAPERS:
            self.refuse(["paper"], unknown("paper with published numbers", paper, PAPERS))

    def check_rates(self):
        """Whether the rates fit the protocol."""
        protocol = self.experiment["protocol"]
        wanted = rate_key(protocol)
        takes = f"takes '{wanted}'" if wanted else "takes no rates"
        for key in RATE_KEYS:
            if key in self.experiment and key != wanted:
                self.refuse([key], f"the protocol '{protocol}' {takes}, not '{key}'")
        if wanted and wanted not in self.experiment:
            self.refuse(["protocol"], f"'{protocol}' needs '{wanted}'")

    def check_data(self, index, data, datasets):
        """Whether one data set exists with its version and views, and fits the protocol."""
        keys = ["data", index]
        if data["dataset"] not in datasets:
            self.refuse([*keys, "dataset"], unknown("data set", data["dataset"], datasets))
            return
        entry = datasets[data["dataset"]]
        if data.get("subset", entry["default_subset"]) not in entry["subsets"]:
            if "subset" in data:  # else reported where the catalogue names the default
                self.refuse([*keys, "subset"], unknown("version", data["subset"], entry["subsets"]))
            return
        _, facts = find_subset(data["dataset"], entry, data.get("subset"))
        if data.get("samples", 0) > facts["n_samples"]:
            said = f"{data['samples']} is more than the {facts['n_samples']} samples"
            self.refuse([*keys, "samples"], said)
        known = [view["name"] for view in facts["views"]]
        views = data.get("views", known)
        for number, view in enumerate(views):
            if view not in known:
                self.refuse([*keys, "views", number], unknown("view", view, known))
        if "features" in data and (reason := refusal([SCALING], data["features"])):
            self.refuse([*keys, "features"], reason)
        protocol = self.experiment.get("protocol")
        if protocol == "paired" and len(views) != 2:
            self.refuse(keys, f"has {len(views)} views; the protocol 'paired' needs two")
        highest = max(self.experiment.get("missing_rates", [0]))
        if protocol == "random" and highest > 1 - 1 / len(views):
            self.refuse(
                keys,
                f"with {len(views)} views every sample keeps one only up to the rate "
                f"{1 - 1 / len(views):.3g}; missing_rates go to {highest}",
            )

    def check_labels(self):
        """Whether rows of a table can be told apart."""
        labels = [data["label"] for data in self.experiment["data"]]
        for index, label in enumerate(labels):
            if label in labels[:index]:
                said = f"'{label}' is already the label of another data set; use different ones"
                self.refuse(["data", index, "label"], said)
        scalings = {}
        for index, data in enumerate(self.experiment["data"]):
            place = {key: value for key, value in data.items() if key not in ("label", "features")}
            scaling = scalings.setdefault(canonical(place), data.get("features"))
            if scaling != data.get("features"):
                self.refuse(["data", index, "features"], "the same data have another scaling above")

    def check_methods(self, methods):
        """Whether the methods, and the parameters that the experiment sets, exist."""
        chosen = self.experiment["methods"]
        if not chosen:
            self.refuse(["methods"], "no method of the catalogue applies to these data")
        for index, method in enumerate(chosen):
            if method not in methods:
                self.refuse(["methods", index], unknown("method", method, methods))
        for part in ("grids", "fixed", "readings"):
            for method, parameters in self.experiment.get(part, {}).items():
                if method not in chosen:
                    self.refuse([part, method], unknown("method of the experiment", method, chosen))
                elif method in methods:
                    keys = [self.name, part, method]
                    entry = methods[method]
                    self.problems += check_parameters(keys, parameters, entry, self.document)
                    self._check_views(part, method, parameters)
        self._check_left_out(chosen)
        for part in ("grids", "readings"):
            for method, grid in self.experiment.get(part, {}).items():
                for key in grid:
                    if key in self.experiment.get("fixed", {}).get(method, {}):
                        self.refuse([part, method, key], "is also under fixed; keep one")

    def _check_left_out(self, chosen):
        """Whether what is left out is there at all."""
        labels = [data["label"] for data in self.experiment["data"]]
        for method, left_out in self.experiment.get("leave_out", {}).items():
            keys = ["leave_out", method]
            if method not in chosen:
                self.refuse(keys, unknown("method of the experiment", method, chosen))
            for index, label in enumerate(left_out):
                if label not in labels:
                    self.refuse([*keys, index], unknown("label of the data", label, labels))

    def _check_views(self, part, method, parameters):
        """Whether pairs of views that the experiment names are views of all its data."""
        given = parameters.get("views", [])
        pairs = [given] if isinstance(given, str) else given
        named = {v for pair in pairs if "+" in str(pair) for v in str(pair).split("+")}
        for data in self.experiment["data"]:
            for view in sorted(named.difference(data.get("views", named))):
                said = unknown(f"view of {data['label']}", view, data["views"])
                self.refuse([part, method, "views"], said)

    def check_render(self):
        """Whether a figure gets the axes that it shows."""
        render, x = self.experiment["render"], self.experiment.get("x", "rate")
        if render == "readings":
            for key in ("item", "readings"):
                if key not in self.experiment:
                    self.refuse(["render"], f"the renderer 'readings' needs '{key}'")
            for key in ("sweep", "claim", "leave_out"):
                if key in self.experiment:
                    self.refuse([key], f"the renderer 'readings' takes no {key}; take it out")
            self._check_definitions()
        else:
            for key in ("readings", "definitions"):
                if key in self.experiment:
                    self.refuse([key], f"is only for the renderer 'readings', not '{render}'")
        if "blocks" in self.experiment and render != "ranks":
            self.refuse(["blocks"], f"is only for the renderer 'ranks', not '{render}'")
        if "x" in self.experiment and render != "curves":
            self.refuse(["x"], f"is only for the renderer 'curves', not '{render}'")
        elif render == "curves" and x == "parameter":
            self._check_parameter_axis()
        elif render == "curves" and x == "rate" and not rate_key(self.experiment["protocol"]):
            protocol = self.experiment["protocol"]
            said = f"curves against the rate need a protocol with rates, not '{protocol}'"
            self.refuse(["protocol"], said)
        if render in ("surfaces", "convergence"):
            self._check_shown_grid(render)
        if render in ("surfaces", "convergence") or (render == "curves" and x == "parameter"):
            self._check_numbers()
        if render == "convergence" or (render == "curves" and x != "rate"):
            self._check_one_rate("the iteration" if render == "convergence" else f"the {x}")

    def _check_definitions(self):
        """Whether names that may mean several metrics are printed, the stated meaning first."""
        metrics = self.experiment["metrics"]
        for name, meanings in self.experiment.get("definitions", {}).items():
            keys, named = ["definitions", name], name.split(TOGETHER)
            unlisted = [one for one in named if one not in metrics]
            if unlisted:
                self.refuse(keys, unknown("metric of the experiment", unlisted[0], metrics))
                continue
            self._check_meanings(keys, len(named), meanings)
            stated = TOGETHER.join(metrics[one] for one in named)
            if meanings[0] != stated:
                said = f"begins with '{meanings[0]}', but metrics.{name} is '{stated}'"
                self.refuse(keys, f"{said}; put that first")

    def _check_meanings(self, keys, count, meanings):
        for meaning in meanings:
            given = meaning.split(TOGETHER)
            strange = [one for one in given if one not in SCORES]
            if strange:
                self.refuse(keys, unknown("metric", strange[0], SCORES))
            elif len(given) != count:
                self.refuse(
                    keys, f"'{meaning}' has {counted(len(given), 'metric')} for {count} names"
                )

    def _check_parameter_axis(self):
        grids = self.experiment.get("grids", {})
        if not self.experiment.get("sweep") or not grids:
            said = "'parameter' needs 'sweep: true' and the parameter's values under grids"
            self.refuse(["x"], said)
        axes = list(dict.fromkeys(axis for grid in grids.values() for axis in grid))
        for method, grid in grids.items():
            if len(grid) > 1:
                shown = " and ".join(grid)
                said = f"'x: parameter' shows one parameter per method, not {shown}"
                self.refuse(["grids", method], said)
        if len(axes) > 1 and all(len(grid) == 1 for grid in grids.values()):
            said = f"'parameter' shows the same parameter for all methods, not {' and '.join(axes)}"
            self.refuse(["x"], said)

    def _check_shown_grid(self, render):
        """Some figures show a grid as it is."""
        wanted = {"surfaces": "two parameters", "convergence": "max_iter"}[render]
        for method in self.experiment["methods"]:
            axes = list(self.experiment.get("grids", {}).get(method, {}))
            right = len(axes) == 2 if render == "surfaces" else axes == ["max_iter"]
            if not right or not self.experiment.get("sweep"):
                self.refuse(
                    ["grids", method] if axes else ["render"],
                    f"the renderer '{render}' needs 'sweep: true' and under grids.{method} a grid "
                    f"over {wanted}, not {' and '.join(axes) or 'nothing'}",
                )

    def _check_numbers(self):
        """Whether the axes of a figure are numbers."""
        for method, grid in self.experiment.get("grids", {}).items():
            for axis, values in grid.items():
                numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
                if values != "per_view" and not all(numbers):
                    self.refuse(["grids", method, axis], "the axis of a figure needs numbers")

    def _check_one_rate(self, against):
        key = rate_key(self.experiment["protocol"])
        if len(self.experiment.get(key, [])) > 1:
            self.refuse([key], f"a figure against {against} shows one rate; give one")


def check_readings(experiments, documents, readings):
    """Whether every value that a reading tries is explained in the catalogue of readings.

    Parameters
    ----------
    experiments : dict
    documents : list of Document
        The files that declare them.
    readings : dict
        The catalogue, parameter -> its question and values.

    Returns
    -------
    list of str
    """
    known = {
        name: {canonical({name: value["value"]}) for value in entry["values"]}
        for name, entry in readings.items()
    }
    problems = []
    for document in documents:
        for name in document.data:
            for method, axes in experiments[name].get("readings", {}).items():
                for axis, values in axes.items():
                    keys = [name, "readings", method, axis]
                    if axis != "start":
                        problems += _unexplained(keys, values, known, document)
            for metric, meanings in experiments[name].get("definitions", {}).items():
                keys = [name, "definitions", metric]
                problems += _unexplained(keys, meanings, known, document)
    return problems


def _unexplained(keys, values, known, document):
    axis, place = keys[-1], document.where(keys)
    if axis not in known:
        return [f"{place}: {'.'.join(keys)}: config/readings.yaml does not explain '{axis}'."]
    return [
        f"{place}: {'.'.join(keys)}: config/readings.yaml does not explain the value {value!r}."
        for value in values
        if canonical({axis: value}) not in known[axis]
    ]
