"""The tables of an answer: samples, clusters, and the features that set clusters apart."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from mvclust.own.differences import differences

MOST_IN_TABLE = 20  # features per cluster and view in features.csv
MOST_IN_TEXT = 3  # features per cluster and view in clusters.csv
MOST_IN_PICTURE = 24  # features of all views in the heat map
ALIKE = 0.8  # adjusted Rand index of two partitions that are nearly the same
LEVEL = 0.05


class Answer(NamedTuple):
    """What is written, and what is drawn.

    Attributes
    ----------
    labels, clusters, features : DataFrame
        A row per sample, per cluster, and per cluster and feature.
    facts : dict
        What answer.json holds, without these tables.
    points : ndarray of shape (n_samples, 2)
        Where a picture shows the samples.
    heat : DataFrame
        Effect of the strongest features (view, feature) in each cluster.
    presence : ndarray of bool of shape (n_samples, n_views)
    views : list of str
    agreement : DataFrame
        Adjusted Rand index of each two methods, those that agree most first.
    associations : DataFrame
        A row per fact about the samples that was tested against the clusters.
    values : DataFrame
        Standardised values of the features of `heat` (columns) for each sample.
    consensus : DataFrame
        Share of the perturbed fits that put two samples together; the index names rows of
        `labels` by cluster, of more than 1,000 some.
    """

    labels: pd.DataFrame
    clusters: pd.DataFrame
    features: pd.DataFrame
    facts: dict
    points: np.ndarray
    heat: pd.DataFrame
    presence: np.ndarray
    views: list
    agreement: pd.DataFrame
    associations: pd.DataFrame
    values: pd.DataFrame
    consensus: pd.DataFrame


def summary_of(facts: dict) -> list[str]:
    """What an answer says, in sentences; what puts it in doubt comes first."""
    structure, p = facts["structure"]["sentence"], facts["structure"]["p_value"]
    doubtful = np.isfinite(p) and p > LEVEL
    clusters = (
        f"{facts['n_samples']} samples in {facts['n_clusters']} clusters by {facts['method']}."
    )
    known, survival, number = facts["known_classes"], facts["survival"], facts["number"]
    said = [
        facts["batch"],
        f"Perhaps there are no clusters. {structure}" if doubtful else None,
        clusters,
        None if doubtful else structure,
        _certainty(facts),
        number and number["sentence"],
        _agreement(facts),
        None if known is None else f"Adjusted Rand index with the known classes: {known:.2f}.",
        survival and survival["sentence"],
        facts["facts_sentence"],
    ]
    return [sentence for sentence in said if sentence]


def _certainty(facts):
    failed = facts["perturbed_fits_failed"]
    if not facts["perturbed_fits"]:
        return "All perturbed fits failed, so that the certainty of labels is not known."
    return (
        f"A sample stays with its cluster in {facts['certainty']:.0%} of {facts['perturbed_fits']} "
        f"perturbed fits on average{f' ({failed} more failed)' if failed else ''}."
    )


def _agreement(facts):
    n = facts["other_methods"]
    if not n:
        return None
    alike = facts["alike"]
    return (
        f"{alike} of {n} other method{'s' * (n > 1)} give{'s' * (alike == 1)} nearly the same "
        f"clusters (adjusted Rand index {ALIKE} or more; mean {facts['agreement']:.2f}). This "
        "compares methods with each other, not with the truth."
    )


def by_cluster(labels: pd.DataFrame) -> np.ndarray:
    """The rows of a table of samples by cluster, the surest first."""
    return np.lexsort((-labels["certainty"].fillna(0.0), labels["cluster"]))


def values_of(dataset, Xs: list, presence: np.ndarray, chosen: pd.Index) -> pd.DataFrame:
    """Standardised values of some features (view, feature), NaN where a view is missing."""
    columns = {}
    for X, present, view, names in zip(
        Xs, presence.T, dataset.view_names, _feature_names(dataset, Xs), strict=True
    ):
        place = {name: j for j, name in reversed(list(enumerate(names)))}
        for _, feature in (key for key in chosen if key[0] == view):
            x = np.where(present, X[:, place[feature]], np.nan)
            columns[view, feature] = (x - np.nanmean(x)) / (np.nanstd(x) or 1.0)
    return pd.DataFrame(columns)[list(chosen)]


def _feature_names(dataset, Xs):
    """The names of the features of each view; numbers where there are none."""
    named = dataset.feature_names or [None] * len(Xs)
    return [
        names or [f"{view} {j}" for j in range(1, X.shape[1] + 1)]
        for X, view, names in zip(Xs, dataset.view_names, named, strict=True)
    ]


def effects_of(dataset, Xs: list, presence: np.ndarray, labels: np.ndarray) -> pd.DataFrame:
    """A row per cluster and feature."""
    tables, named = [], _feature_names(dataset, Xs)
    for X, present, view, names in zip(Xs, presence.T, dataset.view_names, named, strict=True):
        for c in np.unique(labels):
            inside = labels[present] == c
            found = differences(X[present], inside)
            tables.append(pd.DataFrame({
                "cluster": c, "view": view, "feature": names, "effect": found.effect,
                "ci_low": found.low, "ci_high": found.high,
                "n_inside": inside.sum(), "n_outside": (~inside).sum(),
            }))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


def strongest(effects: pd.DataFrame, most: int) -> pd.DataFrame:
    """The features with the largest effects, of each cluster in each view."""
    known = effects.dropna(subset="effect")
    known = known.assign(size=known["effect"].abs())
    known = known.sort_values("size", ascending=False, kind="stable")
    known = known.groupby(["cluster", "view"], sort=False).head(most)
    places = {view: place for place, view in enumerate(dict.fromkeys(effects["view"]))}
    known = known.assign(place=known["view"].map(places))
    order = ["cluster", "place", "size"]
    known = known.sort_values(order, ascending=[True, True, False], kind="stable")
    return known.drop(columns=["size", "place"]).reset_index(drop=True)


def heat_of(effects: pd.DataFrame) -> pd.DataFrame:
    """The effect in every cluster of the features that are strongest in one of them."""
    n_groups = len(effects[["cluster", "view"]].drop_duplicates())
    each = max(1, MOST_IN_PICTURE // max(n_groups, 1))
    chosen = strongest(effects, each)
    places = dict.fromkeys(zip(chosen["view"], chosen["feature"], strict=True))
    views = list(dict.fromkeys(effects["view"]))
    places = sorted(places, key=lambda place: views.index(place[0]))  # stable
    wide = effects.drop_duplicates(["view", "feature", "cluster"])
    wide = wide.pivot(index=["view", "feature"], columns="cluster", values="effect")
    return wide.loc[places]


def clusters_of(
    table: pd.DataFrame, stability: dict, presence: np.ndarray, views: list, features: pd.DataFrame
) -> pd.DataFrame:
    """A row per cluster."""
    rows = []
    for c, own in table.groupby("cluster"):
        inside = (table["cluster"] == c).to_numpy()
        row = {
            "cluster": c,
            "size": len(own),
            "certainty": own["certainty"].mean(),
            "stability": stability[c],
        }
        row |= {
            f"present: {view}": float(p[inside].mean())
            for view, p in zip(views, presence.T, strict=True)
        }
        for view in views:
            of_view = features[(features["cluster"] == c) & (features["view"] == view)]
            row[f"features: {view}"] = "; ".join(
                map(_in_words, of_view.head(MOST_IN_TEXT).itertuples())
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _in_words(row):
    """An effect in words: "gene +1.2 [0.8, 1.6]"."""
    effect, low, high = (round(x, 1) + 0.0 for x in (row.effect, row.ci_low, row.ci_high))  # no -0
    interval = f" [{low:.1f}, {high:.1f}]" if np.isfinite(low) else ""
    return f"{row.feature} {effect:+.1f}{interval}"
