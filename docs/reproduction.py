"""Write a run's numbers beside the published ones into reproduction.md, and further trials.

python docs/reproduction.py results/tables/tables/published_vs_reproduced.csv    # two CPU minutes
"""

import sys
import warnings
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
from pages import DOCS, fill, table
from threadpoolctl import threadpool_limits

from mvclust import (
    CMVNMF,
    DAIMC,
    GPMVC,
    IMG,
    MIC,
    MPAC,
    MVKKM,
    OMVC,
    PVC,
    RMKMC,
    UEAF,
    ConstraintPropagation,
    CoRegSpectral,
    CoTrainSpectral,
    load_dataset,
    metrics,
)
from mvclust.masking import apply_mask, paired_mask
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import scale_views
from mvclust.report.published import NEAR, PLACE, draw_comparison, in_percent
from mvclust.report.style import RC
from mvclust.unmapping import known_mapping, mapped_constraints, random_intra_constraints

MASKS = 2
PUBLISHED = in_percent(pd.read_csv(DOCS.parent / "config/published.csv"))


def published(item, dataset, method, metric, paired_rate=np.nan, view=np.nan):
    """A printed number, in percent.

    Parameters
    ----------
    item : str
        Paper and table, as "ueaf_table2".
    dataset, method, metric : str
        Names in published.csv.
    paired_rate, view : float
        NaN where the table has none.

    Returns
    -------
    float
    """
    keys = {"dataset": dataset, "method": method, "metric": metric}
    chosen = PUBLISHED["paper"] + "_" + PUBLISHED["item"] == item
    for name, value in keys.items():
        chosen &= PUBLISHED[name] == value
    for name, value in zip(PLACE, (np.nan, paired_rate, view), strict=True):
        chosen &= np.isclose(PUBLISHED[name], value, equal_nan=True)
    (number,) = PUBLISHED.loc[chosen, "mean"]
    return number


def mean_score(y, runs, metric):
    return 100 * np.mean([metrics.score(y, labels)[metric] for labels in runs])


def paired(item, dataset, data, method, rates, models):
    """Accuracies of models on two views at several paired rates, the first masks of each rate."""
    for name, model in models.items():
        ours = []
        for rate in rates:
            masks = [paired_mask(data.n_samples, rate, seed=seed) for seed in range(MASKS)]
            runs = [model.fit_predict(apply_mask(data.Xs, mask)) for mask in masks]
            ours.append(mean_score(data.y, runs, "acc"))
        theirs = [published(item, dataset, method, "acc", paired_rate=rate) for rate in rates]
        what = " and ".join(f"{rate:.0%}" for rate in rates)
        yield [item, f"{dataset}, {what} paired", method, name, "ACC", *_both(ours, theirs)]


def complete(item, dataset, data, models):
    """F-scores of models on complete views, scaled as in mPAC's tables."""
    Xs = scale_views([dense(X) for X in data.Xs], data.presence, "range")
    for (method, name), model in models.items():
        ours = mean_score(data.y, [model.fit_predict(Xs)], "f_score")
        theirs = published(item, dataset, method, "f_score")
        yield [item, dataset, method, name, "F-score", *_both([ours], [theirs])]


def by_nature(data, models):
    """NMI of models on stories that are missing in some sources."""
    Xs = apply_mask(data.Xs, data.presence)
    for name, model in models.items():
        ours = mean_score(data.y, [model.fit_predict(Xs)], "nmi_arithmetic")
        theirs = published("daimc_table2", "3Sources", "DAIMC", "nmi")
        yield ["daimc_table2", "3Sources", "DAIMC", name, "NMI", *_both([ours], [theirs])]


def constrained(data, shares):
    """Accuracies in each view under shares of the pairs within views as constraints."""
    ids = [np.flatnonzero(data.presence[:, v]) for v in range(len(data.Xs))]
    ys = [data.y[rows] for rows in ids]
    Xs = [X[rows] for X, rows in zip(data.Xs, ids, strict=True)]
    mapping = known_mapping(ids, mapped=1)
    views = range(len(Xs))
    theirs = [
        published("cmvnmf_table1", "THREESOURCES", "CONSTRAINT PROP(5%)", "acc", view=v + 1)
        for v in views
    ]
    for share in shares:
        must, cannot = random_intra_constraints(ys, share, seed=0)
        model = ConstraintPropagation(data.n_clusters, random_state=0)
        labels = model.fit(Xs, must_links=must, cannot_links=cannot, mapping=mapping).labels_
        ours = [mean_score(ys[v], [labels[v]], "acc") for v in views]
        name = f"constraints on {100 * share:g} % of the pairs"
        row = ["cmvnmf_table1", "3Sources", "ConstraintPropagation", name, "ACC by view"]
        yield [*row, *_both(ours, theirs)]


def linked(data, betas):
    """Accuracies in each view of 2000 documents, 70 % mapped, 5 % of the pairs as constraints."""
    rows = np.random.default_rng(0).choice(data.n_samples, 2000, replace=False)
    Xs, y = [X[rows] for X in data.Xs], data.y[rows]
    ids = [np.arange(len(rows))] * len(Xs)
    must, cannot = mapped_constraints(ids, [y, y], mapped=0.7, share=0.05, seed=0)
    theirs = [published("cmvnmf_table1", "WIKIPEDIA", "CMVNMF(5%)", "acc", view=v) for v in (1, 2)]
    for beta in betas:
        model = CMVNMF(data.n_clusters, beta=beta, random_state=0)
        labels = model.fit(Xs, must_links=must, cannot_links=cannot).labels_
        ours = [mean_score(y, [labels_v], "acc") for labels_v in labels]
        row = ["cmvnmf_table1", "Wikipedia", "CMVNMF", f"beta = {beta}", "ACC by view"]
        yield [*row, *_both(ours, theirs)]


def _both(ours, theirs):
    return ["; ".join(f"{score:.1f}" for score in scores) for scores in (ours, theirs)]


def _to_unit_features(data):
    """The data with every feature from 0 to 1."""
    Xs = [(X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)) for X in data.Xs]
    return replace(data, Xs=Xs)


def trials():
    """What was tried where ours and theirs differ, one row per trial."""
    digits, buaa = load_dataset("handwritten"), load_dataset("buaa")
    two = load_dataset("handwritten", views=["pix", "fou"])
    sport, stories = load_dataset("bbcsport"), load_dataset("3sources", subset=416)
    scales = {"as it is": None, "unit samples": "l2", "standardised": "balanced"}
    ueaf = {name: {"scale": scale, "random_state": 0} for name, scale in scales.items()}
    ueaf["unit samples, lambda1 = 0.01"] = ueaf["unit samples"] | {"lambda1": 0.01}
    ueaf["standardised, lambda1 = 0.01"] = ueaf["standardised"] | {"lambda1": 0.01}
    for dataset, data, rates in (("BUAA", buaa, (0.3, 0.7)), ("Handwritten", two, (0.5,))):
        models = {name: UEAF(10, **parameters) for name, parameters in ueaf.items()}
        yield from paired("ueaf_table2", dataset, data, "UEAF", rates, models)
    unit = _to_unit_features(buaa)
    for estimator in (DAIMC, PVC, MIC, OMVC, IMG):
        models = {"each feature to [0, 1]": estimator(10, random_state=0)}
        yield from paired("ueaf_table2", "BUAA", unit, estimator.__name__, (0.3, 0.7), models)
    models = {f"delta = {delta}": GPMVC(10, delta=delta, random_state=0) for delta in (0.1, 1)}
    yield from paired("ueaf_table2", "Handwritten", two, "GPMVC", (0.1, 0.5), models)
    models = {
        name: DAIMC(6, scale=scales[name], random_state=0) for name in ("as it is", "unit samples")
    }
    yield from by_nature(stories, models)
    models = {
        ("Co-train", f"embedding of {name}"): CoTrainSpectral(10, view=v, random_state=0)
        for v, name in enumerate(digits.view_names)
    }
    models["Co-train", "embeddings of all views"] = CoTrainSpectral(10, random_state=0)
    for lam in (0.01, 0.1, 1):
        models["Co-reg", f"lam = {lam}"] = CoRegSpectral(10, lam=lam, random_state=0)
    for scale in (None, "balanced"):
        name = "as in the paper" if scale is None else "standardised"
        models["MKKM", name] = MVKKM(10, scale=scale, init="spectral", random_state=0)
        for gamma in (5, 20):
            rmkmc = RMKMC(10, scale=scale, gamma=gamma, random_state=0)
            models["RMKM", f"{name}, gamma = {gamma}"] = rmkmc
    for variant in ("author", "paper", "exact"):
        models["mPAC", f'variant "{variant}"'] = MPAC(10, variant=variant, scale=None)
    yield from complete("mpac_table5", "Handwritten", digits, models)
    models = {
        ("mPAC", f'variant "{v}"'): MPAC(5, variant=v, scale=None) for v in ("author", "exact")
    }
    models["Co-train", "embeddings of all views"] = CoTrainSpectral(5, random_state=0)
    yield from complete("mpac_table2", "BBCSport", sport, models)
    yield from constrained(stories, (0.05, 0.0025))
    yield from linked(load_dataset("wikipedia", subset=2866), (1, 10))


def main(path):
    numbers = pd.read_csv(path)
    found = numbers.dropna(subset="reproduced")
    words = [("available", len(found)), *found["verdict"].value_counts().items()]
    rows = [[verdict, count] for verdict, count in words]
    fill("reproduction.md", "verdicts", table([f"of {len(numbers)} numbers", "count"], rows))
    rows = []
    for key, part in found.groupby(["paper", "item", "dataset", "method"], sort=False):
        difference = part["difference"]
        worst = difference.loc[difference.abs().idxmax()]
        near = (difference.abs() <= NEAR).sum()
        means = f"{difference.mean():+.1f}", f"{worst:+.1f}"
        rows.append([f"{key[0]}_{key[1]}", *key[2:], len(part), *means, near])
    head = ["item", "data", "method", "numbers", "mean difference", "largest", "within 2 points"]
    fill("reproduction.md", "methods", table(head, rows))
    with mpl.rc_context(RC):
        file = DOCS / "figures/reproduction.png"
        draw_comparison(numbers).savefig(file, metadata={"Software": "mvclust"})
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        head = ["item", "data", "method", "tried", "score", "ours", "published"]
        fill("reproduction.md", "trials", table(head, list(trials())))


if __name__ == "__main__":
    main(*sys.argv[1:])
