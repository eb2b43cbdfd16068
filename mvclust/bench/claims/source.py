"""The scores that tests of claims ask for, from the runs, the probes and print."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from mvclust.bench.claims.cells import (
    Cell,
    Sweep,
    cells_of,
    has_data,
    is_selected,
    probed_cells,
    sweeps_of,
)
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.config.models import ClaimTest
from mvclust.bench.score.tuning import ByKey, keys_of
from mvclust.datasets.catalogue import is_rebuilt

DATA = PAPERS, REBUILT, STAND_IN = "paper's", "rebuilt", "stand-in"


# The columns of the runs that tests look at, beside their scores.
LOOKED_AT = ("error", "n_samples", "per_view", "objective", "source")


class Source:
    """The scores that tests ask for.

    With `crossed` parameters are chosen on the other masks. `printed` are the published numbers as
    cells, `measured` holds "growth" (see `claims.growth`) and "probes" (see `claims.probing`).
    """

    def __init__(
        self,
        used: dict,
        runs: dict[str, pd.DataFrame],
        crossed: bool = False,
        measured: dict | None = None,
        printed: Iterable[Cell] = (),
    ) -> None:
        self.experiments, self.tunable = used["experiments"], set(used["tunable"])
        self.reconstructed, self._declared = set(used["reconstructed"]), used["declared"]
        measured = measured or {}
        self._probed = used.get("probed", {})
        self.growth, self._probes = measured.get("growth"), measured.get("probes")
        self.crossed, self._printed = crossed, {cell.place: cell for cell in printed}
        self._runs, self._errors = {}, {}
        for name, table in runs.items():  # a fit that is not there has no values
            keys = pd.Index(sorted(keys_of(self.experiments[name])), name="key")
            whole = table.set_index("key").reindex(keys).reset_index()
            self._runs[name] = ByKey(whole, LOOKED_AT)
            self._errors[name] = dict(zip(table["key"], table["error"], strict=True))
        self._cells, self._sweeps = {}, {}

    def why_not(self, test: ClaimTest) -> str | None:
        """Why no experiment of a test can be used; None if one can."""
        if test.kind == "exponent":
            return "times by size are not part of this run" if self.growth is None else None
        if test.probes:
            if self._probes is None:
                return "probes are not part of this run"
            return None if self.cells(test) else UNAVAILABLE
        there = [name for name in test.experiments if name in self.experiments]
        if not there:
            return f"not in this run: {', '.join(test.experiments)}"
        labels = {case["label"] for name in there for case in self.experiments[name]["cases"]}
        if test.datasets and labels.isdisjoint(test.datasets):
            return f"not in this run: {', '.join(test.datasets)}"
        if not any(has_data(self.experiments[n], self._errors[n], test.datasets) for n in there):
            return UNAVAILABLE
        return None

    def is_reduced(self, test: ClaimTest) -> str:
        """How this run is reduced against the declared experiments of a test; "" if it is not."""
        missing = [name for name in test.experiments if name not in self.experiments]
        if missing:
            return f"not in this run: {', '.join(missing)}"
        cut = [name for name in test.experiments if self.experiments[name]["cut"]]
        for name in test.experiments:
            there = {case["label"] for case in self.experiments[name]["cases"]}
            wanted = set(self._declared[name]["data"])
            cut += [name] if (wanted & set(test.datasets or wanted)) - there else []
        return f"reduced run: {', '.join(dict.fromkeys(cut))}" if cut else ""

    def cells(self, test: ClaimTest) -> list[Cell]:
        """Scores by place of all experiments of a test."""
        if test.probes:
            return probed_cells(self._probes, test)
        cells = [c for name in test.experiments for c in self.cells_at(name, test.at)]
        if not test.against_printed:
            return cells
        return [self._beside_print(cell, test.against) for cell in cells]

    def _beside_print(self, cell: Cell, methods: list[str]) -> Cell:
        """A place with the printed numbers of some methods in the place of ours."""
        printed = self._printed.get(cell.place)
        there = {m: printed.scores[m] for m in methods if printed and m in printed.scores}
        n = len(next(iter(cell.scores.values()), ()))
        ours = {m: scores for m, scores in cell.scores.items() if m not in methods}
        means = {m: np.repeat(mean, n) for m, mean in there.items()}
        return cell._replace(scores=ours | means, stds=dict.fromkeys(there, np.nan))

    def cells_at(self, name: str, at: dict) -> list[Cell]:
        """Scores by place of an experiment; of a sweep, at some values of its parameters."""
        key = name, repr(at)
        if key not in self._cells:
            used = self.experiments.get(name)
            given = used and cells_of(used, self._runs[name], self.crossed, at)
            self._cells[key] = given or []
        return self._cells[key]

    def sweeps(self, test: ClaimTest) -> list[Sweep]:
        """Scores over grids of all experiments of a test, at the data sets that it names."""
        found = []
        for name in test.experiments:
            if name in self.experiments and name not in self._sweeps:
                self._sweeps[name] = sweeps_of(self.experiments[name], self._runs[name])
            found += self._sweeps.get(name, [])
        return [
            sweep
            for sweep in found
            if is_selected(sweep.cell, test) and (not test.methods or sweep.method in test.methods)
        ]

    def data_of(self, test: ClaimTest) -> set[str]:
        """Kinds of data that a test looks at, of `DATA`."""
        if test.probes:
            return {_kind_of(name) for p in test.probes for name in self._probed[p].values()}
        there = [name for name in test.experiments if name in self.experiments]
        cases = [
            (case["setting"]["dataset"], next(iter(case["points"].values()))[0]["keys"][0])
            for name in there
            for case in self.experiments[name]["cases"]
            if not test.datasets or case["label"] in test.datasets
        ]
        sources = {}
        for name in there:
            runs = self._runs[name]
            sources |= zip(runs.places, runs.columns["source"], strict=True)
        return {_kind_of(name, str(sources.get(key, ""))) for name, key in cases}


def _kind_of(dataset: str, source: str = "") -> str:
    """Kind of the data of a data set, one of `DATA`."""
    if dataset.partition("-rebuilt")[1]:
        return STAND_IN
    return REBUILT if is_rebuilt(source) else PAPERS
