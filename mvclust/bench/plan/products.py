"""The registry of products: one entry per rule that follows from the fits.

From an entry follow its rule, its jobs, the targets, and what `mvclust redraw` makes again. Nothing
that draws is imported here: a job on a cluster reads this file to find its rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mvclust.bench.plan import job_inputs

if TYPE_CHECKING:
    from collections.abc import Callable

    from mvclust.bench.plan.folders import Folders
    from mvclust.bench.plan.plan import Plan

CLAIMS = ("claims", "claims_units", "directions", "printed_rows")
MULTIVERSE = ("multiverse", "multiverse_protocols", "multiverse_controls")
MULTIVERSE += ("multiverse_selection", "multiverse_effects")
ANSWER = ("labels.csv", "clusters.csv", "features.csv", "facts.csv", "answer.json")
PICTURES = ("samples", "features", "heat", "survival", "number", "consensus", "silhouettes")
PICTURES += ("presence", "agreement")


def _scored(plan: Plan) -> dict:
    """Each experiment reads the jobs of its fits."""
    return {
        name: {"fits": {job: plan.folders.fits(job) for job in plan.study.fits_by_job(each)}}
        | plan.folders.data_and_masks(setting for _, setting in each.cases)
        for name, each in plan.study.plans.items()
    }


def _all_scores(plan: Plan) -> dict:
    names = list(plan.study.plans)
    return {"runs": {"scores": list(map(plan.folders.scores, names))}} if names else {}


def _experiments(plan: Plan) -> dict:
    """Those that the paper prints in the same table or figure are read with each."""
    return {
        name: {"scores": list(map(plan.folders.scores, plan.study.in_form(name)))}
        for name in plan.study.shown
    }


def _extended(plan: Plan) -> dict:
    """All methods and tunings, where the form of a paper leaves out some."""
    return {
        name: {"scores": [plan.folders.scores(name)], "results": [plan.folders.tuned(name)]}
        for name in plan.study.shown
        if plan.study.plans[name].experiment.has_more
    }


def _statistics(plan: Plan) -> dict:
    used = {}
    for name in plan.study.by_render("statistics"):
        entries = plan.study.stated(plan.study.chosen[name].paper).values()
        used[name] = {each for entry in entries for each in entry["prepared"].values()}
    return {name: {"data": _by_name(plan.folders.data, each)} for name, each in used.items()}


def _partitions(plan: Plan) -> dict:
    found = {}
    for name in plan.study.by_render("partitions"):
        (data,) = plan.study.chosen[name].data
        found[name] = {"data": [plan.folders.data(plan.study.prepared_of(data))]}
    return found


def _claims(plan: Plan) -> dict:
    """Measurements are read as well, where the run has them."""
    claimed = plan.study.claimed_here
    inputs: dict = {"scores": {name: plan.folders.scores(name) for name in claimed}}
    measured = {"probes": plan.study.probing, "growth": plan.study.growing}
    for name in filter(measured.get, measured):
        inputs[name] = plan.folders.table(name)[:1]
    return {"claims": inputs} if claimed else {}


def _published(plan: Plan) -> dict:
    shown = plan.study.shown
    tuned = {"results": {name: plan.folders.tuned(name) for name in shown}}
    return {"published_vs_reproduced": tuned} if plan.study.printing else {}


def _consistency(plan: Plan) -> dict:
    """Of one's own data nothing was published."""
    return {"consistency": {}} if plan.study.printing or plan.study.varying else {}


def _multiverse(plan: Plan) -> dict:
    scores = [plan.folders.scores(name) for name in plan.study.varying]
    return {"multiverse": {"scores": scores}} if scores else {}


def _probe(plan: Plan) -> dict:
    if not plan.study.claimed_here:
        return {}
    of_probes = {
        name: {plan.study.prepared_of(data) for data in probe.data}
        for name, probe in plan.study.probing.items()
    }
    return {name: {"data": _by_name(plan.folders.data, used)} for name, used in of_probes.items()}


def _probes(plan: Plan) -> dict:
    measured = {name: plan.folders.probe(name) for name in _probe(plan)}
    return {"probes": {"measured": measured}} if measured else {}


def _growth(plan: Plan) -> dict:
    return {"growth": {}} if plan.study.claimed_here and plan.study.growing else {}


def _cost(plan: Plan) -> dict:
    runs = [plan.folders.result("runs.parquet")]
    return {"cost": {"runs": runs}} if plan.study.plans else {}


def _answer(plan: Plan) -> dict:
    """The answer on the user's data."""
    found = {}
    for name in plan.study.answering:
        ((_, setting),) = plan.study.plans[name].cases
        data = plan.folders.data_and_masks([setting])
        found["answer"] = {"scores": [plan.folders.scores(name)]} | data
    return found


def _papers(plan: Plan) -> dict:
    """The page of each paper of which the run makes a table."""
    pages, folders = {}, plan.folders
    for page in (name for name, paper in plan.configuration.papers.items() if paper.page):
        ids = [name for name, paper in plan.papers.items() if paper == page]
        shown, drawn, stated = (
            [name for name in ids if name in plan.slices[rule]]
            for rule in ("experiment", "partitions", "statistics")
        )
        tables = map(folders.table, [*shown, *drawn, *stated])
        figures = map(folders.figure, [*shown, *drawn])
        files = [path for forms in (*tables, *figures) for path in forms]
        if files:
            pages[page] = {
                "scores": [folders.scores(name) for name in shown],
                "results": {name: folders.tuned(name) for name in shown},
                "products": files,
            }
    return pages


def _report(plan: Plan) -> dict:
    if not plan.study.chosen:
        return {}
    inputs = {
        "scores": [plan.folders.scores(name) for name in plan.study.plans],
        "results": {name: plan.folders.tuned(name) for name in plan.study.shown},
        "products": plan.products,
    }
    answer = {"answer": [plan.folders.result("answer.json")]} if plan.study.answering else {}
    return {"report": inputs | answer}


def _by_name(path_of: Callable, names: set[str]) -> dict[str, str]:
    return {name: path_of(name) for name in sorted(names)}


class Product(NamedTuple):
    """A rule after the fits, and the files of a job; "{}" in their names is that of the job."""

    rule: str
    make: str  # "module:function" below mvclust.bench, called with the inputs of the job
    follows: Callable  # (study, name of the job) -> what the job follows from beside its files
    reads: Callable  # (plan) -> name of each job -> the files that it reads
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
    Product("score", "score.runs:make_scores", job_inputs.score, _scored, "experiment",
            work=("scores/{}.parquet",), is_drawn=False),
    Product("runs", "score.runs:make_runs", job_inputs.runs, _all_scores,
            files=("runs.parquet", "fitted.parquet", "costs.csv"), is_drawn=False),
    Product("experiment", "report.render:make_experiment", job_inputs.experiment, _experiments,
            "id", EACH, EACH, work=("results/{}.json",), category=None),
    Product("extended", "report.render:make_extended", job_inputs.experiment, _extended, "id",
            ("{}_extended",), ("{}_extended",), category=None),
    Product("statistics", "report.datasets:make_description", job_inputs.statistics, _statistics,
            "id", EACH, category=None, is_drawn=False),
    Product("partitions", "report.partitions:make_partitions", job_inputs.partitions, _partitions,
            "id", EACH, EACH, category=None, is_drawn=False),
    Product("published", "report.published:make_comparison", job_inputs.published, _published,
            tables=("published_vs_reproduced",), figures=("published_vs_reproduced",)),
    Product("consistency", "report.consistency:make_consistency", job_inputs.consistency,
            _consistency, tables=("consistency",)),
    Product("multiverse", "report.multiverse:make_multiverse", job_inputs.multiverse, _multiverse,
            tables=MULTIVERSE, figures=("multiverse", "multiverse_effects")),
    Product("probe", "report.claims:make_probe", job_inputs.probe, _probe, "probe",
            work=("probes/{}.csv",), is_local=False, is_drawn=False),
    Product("probes", "report.claims:make_probes", job_inputs.probes, _probes,
            tables=("probes",), is_drawn=False),
    Product("growth", "report.growth:make_growth", job_inputs.growth, _growth,
            tables=("growth",), is_local=False, is_drawn=False),
    Product("claims", "report.claims:make_claims", job_inputs.claims, _claims,
            tables=CLAIMS, figures=("claims",)),
    Product("costs", "report.cost_table:make_cost", job_inputs.costs, _cost,
            tables=("cost",), figures=("cost",)),
    Product("answer", "report.answering:make_answer", job_inputs.answer, _answer,
            figures=tuple(f"answer_{name}" for name in PICTURES), files=ANSWER,
            category="answer", is_drawn=False),
    Product("paper", "report.run_page:make_page", job_inputs.page, _papers, "page",
            files=("{}.html",), is_drawn=False),
    Product("report", "report.run_page:make_page", job_inputs.page, _report,
            files=("report.html", "manifest.json"), category="report", reported=("page",),
            is_drawn=False),
)  # fmt: skip
