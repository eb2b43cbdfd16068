"""A paper of one's own: three files beside the project, and no edit inside."""

import pytest
from pipeline.planned import lay_out, plan_of

from mvclust.pipeline.config.load import ConfigError, load

FILES = {
    "papers_files": "doe: {title: Yet Another Method, label: Doe & Roe (2026), tables: [table1]}\n",
    "experiments_files": """
doe_table1:
  title: Scores of Doe & Roe
  paper: doe
  item: table1
  render: groups
  data: [{dataset: digits, label: Digits}]
  protocol: complete
  repetitions: 3
  methods: [DAIMC, PVC]
  grids: {PVC: {views: per_pair}}
  metrics: {ACC: acc}
  unit: fraction
""",
    "published_files": """
paper,item,dataset,missing_rate,paired_rate,view,method,metric,mean,std,unit
doe,table1,Digits,,,,PVC,acc,61.5,1.5,percent
""",
}


@pytest.fixture
def project(tmp_path):
    return lay_out(tmp_path / "project")


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
    assert "results/mine/doe.html" in plan.files_of_paper("doe")
    assert "results/mine/tables/doe_table1.csv" in plan.files_of_paper("doe")
    (row,) = plan.slices["experiment"]["doe_table1"]["published"]
    assert (row["mean"], row["std"], row["unit"]) == (0.615, 0.015, "fraction")
    numbers = plan.slices["published"]["published_vs_reproduced"]["published"]
    assert {row["paper"] for row in numbers} == {"ueaf", "cmvnmf", "doe"}


@pytest.mark.parametrize(
    ("key", "old", "new", "sentence"),
    [
        ("papers_files", "doe:", "ueaf:", "the paper 'ueaf' is also in"),
        ("papers_files", "[table1]", "[table2]", "unknown table of doe 'table1'"),
        ("papers_files", "title", "titel", "doe.titel: unknown key 'titel'; did you mean 'title'?"),
        ("experiments_files", "paper: doe", "paper: dow", "unknown paper with published numbers"),
        ("published_files", "doe,table1", "doe,table3", "item: unknown item of doe 'table3'"),
        ("published_files", "PVC", "PCV", "unknown published name of a method 'PCV'"),
        ("published_files", ",percent", ",per cent", "unknown unit 'per cent'"),
    ],
)
def test_a_mistake_in_it_is_named(key, old, new, sentence, project):
    text = FILES[key].replace(old, new, 1)
    assert text != FILES[key]
    with pytest.raises(ConfigError) as caught:
        load_with(project, **{key: text})
    problems = "\n".join(caught.value.problems)
    assert sentence in problems
    assert "_files.txt:" in problems
