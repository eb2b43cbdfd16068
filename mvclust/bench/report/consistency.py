"""The table of printed numbers that no partition can have."""

from mvclust.bench.multiverse.consistency import check_printed
from mvclust.bench.report import writing

STATEMENT = ["paper", "item", "statement"]


def make_consistency(used: dict) -> None:
    """Write the table `consistency` from the printed numbers and class sizes in `used`."""
    checked = check_printed(used["published"], used["tables"])
    holds = checked["holds"].astype(bool)
    by_statement = (~holds).groupby([checked[name] for name in STATEMENT], sort=False)
    statements = by_statement.agg(rows="size", broken="sum").reset_index()
    broken = checked[~holds].drop(columns="holds").round(2)
    title, remark, *_ = writing.TITLES["consistency"]
    parts = [f"# {title}", remark, "## Statements", statements]
    parts += ["## Broken", broken] if len(broken) else ["None is broken."]
    latex = [(broken, f"{title}. {remark}")]
    writing.write_product(writing.results_folder(used), "consistency", checked, parts, latex)
