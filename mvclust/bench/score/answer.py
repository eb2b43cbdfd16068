"""The answer on samples: labels of a chosen method, how sure they are, what sets clusters apart."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.decomposition import PCA

from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.masks import read_masks
from mvclust.bench.fit.perturbed import ChosenFit
from mvclust.bench.plan.seeds import seed_of
from mvclust.bench.plan.settings import Setting
from mvclust.bench.score.runs import read_runs
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import read_dataset
from mvclust.masking import apply_mask
from mvclust.metrics import INTERNAL, SCORES, adjusted_rand_index
from mvclust.numerics.products import dense
from mvclust.numerics.ties import best_of, settled
from mvclust.own import answer
from mvclust.own.associations import Association, associations, batch_warning, sentence
from mvclust.own.certainty import certainty, cluster_stability, matched, perturbations
from mvclust.own.how_many import consensus, eigengaps, silhouettes
from mvclust.own.survival import survival_of
from mvclust.structure import clusters_exist, joint_components


def answer_of(used: dict) -> answer.Answer:
    """Choose the method that agrees best with all others, each tuned without labels; describe it.

    DataNotAvailable if no method gave labels.
    """
    setting = Setting.from_record(used["setting"])
    dataset = read_dataset(used["inputs"]["data"][setting.dataset], views=list(setting.views))
    masks = read_masks(used["inputs"]["masks"][setting.masks], setting.id)
    runs = read_runs(used["inputs"]["scores"][0]).set_index("key")
    rows, presence = masks["rows"], masks["presence"][0]
    names = {method["key"]: method["label"] for method in used["methods"]}
    fitted, failed = _label_free(used["points"], runs, len(presence))
    if not fitted:
        raise DataNotAvailable("no method gave labels, so there is no answer on samples")
    partitions = {names[m]: found.labels for m, found in fitted.items()}
    agreement = _agreement(partitions)
    (method,) = (m for m in fitted if names[m] == agreement.index[0])
    labels, params = _numbered(fitted[method].labels), fitted[method].params
    estimator = used["estimators"][method]["estimator"]
    limits = Limits(**used["limits"])
    chosen = ChosenFit(estimator, dataset, masks, setting, used["seed"], params, limits)
    perturbed = _perturbed(chosen, presence, used["perturbed_fits"])
    Xs = [dense(X)[rows] for X in dataset.Xs]
    scores = {"certainty": certainty(labels, *perturbed)}
    scores["silhouette"] = silhouettes(Xs, presence, labels)
    table = _samples(dataset, rows, {"cluster": labels} | scores)
    for name, own in partitions.items():
        table[name] = matched(labels, own)
    measured = Xs if used["gaps"] is None else _measured(dataset, rows, used["gaps"])
    effects = answer.effects_of(dataset, measured, presence, labels)
    heat, features = answer.heat_of(effects), answer.strongest(effects, answer.MOST_IN_TABLE)
    stability = cluster_stability(labels, *perturbed)
    known = {name: [texts[row] for row in rows] for name, texts in used["facts"].items()}
    gaps = {f"presence of {view}": list(np.where(present, "yes", "no"))
            for view, present in zip(dataset.view_names, presence.T, strict=True)
            if not present.all()}  # fmt: skip
    tests, untested = associations(known | gaps, labels, used["seed"])
    y, others = dataset.y[rows], agreement.iloc[0, 1:]
    facts = {
        "data": used["label"],
        "method": names[method],
        "parameters": params,
        "methods": _methods(names, fitted, failed, agreement),
        "survival": _survival(used, rows, partitions | {names[method]: labels}, names[method]),
        "batch": batch_warning(tests, ("batch", *gaps)),
        "facts_not_tested": untested,
        "facts_sentence": sentence(tests),
        "perturbed_fits": len(perturbed[0]),
        "perturbed_fits_failed": used["perturbed_fits"] - len(perturbed[0]),
        "known_classes": float(adjusted_rand_index(y, labels)) if (y >= 0).all() else None,
        "agreement": None if others.empty else float(others.mean()),
        "other_methods": len(others),
        "alike": int((others >= answer.ALIKE).sum()),  # that give nearly its clusters
        **_clustering(apply_mask(Xs, presence), table, used["seed"]),
    }
    return answer.Answer(
        labels=table,
        clusters=answer.clusters_of(table, stability, presence, dataset.view_names, features),
        features=features,
        facts=facts | {"summary": answer.summary_of(facts)},
        points=_points(chosen.embedding(), Xs, presence),
        heat=heat,
        presence=presence,
        views=dataset.view_names,
        agreement=agreement,
        associations=pd.DataFrame(tests, columns=Association._fields),
        values=answer.values_of(dataset, measured, presence, heat.index),
        consensus=consensus(answer.by_cluster(table), *perturbed),
    )


def _measured(dataset, rows, gaps):
    """The views with NaN where single values were not known."""
    places = np.loadtxt(gaps[0], dtype=int, delimiter=",", skiprows=1, ndmin=2)
    views = []
    for v, X in enumerate(dataset.Xs):
        own = places[places[:, 0] == v]
        X = np.array(dense(X), dtype=float)
        X[own[:, 1], own[:, 2]] = np.nan
        views.append(X[rows])
    return views


def _perturbed(chosen, presence, number):
    """Parts of the data, and the labels of their samples by the chosen method."""
    parts = perturbations(presence, number, seed_of(chosen.root, "perturb"))
    found = chosen.partitions(parts)
    kept = [i for i, labels in enumerate(found) if labels is not None]
    return [parts[i] for i in kept], [found[i] for i in kept]


def _clustering(Xs, table, seed):
    """Whether there are clusters, how many, and how clear those of a table of samples are."""
    n_clusters = int(table["cluster"].max())
    return {
        "n_samples": len(table),
        "n_clusters": n_clusters,
        "chosen": "parameters by the silhouette, the method by its agreement with all others",
        "structure": clusters_exist(Xs, random_state=seed)._asdict(),
        "number": eigengaps(Xs, n_clusters, seed),
        "certainty": float(table["certainty"].mean()),
        "silhouette": float(table["silhouette"].mean()),
    }


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
        labels = [() if of is None else of for of in rows["labels"]]
        whole = [len(of) == n_samples and len(np.unique(of)) > 1 for of in labels]
        good = np.flatnonzero(whole)
        if not len(good):
            reasons = [error for error in rows["error"] if isinstance(error, str)]
            failed[method] = reasons[0] if reasons else "one cluster, or labels by view"
            continue
        scores = rows[INTERNAL].fillna(SCORES[INTERNAL].bounds[0] - 1).to_numpy()[good]
        best = good[best_of(list(scores))]  # pyright: ignore[reportArgumentType]
        params = of_method[best]["params"]
        fitted[method] = Fitted(np.asarray(labels[best]), params, float(scores.max()))
    return fitted, failed


def _agreement(partitions):
    """Adjusted Rand indices, the method with the highest mean first."""
    rows = [[adjusted_rand_index(a, b) for b in partitions.values()] for a in partitions.values()]
    table = pd.DataFrame(rows, list(partitions), list(partitions))
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
    places = () if embedding is None else np.unique(np.round(dense(embedding), 6), axis=0)
    if len(places) < len(presence) / 2 or np.shape(embedding)[1] < 2:  # few places show nothing  # pyright: ignore[reportArgumentType]
        embedding = joint_components(Xs, presence, 2)
    points = PCA(min(2, embedding.shape[1]), svd_solver="full").fit_transform(dense(embedding))
    return np.column_stack([points, np.zeros((len(points), 2 - points.shape[1]))])


def _samples(dataset, rows, columns):
    """A row per sample: its name, some columns, and its class where classes are known."""
    ids = range(1, dataset.n_samples + 1) if dataset.ids is None else dataset.ids
    table = pd.DataFrame({"sample": [ids[row] for row in rows]} | columns)
    if (dataset.y >= 0).all():
        table["class"] = [dataset.label_names[y] for y in dataset.y[rows]]
    return table


def _survival(used, rows, partitions, chosen):
    """How survival differs between the clusters of each method; None if it is not known."""
    if used["survival"] is None:
        return None
    time, event = (np.array(used["survival"][key], dtype=float)[rows] for key in ("time", "event"))
    return survival_of(time, event, partitions, chosen, used["seed"])


def _methods(names, fitted, failed, agreement):
    """A record per method: how it agrees with the others, or why it failed."""
    others = len(agreement) - 1
    mean = (agreement.sum() - 1) / (others or np.nan)  # of one method nothing is known
    columns = ("method", "clusters", "agreement", "silhouette", "error")
    rows = [
        (names[m], len(np.unique(own.labels)), float(mean[names[m]]), own.silhouette, None)
        for m, own in fitted.items()
    ]
    rows += [(names[m], None, None, None, why) for m, why in failed.items()]
    return [dict(zip(columns, row, strict=True)) for row in rows]
