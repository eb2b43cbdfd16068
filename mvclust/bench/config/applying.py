"""Which methods of the catalogue can run on the data of an experiment: ``methods: all``."""

from mvclust.bench.config.protocols import PER_VIEW, UNSAID


def applicable(experiment, methods, datasets, classes):
    """Keys of the methods that can run on all data of an experiment, under its protocol.

    What a class does not state in ``view_tags`` is no reason to leave it out: a fit that fails is a
    row with its reason.

    Parameters
    ----------
    experiment : Experiment
    methods, datasets : dict
        The catalogues: name -> record.
    classes : mvclust.bench.config.classes.Classes

    Returns
    -------
    list of str
        In the order of the catalogue, without entries that say ``in_all: false``.
    """
    numbers = {_number_of_views(data, datasets) for data in experiment.data} - {None}
    return [
        name
        for name, method in methods.items()
        if method.in_all and _applies(name, method, experiment, numbers, classes)
    ]


def labels_each_view(name, method, experiment, classes):
    """Whether a method of an experiment labels every view apart.

    Parameters
    ----------
    name : str
        Of the method.
    method : Method
    experiment : Experiment
    classes : mvclust.bench.config.classes.Classes

    Returns
    -------
    bool
    """
    constrained = _tags(method, classes).get("constraints") is not None
    return constrained or "each_view" in _given(name, method, experiment)


def stated_value(axis, name, experiment, data, configuration):
    """What an experiment states for a parameter of a method, without its grid.

    Parameters
    ----------
    axis : str
    name : str
        Of the method.
    experiment : Experiment
    data : Data
        One of its data sets.
    configuration : mvclust.bench.config.load.Configuration
        With the methods and classes.

    Returns
    -------
    value
        What holds without a word, the default of the class, where nothing says more.
    """
    method = configuration.methods[name]
    of_data = {"features": data.features} if "features" in data.model_fields_set else {}
    given = of_data | method.fixed | method.default | experiment.fixed.get(name, {})
    if axis in given:
        return given[axis]
    if axis in UNSAID:
        return UNSAID[axis]
    return configuration.classes.default(method.estimator, axis)


def _tags(method, classes):
    try:
        return classes.tags(method.estimator)
    except LookupError:  # `check_methods` reports it
        return {}


def _given(name, method, experiment):
    """The names of all parameters that a method is given."""
    parts = [method.fixed, method.by_kind, method.default, method.grid]
    parts += [given.get(name, {}) for given in (experiment.fixed, experiment.grids)]
    return {key for part in parts for key in part}


def _applies(name, method, experiment, numbers, classes):
    tags, given = _tags(method, classes), _given(name, method, experiment)
    per_view = experiment.protocol in PER_VIEW
    if labels_each_view(name, method, experiment, classes):
        return per_view
    if per_view and set(experiment.mapped_rates or ()) != {1}:
        return False
    wanted = tags.get("n_views")
    if wanted and any(n < wanted or (n > wanted and "views" not in given) for n in numbers):
        return False
    fills = tags.get("incomplete", True) or "fill" in given
    return fills or per_view or experiment.protocol == "complete"


def _number_of_views(data, datasets):
    """None if the catalogue does not say; the check of the experiment reports why."""
    if data.views is not None:
        return len(data.views)
    dataset = datasets.get(data.dataset)
    if dataset is None or (data.subset or dataset.default_subset) not in dataset.subsets:
        return None
    return len(dataset.version(data.subset).views)
