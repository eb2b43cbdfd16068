"""The LaTeX tables compile."""

import shutil
import subprocess

import pandas as pd
import pytest
from helpers import ROOT
from report.made_up import FAILED, describe, grid_of, result, scores_of, table_of

from mvclust.report.tables import to_latex
from mvclust.report.writing import to_simple_latex

COMMITTED = sorted((ROOT / "results").glob("*/tables/*.tex"))


def made_up():
    """Wide, long and empty tables, with characters that LaTeX knows."""
    wide = scores_of(grid_of(missing_rate=[i / 20 for i in range(10)], method=["A_1", "B & C"]))
    long = scores_of(grid_of(tuning=["fixed"], points=[[{"alpha": i}] for i in range(90)]))
    strange = table_of([result(note="x < y^2 | ~50 % of {a\\b} #1 failed\n\n– twice ±1 $", mean=1)])
    for results in (wide, long, strange, table_of([]), table_of([result(**FAILED)])):
        yield to_latex(describe(), results)
    yield to_simple_latex(pd.DataFrame({"a_b": ["x"], "c": [None]}), "Simple & short")


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
    assert "Overfull \\hbox" not in log
    assert "Float too large" not in log
    assert (tmp_path / "all.pdf").stat().st_size > 1000


def test_braces_and_columns_match():
    for text in made_up():
        plain = text.replace("\\{", "").replace("\\}", "")
        assert plain.count("{") == plain.count("}")
        for table in text.split("\\begin{tabular}{")[1:]:
            columns, rest = table.split("}\n", 1)
            lines = [x for x in rest.split("\\end{tabular}")[0].split("\n") if x.endswith("\\\\")]
            assert lines
            for line in lines:
                assert line.replace("\\&", "").count("&") == len(columns) - 1
