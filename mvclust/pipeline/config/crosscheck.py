"""What two records must agree on: methods and classes, experiments and catalogues."""

from mvclust.metrics import INTERNAL, METRICS, STABILITY
from mvclust.pipeline.config.classes import why_not_prepared
from mvclust.pipeline.config.models import WITHOUT_FITS
from mvclust.pipeline.config.protocols import PREPARATION, RATES, rate_key
from mvclust.pipeline.config.sentences import unknown
from mvclust.pipeline.record.digest import module_file

SET_BY_THE_PIPELINE = ("n_clusters", "random_state")
SCORES = (*METRICS, INTERNAL, STABILITY)
RATE_KEYS = tuple(f"{rate}s" for rate in RATES)


class Mistakes:
    """Collects mistakes, each with its place and key.

    Parameters
    ----------
    document : mvclust.pipeline.config.located.Document
        The file with the keys.
    above : tuple of str, default=()
        Keys from the top of the file to the entry that is checked.
    """

    def __init__(self, document, above=()):
        self.document, self.above, self.sentences = document, above, []

    def add(self, keys, reason):
        """Note a mistake at a key of the entry."""
        keys = [*self.above, *keys]
        place, name = self.document.where(keys), ".".join(map(str, keys))
        said = f"{name} {reason}" if reason.startswith("is ") else f"{name}: {reason}"
        self.sentences.append(f"{place}: {said}" + "." * (reason[-1] not in ".?"))


def check_methods(methods, documents, classes):
    """The mistakes of methods: classes, parameters, labels.

    Parameters
    ----------
    methods : dict
        Name -> Method.
    documents : dict
        Name -> Document that declares it.
    classes : mvclust.pipeline.config.classes.Classes

    Returns
    -------
    list of str
    """
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


def _check_method(name, method, classes, mistakes):
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


def check_parameters(part, keys, parameters, method, classes, mistakes):
    """Note the mistakes in parameters of a method: their names and values.

    Parameters
    ----------
    part : {"fixed", "default", "by_kind", "grid", "grids", "readings"}
    keys : list of str
        Where the parameters are in the entry.
    parameters : dict
        Parameter -> value; of a grid a list of values, "per_view" or "per_pair"; of by_kind a
        `ByKind`.
    method : Method
    classes : mvclust.pipeline.config.classes.Classes
    mistakes : Mistakes
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
        elif part in ("grid", "grids", "readings"):
            _check_grid(place, value, estimator, classes, mistakes)
        elif part == "by_kind":
            for kind, of_kind in value.model_dump(by_alias=True).items():
                _check_value([*place, kind], key, of_kind, estimator, classes, mistakes)
        else:
            _check_value(place, key, value, estimator, classes, mistakes)


def _check_value(place, parameter, value, estimator, classes, mistakes):
    reason = classes.why_not(estimator, parameter, value)
    if reason:
        mistakes.add(place, reason)


def _check_grid(place, values, estimator, classes, mistakes):
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


def check_datasets(datasets, documents):
    """The mistakes of data sets: readers and versions.

    Parameters
    ----------
    datasets : dict
        Name -> DataSet.
    documents : dict
        Name -> Document that declares it.

    Returns
    -------
    list of str
    """
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


class ExperimentCheck:
    """The mistakes of one experiment, by what it must agree with.

    Parameters
    ----------
    name : str
    experiment : Experiment, Partitions or Statistics
    document : Document
        The file that declares it.
    configuration : mvclust.pipeline.config.load.Configuration
        With the catalogues.
    """

    def __init__(self, name, experiment, document, configuration):
        self.experiment, self.configuration = experiment, configuration
        self.mistakes = Mistakes(document, (name,))
        self.refuse = self.mistakes.add

    def sentences(self):
        """All mistakes."""
        render = self.experiment.render
        self._check_paper()
        if render == "partitions":
            self._check_partitions()
        if render not in WITHOUT_FITS:
            self._check_rates()
            for index, data in enumerate(self.experiment.data):
                self._check_data(index, data)
            self._check_labels()
            self._check_methods()
            self._check_render()
            if self.experiment.reads:
                self._check_explained()
        return self.mistakes.sentences

    def _check_paper(self):
        """Whether an item is one of a paper with published numbers."""
        paper, papers = self.experiment.paper, self.configuration.papers
        if self.experiment.item is None:
            return
        if paper not in papers:
            self.refuse(["paper"], unknown("paper with published numbers", paper, papers))
        elif self.experiment.item not in papers[paper].tables:
            listed = papers[paper].tables
            self.refuse(["item"], unknown(f"table of {paper}", self.experiment.item, listed))

    def _check_partitions(self):
        if len(self.experiment.data) != 1:
            self.refuse(["data"], "the renderer 'partitions' needs exactly one data set")
        for index, data in enumerate(self.experiment.data):
            self._check_data(index, data)
            for key in ("views", "samples"):
                if getattr(data, key) is not None:
                    self.refuse(
                        ["data", index, key],
                        "the renderer 'partitions' takes the whole data set; take it out",
                    )

    def _check_rates(self):
        """Whether the rates fit the protocol."""
        protocol = self.experiment.protocol
        wanted = rate_key(protocol)
        takes = f"takes '{wanted}'" if wanted else "takes no rates"
        for key in RATE_KEYS:
            if getattr(self.experiment, key) is not None and key != wanted:
                self.refuse([key], f"the protocol '{protocol}' {takes}, not '{key}'")
        if wanted and getattr(self.experiment, wanted) is None:
            self.refuse(["protocol"], f"'{protocol}' needs '{wanted}'")

    def _check_data(self, index, data):
        """Whether one data set exists with its version and views, and fits the protocol."""
        keys, datasets = ["data", index], self.configuration.datasets
        if data.dataset not in datasets:
            self.refuse([*keys, "dataset"], unknown("data set", data.dataset, datasets))
            return
        dataset = datasets[data.dataset]
        if (data.subset or dataset.default_subset) not in dataset.subsets:
            if data.subset:  # else reported where the catalogue names the default
                self.refuse([*keys, "subset"], unknown("version", data.subset, dataset.subsets))
            return
        version = dataset.version(data.subset)
        if data.samples is not None and data.samples > version.n_samples:
            self.refuse(
                [*keys, "samples"], f"{data.samples} is more than the {version.n_samples} samples"
            )
        known = [view.name for view in version.views]
        views = known if data.views is None else data.views
        for number, view in enumerate(views):
            if view not in known:
                self.refuse([*keys, "views", number], unknown("view", view, known))
        if "features" in data.model_fields_set and (
            reason := why_not_prepared("features", data.features)
        ):
            self.refuse([*keys, "features"], reason)
        protocol = getattr(self.experiment, "protocol", None)
        if protocol == "paired" and len(views) != 2:
            self.refuse(keys, f"has {len(views)} views; the protocol 'paired' needs two")
        highest = max(getattr(self.experiment, "missing_rates", None) or [0])
        if protocol == "random" and highest > 1 - 1 / len(views):
            self.refuse(
                keys,
                f"with {len(views)} views every sample keeps one only up to the rate "
                f"{1 - 1 / len(views):.3g}; missing_rates go to {highest:g}",
            )

    def _check_labels(self):
        """Whether rows of a table can be told apart."""
        labels, scalings = [], {}
        for index, data in enumerate(self.experiment.data):
            if data.label in labels:
                self.refuse(
                    ["data", index, "label"],
                    f"'{data.label}' is already the label of another data set; use different ones",
                )
            labels.append(data.label)
            same = repr(data.model_copy(update={"label": "", "features": None}))
            if scalings.setdefault(same, data.features) != data.features:
                self.refuse(["data", index, "features"], "the same data have another scaling above")

    def _check_methods(self):
        """Whether the methods, and the parameters that the experiment sets, exist."""
        chosen, methods = self.experiment.methods, self.configuration.methods
        if not chosen:
            self.refuse(["methods"], "no method of the catalogue applies to these data")
        for index, method in enumerate(chosen):
            if method not in methods:
                self.refuse(["methods", index], unknown("method", method, methods))
        for part in ("grids", "fixed", "readings"):
            for method, parameters in getattr(self.experiment, part).items():
                if method not in chosen:
                    self.refuse([part, method], unknown("method of the experiment", method, chosen))
                elif method in methods:
                    check_parameters(
                        part,
                        [part, method],
                        parameters,
                        methods[method],
                        self.configuration.classes,
                        self.mistakes,
                    )
                    self._check_views(part, method, parameters)
        self._check_left_out(chosen)
        for part in ("grids", "readings"):
            for method, grid in getattr(self.experiment, part).items():
                for key in grid:
                    if key in self.experiment.fixed.get(method, {}):
                        self.refuse([part, method, key], "is also under fixed; keep one")

    def _check_left_out(self, chosen):
        """Whether what is left out is there at all."""
        labels = [data.label for data in self.experiment.data]
        for method, left_out in self.experiment.leave_out.items():
            if method not in chosen:
                self.refuse(
                    ["leave_out", method], unknown("method of the experiment", method, chosen)
                )
            for index, label in enumerate(left_out):
                if label not in labels:
                    self.refuse(
                        ["leave_out", method, index], unknown("label of the data", label, labels)
                    )

    def _check_views(self, part, method, parameters):
        """Whether pairs of views that the experiment names are views of all its data."""
        given = parameters.get("views", [])
        pairs = given if part != "fixed" else [given]
        named = {view for pair in pairs if isinstance(pair, list) for view in pair}
        for data in self.experiment.data:
            views = named if data.views is None else data.views
            for view in sorted(named.difference(views)):
                self.refuse([part, method, "views"], unknown(f"view of {data.label}", view, views))

    def _check_render(self):
        """Whether a figure gets the axes that it shows."""
        render, x = self.experiment.render, self.experiment.x
        given = self.experiment.model_fields_set
        if render == "readings":
            self._check_readings()
        else:
            for key in ("readings", "definitions"):
                if key in given:
                    self.refuse([key], f"is only for the renderer 'readings', not '{render}'")
        for key, drawn in (("blocks", "ranks"), ("x", "curves")):
            if key in given and render != drawn:
                self.refuse([key], f"is only for the renderer '{drawn}', not '{render}'")
        if render == "curves" and x == "parameter":
            self._check_parameter_axis()
        elif render == "curves" and x == "rate" and not rate_key(self.experiment.protocol):
            self.refuse(
                ["protocol"],
                "curves against the rate need a protocol with rates, not "
                f"'{self.experiment.protocol}'",
            )
        if render in ("surfaces", "convergence"):
            self._check_shown_grid()
        if render in ("surfaces", "convergence") or (render == "curves" and x == "parameter"):
            self._check_numbers()
        if render == "convergence" or (render == "curves" and x != "rate"):
            self._check_one_rate("the iteration" if render == "convergence" else f"the {x}")

    def _check_readings(self):
        for key in ("item", "readings"):
            if not getattr(self.experiment, key):
                self.refuse(["render"], f"the renderer 'readings' needs '{key}'")
        for key in ("sweep", "claim", "leave_out"):
            if key in self.experiment.model_fields_set:
                self.refuse([key], f"the renderer 'readings' takes no {key}; take it out")
        for name, meanings in self.experiment.definitions.items():
            self._check_definition(name, meanings)

    def _check_definition(self, name, meanings):
        """Whether the metrics that a name may mean exist, the stated one first."""
        metrics, keys = self.experiment.metrics, ["definitions", name]
        for index, meaning in enumerate(meanings):
            defined = meaning if isinstance(meaning, dict) else {name: meaning}
            for one, metric in defined.items():
                if one not in metrics:
                    self.refuse(keys, unknown("metric of the experiment", one, metrics))
                    return
                if metric not in SCORES:
                    self.refuse(keys, unknown("metric", metric, SCORES))
                elif index == 0 and metric != metrics[one]:
                    self.refuse(
                        keys,
                        f"begins with '{metric}', but metrics.{one} is '{metrics[one]}'; put that "
                        "first",
                    )

    def _check_explained(self):
        """Whether every value that is tried is explained in the catalogue of readings."""
        for method, axes in self.experiment.readings.items():
            for axis, values in axes.items():
                if axis != "start":
                    self._check_values(["readings", method, axis], values)
        for name, meanings in self.experiment.definitions.items():
            self._check_values(["definitions", name], meanings)

    def _check_values(self, keys, values):
        axis = keys[-1]
        reading = self.configuration.readings.get(axis)
        if reading is None:
            self.refuse(keys, f"config/readings.yaml does not explain '{axis}'")
            return
        explained = [value.value for value in reading.values]
        for value in values:
            if not any(_is_same(value, known) for known in explained):
                self.refuse(keys, f"config/readings.yaml does not explain the value {value!r}")

    def _check_parameter_axis(self):
        grids = self.experiment.grids
        if not self.experiment.sweep or not grids:
            self.refuse(
                ["x"], "'parameter' needs 'sweep: true' and the parameter's values under grids"
            )
        axes = list(dict.fromkeys(axis for grid in grids.values() for axis in grid))
        for method, grid in grids.items():
            if len(grid) > 1:
                self.refuse(
                    ["grids", method],
                    f"'x: parameter' shows one parameter per method, not {' and '.join(grid)}",
                )
        if len(axes) > 1 and all(len(grid) == 1 for grid in grids.values()):
            self.refuse(
                ["x"],
                f"'parameter' shows the same parameter for all methods, not {' and '.join(axes)}",
            )

    def _check_shown_grid(self):
        """Some figures show a grid as it is."""
        render = self.experiment.render
        wanted = {"surfaces": "two parameters", "convergence": "max_iter"}[render]
        for method in self.experiment.methods:
            axes = list(self.experiment.grids.get(method, {}))
            right = len(axes) == 2 if render == "surfaces" else axes == ["max_iter"]
            if not right or not self.experiment.sweep:
                self.refuse(
                    ["grids", method] if axes else ["render"],
                    f"the renderer '{render}' needs 'sweep: true' and under grids.{method} a grid "
                    f"over {wanted}, not {' and '.join(axes) or 'nothing'}",
                )

    def _check_numbers(self):
        """Whether the axes of a figure are numbers."""
        for method, grid in self.experiment.grids.items():
            for axis, values in grid.items():
                numbers = [isinstance(v, int | float) and not isinstance(v, bool) for v in values]
                if values != "per_view" and not all(numbers):
                    self.refuse(["grids", method, axis], "the axis of a figure needs numbers")

    def _check_one_rate(self, against):
        key = rate_key(self.experiment.protocol)
        if key and len(getattr(self.experiment, key) or []) > 1:
            self.refuse([key], f"a figure against {against} shows one rate; give one")


def _is_same(value, other):
    """Whether two values of YAML are equal; true is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)
