"""The plan of a run: all its jobs, what each reads and writes, and whether its output stands.

It follows from the configuration, the code and the installed versions; looking writes nothing.
"""

import json
import os
import platform
from functools import cached_property
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from mvclust.bench.arithmetic import of_children
from mvclust.bench.config.load import Configuration
from mvclust.bench.config.messages import counted
from mvclust.bench.config.sources import is_unavailable, why_again
from mvclust.bench.plan import job_inputs
from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.folders import WITH_FILES, Folders
from mvclust.bench.plan.jobs import Packing
from mvclust.bench.plan.products import PRODUCTS
from mvclust.bench.plan.selection import Study
from mvclust.bench.record.digest import code_hash
from mvclust.bench.record.records import difference, read_record, script_of, write_if_other
from mvclust.datasets.files import sha256_of

COMPUTED_WITH = ("python", "numpy", "scipy", "scikit-learn")
DRAWN_WITH = (*COMPUTED_WITH, "pandas", "pyarrow", "matplotlib")
NOT_THERE = "not there"  # why a job runs that has not run yet
OF_PAGES = ("paper", "report")
BEFORE_PRODUCTS = {  # rule: its jobs, and the file of each
    "download": (job_inputs.download, Folders.raw),
    "prepare": (job_inputs.prepare, Folders.data),
    "masks": (job_inputs.masks, Folders.masks),
    "fit": (job_inputs.fits, Folders.fits),
}


class Job(NamedTuple):
    """A job: its inputs as JSON (with "inputs" and "outputs"), and the path of its record."""

    slice: dict
    record: str

    @property
    def inputs(self) -> list[str]:
        """Paths of all files that the job reads."""
        return list(chain(*named(self.slice["inputs"]).values()))

    @property
    def outputs(self) -> list[str]:
        """Paths of the files that the job writes, without its record."""
        return self.slice["outputs"]


class Plan:
    """All jobs of a configuration; `root` is the workflow's folder with ``workflow/scripts/``.

    `jobs` maps (rule, name) to Job, `slices` rule and name to its inputs, `papers` experiments.
    """

    def __init__(
        self,
        configuration: Configuration,
        root: Path | str,
        costs: Costs,
        packing: Packing | None = None,
        folders: Folders | None = None,
    ) -> None:
        self.configuration, self.root = configuration, Path(root)
        self.study = study = Study(configuration, costs, packing or Packing(), folders)
        self.folders, self.jobs = study.folders, {}
        self.versions = {name: metadata.version(name) for name in DRAWN_WITH[1:]}
        self.versions["python"] = platform.python_version()
        self.arithmetic = of_children()
        self.slices = {rule: {} for rule in (*BEFORE_PRODUCTS, *(p.rule for p in PRODUCTS))}
        self.papers = {name: each.paper for name, each in study.chosen.items()}
        for rule, (jobs, file_of) in BEFORE_PRODUCTS.items():
            for name, inputs, content in jobs(study):
                self._add(rule, name, content, inputs, [file_of(self.folders, name)])
        for product in PRODUCTS:
            for name, inputs, content in product.jobs(self):
                module = f"mvclust.bench.{product.make}"
                content["modules"] = [module.partition(":")[0], *content.get("modules", ())]
                if product.rule in OF_PAGES:  # they tell what all jobs took
                    records = [job.record for job in self.jobs.values()]
                    content["where"] = {"root": str(self.root), "records": records}
                outputs = product.outputs(name, self.folders)
                self._add(product.rule, name, content | {"make": module}, inputs, outputs)

    def _add(self, rule: str, name: str, content: dict, inputs: dict, outputs: list[str]) -> None:
        versions = COMPUTED_WITH if rule in WITH_FILES else DRAWN_WITH
        content |= {"rule": rule, "name_of_job": name, "inputs": inputs, "outputs": outputs}
        script = script_of(content, Path(self.root, "workflow", "scripts"))
        modules, files = content.get("modules", ()), tuple(content.get("files", ()))
        content |= {
            "code": code_hash(*modules, script=script, files=files),
            "versions": {name: self.versions[name] for name in versions},
            "arithmetic": None if rule == "download" else self.arithmetic,
        }
        plain = json.loads(json.dumps(content))
        self.slices[rule][name] = plain
        record = self.folders.record_of(outputs[0], rule, name)
        self.jobs[rule, name] = Job(plain, record)

    @property
    def products(self) -> list[str]:
        """All results of a run except its pages and manifest."""
        made = [job.outputs for (rule, _), job in self.jobs.items() if rule not in OF_PAGES]
        return [path for path in chain(*made) if path.startswith(f"{self.folders.results}/")]

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
            return NOT_THERE
        if record is None:
            return "has no record"
        other = difference(record["slice"], job.slice)
        if other:
            return other
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
        """Number of failed fits in a job's record that the next run tries again, and of others."""
        tries = record.get("failed", {}).values()
        rest = sum(number >= self.configuration.run.limits.tries for number in tries)
        return len(tries) - rest, rest

    @cached_property
    def absent(self) -> set[str]:
        """Names of the prepared data sets that no source has, as far as known."""
        return {
            name
            for name in self.study.prepared
            for dataset, _ in [self.study.origins[name]]
            if is_unavailable(self.folders.raw(dataset)) and self.why("download", dataset) is None
        }

    def write(self, force_fits: bool = False) -> None:
        """Write the inputs of each job, if they differ; `force_fits` retries all failed fits."""
        for content in self.slices["fit"].values() if force_fits else ():
            content["where"]["forced"] = True
        for rule in WITH_FILES:
            for name, content in self.slices[rule].items():
                write_if_other(self.folders.plan_file(rule, name), content)
        study = {rule: jobs for rule, jobs in self.slices.items() if rule not in WITH_FILES}
        write_if_other(self.folders.study, study)


def named(inputs: dict) -> dict[str, list[str]]:
    """The "inputs" of a job as names of Snakemake's inputs, each with a list of paths."""
    return {
        name: list(paths.values()) if isinstance(paths, dict) else paths
        for name, paths in inputs.items()
    }
