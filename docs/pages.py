"""Put what scripts measure into the pages, between <!-- begin: NAME --> and <!-- end: NAME -->."""

import re
from pathlib import Path

DOCS = Path(__file__).parent


def fill(page, name, text):
    """Replace the block of a name in a page.

    Parameters
    ----------
    page : str, path below docs/
    name : str
    text : str, Markdown
    """
    path = DOCS / page
    block = rf"(<!-- begin: {re.escape(name)} -->\n).*?(<!-- end: {re.escape(name)} -->)"
    filled, n_blocks = re.subn(
        block,
        lambda match: f"{match[1]}{text.strip()}\n{match[2]}",
        path.read_text(),
        flags=re.DOTALL,
    )
    if n_blocks != 1:
        raise ValueError(f"{path} has {n_blocks} blocks '{name}', expected 1.")
    path.write_text(filled)


def table(head, rows):
    """A Markdown table: the first column to the left, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
