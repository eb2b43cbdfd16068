"""Which methods label new samples of Handwritten, and how well: python docs/make_new_samples.py"""

import inspect
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import mvclust
from docs.pages import estimators, fill, table
from mvclust.masking import apply_mask, random_mask

N_FITTED, N_NEW = 300, 300
VIEWS = ["pix", "fou"]
HEAD = ["method", "`embedding_`", "`predict`", "`transform`"]
MEASURED = ["same label", "fitted", "new", "new, half lack a view"]


def abilities(name, estimator):
    """The first columns of a method: which attributes it has."""
    has = [hasattr(estimator, method) for method in ("predict", "transform")]
    has.insert(0, "\nembedding_ : " in inspect.getdoc(estimator))
    return [f"`{name}`", *("yes" if each else "–" for each in has)]


def measure(estimator, Xs, y):
    """Share of the fitted samples that predict labels as fit did; accuracies of fitted and new."""
    old, new = slice(0, N_FITTED), slice(N_FITTED, N_FITTED + N_NEW)
    model = estimator(10, random_state=0).fit([X[old] for X in Xs])
    same = np.mean(model.predict([X[old] for X in Xs]) == model.labels_)
    others = [X[new] for X in Xs]
    lacking = apply_mask(others, random_mask(N_NEW, len(Xs), 0.25, 0))
    # Clusters take the names of the classes that suit the fitted samples best.
    members = np.zeros((10, 10))
    np.add.at(members, (model.labels_, y[old]), 1)
    names = members.argmax(axis=1)
    found = [names[labels] for labels in (model.labels_, *map(model.predict, (others, lacking)))]
    right = [np.mean(f == y[rows]) for f, rows in zip(found, (old, new, new), strict=True)]
    return [f"{same:.3f}", *(f"{share:.2f}" for share in right)]


def main():
    data = mvclust.load_dataset("handwritten")
    order = np.random.default_rng(0).permutation(len(data.y))[: N_FITTED + N_NEW]
    Xs = [data.Xs[data.view_names.index(view)][order] for view in VIEWS]
    y = np.asarray(data.y)[order]
    rows = []
    for name, estimator in estimators().items():
        cells = ["–"] * len(MEASURED)
        if hasattr(estimator, "predict") and not estimator.view_tags.unmapped:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                cells = measure(estimator, Xs, y)
        rows.append([*abilities(name, estimator), *cells])
        print(*rows[-1], flush=True)
    sizes = f"{N_FITTED} samples fitted, {N_NEW} others, mvclust {mvclust.__version__}:"
    fill("new_samples.md", "new samples", f"{sizes}\n\n{table([*HEAD, *MEASURED], rows)}")


if __name__ == "__main__":
    main()
