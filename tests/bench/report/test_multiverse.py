"""The tables and figures of protocols."""

import numpy as np
import pandas as pd
from bench.multiverse.made_up import additive, experiment_of
from helpers import ROOT

from mvclust.bench.config.load import load_run
from mvclust.bench.multiverse.tables import Words
from mvclust.bench.plan.job_inputs import kinds_digest
from mvclust.bench.report.multiverse import draw_curves, draw_effects, write_multiverse

VALUES = [
    {"value": None, "says": "as in the files", "origin": "none"},
    {"value": "feature_minmax", "says": "each feature to [0, 1]", "origin": "habit"},
]
QUESTIONS = {"features": {"question": "how", "values": VALUES}}


def write(folder, runs=None):
    experiment, made = experiment_of(additive, sd=0.5)
    used = {
        "experiments": [experiment],
        "questions": QUESTIONS,
        "printed": {"published": experiment["published"], "tables": []},
    }
    runs = made if runs is None else runs
    write_multiverse(used, runs, folder)


def test_a_run_without_data_says_so(tmp_path):
    _, runs = experiment_of(additive)
    runs["error"] = "data not available"
    write(tmp_path, runs)
    assert pd.read_csv(tmp_path / "tables/multiverse.csv").empty
    assert "No paper" in (tmp_path / "figures/multiverse.svg").read_text()


def test_a_page_holds_eight_tables_with_sixty_four_protocols():
    rng = np.random.default_rng(0)
    options = [f'{{"features":"{i % 4}","init":"{i % 2}","labels":"{i % 3}"}}' for i in range(64)]
    parts = [
        pd.DataFrame({
            "paper": "p", "item": f"table{i}", "dataset": "one", "method": "A", "options": options,
            "stated": np.arange(64) == 0, "agrees": False, "printed": 50.0,
            "mean": rng.uniform(40, 60, 64), "half_width": 2.0,
        })
        for i in range(8)
    ]  # fmt: skip
    figure = draw_curves(pd.concat(parts), {"p": {"A"}}, Words({}))
    assert figure.get_figheight() <= 9
    effects = pd.DataFrame({"kind": "k", "option": "x", "stated": "y", "difference": 1.0,
                            "lowest": 0.0, "highest": 2.0}, index=range(60))  # fmt: skip
    assert draw_effects(effects).get_figheight() <= 9


def test_what_is_tried_is_what_was_frozen():
    kinds = load_run(ROOT / "config/runs/multiverse.yaml", ROOT).kinds
    frozen = (ROOT / "config/multiverse.sha256").read_text().strip()
    assert kinds_digest(kinds) == frozen
    sizes = [
        np.prod([len(options) for options in (kind.questions | kind.definitions).values()])
        for kind in kinds.values()
    ]
    assert max(sizes) <= 64
