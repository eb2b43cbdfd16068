"""What was understood, for people and for programs."""

import numpy as np
from scipy import sparse

from mvclust.missingness import describe_missingness, missingness_test


def describe(found):
    """What was understood, as lines of text.

    Parameters
    ----------
    found : Found

    Returns
    -------
    list of str

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.datasets.foreign import Found
    >>> present = np.array([[True], [False]])
    >>> found = Found([np.array([[1.0], [np.nan]])], ["a"], None, [], present, [], [])
    >>> print("\\n".join(describe(found)))
    view  features  missing  values
    a            1   1 of 2  1 to 1
    2 samples, no labels
    """
    rows = [("view", "features", "missing", "values")]
    kinds = found.kinds or ["features"] * len(found.Xs)
    for name, X, there, kind in zip(
        found.view_names, found.Xs, found.presence.T, kinds, strict=True
    ):
        values = X.data if sparse.issparse(X) else X[there]
        low, high = (values.min(), values.max()) if values.size else (0, 0)
        low = min(low, 0) if sparse.issparse(X) else low
        missing = int((~there).sum())
        shown = f"{missing} of {len(there)}" if missing else "none"
        span = f"{low:.4g} to {high:.4g}"
        rows.append(
            (name, str(X.shape[1]), shown, span if kind == "features" else f"{span}, {kind}")
        )
    widths = [max(len(row[c]) for row in rows) for c in range(4)]
    lines = [
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}"
        for row in rows
    ]
    return [*lines, _samples_and_classes(found), *found.notes]


def _samples_and_classes(found):
    n_samples = len(found.presence)
    if not found.label_names:
        return f"{n_samples} samples, no labels"
    if found.y is None:
        return f"{n_samples} samples, {len(found.label_names)} classes, not all labels known"
    counts = np.bincount(found.y, minlength=len(found.label_names))
    shown = ", ".join(f"{name} ({n})" for name, n in zip(found.label_names, counts, strict=True))
    shown = shown if len(shown) < 300 else f"{counts.min()} to {counts.max()} samples each"
    return f"{n_samples} samples, {len(counts)} classes: {shown}"


def presence_tested(found):
    """Test whether it depends on the samples which views are present.

    Parameters
    ----------
    found : Found

    Returns
    -------
    lines : list of str
        For people; empty if nothing can be tested.
    record : dict or None
        For JSON: p, and of each view tested its p values and the AUC with which it predicts the
        presence of others.
    """
    kinds = found.kinds or ["features"] * len(found.Xs)
    used = [v for v, kind in enumerate(kinds) if kind == "features"]
    if not used or found.presence[:, used].all():
        return [], None
    names = [found.view_names[v] for v in used]
    result = missingness_test([found.Xs[v] for v in used], found.presence[:, used])
    if not result.views:
        return [], None
    views = [
        {
            "view": names[of.view],
            "n_samples": of.n_samples,
            "p": of.p,
            "p_location": of.p_location,
            "p_magnitude": of.p_magnitude,
            "auc": {names[v]: auc for v, auc in of.aucs.items()},
        }
        for of in result.views
    ]
    return describe_missingness(result, names), {"p": result.p, "views": views}


def as_record(found):
    """What was understood, as one object for JSON.

    Parameters
    ----------
    found : Found

    Returns
    -------
    dict
    """
    kinds = found.kinds or ["features"] * len(found.Xs)
    return {
        "n_samples": len(found.presence),
        "views": [
            {
                "name": name,
                "n_features": int(X.shape[1]),
                "missing": int((~there).sum()),
                "kind": kind,
            }
            for name, X, there, kind in zip(
                found.view_names, found.Xs, found.presence.T, kinds, strict=True
            )
        ],
        "n_classes": len(found.label_names) or None,
        "label_names": list(found.label_names),
        "survival": found.survival and list(found.survival.columns),
        "roles": dict(found.roles),
        "not_read": list(found.not_read),
        "open": list(found.open),
        "notes": list(found.notes),
    }
