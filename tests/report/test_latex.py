"""The LaTeX tables compile."""

import shutil
import subprocess

import pytest
from helpers import ROOT

TABLES = sorted((ROOT / "results/tables").glob("*.tex"))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_all_tables_compile_with_booktabs(tmp_path):
    assert TABLES
    body = "\n\\clearpage\n".join(path.read_text() for path in TABLES)
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
