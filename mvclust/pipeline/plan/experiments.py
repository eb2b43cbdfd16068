"""One chosen experiment: its settings, the points of its methods, its fits."""

import itertools
from functools import cached_property

from mvclust.pipeline.plan.digest import code_hash
from mvclust.pipeline.plan.settings import Fit, Setting, canonical, plain
from mvclust.pipeline.plan.slices import titles


def thin(values, limit):
    """At most so many of the values, evenly, the first and the last kept."""
    values = list(values)
    if limit is None or len(values) <= limit:
        return values
    if limit == 1:
        return values[:1]
    last = len(values) - 1
    return [values[round(i * last / (limit - 1))] for i in range(limit)]


class PlannedExperiment:
    """One chosen experiment: its settings, the points of its methods, its fits."""

    def __init__(self, name, entry, catalogue):
        self.name, self.entry, self.catalogue = name, entry, catalogue
        self.budget = catalogue.budget
        declared = entry["repetitions"]
        most = self.budget["repetitions"]
        self.repetitions = declared if most is None else min(most, declared)
        self.cases, self.features = [], {}
        for data, rate in itertools.product(entry["data"], self._rates()):
            setting = self._setting(data, rate)
            self.cases.append((data["label"], setting))
            if "features" in data:
                self.features[setting] = {"features": data["features"]}
        self.points = {
            (setting, method): self._points(method, setting, self.budget)
            for label, setting in self.cases
            for method in self._methods_on(label)
        }

    def _methods_on(self, label):
        """The methods that run on a data set."""
        left_out = self.entry.get("leave_out", {})
        return [name for name in self.entry["methods"] if label not in left_out.get(name, ())]

    def _rates(self):
        given = [entry for key, entry in self.entry.items() if key.endswith("_rates")]
        return thin(given[0], self.budget["rates"]) if given else [0]

    def _setting(self, data, rate):
        dataset, subset = data["dataset"], data.get("subset")
        known = [view["name"] for view in self.catalogue.facts(dataset, subset)["views"]]
        return Setting(
            self.catalogue.prepared_name(dataset, subset),
            tuple(data.get("views", known)),
            self.entry["protocol"],
            rate,
            data.get("samples", 0),
            self.entry.get("scale", ""),
        )

    def axes(self, method, setting, budget):
        """The parameters that the experiment varies for a method: name -> values."""
        entry, sweep = self.catalogue.methods[method], self.entry.get("sweep", False)
        grid = self.entry.get("grids", {}).get(method, {} if sweep else entry.get("grid", {}))
        grid = self.readings_of(method) | {
            axis: values for axis, values in grid.items() if axis not in self.readings_of(method)
        }
        fixed = self.entry.get("fixed", {}).get(method, {})
        pairs = ["+".join(pair) for pair in itertools.combinations(setting.views, 2)]
        by_name = {
            "per_view": range(len(setting.views)),
            "per_pair": thin(pairs, budget["pairs"]),
        }
        most = budget["sweep_points" if sweep else "grid_points"]
        return {
            axis: thin(by_name[values] if isinstance(values, str) else values, most)
            for axis, values in grid.items()
            if axis not in fixed
        }

    @property
    def reads(self):
        """Whether readings of printed rows are tried."""
        return self.entry["render"] == "readings"

    def readings_of(self, method):
        """The parameters that readings vary for a method: name -> values, the stated first."""
        return self.entry.get("readings", {}).get(method, {})

    def _points(self, method, setting, budget):
        """Each parameter setting of a method once, the default first: (varied, all values)."""
        grid = self.axes(method, setting, budget)
        base = self._base(method, setting)
        values = [dict(zip(grid, v, strict=True)) for v in itertools.product(*grid.values())]
        if not self.entry.get("sweep") and not self.reads:
            values.insert(0, {axis: base[axis] for axis in grid if axis in base})
        points = {canonical(base | chosen): (chosen, plain(base | chosen)) for chosen in values}
        return list(points.values())

    def _base(self, method, setting):
        entry = self.catalogue.methods[method]
        base = (
            self.features.get(setting, {})
            | entry.get("fixed", {})
            | self._by_kind(entry.get("by_kind", {}), setting)
            | entry.get("default", {})
            | self.entry.get("fixed", {}).get(method, {})
        )
        if base.get("views") == "first_pair":
            base["views"] = "+".join(setting.views[:2])
        return base

    def _by_kind(self, parameters, setting):
        """Parameters that follow from the kind of the views; a list where the views differ."""
        views = self.catalogue.facts(*self.catalogue.origins[setting.dataset])["views"]
        kinds = {view["name"]: view["kind"] for view in views}
        chosen = {}
        for name, value_of in parameters.items():
            values = [value_of[kinds[view]] for view in setting.views]
            chosen[name] = values[0] if len(set(values)) == 1 else values
        return chosen

    @cached_property
    def fits_at(self):
        """(setting, method) -> for each of its points the fits, one per repetition."""
        return {
            (setting, method): [
                [Fit(setting, repetition, method, params) for repetition in range(self.repetitions)]
                for _, params in points
            ]
            for (setting, method), points in self.points.items()
        }

    def fits(self):
        """The fits of the experiment."""
        return [fit for points in self.fits_at.values() for fits in points for fit in fits]

    def described(self):
        """What tables and figures show of the experiment, without its numbers."""
        entry = self.entry
        return titles(self.name, entry) | {
            "item": entry.get("item", ""),
            "x": entry.get("x", "rate"),
            "blocks": entry.get("blocks", "settings"),
            "protocol": entry["protocol"],
            "unit": entry["unit"],
            "sweep": entry.get("sweep", False),
            "metrics": entry["metrics"],
            "methods": self.catalogue.described_methods(entry["methods"]),
            "axes": list(dict.fromkeys(a for g in entry.get("grids", {}).values() for a in g)),
            "samples_per_class": self.budget["samples_per_class"],
            "repetitions": self.repetitions,
            "repetitions_declared": entry["repetitions"],
            "places": {setting.id: label for label, setting in self.cases},
        }

    def rendered(self):
        """What tuning and rendering use: description, the fits behind each number, the print."""
        declared = dict.fromkeys(self.budget)
        return self.described() | {
            "published": [
                row
                for row in self.catalogue.published
                if (row["paper"], row["item"]) == (self.entry["paper"], self.entry.get("item"))
            ],
            "cases": [
                {
                    "label": label,
                    "setting": setting.record,
                    "points": {
                        method: self._keyed(setting, method) for method in self._methods_on(label)
                    },
                    "declared": {
                        method: len(self._points(method, setting, declared))
                        for method in self._methods_on(label)
                    },
                }
                for label, setting in self.cases
            ],
            "code": code_hash("mvclust.pipeline.score.tuning", "mvclust.report.render"),
        }

    def read(self):
        """What the comparison of readings with the printed rows uses."""
        rendered = self.rendered()
        kept = ("id", "paper", "item", "unit", "metrics", "methods", "published")
        return {key: rendered[key] for key in kept} | {
            "cases": [
                {key: case[key] for key in ("label", "setting", "points")}
                for case in rendered["cases"]
            ],
            "definitions": self.entry.get("definitions", {}),
            "readings": {name: self.readings_of(name) for name in self.entry["methods"]},
            "cut": self._is_cut(rendered["cases"]),
        }

    def _is_cut(self, cases):
        """Whether the budget leaves out masks, rates, samples or points."""
        rates = [entry for key, entry in self.entry.items() if key.endswith("_rates")]
        return (
            self.repetitions < self.entry["repetitions"]
            or self.budget["samples_per_class"] is not None
            or any(len(self._rates()) < len(declared) for declared in rates)
            or any(
                len(case["points"][method]) < case["declared"][method]
                for case in cases
                for method in self.entry["methods"]
            )
        )

    def _keyed(self, setting, method):
        return [
            {
                "values": values,
                "variant": params.get("variant", ""),
                "keys": [fit.key for fit in fits],
            }
            for (values, params), fits in zip(
                self.points[setting, method], self.fits_at[setting, method], strict=True
            )
        ]
