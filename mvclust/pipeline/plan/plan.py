"""The plan of a run: what every rule uses, as plain data, made once and written as a file.

Light to import, on purpose: the Snakefile imports it.
"""

import json
from collections import defaultdict
from pathlib import Path

from mvclust.datasets.files import DamagedFile, completed
from mvclust.pipeline.plan.digest import code_hash, digest_of
from mvclust.pipeline.plan.experiments import PlannedExperiment
from mvclust.pipeline.plan.outside import code_of
from mvclust.pipeline.plan.packing import JOB_SECONDS, pack
from mvclust.pipeline.plan.settings import PAPERS
from mvclust.pipeline.plan.slices import SCIENCE, Catalogue


def make_plan(science, costs, job_seconds=JOB_SECONDS, join_below=0.0):
    """Turn a checked configuration into what every rule uses.

    Parameters
    ----------
    science : dict
        What `mvclust.pipeline.plan.check.check_config` returns.
    costs : mvclust.pipeline.plan.expected.Costs
        They even out the jobs. They must not follow from the run itself, or each run would pack
        the next one's jobs anew.
    job_seconds : float, default=JOB_SECONDS
        Expected CPU seconds that a job of fits is to take.
    join_below : float, default=0.0
        Methods that are expected to take less in all share jobs, see
        `mvclust.pipeline.plan.packing.pack`.

    Returns
    -------
    dict
        JSON types alone. "config"; "folders"; "papers": id of an experiment -> paper;
        "publishers": data set -> its publisher, for messages; "jobs": name of a job of
        fits -> "seconds" (CPU) and "memory_mb" that it is expected to take; "uses": for each rule
        a dict that maps what the rule's wildcard names to its slice, which holds all that the
        rule's script reads from the plan; "digests": the same with the digest of each slice, for
        the rule's params.
    """
    catalogue = Catalogue(science)
    chosen = catalogue.chosen()
    drawn = {name: e for name, e in chosen.items() if e["render"] not in _WITHOUT_FITS}
    plans = {name: PlannedExperiment(name, e, catalogue) for name, e in drawn.items()}
    plans = {name: plan for name, plan in plans.items() if plan.cases}
    settings, repetitions = _settings_of(plans)
    jobs = pack(plans, costs, job_seconds, join_below)
    masks = _mask_slices(settings, repetitions, catalogue)
    fits = _fit_slices(jobs, masks, catalogue)
    job_of = {key: name for name, fit in fits.items() for key, *_ in fit["fits"]}
    scores = {name: _score_slice(plan, job_of, masks) for name, plan in plans.items()}
    partitions = catalogue.partitions(chosen)
    statistics = catalogue.statistics(chosen)
    reading = {name: plan for name, plan in plans.items() if plan.reads}
    shown = {name: plan for name, plan in plans.items() if not plan.reads}
    described = {name: plan.described() for name, plan in shown.items()}
    compared = catalogue.compared(described)
    # Of one's own data nothing was printed.
    shows_printed = bool(compared["experiments"] or reading)
    prepared = {setting.dataset for setting in settings.values()}
    prepared |= {use["dataset"] for use in partitions.values()}
    prepared |= {name for use in statistics.values() for name in _prepared_of(use)}
    uses = {
        "fetch": {name: catalogue.fetched(name) for name in _raw_of(prepared, catalogue)},
        "prepare": {name: catalogue.prepared(name) for name in sorted(prepared)},
        "masks": masks,
        "fit": fits,
        "score": scores,
        "render": {name: plan.rendered() for name, plan in shown.items()},
        "readings": _reading_slices(reading, catalogue),
        "statistics": statistics,
        "partitions": partitions,
        "collect": {"runs": _collect_slice(plans)},
        "compare": {"published": compared} if compared["experiments"] else {},
        "printed": {"consistency": catalogue.printed()} if shows_printed else {},
        "cost": {"cost": catalogue.priced(plans)},
        "page": _page_slices(described, partitions, statistics, sorted(reading), catalogue),
    }
    papers = {name: experiment["paper"] for name, experiment in chosen.items()}
    return {
        "config": science["config"],
        "folders": _folders(science["config"]),
        "papers": {n: p for n, p in papers.items() if _is_planned(n, uses)},
        "publishers": catalogue.publishers(),
        "jobs": {
            name: {"seconds": round(job.seconds, 3), "memory_mb": round(job.memory_mb, 1)}
            for name, job in jobs.items()
        },
        "uses": uses,
        "digests": {
            rule: {name: digest_of(use) for name, use in slices.items()}
            for rule, slices in uses.items()
        },
    }


def write_plan(plan, path):
    """Write a plan, whole or not at all."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with completed(path) as unfinished:
        unfinished.write_text(json.dumps(plan), encoding="utf-8")


def load_plan(path):
    """Read what `write_plan` wrote."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFile(path, str(error)) from error


def read_slice(path, rule, name, digest):
    """What one job uses, and nothing else of the plan.

    Parameters
    ----------
    path : path-like
        A plan that `write_plan` wrote.
    rule, name : str
        See `make_plan`.
    digest : str
        What the rule declares in its params.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If the plan on disk is not the one that the job was made from.
    """
    return slice_of(load_plan(path), rule, name, digest)


def slice_of(plan, rule, name, digest):
    """The same as `read_slice`, of a plan that was read already."""
    if plan["digests"][rule].get(name) != digest:
        raise ValueError("plan.json is not the plan of this run: was it made anew meanwhile?")
    return plan["uses"][rule][name]


_WITHOUT_FITS = ("statistics", "partitions")


def _folders(config):
    run, results, resources = config["run"], Path(config["results"]), Path(config["resources"])
    return {
        "results": str(results / run),
        "resources": str(resources),
        "work": str(resources / "work" / run),
        "journals": str(resources / "journals"),
    }


def _is_planned(name, uses):
    return any(name in uses[rule] for rule in ("score", "statistics", "partitions"))


def _prepared_of(use):
    return [name for entry in use["entries"].values() for name in entry["prepared"].values()]


def _raw_of(prepared, catalogue):
    return sorted({catalogue.origins[name][0] for name in prepared})


def _settings_of(plans):
    """Settings by id, and the number of masks of each."""
    settings, repetitions = {}, defaultdict(int)
    for plan in plans.values():
        for _, setting in plan.cases:
            settings[setting.id] = setting
            repetitions[setting.id] = max(repetitions[setting.id], plan.repetitions)
    return dict(sorted(settings.items())), repetitions


def _mask_slices(settings, repetitions, catalogue):
    code = code_hash("mvclust.pipeline.fit.masks")
    published = code_hash("mvclust.datasets.published_masks")
    slices = {}
    for setting in settings.values():
        use = slices.setdefault(
            setting.dataset,
            {
                "name": catalogue.origins[setting.dataset][0],
                "settings": [],
                "seed": catalogue.config["seed"],
                "samples_per_class": catalogue.budget["samples_per_class"],
                "code": code,
            },
        )
        if setting.protocol == "published":
            use["published_code"] = published
        use["settings"].append([setting.record, repetitions[setting.id]])
    return slices


def _mask_digest(setting, masks):
    """What the masks of one setting follow from, however many others are in the same file."""
    use = masks[setting.dataset]
    keys = ["name", "seed", "samples_per_class", "code"]
    keys += ["published_code"] if setting.protocol == "published" else []
    return digest_of({key: use[key] for key in keys} | {"setting": setting.record})


def _fit_slices(jobs, masks, catalogue):
    pipeline_code = code_hash("mvclust.pipeline.fit.fits")
    slices = {}
    for name, job in jobs.items():
        settings = {fit.setting.id: fit.setting for fit in job.fits}
        slices[name] = {
            "methods": _methods_of(job.fits, catalogue),
            "seed": catalogue.config["seed"],
            "limits": catalogue.config["limits"],
            "settings": {i: setting.record for i, setting in settings.items()},
            "masks": {i: _mask_digest(setting, masks) for i, setting in settings.items()},
            "fits": [
                [fit.key, fit.setting.id, fit.repetition, fit.params, fit.method]
                for fit in job.fits
            ],
            "pipeline_code": pipeline_code,
        }
    return slices


def _methods_of(fits, catalogue):
    """Method -> its estimator, and the code that its fits run."""
    params = defaultdict(list)
    for fit in fits:
        params[fit.method].append(fit.params)
    estimators = {method: catalogue.methods[method]["estimator"] for method in sorted(params)}
    return {
        method: {"estimator": estimator, "code": code_of(estimator, params[method])}
        for method, estimator in estimators.items()
    }


def _score_slice(plan, job_of, masks):
    settings = {setting.id: setting for _, setting in plan.cases}
    fits = defaultdict(set)
    for fit in plan.fits():
        fits[job_of[fit.key]].add(fit.key)
    return {
        "settings": {i: setting.record for i, setting in settings.items()},
        "masks": {i: _mask_digest(setting, masks) for i, setting in settings.items()},
        "fits": {job: sorted(keys) for job, keys in sorted(fits.items())},
        "code": code_hash("mvclust.pipeline.score.runs"),
    }


def _reading_slices(plans, catalogue):
    """All readings are compared at once: a table of one row may be explained by another's."""
    experiments = [plan.read() for plan in plans.values()]
    return {"readings": catalogue.read(experiments)} if experiments else {}


def _collect_slice(plans):
    drawn = [plan for plan in plans.values() if plan.entry["render"] == "convergence"]
    return {
        "curves": sorted({fit.key for plan in drawn for fit in plan.fits()}),
        "code": code_hash("mvclust.pipeline.score.runs"),
    }


def _page_slices(described, partitions, statistics, reading, catalogue):
    """The page of the whole run, and one of each paper."""
    code = code_hash("mvclust.report.run_page")
    config = {key: catalogue.config[key] for key in ("run", *SCIENCE)}
    pages = {}
    for page in ("report", *PAPERS):
        of = {use["paper"] for use in (*described.values(), *partitions.values())}
        of |= {use["paper"] for use in statistics.values()}
        mine = of if page == "report" else {page}
        shown = [use for use in described.values() if use["paper"] in mine]
        names = {m["key"]: m for use in shown for m in use["methods"]}
        slices = {
            "experiments": shown,
            "partitions": [use for use in partitions.values() if use["paper"] in mine],
            "statistics": [
                {key: use[key] for key in ("id", "title", "caption", "paper")}
                for use in statistics.values()
                if use["paper"] in mine
            ],
            "readings": reading if page == "report" else [],
        }
        if any(slices.values()):
            pages[page] = slices | {
                "title": f"mvclust: {catalogue.config['run']}",
                "looks": list(names.values()),
                "controls": catalogue.controls(names),
                "compared": catalogue.compared({use["id"]: use for use in shown}),
                "config": config,
                "code": code,
            }
    return pages


def plan_file(config):
    """Where the jobs of a run read the plan, as a text."""
    return str(Path(_folders(config)["work"], "plan.json"))
