"""The ledger as tables, figure and first section of the page."""

import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import describe, page_of, result, table_of
from bench.report.test_page import drawn

from mvclust.bench.claims.directions import COLUMNS as DIRECTIONS
from mvclust.bench.claims.ledger import COLUMNS, UNITS
from mvclust.bench.claims.tables import ROWS as PRINTED_ROWS
from mvclust.bench.claims.verdicts import VERDICTS
from mvclust.bench.plan.products import CLAIMS
from mvclust.bench.report.claims import COLOURS, draw_claims, for_page, write_claims
from mvclust.bench.report.titles import TITLES

EMPTY = dict.fromkeys(COLUMNS, "") | dict.fromkeys(
    ("printed_effect", "effect", "ci_low", "ci_high", "margin", "detectable"), np.nan
)
ROWS = [
    EMPTY | {
        "id": "T1", "paper": "paper", "place": "Table 1", "claim": "A is above B & C.",
        "verdict": "holds", "in_print": "yes", "printed_cells": "2 of 2; 1.00 to 3.00",
        "printed_effect": 2.0, "effect": 4.0, "ci_low": 1.0, "ci_high": 7.0, "margin": 3.0,
        "data": "rebuilt", "detectable": 3.0,
        "experiments": "toy other",
    },
    EMPTY | {
        "id": "T2", "paper": "paper", "claim": "Costs little.", "verdict": "open",
        "in_print": "not printed", "open_because": "experiment", "needs": "times",
    },
]  # fmt: skip
TABLE = pd.DataFrame(ROWS, columns=COLUMNS)


class MadeUp:
    """What the ledger of a run says."""

    used = {"labels": {"paper": "TOY (Doe & Roe, 2026)"}}

    def table(self):
        return TABLE

    def units(self):
        return pd.DataFrame([("T1", "A - B: toy, ACC", "+")], columns=UNITS)

    def directions(self):
        return pd.DataFrame([], columns=DIRECTIONS)

    def rows(self):
        return pd.DataFrame([], columns=PRINTED_ROWS)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_claims(MadeUp(), folder)
    return folder


def test_the_ledger_is_a_table_in_three_forms(written):
    table = pd.read_csv(written / "tables/claims.csv")
    assert list(table.columns) == list(COLUMNS)
    assert table["effect"].tolist()[0] == 4.0
    markdown = (written / "tables/claims.md").read_text()
    assert "2 claims: holds 1, open 1. Of these 1 on rebuilt data." in markdown
    assert "[toy](toy.md) [figure](../figures/toy.svg)" in markdown
    assert "nan" not in markdown
    latex = (written / "tables/claims.tex").read_text()
    assert r"A is above B \& C." in latex
    for name in CLAIMS:
        assert all((written / f"tables/{name}.{kind}").exists() for kind in ("csv", "md", "tex"))


def test_the_figure_has_one_row_per_paper_with_bars_and_effects(written):
    text = (written / "figures/claims.svg").read_text()
    assert "Doe" in text
    assert "T1" not in text
    bars, effects = draw_claims(TABLE, MadeUp.used["labels"]).axes
    assert [patch.get_width() for patch in bars.patches if patch.get_width()] == [1, 1]
    interval, dot = effects.lines[:2]
    assert interval.get_xdata().tolist() == pytest.approx([1 / 3, 7 / 3])  # margin: 3 points
    assert dot.get_xdata()[0] == pytest.approx(4 / 3)
    assert dot.get_color() == COLOURS["holds"]
    assert set(COLOURS) == set(VERDICTS)


def test_the_figure_of_all_claims_fits_a_page():
    many = pd.concat([TABLE] * 40, ignore_index=True)
    width, height = draw_claims(many, {}).get_size_inches() * 72
    assert width <= 504
    assert height <= 648


def test_it_opens_the_page(written, tmp_path):
    shown = {
        "claims": (TITLES["claims"].title, for_page(pd.read_csv(written / "tables/claims.csv")))
    }
    figures = {TITLES["claims"].title: written / "figures/claims.svg"}
    experiment, results = describe(), {"toy": table_of([result()])}
    page = drawn(page_of(tmp_path, [experiment], results, statistics=shown, extra_figures=figures))
    assert page["sections"][0] == "claims"
    assert "2 claims: 1 holds, 1 open." in page["text"]
    assert "A is above B & C." in page["text"]
