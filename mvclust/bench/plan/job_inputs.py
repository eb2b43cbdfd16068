"""What the jobs of data, masks and fits read, and how experiments are described to all others.

A slice is all that a job follows from, beside its input files (`plan.Plan.why`). What only says
where things are, or how long something takes, is under "where" and is not compared; "modules" and
"files" are what the script of the job loads by their names.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain

from mvclust.bench.config.experiments import Described, Experiment
from mvclust.bench.config.models import Kind, Question
from mvclust.bench.config.units import in_unit
from mvclust.bench.plan.code import code_of, files_of, installed, module_of
from mvclust.bench.plan.fits import PlannedExperiment
from mvclust.bench.plan.selection import Study
from mvclust.bench.plan.settings import JOINT, canonical

Jobs = Iterator[tuple[str, dict, dict]]  # name, the files that it reads, what else it follows from


def download(study: Study) -> Jobs:
    """Raw files of each data set."""
    for dataset in sorted({study.origins[name][0] for name in study.prepared}):
        entry = study.configuration.datasets[dataset].entry
        content = {
            "name": dataset,
            "entry": {key: entry[key] for key in ("files", "sources")},
            "where": study.where | {"publisher": entry.get("publisher", "")},
        }
        yield dataset, {}, content


def prepare(study: Study) -> Jobs:
    """One canonical file per version of a data set."""
    for prepared in study.prepared:
        dataset, version = study.origins[prepared]
        record = study.configuration.datasets[dataset]
        content = {
            "name": dataset,
            "subset": version.name,
            "entry": {
                **{key: record.entry[key] for key in ("reader", "files", "sources")},
                "n_samples": version.n_samples,
                "classes": version.classes,
                "views": [{"name": v.name, "dimension": v.dimension} for v in version.views],
                "default_subset": version.name,
                "subsets": {version.name: None},
            },
            "modules": [f"mvclust.datasets.readers.{record.reader}"],
            "needs": installed(record.needs),
            "where": study.where,
        }
        yield prepared, {"raw": [study.folders.raw(dataset)]}, content


def masks(study: Study) -> Jobs:
    """Masks of a data set under one protocol and rate, of all repetitions."""
    by_file = defaultdict(list)
    for _, setting in sorted(study.settings.items()):
        by_file[setting.masks].append(setting)
    for name, settings in sorted(by_file.items()):
        content = {
            "name": study.origins[settings[0].dataset][0],
            "settings": [[setting.record, study.repetitions[setting.id]] for setting in settings],
            "seed": study.configuration.run.seed,
            "samples_per_class": study.budget.samples_per_class,
        }
        yield name, {"data": [study.folders.data(settings[0].dataset)]}, content


def fits(study: Study) -> Jobs:
    """Fits, packed into jobs."""
    run = study.configuration.run
    for name, job in study.jobs.items():
        params = defaultdict(list)
        for each in job.fits:
            params[each.method].append(each.params)
        content = {
            **classes_of(study, params, "methods"),
            "seed": run.seed,
            "limits": limits(study),
            "settings": {fit.setting.id: fit.setting.record for fit in job.fits},
            "fits": [
                [each.key, each.setting.id, each.repetition, each.params, each.method]
                for each in job.fits
            ],
            "where": {
                "journals": study.folders.journals,
                "seconds": round(job.seconds, 3),
                "memory_mb": round(job.memory_mb, 1),
                "tries": run.limits.tries,
                "forced": False,
            },
        }
        yield name, study.folders.data_and_masks(fit.setting for fit in job.fits), content


def classes_of(study: Study, params: dict[str, list[dict]], key: str) -> dict:
    """Classes of methods with their code under a key, and the modules and files that they load."""
    estimators = {m: study.configuration.methods[m].estimator for m in sorted(params)}
    modules = {module_of(estimator) for estimator in estimators.values()}
    return {
        key: {
            method: {"estimator": estimator, "code": code_of(estimator, params[method])}
            for method, estimator in estimators.items()
        },
        "modules": sorted(filter(None, modules)),
        "files": sorted({file for points in params.values() for file in files_of(points)}),
    }


def limits(study: Study) -> dict:
    """Limits of one fit."""
    return study.configuration.run.limits.model_dump(exclude={"tries"})


TITLES = ("title", "paper", "render", "caption", "claim")


def _own(study: Study, experiment: Experiment) -> list[str]:
    """Methods of an experiment that its paper proposes."""
    methods, paper = study.configuration.methods, study.configuration.papers.get(experiment.paper)
    proposed = set(paper.methods) if paper else set()  # any text may name the paper
    return [m for m in experiment.methods if proposed.intersection(methods[m].published)]


def titles(name: str, experiment: Described) -> dict:
    """Title and description of an experiment."""
    texts = {key: getattr(experiment, key) for key in TITLES}
    return {"id": name} | {key: text.strip() for key, text in texts.items()}


def described(study: Study, name: str) -> dict:
    """Properties of an experiment for tables and figures, without its numbers."""
    plan = study.plans[name]
    experiment = plan.experiment
    keys = ("protocol", "unit", "sweep", "metrics", "axes")
    return {
        **titles(name, experiment),
        **{key: getattr(experiment, key) for key in keys},
        "item": experiment.item or "",
        "x": getattr(experiment, "x", "rate"),
        "blocks": getattr(experiment, "blocks", "settings"),
        "extended": experiment.has_more,
        "methods": [study.methods[m] for m in experiment.methods],
        "own": [study.methods[m]["label"] for m in _own(study, experiment)],
        "controls": study.controls(experiment.methods),
        "samples_per_class": study.budget.samples_per_class,
        "places": {case.setting.id: case.data.label for case in plan.cases},
    }


def experiment(study: Study, name: str) -> dict:
    """Tables and figures of an experiment: its description, fits and printed numbers."""
    plan = study.plans[name]
    each, form = plan.experiment, plan.experiment.form
    rows = study.configuration.published
    rows = [row for row in rows if (row["paper"], row["item"]) == (each.paper, each.item)]
    beside = [experiment(study, other) for other in study.in_form(name)[1:]]
    return described(study, name) | {
        "published": in_unit(rows, each.unit),
        "cases": [
            {
                "label": case.data.label,
                "setting": case.setting.record,
                "points": {m: [p.record for p in points] for m, points in case.points.items()},
                "declared": case.points_declared,
                "masks": case.data.masks,
                "repetitions": case.repetitions,
                "repetitions_declared": case.repetitions_declared,
            }
            for case in plan.cases
            if case.points
        ],
        **({"form": form.model_dump() | {"beside": beside}} if form else {}),
    }


def compared(study: Study, names: Collection[str]) -> dict:
    """Inputs of the comparison of some experiments with the published numbers."""
    shown = {name: described(study, name) for name in names}
    methods = {m["key"]: m for use in shown.values() for m in use["methods"]}
    keys = ("id", "paper", "item", "unit", "metrics", "methods")
    experiments = [{key: use[key] for key in keys} for use in shown.values() if use["item"]]
    configuration = study.configuration
    guessed = [m.published for m in configuration.methods.values() if m.reconstructed]
    return {
        "published": configuration.published if experiments else [],
        "experiments": experiments,
        "methods": list(methods.values()),
        "roles": {
            "proposed": {name: paper.methods for name, paper in configuration.papers.items()},
            "reconstructed": list(chain.from_iterable(guessed)),
        },
        "tables": tables(study) if experiments else [],
    }


def tables(study: Study) -> list[dict]:
    """Class sizes, and runs behind a mean, of each part of a printed table."""
    found = {}
    for each in study.configuration.experiments.values():
        made = each.item and each.render != "multiverse"
        for data in each.data if made else ():
            version = data.version_in(study.configuration.datasets)
            sizes = list(version.classes.values())
            differs = data.samples or version.incomplete or None in sizes
            found[each.paper, each.item, data.label] = {
                "paper": each.paper,
                "item": each.item,
                "dataset": data.label,
                "classes": None if differs else sizes,  # in every view
                "repetitions": each.repetitions,
            }
    return list(found.values())


def kinds_digest(kinds: dict[str, Kind]) -> str:
    """Hexadecimal SHA-256 of the kinds' protocols, frozen before the scores are read."""
    asked = {
        name: kind.model_dump(mode="json", exclude={"added"})
        for name, kind in kinds.items()
        if not kind.added
    }
    return hashlib.sha256(canonical(asked).encode()).hexdigest()


def varied(study: Study, name: str) -> dict:
    """An experiment that tries protocols: its fits, its questions and what it states."""
    plan, used = study.plans[name], experiment(study, name)
    place, datasets = (used["paper"], used["item"]), study.configuration.datasets
    runs = {t["dataset"]: t for t in tables(study) if (t["paper"], t["item"]) == place}
    samples = {d.label: d.samples or d.version_in(datasets).n_samples for d in plan.experiment.data}
    kept = ("id", "paper", "item", "unit", "metrics", "methods", "published")
    return {key: used[key] for key in kept} | {
        "cases": [
            {key: case[key] for key in ("label", "setting", "points")} for case in used["cases"]
        ],
        "protocol": plan.experiment.protocol,
        "runs": {label: runs[label]["repetitions"] for label in samples},
        "steps": {label: 100 / number for label, number in samples.items()},
        "kinds": {m: _asked(plan, m) for m in plan.experiment.methods},
        "stated": {
            m: {case.data.label: plan.stated_of(m, case) for case in plan.cases}
            for m in plan.experiment.methods
        },
        "own": _own(study, plan.experiment),
    }


def _asked(plan: PlannedExperiment, method: str) -> dict:
    """Questions of a method's kind, and the definitions of metrics that the table has."""
    kind, definitions = plan.kind_of(method), {}
    for name, meanings in kind.definitions.items():
        names, metrics = _joined(name, meanings)
        if set(names.split(JOINT)) <= set(plan.experiment.metrics):
            definitions[names] = metrics
    return {
        "name": plan.experiment.kinds[method],
        "added": kind.added,
        "questions": kind.questions,
        "definitions": definitions,
    }


def _joined(name: str, meanings: list) -> tuple[str, list]:
    """Names that are defined together, and their metrics by each meaning, in one text each."""
    if not isinstance(meanings[0], dict):
        return name, meanings
    return JOINT.join(meanings[0]), [JOINT.join(meaning.values()) for meaning in meanings]


def explained(name: str, question: Question) -> tuple[str, dict]:
    """An explanation in the form of the protocols, with joint metrics in one text."""
    names, values = _joined(name, [option.value for option in question.values])
    options = zip(question.values, values, strict=True)
    return names, question.model_dump() | {
        "values": [option.model_dump() | {"value": value} for option, value in options]
    }


def claims(study: Study) -> dict:
    """Ledger of claims: their texts, the fits behind their tests, the printed numbers."""
    configuration, shown = study.configuration, study.claimed_here
    methods, papers = configuration.methods, configuration.papers
    return {
        "claims": {n: c.model_dump(exclude_unset=True) for n, c in configuration.claims.items()},
        "experiments": {name: _tested(study, name) for name in shown},
        "declared": {name: _declared(study, name) for name in sorted(study.claimed)},
        "published": configuration.published,
        "proposed": {
            name: [key for key, m in methods.items() if set(m.published) & set(paper.methods)]
            for name, paper in papers.items()
        },
        "labels": {name: paper.label for name, paper in papers.items()},
        "tunable": [  # a grid over its views is as large as possible
            name
            for name, m in methods.items()
            if any(m.grid.get(key) != "per_view" for key in {*m.default, *m.grid})
        ],
        "reconstructed": [name for name, m in methods.items() if m.reconstructed],
        "variants": {  # methods that run the printed equations, or the released code
            variant: {n: f"{n}-{variant}" for n in methods if f"{n}-{variant}" in methods}
            for variant in ("printed", "released")
        },
        "repeated": _others(study, "repeats"),
        "extended": _others(study, "extends"),
        "probed": {
            name: {data.label: data.dataset for data in probe.data}
            for name, probe in configuration.probes.items()
        },
    }


def _others(study: Study, key: str) -> dict[str, list[str]]:
    """Experiments of claims that repeat or extend another, by that one."""
    found = defaultdict(list)
    for name in study.claimed_here:
        found[getattr(study.chosen[name], key, None)].append(name)
    return {original: names for original, names in found.items() if original}


def _tested(study: Study, name: str) -> dict:
    """Inputs that the tests of claims use from an experiment."""
    plan, used = study.plans[name], experiment(study, name)
    return {key: used[key] for key in ("id", "paper", "item", "sweep", "metrics")} | {
        "methods": list(plan.experiment.methods),
        "cut": plan.is_cut,
        "cases": [
            {key: case[key] for key in ("label", "setting", "points", "masks")}
            for case in used["cases"]
        ],
    }


def _declared(study: Study, name: str) -> dict:
    """What an experiment compares, whether or not it is part of this run."""
    declared, datasets = study.configuration.experiments[name], study.configuration.datasets
    methods = [study.methods[name] for name in declared.methods]
    return {
        "id": name,
        "paper": declared.paper,
        "item": declared.item or "",
        "metrics": list(declared.metrics),
        "repetitions": declared.repetitions,
        "methods": [{key: m[key] for key in ("key", "published")} for m in methods],
        "data": {d.label: {"n_views": len(d.views_in(datasets))} for d in declared.data},
    }
