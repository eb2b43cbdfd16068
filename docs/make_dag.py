"""Draw the jobs and the rules of the default run: python docs/make_dag.py (needs Graphviz)

The pictures are docs/figures/dag.svg and docs/figures/rulegraph.svg, shown in docs/pipeline.md.
"""

import re
import subprocess
import sys
import tempfile

from docs.pages import DOCS, ROOT

LOOKS = {"dag": "rankdir=LR, nodesep=0.06, ranksep=0.6", "rulegraph": "rankdir=LR, ranksep=0.35"}


def draw(look, layout):
    """The picture of `snakemake --dag` or `--rulegraph`, of a run from nothing, as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        line = ["--snakefile", str(ROOT / "Snakefile"), "--directory", folder, f"--{look}"]
        graph = subprocess.run(
            [sys.executable, "-m", "snakemake", *line], capture_output=True, text=True, check=True
        ).stdout
    graph = graph[graph.index("digraph") :]
    graph = re.sub(r"graph\[[^\]]*\]", f"graph[bgcolor=white, {layout}]", graph)
    drawn = subprocess.run(
        ["dot", "-Tsvg"], input=graph, capture_output=True, text=True, check=True
    ).stdout
    return re.sub(r"<!--.*?-->\n", "", drawn, flags=re.DOTALL)


def main():
    """Draw both."""
    for look, layout in LOOKS.items():
        (DOCS / "figures" / f"{look}.svg").write_text(draw(look, layout), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
