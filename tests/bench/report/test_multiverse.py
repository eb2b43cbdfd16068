"""The tables and figures of protocols."""

from math import prod

import numpy as np
import pandas as pd
from bench.multiverse.made_up import additive, experiment_of
from helpers import ROOT

from mvclust.bench.config.load import load_run
from mvclust.bench.multiverse.tables import Words
from mvclust.bench.plan.job_inputs import kinds_digest
from mvclust.bench.report.multiverse import draw_curves, draw_effects, write_multiverse


def test_a_run_without_data_says_so(tmp_path):
    experiment, runs = experiment_of(additive)
    printed = {"published": experiment["published"], "tables": []}
    used = {"experiments": [experiment], "questions": {}, "printed": printed}
    write_multiverse(used, runs.assign(error="data not available"), tmp_path)
    assert pd.read_csv(tmp_path / "tables/multiverse.csv").empty
    assert "No paper" in (tmp_path / "figures/multiverse.svg").read_text()


def test_a_page_holds_eight_tables_with_sixty_four_protocols():
    options = [f'{{"features":"{i % 4}","init":"{i % 2}","labels":"{i % 3}"}}' for i in range(64)]
    rows = pd.DataFrame({
        "paper": "p", "item": np.repeat([f"table{i}" for i in range(8)], 64), "dataset": "one",
        "method": "A", "options": options * 8, "stated": np.arange(512) % 64 == 0,
        "agrees": False, "printed": 50.0, "half_width": 2.0,
        "mean": np.random.default_rng(0).uniform(40, 60, 512),
    })  # fmt: skip
    assert draw_curves(rows, {"p": {"A"}}, Words({})).get_figheight() <= 9
    words = {"kind": "k", "option": "x", "stated": "y"}
    effects = words | {"difference": 1.0, "lowest": 0.0, "highest": 2.0}
    assert draw_effects(pd.DataFrame(effects, range(60))).get_figheight() <= 9


def test_what_is_tried_is_what_was_frozen():
    kinds = load_run(ROOT / "config/runs/multiverse.yaml", ROOT).kinds
    frozen = (ROOT / "config/multiverse.sha256").read_text().strip()
    assert kinds_digest(kinds) == frozen
    for kind in kinds.values():
        assert prod(map(len, (kind.questions | kind.definitions).values())) <= 64
