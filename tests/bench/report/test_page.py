"""What the report page holds without its script."""

import base64
import re

from bench.report import made_up
from bench.report.made_up import describe, grid_of, page_of, scores_of, table_of

from mvclust.bench.report.answer import DRAWINGS

CLUSTER = {"cluster": 1, "size": 9, "certainty": 0.875, "stability": None, "features: a": "g +1"}
ANSWER = {
    "n_samples": 9, "n_clusters": 1, "method": "A & B", "chosen": "by agreement",
    "structure": {"p_value": 0.5, "sentence": "No evidence of separate groups (p = 0.5)."},
    "summary": ["Perhaps there are no clusters.", "9 samples in 1 cluster by A & B."],
    "survival": {"sentence": "Survival by cluster: p = 0.5.", "permutations": 9999},
    "facts": [{"fact": "age", "p": 0.125, "cluster 1": "median 60"}],
    "facts_not_tested": {"name": "nearly every sample has a value of its own"},
    "clusters": [CLUSTER], "files": ["results/toy/labels.csv"],
}  # fmt: skip


def test_it_names_the_code_that_computed_each_method(tmp_path):
    made = {"A": {"estimator": "a.A", "code": ["0123"], "commands": []}}
    manifest = made_up.MANIFEST | {"code": made}
    assert "A 0123</dd>" in page_of(tmp_path, manifest=manifest).read_text()
    assert "<dt>code</dt>" not in page_of(tmp_path).read_text()  # of a run that does not say it


def test_an_answer_comes_first_with_its_pictures_and_clusters(tmp_path):
    pictures = {name: tmp_path / f"{name}.svg" for name in DRAWINGS}
    for name, path in pictures.items():
        path.write_text(name)
    page = page_of(tmp_path, [describe()], answer=(ANSWER, pictures))
    text = page.read_text(encoding="utf-8")
    section = re.search(r'<section id="answer">(.*?)</section>', text, re.DOTALL)[1]
    assert text.index('id="answer"') < text.index("Methods compared")
    assert "A &amp; B" in section
    assert re.findall("<p.*?>(.*?)</p>", section)[0] == "Perhaps there are no clusters."
    assert "name: nearly every sample has a value of its own." in section
    assert '<a href="labels.csv">' in section
    cells = re.findall(r"<td.*?>(.*?)</td>", section)
    assert cells == ["1", "9", "0.88", "", "g +1", "age", "0.125", "median 60"]
    assert all(re.findall(r'<img src="data:image/svg[^"]*" alt="(.*?)">', section))
    shown = map(base64.b64decode, re.findall(r"base64,([^\"]*)", section))
    assert [picture.decode() for picture in shown] == list(DRAWINGS)


def test_without_a_script_the_first_rows_name_the_csv(tmp_path):
    rows = scores_of(grid_of(missing_rate=[i / 50 for i in range(40)], method=["A & B"]))
    experiments, results = [describe(), describe(id="empty")], {"toy": rows, "empty": table_of([])}
    text = page_of(tmp_path, experiments, results).read_text()
    (plain,) = re.findall(r"<noscript>(.*?)</noscript>", text, re.DOTALL)
    assert re.findall(r"<code>(tables/.*?)</code>", plain) == ["tables/toy.csv"]
    assert "href=" not in plain  # the page may be handed on alone
    assert "The first 10 of 40 rows" in plain
    assert plain.count("<td>A &amp; B</td>") == 10
    assert "<td>missing_rate=0.18</td>" in plain
    assert "<td>missing_rate=0.2</td>" not in plain
