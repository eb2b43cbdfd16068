"""The answer on samples: labels of a chosen method, how sure they are, what sets clusters apart."""

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from mvclust.answer.certainty import certainty, cluster_stability, matched, perturbations
from mvclust.answer.differences import differences
from mvclust.answer.survival import survival_of
from mvclust.bench.config.finding import find_class
from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.masks import read_masks
from mvclust.bench.fit.perturbed import fit_parts, representation
from mvclust.bench.plan.seeds import seed_of
from mvclust.bench.plan.settings import Setting
from mvclust.bench.score.formulas import without_formulas
from mvclust.bench.score.runs import read_runs
from mvclust.datasets.files import DataNotAvailable, completed
from mvclust.datasets.record import read_dataset
from mvclust.masking import apply_mask
from mvclust.metrics import INTERNAL, SCORES, adjusted_rand_index
from mvclust.numerics.products import dense
from mvclust.numerics.ties import best_of, settled
from mvclust.structure import clusters_exist, joint_components

MOST_IN_TABLE = 20  # features per cluster and view in features.csv
MOST_IN_TEXT = 3  # features per cluster and view in clusters.csv
MOST_IN_PICTURE = 24  # features of all views in the heat map


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


def answer_of(used):
    """Read what was fitted, choose, and fit the chosen method on parts of the data.

    Parameters of a method are chosen by the tuning "label-free"; among methods the one is chosen
    whose partition agrees best with those of all others, by the mean adjusted Rand index.

    Parameters
    ----------
    used : dict
        The slice of the plan.

    Returns
    -------
    Answer

    Raises
    ------
    DataNotAvailable
        If no method gave labels.
    """
    setting = Setting.from_record(used["setting"])
    dataset = read_dataset(used["inputs"]["data"][setting.dataset], views=list(setting.views))
    masks = read_masks(used["inputs"]["masks"][setting.masks], setting.id)
    runs = read_runs(used["inputs"]["scores"][0]).set_index("key")
    presence = masks["presence"][0]
    Xs = [dense(X)[masks["rows"]] for X in dataset.Xs]
    names = {method["key"]: method["label"] for method in used["methods"]}
    fitted, failed = _label_free(used["points"], runs, len(presence))
    if not fitted:
        raise DataNotAvailable("no method gave labels, so there is no answer on samples")
    partitions = {names[m]: found.labels for m, found in fitted.items()}
    agreement = _agreement(partitions)
    (method,) = (m for m in fitted if names[m] == agreement.index[0])
    labels, params = _numbered(fitted[method].labels), fitted[method].params
    parts = perturbations(presence, used["perturbed_fits"], seed_of(used["seed"], "perturb"))
    estimator = find_class(used["estimators"][method]["estimator"])
    about = estimator, dataset, masks, setting, used["seed"], params
    limits = Limits(**used["limits"])
    found = fit_parts(*about, parts, limits)
    points = _points(representation(*about, limits), Xs, presence)
    structure = clusters_exist(apply_mask(Xs, presence), random_state=used["seed"])
    kept = [(part, p) for part, p in zip(parts, found, strict=True) if p is not None]
    perturbed = [part for part, _ in kept], [p for _, p in kept]
    table = _samples(dataset, masks["rows"], labels, certainty(labels, *perturbed))
    for name, own in partitions.items():
        table[name] = matched(labels, own)
    effects = _effects(dataset, Xs, presence, labels)
    features = _strongest(effects, MOST_IN_TABLE)
    stability = cluster_stability(labels, *perturbed)
    methods = _methods(names, fitted, failed, agreement)
    facts = {
        "data": used["label"],
        "n_samples": len(labels),
        "n_clusters": int(labels.max()),
        "method": names[method],
        "parameters": params,
        "chosen": "parameters by the silhouette, the method by its agreement with all others",
        "structure": structure._asdict(),
        "perturbed_fits": len(kept),
        "perturbed_fits_failed": len(parts) - len(kept),
        "certainty": float(table["certainty"].mean()),
        "known_classes": _known(dataset, masks["rows"], labels),
        "agreement": next(m["agreement"] for m in methods if m["method"] == names[method]),
        "methods": methods,
        "survival": _survival(used, masks["rows"], partitions, names[method]),
    }
    clusters = _clusters(table, stability, presence, dataset.view_names, features)
    heat = _heat(effects)
    views = dataset.view_names
    return Answer(table, clusters, features, facts, points, heat, presence, views, agreement)


def write_answer(answer, folder):
    """Write labels.csv, clusters.csv, features.csv and answer.json.

    Parameters
    ----------
    answer : Answer
    folder : path-like
    """
    tables = {name: getattr(answer, name) for name in ("labels", "clusters", "features")}
    for name, table in tables.items():
        with completed(Path(folder, f"{name}.csv")) as unfinished:
            shown = without_formulas(table)
            shown.to_csv(unfinished, index=False, float_format="%.4g", lineterminator="\n")
    files = [str(Path(folder, f"{name}.csv")) for name in tables]
    content = answer.facts | {"files": files}
    content |= {name: table.to_dict("records") for name, table in tables.items()}
    with completed(Path(folder, "answer.json")) as unfinished:
        text = json.dumps(_plain(content), indent=1, ensure_ascii=False, allow_nan=False)
        unfinished.write_text(text + "\n", encoding="utf-8")


class Fitted(NamedTuple):
    """The partition of a method with the parameters that were chosen."""

    labels: np.ndarray
    params: dict
    silhouette: float


def _label_free(points, runs, n_samples):
    """For each method its best point by the internal criterion; for the others, why not."""
    fitted, failed = {}, {}
    for method, of_method in points.items():
        rows = runs.loc[[point["keys"][0] for point in of_method]]
        good = [
            i
            for i, labels in enumerate(rows["labels"])
            if labels is not None and len(labels) == n_samples and len(np.unique(labels)) > 1
        ]
        if not good:
            reasons = [error for error in rows["error"] if isinstance(error, str)]
            failed[method] = reasons[0] if reasons else "one cluster, or labels by view"
            continue
        scores = rows[INTERNAL].fillna(SCORES[INTERNAL].bounds[0] - 1).to_numpy()[good]
        best = good[best_of(list(scores))]  # pyright: ignore[reportArgumentType]
        fitted[method] = Fitted(
            np.asarray(rows["labels"].iloc[best]), of_method[best]["params"], float(scores.max())
        )
    return fitted, failed


def _agreement(partitions):
    """Adjusted Rand indices, the method with the highest mean first."""
    names = list(partitions)
    table = pd.DataFrame(
        [[adjusted_rand_index(partitions[a], partitions[b]) for b in names] for a in names],
        names,
        names,
    )
    order = np.argsort(-settled(table.mean()), kind="stable")
    return table.iloc[order, order]


def _numbered(labels):
    """Clusters from 1, the largest first."""
    _, labels = np.unique(labels, return_inverse=True)
    order = np.argsort(-np.bincount(labels), kind="stable")
    number = np.empty(len(order), dtype=int)
    number[order] = np.arange(1, len(order) + 1)
    return number[labels]


def _points(embedding, Xs, presence):
    """Two dimensions: of the method's own representation, or of the views together."""
    if embedding is None or np.shape(embedding)[1] < 2:
        embedding = joint_components(Xs, presence, 2)
    points = PCA(min(2, embedding.shape[1]), svd_solver="full").fit_transform(dense(embedding))
    return np.column_stack([points, np.zeros((len(points), 2 - points.shape[1]))])


def _samples(dataset, rows, labels, sure):
    ids = range(1, dataset.n_samples + 1) if dataset.ids is None else dataset.ids
    table = pd.DataFrame({"sample": [ids[row] for row in rows], "cluster": labels})
    table["certainty"] = sure
    if (dataset.y >= 0).all():
        table["class"] = [dataset.label_names[y] for y in dataset.y[rows]]
    return table


def _known(dataset, rows, labels):
    """How the clusters agree with known classes."""
    y = dataset.y[rows]
    return float(adjusted_rand_index(y, labels)) if (y >= 0).all() else None


def _survival(used, rows, partitions, chosen):
    """How survival differs between the clusters of each method; None if it is not known."""
    if used["survival"] is None:
        return None
    time, event = (np.array(used["survival"][key], dtype=float)[rows] for key in ("time", "event"))
    return survival_of(time, event, partitions, chosen, used["seed"])


def _effects(dataset, Xs, presence, labels):
    """A row per cluster and feature."""
    tables, named = [], dataset.feature_names or [None] * len(Xs)
    for X, present, view, names in zip(Xs, presence.T, dataset.view_names, named, strict=True):
        names = names or [f"{view} {j}" for j in range(1, X.shape[1] + 1)]
        for c in np.unique(labels):
            inside = labels[present] == c
            found = differences(X[present], inside)
            tables.append(pd.DataFrame({
                "cluster": c, "view": view, "feature": names, "effect": found.effect,
                "ci_low": found.low, "ci_high": found.high,
                "n_inside": inside.sum(), "n_outside": (~inside).sum(),
            }))  # fmt: skip
    return pd.concat(tables, ignore_index=True)


def _strongest(effects, most):
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


def _heat(effects):
    """The effect in every cluster of the features that are strongest in one of them."""
    n_groups = len(effects[["cluster", "view"]].drop_duplicates())
    each = max(1, MOST_IN_PICTURE // max(n_groups, 1))
    chosen = _strongest(effects, each)
    places = dict.fromkeys(zip(chosen["view"], chosen["feature"], strict=True))
    views = list(dict.fromkeys(effects["view"]))
    places = sorted(places, key=lambda place: views.index(place[0]))  # stable
    wide = effects.drop_duplicates(["view", "feature", "cluster"])
    wide = wide.pivot(index=["view", "feature"], columns="cluster", values="effect")
    return wide.loc[places]


def _clusters(table, stability, presence, views, features):
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
                map(_told, of_view.head(MOST_IN_TEXT).itertuples())
            )
        rows.append(row)
    return pd.DataFrame(rows)


def _told(row):
    """An effect in words: "gene +1.2 [0.8, 1.6]"."""
    interval = f" [{row.ci_low:.1f}, {row.ci_high:.1f}]" if np.isfinite(row.ci_low) else ""
    return f"{row.feature} {row.effect:+.1f}{interval}"


def _methods(names, fitted, failed, agreement):
    """A record per method: how it agrees with the others, or why it failed."""
    others = len(agreement) - 1
    mean = (agreement.sum() - 1) / (others or np.nan)  # of one method nothing is known
    return [
        {
            "method": names[m],
            "clusters": len(np.unique(own.labels)),
            "agreement": float(mean[names[m]]),
            "silhouette": own.silhouette,
            "error": None,
        }
        for m, own in fitted.items()
    ] + [
        {"method": names[m], "clusters": None, "agreement": None, "silhouette": None, "error": why}
        for m, why in failed.items()
    ]


def _plain(value):
    """The same as JSON can hold it: no arrays, null for what is not known."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value
