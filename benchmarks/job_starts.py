"""What the starts of jobs cost, and what could be saved: python benchmarks/job_starts.py [--write]

docs/profile.md says how; --write puts the table there.
"""

import ast
import subprocess
import sys
from functools import cache

from docs.make_forecast import COSTS, plan_of_run
from docs.pages import ROOT, read_manifest, table, tell
from mvclust.bench.plan.costs import read_costs
from mvclust.bench.plan.products import PRODUCTS

RUNS = ("default", "paper", "modern", "multiverse")
TRIES = 3
HEAD = ["run", "jobs", "CPU s", "of this starts", "imports", "at most saved"]
MEASURED = "import resource\nu = resource.getrusage(resource.RUSAGE_SELF)\nprint(u[0] + u[1])"


@cache
def seconds_of_imports(rule):
    """CPU seconds for the imports of a job of a rule: the least of some tries."""
    makers = {product.rule: product.make.partition(":")[0] for product in PRODUCTS}
    script = ROOT / f"workflow/scripts/{'product' if rule in makers else rule}.py"
    tree = ast.parse(script.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    own = [f"import mvclust.bench.{makers[rule]}"] if rule in makers else []
    code = "\n".join([*map(ast.unparse, imports), *own, MEASURED])
    bare, whole = (
        min(float(subprocess.check_output([sys.executable, "-c", c])) for _ in range(TRIES))
        for c in (MEASURED, code)
    )
    return whole - bare


def row_of(run):
    """A run's row of the table."""
    plan = plan_of_run(run, read_costs(COSTS))
    jobs = [rule for rule, each in plan.slices.items() for _ in each]
    cost = read_manifest(ROOT / "results" / run)["cost"]
    seconds = cost["cpu_seconds"], cost["start_cpu_seconds"], sum(map(seconds_of_imports, jobs))
    return [run, len(jobs), *(f"{x:.0f}" for x in seconds), f"{seconds[2] / seconds[0]:.1%}"]


if __name__ == "__main__":
    tell("profile.md", "starts", table(HEAD, [row_of(run) for run in RUNS]))
