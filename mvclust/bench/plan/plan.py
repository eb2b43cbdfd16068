"""The plan of a run: all its jobs, what each reads and writes, and whether its output stands.

A pure function of the configuration, the code and the installed versions: looking at it writes
nothing.
"""

from __future__ import annotations

import json
import os
import platform
from functools import cached_property
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mvclust.bench.arithmetic import of_children
from mvclust.bench.config.messages import counted
from mvclust.bench.config.sources import is_unavailable, why_again
from mvclust.bench.plan import job_inputs
from mvclust.bench.plan.resources import Packing
from mvclust.bench.plan.selection import Study
from mvclust.bench.record.digest import code_hash
from mvclust.bench.record.records import (
    different_keys,
    plan_file,
    read_record,
    record_of,
    write_if_other,
)
from mvclust.datasets.files import sha256_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mvclust.bench.config.load import Configuration
    from mvclust.bench.plan.costs import Costs
    from mvclust.bench.plan.settings import Setting

COMPUTED_WITH = ("python", "numpy", "scipy", "scikit-learn")
DRAWN_WITH = (*COMPUTED_WITH, "pandas", "pyarrow", "matplotlib")
# Rules of which the files are read by all runs; what they are made from does not name a run.
OF_DATA = ("download", "prepare")

OF_PAGES = ("paper", "report")

TABLE, FIGURE = ("csv", "md", "tex"), ("svg", "pdf", "png")
CLAIMS_TABLES = ("claims", "claims_units", "directions", "printed_rows")
MULTIVERSE_TABLES = ("multiverse", "multiverse_protocols", "multiverse_controls")
MULTIVERSE_TABLES += ("multiverse_selection", "multiverse_effects")
MULTIVERSE_FIGURES = ("multiverse", "multiverse_effects")
ANSWER = ("labels.csv", "clusters.csv", "features.csv", "facts.csv", "answer.json")
ANSWER_FIGURES = ("answer_samples", "answer_features", "answer_heat", "answer_survival")
ANSWER_FIGURES += ("answer_number", "answer_consensus", "answer_silhouettes", "answer_presence")
ANSWER_FIGURES += ("answer_agreement",)


class Job(NamedTuple):
    """A job: its inputs as JSON (with "inputs" and "outputs"), and the path of its record."""

    rule: str
    name: str
    slice: dict
    record: str

    @property
    def inputs(self) -> list[str]:
        """Paths of all files that the job reads."""
        return paths_of(self.slice["inputs"])

    @property
    def outputs(self) -> list[str]:
        """Paths of the files that the job writes, without its record."""
        return self.slice["outputs"]


class Plan:
    """All jobs of a configuration; `root` is the workflow's folder with ``workflow/scripts/``.

    `jobs` maps (rule, name) to Job, `slices` rule and name to the job's inputs, `papers` an
    experiment to its paper; `arithmetic` is what the jobs compute with.
    """

    def __init__(
        self,
        configuration: Configuration,
        root: Path | str,
        costs: Costs,
        packing: Packing | None = None,
    ) -> None:
        self.configuration, self.scripts = configuration, Path(root, "workflow", "scripts")
        self.study = study = Study(configuration, costs, packing or Packing())
        self.folders, self.jobs, self.versions = study.folders, {}, _versions()
        self.arithmetic = of_children()
        self.slices = {rule: {} for rule in RULES}
        self.papers = {name: each.paper for name, each in study.chosen.items()}
        self._add_data()
        self._add_fits()
        self._add_tables()
        self._add_answer()
        self._add_pages()

    def _add(self, rule: str, name: str, inputs: dict, outputs: list[str]) -> None:
        content = RULES[rule](self.study, name)
        if rule in OF_PAGES:  # they tell what all jobs took
            content["where"] = {"records": [job.record for job in self.jobs.values()]}
        versions = COMPUTED_WITH if rule in (*OF_DATA, "masks", "fit") else DRAWN_WITH
        content |= {
            "rule": rule,
            "name_of_job": name,
            "inputs": inputs,
            "outputs": outputs,
            "code": code_hash(
                *content.get("modules", ()),
                script=self.scripts / f"{rule}.py",
                files=tuple(content.get("files", ())),
            ),
            "versions": {name: self.versions[name] for name in versions},
            "arithmetic": None if rule == "download" else self.arithmetic,
        }
        plain = json.loads(json.dumps(content))
        self.slices[rule][name] = plain
        record = record_of(outputs[0], rule, name, self.folders)
        self.jobs[rule, name] = Job(rule, name, plain, record)

    def _add_data(self) -> None:
        for dataset in sorted({self.study.origins[name][0] for name in self.study.prepared}):
            self._add("download", dataset, {}, [self.raw(dataset)])
        for name in self.study.prepared:
            raw = [self.raw(self.study.origins[name][0])]
            self._add("prepare", name, {"raw": raw}, [self.data(name)])
        for name, (setting, *_) in self.study.settings_of_masks.items():
            data = [self.data(setting.dataset)]
            self._add("masks", name, {"data": data}, [self.masks(name)])

    def _add_fits(self) -> None:
        for name, job in self.study.jobs.items():
            inputs = self.data_and_masks(fit.setting for fit in job.fits)
            self._add("fit", name, inputs, [self.fits(name)])
        for name, plan in self.study.plans.items():
            fits = self.study.fits_by_job(plan)
            inputs = {"fits": {job: self.fits(job) for job in fits}}
            inputs |= self.data_and_masks(setting for _, setting in plan.cases)
            self._add("score", name, inputs, [self.scores(name)])
        if self.study.plans:
            scores = {"scores": [self.scores(name) for name in self.study.plans]}
            files = ("runs.parquet", "fitted.parquet", "costs.csv")
            self._add("runs", "runs", scores, [self.result(file) for file in files])

    def _add_tables(self) -> None:
        study = self.study
        for name in study.shown:
            outputs = [*self.table(name), *self.figure(name), self.tuned(name)]
            made = {"scores": [self.scores(each) for each in study.in_form(name)]}
            self._add("experiment", name, made, outputs)
            if study.plans[name].experiment.has_more:
                extended = f"{name}_extended"
                outputs = [*self.table(extended), *self.figure(extended)]
                made = {"scores": [self.scores(name)], "results": [self.tuned(name)]}
                self._add("extended", name, made, outputs)
        for name in study.by_render("statistics"):
            entries = study.stated(study.chosen[name].paper).values()
            used = sorted({each for entry in entries for each in entry["prepared"].values()})
            inputs = {"data": {each: self.data(each) for each in used}}
            self._add("statistics", name, inputs, self.table(name))
        for name in study.by_render("partitions"):
            (data,) = study.chosen[name].data
            inputs = {"data": [self.data(study.prepared_name(data.dataset, data.subset))]}
            self._add("partitions", name, inputs, [*self.table(name), *self.figure(name)])
        printing = any(study.plans[name].experiment.item for name in study.shown)
        if printing:
            results = {"results": {name: self.tuned(name) for name in study.shown}}
            name = "published_vs_reproduced"
            self._add("published", name, results, [*self.table(name), *self.figure(name)])
        if printing or study.varying:  # of one's own data nothing was published
            self._add("consistency", "consistency", {}, self.table("consistency"))
        if study.varying:
            scores = {"scores": [self.scores(name) for name in study.varying]}
            outputs = [*chain(*map(self.table, MULTIVERSE_TABLES))]
            outputs += chain(*map(self.figure, MULTIVERSE_FIGURES))
            self._add("multiverse", "multiverse", scores, outputs)
        claimed = [name for name in study.plans if name in study.claimed]
        if claimed:
            inputs = {"scores": {name: self.scores(name) for name in claimed}}
            if study.probing:
                for name, probe in study.probing.items():
                    used = {study.prepared_name(d.dataset, d.subset) for d in probe.data}
                    data = {"data": {each: self.data(each) for each in sorted(used)}}
                    self._add("probe", name, data, [self.probe(name)])
                measured = {"measured": {name: self.probe(name) for name in study.probing}}
                self._add("probes", "probes", measured, self.table("probes"))
                inputs["probes"] = self.table("probes")[:1]  # pyright: ignore[reportArgumentType]
            if study.growing:
                self._add("growth", "growth", {}, self.table("growth"))
                inputs["growth"] = self.table("growth")[:1]  # pyright: ignore[reportArgumentType]
            tables = [*chain(*map(self.table, CLAIMS_TABLES))]
            self._add("claims", "claims", inputs, [*tables, *self.figure("claims")])
        if study.plans:
            table = {"runs": [self.result("runs.parquet")]}
            self._add("costs", "cost", table, [*self.table("cost"), *self.figure("cost")])

    def _add_answer(self) -> None:
        """Add the answer on the user's data."""
        for name in self.study.answering:
            ((_, setting),) = self.study.plans[name].cases
            inputs = {"scores": [self.scores(name)]} | self.data_and_masks([setting])
            outputs = [*map(self.result, ANSWER), *chain(*map(self.figure, ANSWER_FIGURES))]
            self._add("answer", "answer", inputs, outputs)

    def _add_pages(self) -> None:
        pages = [name for name, paper in self.configuration.papers.items() if paper.page]
        products = self.products
        inputs = {
            "scores": [self.scores(name) for name in self.study.plans],
            "results": {name: self.tuned(name) for name in self.study.shown},
            "products": products,
        }
        for page in pages:
            ids = [name for name, paper in self.papers.items() if paper == page]
            shown = [name for name in ids if name in self.study.shown]
            drawn = [*shown, *(n for n in ids if n in self.slices["partitions"])]
            tables = [*drawn, *(n for n in ids if n in self.slices["statistics"])]
            if tables:
                own = {
                    "scores": [self.scores(name) for name in shown],
                    "results": {name: self.tuned(name) for name in shown},
                    "products": [*chain(*map(self.table, tables), *map(self.figure, drawn))],
                }
                self._add("paper", page, own, [self.result(f"{page}.html")])
        if self.study.answering:
            inputs["answer"] = [self.result("answer.json")]
        if self.study.chosen:
            outputs = [self.result("report.html"), self.result("manifest.json")]
            self._add("report", "report", inputs, outputs)

    # Where the files are. The rules in workflow/rules name the same files with wildcards.

    def raw(self, dataset: str) -> str:
        """State of the raw files of a data set."""
        return f"{self.folders.resources}/raw/{dataset}.json"

    def data(self, prepared: str) -> str:
        """A prepared data set."""
        return f"{self.folders.resources}/datasets/{prepared}.h5"

    def masks(self, name: str) -> str:
        """The masks of a data set under one protocol and rate."""
        return f"{self.folders.work}/masks/{name}.npz"

    def fits(self, job: str) -> str:
        """The fits of a job."""
        return f"{self.folders.work}/fits/{job}.jsonl"

    def scores(self, name: str) -> str:
        """The scores of an experiment."""
        return f"{self.folders.work}/scores/{name}.parquet"

    def probe(self, name: str) -> str:
        """The numbers of a probe."""
        return f"{self.folders.work}/probes/{name}.csv"

    def tuned(self, name: str) -> str:
        """The results of an experiment, tuned."""
        return f"{self.folders.work}/results/{name}.json"

    def result(self, name: str) -> str:
        """A file of the results."""
        return f"{self.folders.results}/{name}"

    def table(self, name: str) -> list[str]:
        """The forms of a table."""
        return [self.result(f"tables/{name}.{kind}") for kind in TABLE]

    def figure(self, name: str) -> list[str]:
        """The forms of a figure."""
        return [self.result(f"figures/{name}.{kind}") for kind in FIGURE]

    def data_and_masks(self, settings: Iterable[Setting]) -> dict[str, dict[str, str]]:
        """Prepared data and masks of some settings: "data" and "masks" -> name -> path."""
        settings = set(settings)
        return {
            "data": {name: self.data(name) for name in sorted({s.dataset for s in settings})},
            "masks": {name: self.masks(name) for name in sorted({s.masks for s in settings})},
        }

    @property
    def products(self) -> list[str]:
        """All results of a run except its page and manifest."""
        rules = ("experiment", "extended", "statistics", "partitions", "published", "consistency")
        rules += ("multiverse", "probes", "growth", "claims", "costs", "runs", "answer")
        jobs = [job for job in self.jobs.values() if job.rule in rules]
        results = f"{self.folders.results}/"
        return [path for job in jobs for path in job.outputs if path.startswith(results)]

    def files_of_paper(self, paper: str) -> list[str]:
        """Tables, figures and page of the chosen experiments of a paper; empty without any."""
        job = self.jobs.get(("paper", paper))
        return [] if job is None else [*job.slice["inputs"]["products"], *job.outputs]

    # Whether an output stands.

    @cached_property
    def records(self) -> dict[tuple[str, str], dict | None]:
        """Records of the jobs on disk, None if missing, by (rule, name)."""
        return {key: read_record(job.record) for key, job in self.jobs.items()}

    @cached_property
    def by_output(self) -> dict[str, tuple[str, str]]:
        """Job (rule, name) by its first output."""
        return {job.outputs[0]: key for key, job in self.jobs.items()}

    @cached_property
    def checksums(self) -> dict[str, str]:
        """Recorded checksums of all files that have a record, by path."""
        known = {}
        for record in filter(None, self.records.values()):
            known |= record["outputs"]
        return known

    def why(self, rule: str, name: str) -> str | None:
        """Why the output of a job is out of date; None if it is not."""
        job, record = self.jobs[rule, name], self.records[rule, name]
        if not all(map(os.path.exists, job.outputs)):
            return "not there"
        if record is None:
            return "has no record"
        keys = different_keys(job.slice, record["slice"])
        if keys:
            return f"made from other {', '.join(keys)}"
        for path in job.outputs:
            if record["outputs"].get(path) != sha256_of(path):
                return f"{path} was changed since it was written"
        for path in job.inputs:
            if record["inputs"].get(path) != self.checksums.get(path):
                return f"made from another {path}"
        if rule == "fit":
            again, _ = self.failed(record)
            return f"{counted(again, 'failed fit')} to try again" if again else None
        if rule == "download":
            run = self.configuration.run
            dataset = self.configuration.datasets[name].entry
            return why_again(job.outputs[0], dataset, self.configuration.mirror, run.missing_data)
        return None

    def failed(self, record: dict) -> tuple[int, int]:
        """Number of failed fits in a job's record that the next run retries, and that it does
        not.
        """
        tries = record.get("failed", {}).values()
        rest = sum(number >= self.configuration.run.limits.tries for number in tries)
        return len(tries) - rest, rest

    def force_fits(self) -> None:
        """Retry all failed fits of the jobs that run, also those without tries left."""
        for content in self.slices["fit"].values():
            content["where"]["forced"] = True

    @cached_property
    def absent(self) -> set[str]:
        """Names of the prepared data sets that no source has, as far as known."""
        absent = {
            name
            for name in self.slices["download"]
            if is_unavailable(self.raw(name)) and self.why("download", name) is None
        }
        return {name for name in self.study.prepared if self.study.origins[name][0] in absent}

    def possible_fits(self, job: str) -> set[str]:
        """Keys of the fits of a job whose data set is not known to be absent."""
        used = self.slices["fit"][job]
        absent = {i for i, s in used["settings"].items() if s["dataset"] in self.absent}
        return {key for key, setting, *_ in used["fits"] if setting not in absent}

    def write(self) -> None:
        """Write the inputs of each job, if they differ from the stored ones."""
        for (rule, name), job in self.jobs.items():
            write_if_other(plan_file(self.folders, rule, name), job.slice)


RULES = {
    "download": job_inputs.download,
    "prepare": job_inputs.prepare,
    "masks": job_inputs.masks,
    "fit": job_inputs.fit,
    "score": job_inputs.score,
    "runs": job_inputs.runs,
    "experiment": job_inputs.experiment,
    "extended": job_inputs.experiment,
    "statistics": job_inputs.statistics,
    "partitions": job_inputs.partitions,
    "answer": job_inputs.answer,
    "published": job_inputs.published,
    "consistency": job_inputs.consistency,
    "multiverse": job_inputs.multiverse,
    "probe": job_inputs.probe,
    "probes": job_inputs.probes,
    "growth": job_inputs.growth,
    "claims": job_inputs.claims,
    "costs": job_inputs.costs,
    "paper": job_inputs.page,
    "report": job_inputs.page,
}


def paths_of(inputs: dict) -> list[str]:
    """All paths in the "inputs" of a job, of which each is a list, or a dict by name."""
    given = (each.values() if isinstance(each, dict) else each for each in inputs.values())
    return list(chain.from_iterable(given))


def _versions() -> dict[str, str]:
    installed = {name: metadata.version(name) for name in DRAWN_WITH[1:]}
    return {"python": platform.python_version()} | installed
