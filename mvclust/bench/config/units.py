"""Units of scores, and printed numbers in another one."""

UNITS = {"fraction": 1.0, "percent": 100.0}  # what a perfect score is in each


def in_unit(rows: list, unit: str) -> list[dict]:
    """Convert published numbers to a unit; those that have it stay unchanged, digit by digit."""
    converted = []
    for row in rows:
        factor = UNITS[unit] / UNITS[row["unit"]]
        known = [key for key in ("mean", "std") if factor != 1 and row[key] is not None]
        numbers = {key: round(row[key] * factor, 10) for key in known}
        converted.append(row | numbers | {"unit": unit})
    return converted
