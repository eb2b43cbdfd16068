"""Expected costs on data that nobody has clustered yet, and on few samples, from their size."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mvclust.bench.plan.costs import Cost, Costs
from mvclust.bench.plan.fits import prepared_name

if TYPE_CHECKING:
    from mvclust.bench.config.load import Configuration
    from mvclust.bench.config.models import DataSet


def for_new_data(costs: Costs, sizes: dict[str, int]) -> Costs:
    """Extend costs to data sets without any, from their size (entries of all views).

    For each method the seconds per entry of the views, over all data sets with known costs, are
    used, and the most memory: time grows about in proportion to the entries, though faster for
    methods that relate all pairs of samples.

    Examples
    --------
    >>> known = Costs({("old", 0, 2, "DAIMC"): Cost(0.0, 2.0, 100.0)})
    >>> new = for_new_data(known, {"old": 1000, "mine": 5000})
    >>> new.of({"dataset": "mine", "samples": 0, "views": ["a", "b"]}, "DAIMC")
    Cost(start=0.0, fit=10.0, memory_mb=100.0)
    """
    known = {dataset for dataset, *_ in costs.known}
    seconds, entries, memory = defaultdict(list), defaultdict(int), defaultdict(float)
    for (dataset, samples, _, method), cost in costs.known.items():
        if dataset in sizes and not samples:
            seconds[method].append(cost)
            entries[method] += sizes[dataset]
            memory[method] = max(memory[method], cost.memory_mb)
    expected = {}
    for dataset, size in sizes.items():
        for method, of_method in seconds.items() if dataset not in known else ():
            share = size / entries[method]
            start, fit = (share * sum(part) for part in list(zip(*of_method, strict=True))[:2])
            expected[dataset, method] = Cost(start, fit, memory[method])
    extended = Costs(costs.known)
    extended.means |= expected  # which the means of a method over other data do not count
    return extended


def for_few_samples(costs: Costs, configuration: Configuration) -> Costs:
    """Costs of a run whose budget leaves some samples of each class.

    The seconds are in proportion to the samples; the memory stays.
    """
    most = configuration.run.budget.samples_per_class
    if most is None:
        return costs
    versions = {
        prepared_name(configuration, name, subset): dataset.version(subset)
        for name, dataset in configuration.datasets.items()
        for subset in dataset.subsets
    }
    expected = dict(costs.known)
    for key, cost in costs.known.items():
        dataset, drawn, *_ = key
        if version := versions.get(dataset):
            share = min(1.0, most * len(version.classes) / (drawn or version.n_samples))
            expected[key] = cost._replace(start=share * cost.start, fit=share * cost.fit)
    return Costs(expected)


def sizes_of(datasets: dict[str, DataSet]) -> dict[str, int]:
    """Entries of all views of some data sets."""
    return {
        name: data.n_samples * sum(view.dimension for view in data.views)
        for name, data in datasets.items()
    }
