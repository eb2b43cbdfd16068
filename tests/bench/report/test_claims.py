"""The ledger in the page; its tables and figure are those of the committed run `paper`."""

import numpy as np
import pandas as pd
from bench.report.made_up import describe, page_of, result, table_of
from bench.report.test_page import drawn
from helpers import ROOT

from mvclust.bench.report.claims import for_page


def test_the_ledger_opens_the_page(tmp_path):
    claims = pd.read_csv(ROOT / "results/paper/tables/claims.csv")
    claims = claims.loc[np.isin(claims["verdict"], ["holds", "fails"])]
    shown = {"claims": ("Claims", for_page(claims))}
    page = drawn(page_of(tmp_path, [describe()], {"toy": table_of([result()])}, statistics=shown))
    assert page["sections"][0] == "claims"
    assert f"{len(claims)} claims: " in page["text"]
    for verdict, number in claims["verdict"].value_counts().items():
        assert f"{number} {verdict}" in page["text"]
    assert claims["claim"].iloc[0] in page["text"]
