"""The tables of an answer: samples, clusters, and the features that set clusters apart."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.canonical import as_numbers, match_samples
from mvclust.own.certainty import SHARE

MOST_IN_TABLE = 20  # features per cluster and view in features.csv
MOST_IN_TEXT = 3  # features per cluster and view in clusters.csv
MOST_IN_PICTURE = 24  # features of all views in the heat map
ALIKE = 0.8  # adjusted Rand index of two partitions that are nearly the same
LEVEL = 0.05
Z = 1.959964  # of a two-sided 95 % interval


class Answer(NamedTuple):
    """What is written, and what is drawn."""

    labels: pd.DataFrame  # a row per sample
    clusters: pd.DataFrame
    features: pd.DataFrame  # a row per cluster and feature
    facts: dict  # what answer.json holds, without these tables
    points: np.ndarray  # two coordinates of each sample in a picture
    heat: pd.DataFrame  # effects of the strongest features (view, feature) in each cluster
    presence: np.ndarray  # samples x views
    views: list
    agreement: pd.DataFrame  # adjusted Rand index of each two methods, the most agreeing first
    associations: pd.DataFrame  # a row per fact that was tested against the clusters
    values: pd.DataFrame  # standardised values of the features of `heat` (columns)
    consensus: pd.DataFrame  # how often perturbed fits join two samples; of over 1,000 some


def summary_of(facts: dict) -> list[str]:
    """Return what an answer says, in sentences; what puts it in doubt comes first."""
    structure, p = facts["structure"]["sentence"], facts["structure"]["p_value"]
    no_test, doubtful = not np.isfinite(p), np.isfinite(p) and p > LEVEL
    alone = facts["other_methods"] and not facts["alike"]  # no other method finds them
    known, survival, number = facts["known_classes"], facts["survival"], facts["number"]
    said = [
        facts["batch"],
        f"Perhaps there are no clusters. {structure}" if doubtful else None,
        structure if no_test else None,
        _agreement(facts) if alone else None,
        f"{facts['n_samples']} samples in {facts['n_clusters']} clusters by {facts['method']}.",
        None if doubtful or no_test else structure,
        _certainty(facts),
        number and number["sentence"],
        None if alone else _agreement(facts),
        None if known is None else f"Adjusted Rand index with the known classes: {known:.2f}.",
        survival and survival["sentence"],
        facts["facts_sentence"],
    ]
    return [sentence for sentence in said if sentence]


def _certainty(facts):
    n, failed = facts["perturbed_fits"], facts["perturbed_fits_failed"]
    if not n:
        return "All perturbed fits failed, so that the certainty of labels is not known."
    share = min(facts["certainty"], 0.99) if facts["certainty"] < 1 else 1  # 100 % is whole
    return (
        f"A sample stays with its cluster in {share:.0%} of the {n} perturbed fits that hold it, "
        f"on average{f' ({failed} more failed)' if failed else ''}; each holds {SHARE:.0%} of the "
        "samples."
    )


def _agreement(facts):
    n, alike = facts["other_methods"], facts["alike"]
    return n and (
        f"{alike} of {n} other method{'s' * (n > 1)} give{'s' * (1 in (n, alike))} nearly the same "
        f"clusters (adjusted Rand index {ALIKE} or more; mean {facts['agreement']:.2f}). This "
        "compares methods with each other, not with the truth."
    )


def by_cluster(labels: pd.DataFrame) -> np.ndarray:
    """Return the rows of a table of samples by cluster, the surest first."""
    return np.lexsort((-labels["certainty"].fillna(0.0), labels["cluster"]))


def _each(dataset, Xs, presence):
    """Return each view: its name, values and presence, and the names of its features or numbers."""
    named = dataset.feature_names or [None] * len(Xs)
    for view, X, present, names in zip(dataset.view_names, Xs, presence.T, named, strict=True):
        yield view, X, present, names or [f"{view} {j}" for j in range(1, X.shape[1] + 1)]


def values_of(dataset, Xs: list, presence: np.ndarray, chosen: pd.Index) -> pd.DataFrame:
    """Return standardised values of features (view, feature), NaN where they are not known."""
    columns = {}
    for view, X, present, names in _each(dataset, Xs, presence):
        for _, feature in (key for key in chosen if key[0] == view):
            x = np.where(present, X[:, names.index(feature)], np.nan)
            columns[view, feature] = (x - np.nanmean(x)) / (np.nanstd(x) or 1.0)
    return pd.DataFrame(columns)[list(chosen)]


class Differences(NamedTuple):
    """Hedges' g of every feature with its 95 % interval, each of shape (n_features,)."""

    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray


def differences(X: np.ndarray, inside: np.ndarray) -> Differences:
    """Standardised mean differences between some samples and all others, in each feature.

    Hedges' g with its large-sample variance (L. V. Hedges, Journal of Educational Statistics 6,
    1981). NaN if it is known of fewer than two samples inside or outside, or constant; a NaN of X
    is not known. The clusters were found in the same features: intervals describe the clusters,
    they do not test whether there are any.
    """
    X, inside = match_samples({"X": X, "inside": inside}, "differences")
    X, inside = as_numbers(X), np.asarray(inside, dtype=bool)
    (n, mean, squares), (m, other, others) = _moments(X[inside]), _moments(X[~inside])
    few = (n < 2) | (m < 2)
    n, m = np.maximum(n, 2), np.maximum(m, 2)
    deviation, gap = np.sqrt((squares + others) / (n + m - 2)), mean - other
    size = 1e-12 * np.where(np.isfinite(X), np.abs(X), 0.0).max(axis=0, initial=0.0)
    varies = ~few & (deviation > size)
    effect = np.divide(gap, deviation, out=np.full(X.shape[1], np.nan), where=varies)
    split = ~few & ~varies & (np.abs(gap) > size)
    effect[split] = np.sign(gap[split]) * np.inf  # constant in both, and different
    effect *= 1 - 3 / (4 * (n + m - 2) - 1)
    error = np.sqrt((n + m) / (n * m) + np.where(varies, effect, 0) ** 2 / (2 * (n + m)))
    error = np.where(varies, error, np.nan)
    return Differences(effect, effect - Z * error, effect + Z * error)


def _moments(X):
    """Of each feature: how many values are known, their mean, and the squares around it."""
    known = np.isfinite(X)
    n = known.sum(axis=0)
    mean = np.where(known, X, 0.0).sum(axis=0) / np.maximum(n, 1)
    return n, mean, (np.where(known, X - mean, 0.0) ** 2).sum(axis=0)


def effects_of(dataset, Xs: list, presence: np.ndarray, labels: np.ndarray) -> pd.DataFrame:
    """Return a row per cluster and feature."""
    tables = []
    for view, X, present, names in _each(dataset, Xs, presence):
        for c in np.unique(labels):
            inside = labels[present] == c
            found = differences(X[present], inside)
            tables.append(pd.DataFrame({
                "cluster": c, "view": view, "feature": names, "effect": found.effect,
                "ci_low": found.low, "ci_high": found.high,
                "n_inside": np.isfinite(X[present][inside]).sum(axis=0),
                "n_outside": np.isfinite(X[present][~inside]).sum(axis=0),
            }))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


def strongest(effects: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return the features with the largest effects, of each cluster in each view."""
    views = pd.CategoricalDtype(effects["view"].unique(), ordered=True)
    known = effects.dropna(subset="effect")
    known = known.assign(place=known["view"].astype(views), size=-known["effect"].abs())
    known = known.sort_values(["cluster", "place", "size"], kind="stable")
    known = known.groupby(["cluster", "view"], sort=False).head(most)
    return known.drop(columns=["size", "place"]).reset_index(drop=True)


def heat_of(effects: pd.DataFrame) -> pd.DataFrame:
    """Return the effect in every cluster of the features that are strongest in one of them."""
    n_groups = len(effects[["cluster", "view"]].drop_duplicates())
    chosen = strongest(effects, max(1, MOST_IN_PICTURE // max(n_groups, 1)))
    places = dict.fromkeys(zip(chosen["view"], chosen["feature"], strict=True))
    views = list(dict.fromkeys(effects["view"]))
    places = sorted(places, key=lambda place: views.index(place[0]))  # stable
    wide = effects.drop_duplicates(["view", "feature", "cluster"])
    return wide.pivot(index=["view", "feature"], columns="cluster", values="effect").loc[places]


def clusters_of(
    table: pd.DataFrame, stability: dict, presence: np.ndarray, views: list, features: pd.DataFrame
) -> pd.DataFrame:
    """Return a row per cluster."""
    rows = []
    for c, own in table.groupby("cluster"):
        row = {"cluster": c, "size": len(own), "certainty": own["certainty"].mean()}
        row["stability"] = stability[c]
        shares = presence[(table["cluster"] == c).to_numpy()].mean(axis=0)
        row |= {f"present: {view}": float(p) for view, p in zip(views, shares, strict=True)}
        for view in views:
            of_view = features[(features["cluster"] == c) & (features["view"] == view)]
            words = map(_in_words, of_view.head(MOST_IN_TEXT).itertuples())
            row[f"features: {view}"] = "; ".join(words)
        rows.append(row)
    return pd.DataFrame(rows)


def _in_words(row):
    """Return an effect in words: "gene +1.2 [0.8, 1.6]"."""
    effect, low, high = (round(x, 1) + 0.0 for x in (row.effect, row.ci_low, row.ci_high))  # no -0
    interval = f" [{low:.1f}, {high:.1f}]" if np.isfinite(low) else ""
    return f"{row.feature} {effect:+.1f}{interval}"
