"""Tables as a reader gets them; those of LaTeX compile, or are sound by what can be checked."""

import re
import shutil
import subprocess

import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, result, scores_of, table_of
from helpers import ROOT

from mvclust.bench.report import tables
from mvclust.bench.report.writing import TO_PAGE, to_simple_latex, with_page_breaks

COMMITTED = sorted((ROOT / "results").glob("*/tables/*.tex"))


def made_up():
    """Wide, long and empty tables, with characters that LaTeX knows."""
    wide = scores_of(grid_of(missing_rate=[i / 20 for i in range(10)], method=["A_1", "B & C"]))
    long = scores_of(grid_of(tuning=["fixed"], points=[[{"alpha": i}] for i in range(90)]))
    strange = table_of([result(note="x < y^2 | ~50 % of {a\\b} #1 failed\n\n– twice ±1 $", mean=1)])
    for results in (wide, long, strange, table_of([]), table_of([result(**FAILED)])):
        yield tables.to_latex(describe(), results)
    simple = to_simple_latex(pd.DataFrame({"a_b": ["x"], "c": [None]}), "Simple & short")
    yield simple
    yield with_page_breaks("\n".join([simple] * 60))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_all_tables_compile_with_booktabs(tmp_path):
    body = "\n\\clearpage\n".join([*made_up(), *(path.read_text() for path in COMMITTED)])
    (tmp_path / "all.tex").write_text(
        "\\documentclass[a4paper]{article}\n\\usepackage[utf8]{inputenc}\n"
        "\\usepackage{booktabs,graphicx}\n\\begin{document}\n" + body + "\n\\end{document}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert not re.findall(r"Overfull \\hbox|Float too large", log)
    assert (tmp_path / "all.pdf").stat().st_size > 1000


def problems_of(text):
    """What LaTeX would stumble over; it knows the commands that the tables use, and no more."""
    text = re.sub(r"(?m)(?<!\\)%.*$", "", text)
    bare = re.sub(r"\\[{}\\]", "", text)
    problems, waiting = [], []
    for token in re.findall(r"\\(?:begin|end)\{\w+\}|[{}]", bare):
        if token == "{" or token.startswith("\\begin"):
            waiting.append({"{": "}"}.get(token, token.replace("begin", "end")))
        elif not waiting or waiting.pop() != token:
            problems.append(f"before {token}")
    problems += [f"no {token}" for token in waiting]
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", text, re.S
    ):
        for line in body.split("\n"):
            if line.endswith("\\\\"):
                cells = re.split(r"(?<!\\)&", line)
                spans = [re.match(r"\s*\\multicolumn\{(\d+)\}", cell) for cell in cells]
                if sum(int(span[1]) if span else 1 for span in spans) != len(columns):
                    problems.append(f"cells: {line}")
        for first, last in re.findall(r"\\cmidrule\(lr\)\{(\d+)-(\d+)\}", body):
            if not 2 <= int(first) <= int(last) <= len(columns):
                problems.append(f"rule: {first} to {last} of {len(columns)}")
    outside = re.sub(r"\\begin\{tabular\}.*?\\end\{tabular\}", "", text, flags=re.S)
    problems += ["& outside of a table"] if re.search(r"(?<!\\)&", outside) else []
    floats = max(part.count("\\end{table}") for part in text.split("\\clearpage"))
    problems += [f"{floats} floats without a page break"] if floats > 16 else []
    text = re.sub(r"\\label\{[\w:]+\}", "", text.replace(TO_PAGE, ""))
    plain = re.sub(r"\$[^$]*\$", "", re.sub(r"\\[&%$#_{}]", "", text))
    problems += [f"special character: {c}" for c in sorted(set(plain) & set("%$#_^~<>|±"))]
    return problems


@pytest.mark.parametrize(
    "text",
    [
        *["\\textbf{a", "a}{", "\\begin{table}", "\\caption{a & b}", "50 ± 1", "x^2"],
        "\\begin{table}\\begin{tabular}{l}\\end{table}\\end{tabular}",
        "\\begin{table}\n\\end{table}\n" * 17,
        "\\begin{tabular}{lrr}\n\\multicolumn{2}{c}{a} \\\\\n\\end{tabular}",
        "\\begin{tabular}{lr}\na & b & c \\\\\n\\end{tabular}",
        "\\begin{tabular}{lr}\n\\cmidrule(lr){2-3}\n\\end{tabular}",
        "\\begin{tabular}{l}\na_b \\\\\n\\end{tabular}",
    ],
)
def test_the_check_finds_mistakes(text):
    assert problems_of(text)


def test_tables_are_sound():
    committed = {str(path): path.read_text(encoding="utf-8") for path in COMMITTED}
    texts = dict(enumerate(made_up())) | committed
    found = {name: problems_of(text) for name, text in texts.items()}
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_references_are_below_a_line_and_controls_never_bold():
    described = describe(methods=["R", "A", "B", "C"], controls=["C"])
    described["methods"][0]["reference"] = described["methods"][3]["reference"] = True
    means = {"R": 70.0, "A": 70.0, "B": 60.0, "C": 100.0}
    results = table_of(result(method=method, mean=mean) for method, mean in means.items())
    text = tables.to_latex(described, results)
    lines = re.findall(r"^([ABCR]) & (.*) \\\\$", text, re.MULTILINE)
    assert [label for label, _ in lines][:4] == ["A", "B", "R", "C"]
    assert [label for label, cell in lines[:4] if "textbf" in cell] == ["A", "R"]
    assert "\\midrule\nR & " in text
    assert "below the line: references" in text


def test_missing_numbers_and_failures_are_visible():
    lost = FAILED | {"method": "B", "note": "5 of 5 fits failed: a\n\nlong | reason"}
    rows = [{"method": "A_1", "published": 48.0}, lost]
    results = table_of([result(**row) for row in rows])
    text = tables.to_markdown(describe(), results)
    assert "| B | – |" in text
    assert "5 of 5 fits failed: a long | reason" in text
    assert "\n\n" not in tables.to_latex(describe(), results).split(r"\caption", 2)[1].split("}")[0]


def test_latex_has_a_few_notes_only():
    results = table_of(result(method=f"M{i}", note=f"reason {i}") for i in range(6))
    assert tables.to_markdown(describe(), results).count("reason") == 6
    text = tables.to_latex(describe(), results)
    assert text.count("reason") == 4
    assert "2 more notes are in the csv table." in text


def test_data_sets_of_one_name_have_columns_of_their_own():
    by_views = scores_of(grid_of(n_views=[2, 3]))
    text = tables.to_markdown(describe(), by_views)
    assert "\n|  | n_views=2 | n_views=3 |\n" in text
    assert text.count("\n| A |") == 1
    twice = scores_of(grid_of(method=["A", "B"])).pipe(lambda t: pd.concat([t, t]))
    text = tables.to_markdown(describe(), twice.reset_index(drop=True))
    assert "\n|  | missing_rate=0.3 | missing_rate=0.3 (2) |\n" in text
    assert "|  |" not in text.partition("---:")[2]


FAILURES = table_of([result(**FAILED), result(method="B", **FAILED)])


@pytest.mark.parametrize("results", [pd.DataFrame(), table_of([]), FAILURES])
def test_tables_without_results_say_so(results, tmp_path):
    tables.write_tables(describe(), results, tmp_path / "toy")
    for suffix in ("md", "tex"):
        assert "No results" in (tmp_path / f"toy.{suffix}").read_text()
    csv = pd.read_csv(tmp_path / "toy.csv")
    assert list(csv.columns) == list(tables.CSV)
    assert len(csv) == len(results)
