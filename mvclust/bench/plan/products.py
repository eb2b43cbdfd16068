"""The registry of products: one entry per rule that follows from the fits.

From an entry follow its rule, its jobs, the targets, and what `mvclust redraw` makes again. Nothing
that draws is imported here: a job on a cluster reads this file to find its rule.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from itertools import chain, starmap
from typing import TYPE_CHECKING, NamedTuple

from mvclust.bench.plan import job_inputs
from mvclust.datasets.files import sha256_of

if TYPE_CHECKING:
    from mvclust.bench.plan.folders import Folders
    from mvclust.bench.plan.job_inputs import Jobs
    from mvclust.bench.plan.plan import Plan

CLAIMS = ("claims", "claims_units", "directions", "printed_rows")
MULTIVERSE = ("multiverse", "multiverse_protocols", "multiverse_controls")
MULTIVERSE += ("multiverse_selection", "multiverse_effects")
ANSWER = ("labels.csv", "clusters.csv", "features.csv", "facts.csv", "answer.json")
PICTURES = ("samples", "features", "heat", "survival", "number", "consensus", "silhouettes")
PICTURES += ("presence", "agreement")


def _scores(plan: Plan) -> Jobs:
    """Scores of the fits of each experiment."""
    for name, each in plan.study.plans.items():
        fits = plan.study.fits_by_job(each)
        inputs = plan.folders.data_and_masks(case.setting for case in each.cases)
        inputs = {"fits": {job: plan.folders.fits(job) for job in fits}} | inputs
        settings = {case.setting.id: case.setting.record for case in each.cases}
        yield name, inputs, {"settings": settings, "fits": fits}


def _runs(plan: Plan) -> Jobs:
    """Table of runs of all experiments."""
    plans = plan.study.plans
    drawn = plan.study.by_render("convergence")
    curves = sorted({fit.key for name in drawn for fit in plans[name].fits()})
    if plans:
        yield "runs", {"scores": list(map(plan.folders.scores, plans))}, {"curves": curves}


def _experiments(plan: Plan) -> Jobs:
    """Those that the paper prints in the same table or figure are read with each."""
    for name in plan.study.shown:
        scores = list(map(plan.folders.scores, plan.study.in_form(name)))
        yield name, {"scores": scores}, job_inputs.experiment(plan.study, name)


def _extended(plan: Plan) -> Jobs:
    """All methods and tunings, where the form of a paper leaves out some."""
    for name in plan.study.shown:
        if plan.study.plans[name].experiment.has_more:
            inputs = {"scores": [plan.folders.scores(name)], "results": [plan.folders.tuned(name)]}
            yield name, inputs, job_inputs.experiment(plan.study, name)


def _statistics(plan: Plan) -> Jobs:
    """Contents of data sets, and a paper's statements on them."""
    for name in plan.study.by_render("statistics"):
        chosen = plan.study.chosen[name]
        entries = plan.study.stated(chosen.paper)
        data = {each for entry in entries.values() for each in entry["prepared"].values()}
        content = job_inputs.titles(name, chosen) | {"entries": entries, "order": chosen.order}
        yield name, {"data": plan.folders.datasets(data)}, content


def _partitions(plan: Plan) -> Jobs:
    """Figures of partitions."""
    for name in plan.study.by_render("partitions"):
        content = _partitioned(plan, name)
        yield name, {"data": [plan.folders.data(content["dataset"])]}, content


def _partitioned(plan: Plan, name: str) -> dict:
    chosen = plan.study.chosen[name]
    (data,) = chosen.data
    return job_inputs.titles(name, chosen) | {
        "dataset": plan.study.prepared_of(data),
        "views": chosen.views,
        "modules": ["mvclust.estimators.mpac"],
    }


def _published(plan: Plan) -> Jobs:
    """Comparison with the published numbers."""
    if plan.study.printing:
        tuned = {name: plan.folders.tuned(name) for name in plan.study.shown}
        content = job_inputs.compared(plan.study, plan.study.shown)
        yield "published_vs_reproduced", {"results": tuned}, content


def _consistency(plan: Plan) -> Jobs:
    """Check of the published numbers against each other; of one's own data there are none."""
    if plan.study.printing or plan.study.varying:
        yield "consistency", {}, _printed(plan)


def _printed(plan: Plan) -> dict:
    return {"published": plan.configuration.published, "tables": job_inputs.tables(plan.study)}


def _multiverse(plan: Plan) -> Jobs:
    """Comparison of protocols of the tables with their published rows, all at once."""
    study, configuration = plan.study, plan.configuration
    if study.varying:
        content = {
            "experiments": [job_inputs.varied(study, name) for name in study.varying],
            "questions": dict(starmap(job_inputs.explained, configuration.questions.items())),
            "digest": job_inputs.kinds_digest(configuration.kinds),
            "printed": _printed(plan),
        }
        yield "multiverse", {"scores": list(map(plan.folders.scores, study.varying))}, content


def _probe(plan: Plan) -> Jobs:
    """Measurements that claims name."""
    for name, probe in plan.study.probing.items() if plan.study.claimed_here else ():
        prepared = list(map(plan.study.prepared_of, probe.data))
        content = {
            "measure": probe.measure,
            "scores": probe.scores,
            "arms": probe.arms,
            "data": [
                {"label": each.label, "data": data, "views": each.views, "features": each.features}
                for each, data in zip(probe.data, prepared, strict=True)
            ],
            "seeds": [plan.configuration.run.seed + i for i in range(probe.repetitions)],
            "modules": [probe.measure.rpartition(".")[0]],
        }
        yield name, {"data": plan.folders.datasets(prepared)}, content


def _probes(plan: Plan) -> Jobs:
    """Table of the results of all probes."""
    probing = plan.study.probing
    if plan.slices["probe"]:
        measured = {name: plan.folders.probe(name) for name in probing}
        named = {name: {"title": each.title, "unit": each.unit} for name, each in probing.items()}
        yield "probes", {"measured": measured}, {"probes": named}


def _growth(plan: Plan) -> Jobs:
    """Methods to measure, each with what grows."""
    if plan.study.claimed_here and plan.study.growing:
        yield "growth", {}, {"asked": plan.study.growing}


def _claims(plan: Plan) -> Jobs:
    """Ledger of claims; measurements are read as well, where the run has them."""
    claimed = plan.study.claimed_here
    inputs: dict = {"scores": {name: plan.folders.scores(name) for name in claimed}}
    measured = {"probes": plan.study.probing, "growth": plan.study.growing}
    for name in filter(measured.get, measured):
        inputs[name] = plan.folders.table(name)[:1]
    if claimed:
        yield "claims", inputs, job_inputs.claims(plan.study)


def _costs(plan: Plan) -> Jobs:
    """Table of the methods' costs."""
    study = plan.study
    names = {method for each in study.plans.values() for method in each.experiment.methods}
    ordered = [name for name in plan.configuration.methods if name in names]
    shown = [{k: study.methods[name][k] for k in ("key", "label")} for name in ordered]
    if study.plans:
        inputs = {"runs": [plan.folders.result("runs.parquet")]}
        yield "cost", inputs, {"methods": shown, "controls": study.controls(ordered)}


def _answer(plan: Plan) -> Jobs:
    """Labels of samples by a chosen method, their certainty and meaning; it fits too."""
    study = plan.study
    for name in study.answering:
        each, of = study.plans[name], job_inputs.described(study, name)
        (case,) = each.cases
        params = {m: [point.params for point in points] for m, points in case.points.items()}
        content = job_inputs.titles(name, each.experiment) | {
            "label": case.data.label,
            "methods": [m for m in of["methods"] if m["key"] in case.points],
            **job_inputs.classes_of(study, params, "estimators"),
            "setting": case.setting.record,
            "points": {
                m: [point.record | {"params": point.params} for point in points]
                for m, points in case.points.items()
            },
            "perturbed_fits": each.experiment.perturbed_fits,
            "survival": _survival(each.experiment.survival),
            "facts": _columns(each.experiment.facts) or {},
            "gaps": (gaps := each.experiment.gaps) and [gaps, sha256_of(gaps)],
            "limits": job_inputs.limits(study),
            "seed": plan.configuration.run.seed,
        }
        scores = {"scores": [plan.folders.scores(name)]}
        yield "answer", scores | plan.folders.data_and_masks([case.setting]), content


def _columns(path: str | None) -> dict[str, list[str]] | None:
    """Texts of a csv by column, empty where a value is not known; None without a file."""
    if path is None:
        return None
    with open(path, encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _survival(path: str | None) -> dict[str, list] | None:
    """Times and events of all samples, None where unknown; None without a file."""
    columns = _columns(path)
    return columns and {
        name: [None if text in ("", "nan") else float(text) for text in columns[name]]
        for name in ("time", "event")
    }


def _papers(plan: Plan) -> Jobs:
    """The page of each paper of which the run makes a table."""
    for page in (name for name, paper in plan.configuration.papers.items() if paper.page):
        ids = [name for name, paper in plan.papers.items() if paper == page]
        rules = ("experiment", "partitions", "statistics")
        shown, drawn, stated = ([n for n in ids if n in plan.slices[rule]] for rule in rules)
        tables = map(plan.folders.table, [*shown, *drawn, *stated])
        products = list(chain(*tables, *map(plan.folders.figure, [*shown, *drawn])))
        if products:
            inputs = _read_by_page(plan, shown, shown, products)
            yield page, inputs, _page(plan, shown, drawn, stated)


def _report(plan: Plan) -> Jobs:
    """The page of the whole run."""
    study = plan.study
    inputs = _read_by_page(plan, study.plans, study.shown, plan.products)
    if study.answering:
        inputs["answer"] = [plan.folders.result("answer.json")]
    if study.chosen:
        of = study.shown, study.by_render("partitions"), study.by_render("statistics")
        yield "report", inputs, _page(plan, *of, whole=True)


def _read_by_page(plan: Plan, scored: Iterable[str], shown: list[str], products: list) -> dict:
    return {
        "scores": list(map(plan.folders.scores, scored)),
        "results": {name: plan.folders.tuned(name) for name in shown},
        "products": products,
    }


def _page(plan: Plan, shown: list, drawn: list, stated: list, whole: bool = False) -> dict:
    """Page of some experiments: scored ones, figures of partitions, statements on data."""
    study, run = plan.study, plan.configuration.run
    uses = [job_inputs.described(study, each) for each in shown]
    methods = {m["key"]: m for use in uses for m in use["methods"]}
    keys = ("id", "title", "caption", "paper")
    return {
        "experiments": uses,
        "partitions": [_partitioned(plan, each) for each in drawn],
        "statistics": [
            {key: job_inputs.titles(each, study.chosen[each])[key] for key in keys}
            for each in stated
        ],
        "multiverse": sorted(study.varying) if whole else [],
        "answering": study.answering if whole else [],
        "title": f"mvclust: {run.run}",
        "looks": list(methods.values()),
        "controls": study.controls(methods),
        "compared": job_inputs.compared(study, shown),
        "config": {"run": run.run} | run.science,
    }


class Product(NamedTuple):
    """A rule after the fits, and the files of a job; "{}" in their names is that of the job."""

    rule: str
    make: str  # "module:function" below mvclust.bench, called with the inputs of the job
    jobs: Callable[[Plan], Jobs]  # name of each, the files that it reads, what else it follows from
    wildcard: str = ""  # of the names of jobs, where there are several
    tables: tuple = ()
    figures: tuple = ()
    files: tuple = ()  # other results
    work: tuple = ()  # files in the work folder
    category: str | None = "beyond"  # in the report of Snakemake; None: the paper of the job
    reported: tuple = ("table", "figure")  # what is in it
    is_local: bool = True  # too little for a job on a cluster
    is_drawn: bool = True  # from the table of runs, so that `mvclust redraw` can

    @property
    def name(self) -> str:
        """Name of the job, with a wildcard where there are several."""
        if self.wildcard:
            return f"{{{self.wildcard}}}"
        return self.tables[0] if self.tables else self.rule

    def forms(self, name: str, folders: Folders) -> list[tuple[str, list[str]]]:
        """Files of a job of some name, as (what they are, the forms of each)."""
        tables = [("table", folders.table(each.format(name))) for each in self.tables]
        figures = [("figure", folders.figure(each.format(name))) for each in self.figures]
        files = [
            ("page" if each.endswith(".html") else "file", [folders.result(each.format(name))])
            for each in self.files
        ]
        work = [("work", [f"{folders.work}/{each.format(name)}"]) for each in self.work]
        return [*tables, *figures, *files, *work]

    def outputs(self, name: str, folders: Folders) -> list[str]:
        """Files of a job of some name."""
        return [path for _, forms in self.forms(name, folders) for path in forms]


EACH = ("{}",)
PRODUCTS = (
    Product("score", "score.runs:make_scores", _scores, "experiment",
            work=("scores/{}.parquet",), is_drawn=False),
    Product("runs", "score.runs:make_runs", _runs,
            files=("runs.parquet", "fitted.parquet", "costs.csv"), is_drawn=False),
    Product("experiment", "report.render:make_experiment", _experiments,
            "id", EACH, EACH, work=("results/{}.json",), category=None),
    Product("extended", "report.render:make_extended", _extended, "id",
            ("{}_extended",), ("{}_extended",), category=None),
    Product("statistics", "report.datasets:make_description", _statistics,
            "id", EACH, category=None, is_drawn=False),
    Product("partitions", "report.partitions:make_partitions", _partitions,
            "id", EACH, EACH, category=None, is_drawn=False),
    Product("published", "report.published:make_comparison", _published,
            tables=("published_vs_reproduced",), figures=("published_vs_reproduced",)),
    Product("consistency", "report.consistency:make_consistency", _consistency,
            tables=("consistency",)),
    Product("multiverse", "report.multiverse:make_multiverse", _multiverse,
            tables=MULTIVERSE, figures=("multiverse", "multiverse_effects")),
    Product("probe", "report.claims:make_probe", _probe, "probe",
            work=("probes/{}.csv",), is_local=False, is_drawn=False),
    Product("probes", "report.claims:make_probes", _probes,
            tables=("probes",), is_drawn=False),
    Product("growth", "report.growth:make_growth", _growth,
            tables=("growth",), is_local=False, is_drawn=False),
    Product("claims", "report.claims:make_claims", _claims,
            tables=CLAIMS, figures=("claims",)),
    Product("costs", "report.cost_table:make_cost", _costs,
            tables=("cost",), figures=("cost",)),
    Product("answer", "report.answering:make_answer", _answer,
            figures=tuple(f"answer_{name}" for name in PICTURES), files=ANSWER,
            category="answer", is_drawn=False),
    Product("paper", "report.page:make_page", _papers, "page",
            files=("{}.html",), is_drawn=False),
    Product("report", "report.page:make_page", _report,
            files=("report.html", "manifest.json"), category="report", reported=("page",),
            is_drawn=False),
)  # fmt: skip
