"""Made-up experiments and their runs, as the plan and the scores give them to the ledger."""

import numpy as np
import pandas as pd

from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests import outcome_of
from mvclust.bench.config.models import ClaimTest
from mvclust.bench.plan.settings import Setting


class MadeUp:
    """Experiments with scores of one's own, for tests of claims; some methods are tunable."""

    def __init__(self, tunable=(), reconstructed=()):
        self.experiments, self.rows = {}, {}
        self.tunable, self.reconstructed = list(tunable), list(reconstructed)

    def add(self, name, scores, *, dataset="toy", rate=0.3, protocol="random", sweep=False, views=2,
            variant="", curves=None):  # fmt: skip
        """Add a place: method -> list of (values of a point, its scores in points)."""
        used = self.experiments.setdefault(name, {
            "id": name, "paper": "toys", "item": "", "sweep": sweep, "metrics": {"ACC": "acc"},
            "methods": [], "cases": [], "cut": False,
        })  # fmt: skip
        setting = Setting(dataset, tuple(f"v{i}" for i in range(views)), protocol, rate)
        case = {"label": dataset, "setting": setting.record, "points": {}}
        rows = self.rows.setdefault(name, [])
        for method, points in scores.items():
            given = []
            for values, numbers in points:
                keys = []
                for mask, number in enumerate(numbers):
                    keys.append(f"{name}-{len(rows)}")
                    rows.append({
                        "key": keys[-1], "acc": number / 100, "error": None, "n_samples": 1000,
                        "per_view": None, "source": "mirror folder", "simplified_silhouette": 0.5,
                        "objective": None if curves is None else curves[mask],
                    })  # fmt: skip
                given.append({"values": values, "variant": variant, "keys": keys})
            case["points"][method] = given
        used["methods"] = sorted({*used["methods"], *scores})
        used["cases"].append(case)
        return self

    def runs(self):
        return {name: pd.DataFrame(rows) for name, rows in self.rows.items()}

    def source(self, crossed=False):
        return Source(self.slice(), self.runs(), crossed)

    def slice(self):
        return {
            "experiments": self.experiments,
            "tunable": self.tunable,
            "reconstructed": self.reconstructed,
            "declared": {
                name: {"data": {case["label"]: {} for case in used["cases"]}}
                for name, used in self.experiments.items()
            },
        }


def points(*means, n=5, sd=1.0, seed=0):
    """A grid of points with means, each with scores over masks; masks are the same for all."""
    rng, masks = np.random.default_rng(seed), np.random.default_rng(99).normal(0, 3, n)
    return [({"p": i}, mean + masks + rng.normal(0, sd, n)) for i, mean in enumerate(means)]


def outcome_on(test, measured):
    """The outcome of a test on measured tables alone."""
    return outcome_of(test, Source(MadeUp().slice(), {}, measured=measured))


def test_of(kind, **keys):
    """A test of a claim on the experiment "e"."""
    return ClaimTest.model_validate({"kind": kind, "experiments": ["e"]} | keys)


test_of.__test__ = False
