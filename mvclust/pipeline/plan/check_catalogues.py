"""Check the entries of methods and data sets, one by one, after their schema."""

from mvclust.pipeline.plan.allowed import PREPARATION, takes_whole_numbers, why_not
from mvclust.pipeline.plan.digest import module_file
from mvclust.pipeline.plan.located import repeated
from mvclust.pipeline.plan.outside import parameters_of
from mvclust.pipeline.plan.schema import unknown

SET_BY_THE_PIPELINE = ("n_clusters", "random_state")


def check_methods(documents):
    """The mistakes in config/methods.yaml and in other catalogues of methods.

    Parameters
    ----------
    documents : list of Document

    Returns
    -------
    methods : dict
        All entries by name.
    problems : list of str
    """
    first, problems = repeated(documents, "method", "name this one '{name}-something'")
    methods, labels = {}, {}
    for name, document in first.items():
        entry = methods[name] = document.data[name]
        problems += _check_method(name, entry, document)
        label = entry.get("label", name)
        if label in labels:
            problems.append(
                f"{document.where([name, 'label'])}: {name}.label: '{label}' is also the label "
                f"of {labels[label]}; tables and figures need different ones."
            )
        labels.setdefault(label, name)
    return methods, problems


def check_datasets(documents):
    """The mistakes in config/datasets.yaml and in other catalogues of data sets.

    Parameters
    ----------
    documents : list of Document

    Returns
    -------
    datasets : dict
        All entries by name.
    problems : list of str
    """
    first, problems = repeated(documents, "data set", "give this one another name")
    datasets = {}
    for name, document in first.items():
        entry = datasets[name] = document.data[name]
        if module_file(f"mvclust.datasets.readers.{entry['reader']}") is None:
            problems.append(
                f"{document.where([name, 'reader'])}: {name}.reader: there is no module "
                f"'mvclust.datasets.readers.{entry['reader']}'."
            )
        if entry["default_subset"] not in entry["subsets"]:
            problems.append(
                f"{document.where([name, 'default_subset'])}: {name}.default_subset: "
                + unknown("version", entry["default_subset"], entry["subsets"])
            )
    return datasets, problems


def check_parameters(keys, parameters, entry, document):
    """The mistakes in parameters of a method: their names and values.

    Parameters
    ----------
    keys : list of str
        Where the parameters are in the document.
    parameters : dict
        Parameter -> value; in a grid a list of values, "per_view" or "per_pair"; under by_kind
        a dict, kind of a view -> value.
    entry : dict
        The method's entry in the catalogue.
    document : Document

    Returns
    -------
    list of str
    """
    estimator = entry["estimator"]
    try:
        known = parameters_of(estimator)
    except LookupError:
        return []  # reported where the catalogue names the class
    if known is not None and keys[1] != "by_kind":
        known = [*known, *PREPARATION]
    problems = []
    for key, values in parameters.items():
        place, name = document.where([*keys, key]), ".".join(map(str, [*keys, key]))
        if key in SET_BY_THE_PIPELINE:
            problems.append(f"{place}: {name} is set by the pipeline; take it out.")
        elif known is not None and key not in known:
            problems.append(f"{place}: {name}: " + unknown("parameter", key, known))
        elif keys[1] in ("grid", "grids", "readings"):
            problems += _check_grid([*keys, key], values, estimator, document)
        elif keys[1] == "by_kind":
            problems += _check_by_kind([*keys, key], values, estimator, document)
        elif reason := why_not(estimator, key, values):
            problems.append(f"{place}: {name}: {reason}.")
    return problems


def _check_method(name, entry, document):
    estimator = entry["estimator"]
    try:
        parameters_of(estimator)
    except LookupError as error:
        return [f"{document.where([name, 'estimator'])}: {name}.estimator: {error}."]
    problems, class_name = [], estimator.rpartition(".")[2]
    if name.partition("-")[0] != class_name:
        problems.append(
            f"{document.where([name])}: {name}: the key of a method is the name of its class, "
            f"'{class_name}', or begins with '{class_name}-'."
        )
    for part in ("fixed", "by_kind", "default", "grid"):
        problems += check_parameters([name, part], entry.get(part, {}), entry, document)
    for part in ("by_kind", "default", "grid"):
        problems += [
            f"{document.where([name, part, key])}: {name}.{part}.{key} is also under fixed; "
            "keep one."
            for key in entry.get(part, {})
            if key in entry.get("fixed", {})
        ]
    return problems + [
        f"{document.where([name, 'grid', key])}: {name}.default lacks '{key}', which the grid "
        'varies: give the value that the tuning "default" uses.'
        for key in entry.get("grid", {})
        if key not in entry.get("default", {}) and key not in entry.get("fixed", {})
    ]


def _check_by_kind(keys, values, estimator, document):
    name = ".".join(keys)
    return [
        f"{document.where([*keys, kind])}: {name}.{kind}: {reason}."
        for kind, value in values.items()
        if (reason := why_not(estimator, keys[-1], value))
    ]


def _check_grid(keys, values, estimator, document):
    place, name = document.where(keys), ".".join(map(str, keys))
    if values == "per_pair":
        right = keys[-1] == "views"
        return [] if right else [f"{place}: {name}: per_pair is only for 'views'."]
    if values == "per_view":
        right = takes_whole_numbers(estimator, keys[-1])
        said = "per_view is only for a parameter that takes the index of a view"
        return [] if right else [f"{place}: {name}: {said}."]
    return [
        f"{document.where([*keys, index])}: {name}: {reason}."
        for index, value in enumerate(values)
        if (reason := why_not(estimator, keys[-1], value))
    ]
