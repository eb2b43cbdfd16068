"""Units of scores, and printed numbers in another one."""

UNITS = {"fraction": 1.0, "percent": 100.0}  # what a perfect score is in each


def in_unit(rows: list, unit: str) -> list[dict]:
    """Convert published numbers to a unit; those that have it stay unchanged, digit by digit."""
    return [row if row["unit"] == unit else _converted(row, unit) for row in rows]


def _converted(row: dict, unit: str) -> dict:
    factor = UNITS[unit] / UNITS[row["unit"]]
    known = [key for key in ("mean", "std") if row[key] is not None]
    return row | {key: round(row[key] * factor, 10) for key in known} | {"unit": unit}
