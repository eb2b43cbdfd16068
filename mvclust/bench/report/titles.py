"""Titles and remarks of the products that follow from all fits (titles.yaml)."""

from pathlib import Path
from typing import NamedTuple

import yaml


class Title(NamedTuple):
    """What a table is called, its remark, and whether and as what the page shows it."""

    title: str
    about: str = ""
    page: bool = False
    figure: str = ""


TEXT = Path(__file__).with_name("titles.yaml").read_text(encoding="utf-8")
TITLES = {name: Title(**entry) for name, entry in yaml.safe_load(TEXT).items()}
