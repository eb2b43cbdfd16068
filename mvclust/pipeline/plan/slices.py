"""Methods, data sets, experiments and published numbers, and what rules use of them."""

import itertools
from pathlib import Path

from mvclust.datasets.catalogue import canonical_file_name, find_subset
from mvclust.pipeline.plan.digest import code_hash
from mvclust.pipeline.plan.settings import PER_VIEW

# The keys of a run that say what is computed; the others say where. Its name is one more.
SCIENCE = ("experiments", "add_methods", "datasets", "seed", "budget")


class Catalogue:
    """Methods, data sets, experiments and the budget, and the slices of them that rules use."""

    def __init__(self, science):
        self.config = science["config"]
        self.budget = self.config["budget"]
        self.methods = science["methods"]
        self.datasets = science["datasets"]
        self.experiments = science["experiments"]
        self.published = science["published"]
        self.readings = science["readings"]
        self.origins = {
            self.prepared_name(dataset, subset): (dataset, subset)
            for dataset, entry in self.datasets.items()
            for subset in entry["subsets"]
        }
        places = {True: itertools.count(), False: itertools.count()}
        self.places = {
            name: next(places[entry.get("reference", False)])
            for name, entry in self.methods.items()
        }

    def chosen(self):
        """The chosen experiments with the data sets that the configuration allows."""
        allowed, chosen = self.config["datasets"], {}
        for name in self.config["experiments"]:
            experiment = dict(self.experiments[name])
            if _compares(experiment):
                added = [m for m in self.config["add_methods"] if m not in experiment["methods"]]
                experiment["methods"] = [*experiment["methods"], *added]
            if allowed is not None and "data" in experiment:
                experiment["data"] = [d for d in experiment["data"] if d["dataset"] in allowed]
            chosen[name] = experiment
        return {name: e for name, e in chosen.items() if e.get("data", True)}

    def prepared_name(self, dataset, subset=None):
        """The name of a prepared data set: that of its file without the ending."""
        return Path(canonical_file_name(dataset, self.datasets[dataset], subset)).stem

    def facts(self, dataset, subset=None):
        """Number of samples, classes and views of a version of a data set."""
        return find_subset(dataset, self.datasets[dataset], subset)[1]

    def described_methods(self, names):
        """Of each method what tables and figures show of it."""
        return [
            {
                "key": name,
                "label": self.methods[name].get("label", name),
                "published": _as_list(self.methods[name].get("published", [])),
                "reference": self.methods[name].get("reference", False),
                "place": self.places[name],
            }
            for name in names
        ]

    def controls(self, names):
        """Labels of the methods among some that get something in place of the views."""
        return [
            self.methods[name].get("label", name)
            for name in names
            if "control" in self.methods[name].get("fixed", {})
        ]

    def fetched(self, dataset):
        entry = self.datasets[dataset]
        return {"name": dataset, "entry": {key: entry[key] for key in ("files", "sources")}}

    def publishers(self):
        """The original publisher of each data set, for messages."""
        return {
            name: entry["publisher"]
            for name, entry in self.datasets.items()
            if "publisher" in entry
        }

    def prepared(self, prepared):
        dataset, subset = self.origins[prepared]
        entry, facts = self.datasets[dataset], self.facts(dataset, subset)
        views = [{"name": v["name"], "dimension": v["dimension"]} for v in facts["views"]]
        kept = {key: entry[key] for key in ("reader", "files", "sources")}
        facts = {"n_samples": facts["n_samples"], "classes": facts["classes"], "views": views}
        reader = f"mvclust.datasets.readers.{entry['reader']}"
        return {
            "name": dataset,
            "subset": subset,
            "entry": kept | facts | {"default_subset": subset, "subsets": {subset: None}},
            "code": code_hash("mvclust.datasets.loading", reader),
        }

    def partitions(self, chosen):
        """Slices of the experiments that show partitions."""
        code = code_hash("mvclust.report.partitions", "mvclust.estimators.mpac")
        slices = {}
        for name, experiment in chosen.items():
            if experiment["render"] == "partitions":
                (data,) = experiment["data"]
                slices[name] = titles(name, experiment) | {
                    "dataset": self.prepared_name(data["dataset"], data.get("subset")),
                    "code": code,
                }
        return slices

    def statistics(self, chosen):
        """Slices of the tables that state what is in the data sets."""
        code = code_hash("mvclust.report.datasets")
        return {
            name: titles(name, experiment)
            | {"entries": self._stated(experiment["paper"]), "code": code}
            for name, experiment in chosen.items()
            if experiment["render"] == "statistics"
        }

    def _stated(self, paper):
        """Of each data set what a paper says of it, and which prepared file to look into."""
        keys, stated = ("notes", "licence", "paper_says"), {}
        for name, entry in self.datasets.items():
            said = [s for s in entry.get("paper_says", []) if paper in (s["paper"], "beyond")]
            subsets = {s.get("subset") for s in said} | ({None} if paper == "beyond" else set())
            if not subsets:
                continue
            stated[name] = {key: entry[key] for key in keys if key in entry and paper == "beyond"}
            stated[name] |= {
                "paper_says": said,
                "default_subset": entry["default_subset"],
                "prepared": {
                    s or "": self.prepared_name(name, s) for s in sorted(subsets, key=str)
                },
            }
        return stated

    def compared(self, described):
        """What the comparison with the published numbers uses."""
        names = {m["key"]: m for use in described.values() for m in use["methods"]}
        experiments = [identity(use) for use in described.values() if use["item"]]
        return {
            "published": self.published if experiments else [],
            "experiments": experiments,
            "methods": list(names.values()),
            "code": code_hash("mvclust.report.published"),
        }

    def printed(self):
        """What the check of the papers' numbers against each other uses."""
        tables = {}
        for experiment in self.experiments.values():
            made = experiment.get("item") and experiment["render"] != "readings"
            for data in experiment["data"] if made else ():
                place = experiment["paper"], experiment["item"], data["label"]
                tables[place] = dict(zip(("paper", "item", "dataset"), place, strict=True)) | {
                    "classes": self._class_sizes(data),
                    "repetitions": experiment["repetitions"],
                }
        return {
            "published": self.published,
            "tables": list(tables.values()),
            "code": code_hash("mvclust.report.consistency"),
        }

    def _class_sizes(self, data):
        """Sizes of the classes in every view; None if not known, or if samples are drawn."""
        facts = self.facts(data["dataset"], data.get("subset"))
        sizes = list(facts["classes"].values())
        unknown = data.get("samples") or facts.get("incomplete") or None in sizes
        return None if unknown else sizes

    def read(self, experiments):
        """What the search for readings of the printed rows uses."""
        printed = self.printed()
        return {
            "experiments": experiments,
            "readings": self.readings,
            "printed": {key: printed[key] for key in ("published", "tables")},
            "code": code_hash("mvclust.report.readings"),
        }

    def priced(self, plans):
        """What the table of costs uses."""
        names = {method for plan in plans.values() for method in plan.entry["methods"]}
        ordered = [name for name in self.methods if name in names]
        shown = ("key", "label", "reference", "place")
        return {
            "methods": [{k: m[k] for k in shown} for m in self.described_methods(ordered)],
            "code": code_hash("mvclust.report.cost_table"),
        }


def _compares(experiment):
    """Whether methods are compared that take aligned views, each by its own tuning."""
    drawn = experiment["render"] in ("curves", "groups", "ranks") and not experiment.get("sweep")
    return drawn and experiment["protocol"] not in PER_VIEW


def titles(name, experiment):
    keys = ("title", "paper", "render")
    texts = {key: experiment.get(key, "").strip() for key in ("caption", "claim")}
    return {"id": name, **{key: experiment[key] for key in keys}} | texts


def identity(described):
    """What tells one experiment's results from another's, without its numbers."""
    keys = ("id", "paper", "item", "unit", "metrics", "methods")
    return {key: described[key] for key in keys}


def _as_list(value):
    return [value] if isinstance(value, str) else list(value)
