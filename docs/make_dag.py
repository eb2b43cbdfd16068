"""Draw the jobs of the default run: python docs/make_dag.py (needs Graphviz)"""

import re
import subprocess
import sys
import tempfile

from docs.pages import DOCS, ROOT

LAYOUT = "rankdir=LR, nodesep=0.06, ranksep=0.6"


def draw():
    """The picture of `snakemake --dag`, of a run from nothing, as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        line += ["--directory", folder, "--dag"]
        graph = subprocess.check_output(line, stderr=subprocess.DEVNULL, text=True)
    graph = graph[graph.index("digraph") :]
    graph = re.sub(r"graph\[[^\]]*\]", f"graph[bgcolor=white, {LAYOUT}]", graph)
    drawn = subprocess.check_output(["dot", "-Tsvg"], input=graph, text=True)
    return re.sub(r"<!--.*?-->\n", "", drawn, flags=re.DOTALL)


if __name__ == "__main__":
    (DOCS / "figures" / "dag.svg").write_text(draw(), encoding="utf-8")
