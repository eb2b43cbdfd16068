"""A paper of one's own: four files beside the project, and no edit inside."""

import pandas as pd
import pytest
from bench.planned import mistakes_in, plan_of

from mvclust.bench.claims.ledger import Ledger
from mvclust.bench.config.load import load

FILES = {
    "papers_files": "doe: {title: Yet Another Method, label: Doe & Roe (2026), tables: [table1]}\n",
    "experiments_files": """
doe_table1:
  {title: Scores of Doe & Roe, paper: doe, item: table1, render: groups,
   data: [{dataset: digits, label: Digits}], protocol: complete, repetitions: 3,
   methods: [DAIMC, PVC], grids: {PVC: {views: per_pair}}, metrics: {ACC: acc}, unit: fraction}
""",
    "published_files": """
paper,item,dataset,missing_rate,paired_rate,view,method,metric,mean,std,unit
doe,table1,Digits,,,,PVC,acc,61.5,1.5,percent
doe,table1,Digits,,,,DAIMC,acc,58.0,1.0,percent
""",
    "claims_files": """
worse:
  {paper: doe, place: Table 1, says: The old method is above the new one., tests: [{kind: above,
   experiments: [doe_table1], methods: [PVC], against: [DAIMC], metrics: [ACC]}]}
""",
}
SCORES = ["key", "acc", "simplified_silhouette", "error", "n_samples", "source"]


def load_with(project, **changed):
    keys = {"experiments": ["doe_table1", "paired"], "run": "mine"}
    for key, text in (FILES | changed).items():
        path = project / f"{key}.txt"
        path.write_text(text.lstrip("\n"))
        keys[key] = [str(path)]
    return load(keys, project)


def test_it_has_a_target_a_page_and_its_numbers_beside_ours(project):
    configuration = load_with(project)
    assert configuration.papers["doe"].label == "Doe & Roe (2026)"
    plan = plan_of(configuration)
    assert list(plan.slices["paper"]) == ["ueaf", "doe"]
    files = {f"results/mine/{file}" for file in ("doe.html", "tables/doe_table1.csv")}
    assert files <= set(plan.files_of_paper("doe"))
    row, _ = plan.slices["experiment"]["doe_table1"]["published"]
    assert (row["mean"], row["std"], row["unit"]) == (0.615, 0.015, "fraction")
    numbers = plan.slices["published"]["published_vs_reproduced"]["published"]
    assert {row["paper"] for row in numbers} == {"ueaf", "cmvnmf", "doe"}


def test_its_claims_stand_in_the_ledger_beside_the_others(project):
    slice_ = plan_of(load_with(project)).slices["claims"]["claims"]
    no_runs = dict.fromkeys(slice_["experiments"], pd.DataFrame(columns=SCORES))
    ledger = Ledger(slice_, no_runs)
    table = ledger.table().set_index("id")
    assert list(table.index) == ["better", "weighted", "worse"]
    worse = table.loc["worse", ["in_print", "printed_effect", "verdict"]]
    assert worse.tolist() == ["yes", pytest.approx(3.5), "no data"]  # nothing has run
    assert table.loc["better", "open_because"] == "not in this run: rates"


@pytest.mark.parametrize(
    ("key", "old", "new", "sentence"),
    [
        ("papers_files", "[table1]", "[table2]", "unknown table of doe 'table1'"),
        ("published_files", "61.5", "6" * 200_000, "published_files.txt:2: "),
        ("published_files", "doe,table1,Digits,,,,PVC,acc,61.5",
         "ueaf,table2,Digits,,0.1,,BSV,acc,43.10", "the same number is also in another file; keep"),
        ("claims_files", "kind: above", "kind: abve", "unknown value 'abve'; did you mean 'above'"),
        ("claims_files", "paper: doe", "paper: dow", "worse.paper: unknown paper 'dow'; did you"),
        ("claims_files", "[doe_table1]", "[doe_table2]", "unknown experiment 'doe_table2'; did"),
        ("claims_files", "[PVC]", "[PCV]", "unknown method of doe_table1 'PCV'; did you mean"),
        ("claims_files", "[ACC]", "[AC]", "unknown score of doe_table1 'AC'; did you mean 'ACC'?"),
        ("claims_files", ", against: [DAIMC]", "", "'above' needs 'against'"),
    ],
)  # fmt: skip
def test_a_mistake_in_it_is_named(key, old, new, sentence, project):
    assert old in FILES[key]
    changed = {key: FILES[key].replace(old, new, 1)}
    problems = "\n".join(mistakes_in(load_with, project, **changed))
    assert sentence in problems
    assert "_files.txt:" in problems
