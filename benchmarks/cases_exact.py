"""Coordinate descent of MultiNMF, MMNMF and GPMVC: whole fits beside their multiplicative steps.

The objectives at the end are printed as they are found: "exact" must not end higher.
"""

from harness import Case

from mvclust import GPMVC, MMNMF, MultiNMF
from mvclust.datasets import load_dataset

FITS = ((MultiNMF, "paper"), (MMNMF, "paper"), (GPMVC, "multiview"))


def cases(mirror):
    """On Handwritten (pix, fou)."""
    data = load_dataset("handwritten", views=["pix", "fou"], mirror=mirror, progress=False)
    return [beside(method, variant, data) for method, variant in FITS]


def beside(method, variant, data):
    """Both fits from one start."""
    start = method(10, random_state=0).draw_start(data.Xs)
    exact, other = (
        method(10, variant=name, init=start, random_state=0) for name in ("exact", variant)
    )
    ends = [model.fit(data.Xs).objective_[-1] for model in (exact, other)]
    print(f"{method.__name__}: objectives {ends[0]:.4e} of exact, {ends[1]:.4e} of {variant}")
    return Case(
        f"{method.__name__} exact from a given start, handwritten pix+fou, n=2000",
        lambda: exact.fit(data.Xs),
        lambda: other.fit(data.Xs),
        f'variant "{variant}"',
        None,
        2,
        data.y,
    )
