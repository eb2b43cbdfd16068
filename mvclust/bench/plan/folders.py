"""Where a run reads and writes its files."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Self

from mvclust.bench.config.models import Run
from mvclust.bench.plan.settings import Setting

TABLE, FIGURE = ("csv", "md", "tex"), ("svg", "pdf", "png")

OF_DATA = ("download", "prepare")  # rules whose files all runs share
WITH_FILES = (*OF_DATA, "masks", "fit")  # rules of which each job has a plan file of its own


class Folders(NamedTuple):
    """Folders that a run reads and writes, and the files in them."""

    results: str
    resources: str
    work: str
    journals: str

    @classmethod
    def of(cls, run: Run) -> Self:
        """Folders of a run."""
        resources = Path(run.resources)
        parts = resources, resources / "work" / run.run, resources / "journals"
        return cls(str(Path(run.results, run.run)), *map(str, parts))

    @property
    def study(self) -> str:
        """The file with what the jobs after the fits follow from."""
        return f"{self.work}/study.json"

    def plan_file(self, rule: str, name: str) -> str:
        """Path of the inputs of a job: the same in each run for files that all runs share."""
        if rule not in WITH_FILES:
            return self.study
        return f"{self.resources if rule in OF_DATA else self.work}/plan/{rule}/{name}.json"

    def record_of(self, output: str, rule: str, name: str) -> str:
        """Path of the record of a job: beside its first output, except in the folder of results."""
        if output.startswith(f"{self.results}/"):
            return f"{self.work}/records/{rule}/{name}.json"
        return f"{output}.record"

    def raw(self, dataset: str) -> str:
        """State of the raw files of a data set."""
        return f"{self.resources}/raw/{dataset}.json"

    def data(self, prepared: str) -> str:
        """A prepared data set."""
        return f"{self.resources}/datasets/{prepared}.h5"

    def datasets(self, names: Iterable[str]) -> dict[str, str]:
        """Some prepared data sets by name."""
        return {name: self.data(name) for name in sorted(set(names))}

    def masks(self, name: str) -> str:
        """The masks of a data set under one protocol and rate."""
        return f"{self.work}/masks/{name}.npz"

    def fits(self, job: str) -> str:
        """The fits of a job."""
        return f"{self.work}/fits/{job}.jsonl"

    def scores(self, name: str) -> str:
        """The scores of an experiment."""
        return f"{self.work}/scores/{name}.parquet"

    def probe(self, name: str) -> str:
        """The numbers of a probe."""
        return f"{self.work}/probes/{name}.csv"

    def tuned(self, name: str) -> str:
        """The results of an experiment, tuned."""
        return f"{self.work}/results/{name}.json"

    def result(self, name: str) -> str:
        """A file of the results."""
        return f"{self.results}/{name}"

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
            "data": self.datasets(s.dataset for s in settings),
            "masks": {name: self.masks(name) for name in sorted({s.masks for s in settings})},
        }
