"""Run the tutorial and make its notebook: python docs/make_tutorial.py

docs/tutorial.md is the one source. Its code runs in order; what a block prints is put below it, and
the figure into docs/figures. docs/tutorial.ipynb has the same text, code and output.
"""

import contextlib
import io
import json
import re

import matplotlib
import matplotlib.pyplot as plt

from docs.pages import DOCS
from mvclust.bench.arithmetic import start_again

PAGE, NOTEBOOK = DOCS / "tutorial.md", DOCS / "tutorial.ipynb"
# A block of code, and the block below it with what it prints.
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def run(text: str) -> str:
    """Run the code of a page in order, and put what each block prints below it.

    A figure that the code makes stays open.
    """
    names = {}

    def with_output(match):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(match[1], names)
        output = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```python\n{match[1]}```\n{output}"

    return BLOCK.sub(with_output, text)


def notebook(text: str) -> dict:
    """The notebook of a page, with its output, in version 4.5 of the format."""
    cells, place = [], 0
    for match in BLOCK.finditer(text):
        cells += [_markdown(text[place : match.start()]), _code(match[1], match[2])]
        place = match.end()
    cells.append(_markdown(text[place:]))
    cells = [cell for cell in cells if cell["source"]]
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def _markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text)}


def _code(code, printed):
    output = {"name": "stdout", "output_type": "stream", "text": _lines(printed or "", "")}
    return {
        "cell_type": "code", "execution_count": None, "metadata": {},
        "outputs": [output] if printed else [], "source": _lines(code),
    }  # fmt: skip


def _lines(text, strip="\n"):
    return text.strip(strip).splitlines(keepends=True)


if __name__ == "__main__":
    start_again()
    matplotlib.use("agg")
    page = run(PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(page, encoding="utf-8")
    plt.gcf().savefig(DOCS / "figures/tutorial.png", dpi=110)
    text = json.dumps(notebook(page), indent=1, ensure_ascii=False)
    NOTEBOOK.write_text(text + "\n", encoding="utf-8")
