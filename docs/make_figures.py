"""Make the figures and numbers of pages of methods: python docs/make_figures.py [PAGE ...]

A page is the name of a method in small letters. Data: Handwritten.
"""

import sys
import time
import warnings
from contextlib import contextmanager
from functools import cache

import matplotlib as mpl
import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from benchmarks.growth import measure
from benchmarks.harness import apart
from benchmarks.profile_methods import problems
from docs.pages import DOCS, fill, table
from mvclust import CMVNMF, DAIMC, MPAC, PVC, UEAF, ConcatKMeans, ConcatSpectral, MultiNMF
from mvclust.bench.arithmetic import start_again
from mvclust.bench.report.style import COLOURS, MARKERS, PAGE, RC, log_scale, new_figure
from mvclust.datasets import load_dataset
from mvclust.estimators.base import tags_of
from mvclust.estimators.mpac import align_partitions, start_from_graphs
from mvclust.masking import apply_mask, paired_mask, random_mask
from mvclust.metrics import accuracy, nmi
from mvclust.numerics.scaling import unit_range
from mvclust.unmapping import random_constraints, unmap

DRAWS = 3
VARIANTS = ("exact", "paper", "author")
TWO, THREE = ("pix", "fou"), ("fou", "pix", "zer")
FIVE, SIX = ("fou", "fac", "kar", "pix", "zer"), ("fou", "fac", "kar", "pix", "zer", "mor")
load_once = cache(load_dataset)


def complete(views=TWO, mask=None, noise=False):
    """A function of a draw: views of every fourth image, 50 of each digit; labels; no arguments.

    `mask` is a function of the numbers of images and views and a seed. Noise is one more view of
    100 features.
    """

    def draw_data(draw):
        data = load_once("handwritten", progress=False)
        Xs = [data.Xs[data.view_names.index(view)][draw::4] for view in views]
        y = data.y[draw::4]
        Xs = apply_mask(Xs, mask(len(y), len(Xs), draw)) if mask else Xs
        more = [np.random.default_rng(draw).random((len(y), 100))] if noise else []
        return Xs + more, y, {}

    return draw_data


def paired(share, noise=False):
    """Both views of a share of the images, one view of the others."""
    return complete(TWO, lambda n, _, seed: paired_mask(n, share, seed), noise)


def missing(rate):
    """Every view lacks a share of its images."""
    return complete(FIVE, lambda n, n_views, seed: random_mask(n, n_views, rate, seed))


def unmapped(share):
    """95 % of the images of each view in unknown order, a share of the pairs as constraints."""

    def draw_data(draw):
        Xs, y, _ = complete(THREE)(draw)
        views = unmap(Xs, y, seed=draw)
        must, cannot = random_constraints(views.ys, share, seed=draw)
        return views.Xs, views.ys, {"must_links": must, "cannot_links": cannot}

    return draw_data


def scores(model, draw_data):
    """Accuracies of the draws; of views with rows of their own the mean over the views."""
    found = []
    for draw in range(DRAWS):
        Xs, y, arguments = draw_data(draw)
        labels = fitted(model, Xs, arguments, draw).labels_
        pairs = (y, labels) if isinstance(labels, list) else ([y], [labels])
        found.append(float(np.mean([*map(accuracy, *pairs)])))
    return found


def fitted(model, Xs, arguments, seed=0):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).set_params(random_state=seed).fit(Xs, **arguments)


@cache  # several pages compare with the same methods
def accuracies(model, draw_data):
    """Mean and range as text, in percent."""
    if tags_of(model).n_views not in (None, len(draw_data(0)[0])):
        return "two views only"
    values = scores(model, draw_data)
    low, mean, high = (100 * f(values) for f in (min, np.mean, max))
    return f"{mean:.0f} ({low:.0f}–{high:.0f})"


def compare(models, settings):
    """The tables of the page of the first model: accuracies (models x data), and its costs."""
    name, data = type(next(iter(models.values()))).__name__, settings.values()
    rows = [[label, *(accuracies(model, of) for of in data)] for label, model in models.items()]
    fill(f"methods/{name.lower()}.md", "comparison", table(["accuracy in %", *settings], rows))
    head = ["data", "CPU s", "MB beside the data", "iterations"]
    costs = [apart(cost, name, i) for i in range(2)]
    fill(f"methods/{name.lower()}.md", "costs", table(head, costs))


def cost(name, i):
    """CPU seconds and memory of a problem of the profile."""
    title, model, Xs, arguments = problems(name)[i]
    seconds, mb = measure(model, Xs, arguments)
    return [title, f"{seconds:.2f}", f"{mb:.0f}", model.n_iter_]


@contextmanager
def panels_of(name, n_panels):
    """Panels beside each other in a figure that becomes docs/figures/NAME.png."""
    figure = new_figure(PAGE, 2.1)
    yield figure.subplots(1, n_panels, squeeze=False)[0]
    figure.savefig(DOCS / "figures" / f"{name}.png", metadata={"Software": "mvclust"})


def by_parameter(model, name, draw_data):
    """A case of `draw_accuracy`: a parameter of a model has the value."""
    return lambda value: (clone(model).set_params(**{name: value}), draw_data)


def by_data(models, data_of):
    """Cases of `draw_accuracy`: what models are given depends on the value."""
    return {label: lambda value, m=m: (m, data_of(value)) for label, m in models.items()}


def draw_accuracy(axes, values, cases):
    """Accuracy against values, a curve per case: label -> function of a value to model and data."""
    for i, (label, case) in enumerate(cases.items()):
        draw_band(axes, values, np.array([scores(*case(value)) for value in values]), i, label)


def draw_band(axes, values, found, i=0, label=None):
    """Mean and range over the draws (columns), in percent."""
    found = 100 * found
    axes.plot(values, found.mean(axis=1), label=label, color=COLOURS[i], marker=MARKERS[i])
    band = {"color": COLOURS[i], "alpha": 0.15, "lw": 0}
    axes.fill_between(values, found.min(axis=1), found.max(axis=1), **band)


def draw_objectives(axes, model, Xs, unit=1):
    """The objective of each variant by iteration."""
    for i, variant in enumerate(VARIANTS):
        objective = fitted(clone(model).set_params(variant=variant), Xs, {}).objective_ / unit
        style = {"color": COLOURS[i], "ls": ("-", "--", ":")[i], "lw": 2.5 - 0.5 * i}
        axes.plot(range(1, len(objective) + 1), objective, label=variant, **style)


def draw_grid(panels, ranges, model, settings):
    """A panel per parameter: accuracy against its values, a curve per setting."""
    for axes, (name, values) in zip(panels, ranges.items(), strict=False):
        cases = {label: by_parameter(model, name, data) for label, data in settings.items()}
        draw_accuracy(axes, values, cases)
        finish(axes, name, y="accuracy (%)" if axes is panels[0] else "", log=name != "r")


def finish(axes, x, y="accuracy (%)", log=True, legend=False):
    if log:
        log_scale(axes, "x")
    axes.set(xlabel=x, ylabel=y)
    if legend:
        axes.legend()


REFERENCES = {"k-means": ConcatKMeans(10, scale="view_balanced"), "spectral": ConcatSpectral(10)}
OTHERS = {"DAIMC": DAIMC(10)} | REFERENCES
INCOMPLETE = {
    "10 % paired": paired(0.1),
    "50 % paired": paired(0.5),
    "90 % paired": paired(0.9),
    "five views, 30 % missing": missing(0.3),
    "50 % paired and a view of noise": paired(0.5, noise=True),
}
COMPLETE = {
    "pix, fou": complete(),
    "fou, fac, pix, zer": complete(("fou", "fac", "pix", "zer")),
    "pix, fou and a view of noise": complete(noise=True),
}


def daimc():
    with panels_of("daimc", 3) as (first, second, third):
        settings = {f"{100 * rate:.0f} % missing": missing(rate) for rate in (0.1, 0.5)}
        for axes, name in ((first, "alpha"), (second, "beta")):
            draw_grid([axes], {name: np.logspace(-3, 4, 8)}, DAIMC(10), settings)
        first.legend()
        draw_accuracy(third, [0.0, 0.2, 0.4, 0.6, 0.7], by_data(OTHERS, missing))
        finish(third, "share missing", log=False, legend=True)
    rows = []
    Xs, y, _ = missing(0.5)(0)
    for beta in (0.1, 1, 10, 100, 1000):
        run = fitted(DAIMC(10, beta=beta), Xs, {})
        pairs = zip(run.B_, run.U_, strict=True)
        misfits = [np.linalg.norm(B.T @ U - np.eye(10)) for B, U in pairs]
        rows.append([beta, f"{100 * accuracy(y, run.labels_):.0f}", f"{np.mean(misfits):.2f}"])
    head = ["beta", "accuracy in %", "mean of $\\|B_v^\\top U_v - I\\|$"]
    fill("methods/daimc.md", "beta", table(head, rows))
    compare(OTHERS, INCOMPLETE)


def pvc():
    with panels_of("pvc", 2) as (first, second):
        variants = {v: by_parameter(PVC(10, variant=v), "lam", paired(0.5)) for v in VARIANTS}
        draw_accuracy(first, np.logspace(-4, 0, 5), variants)
        finish(first, "lam", legend=True)
        models = {"PVC": PVC(10)} | REFERENCES
        draw_accuracy(second, [0.1, 0.3, 0.5, 0.7, 1.0], by_data(models, paired))
        finish(second, "share of images with both views", log=False, legend=True)
    models = {"PVC": PVC(10), "PVC, scale=None": PVC(10, scale=None)}
    compare(models | OTHERS, INCOMPLETE)


def ueaf():
    with panels_of("ueaf", 4) as panels:
        ranges = {"lambda1": np.logspace(-4, 4, 5), "lambda2": np.logspace(-3, 3, 4)}
        ranges |= {"lambda3": np.logspace(-4, 2, 4), "r": [1.5, 3, 6, 9]}
        draw_grid(panels, ranges, UEAF(10), {None: paired(0.5)})
    rows = []
    Xs, y, _ = paired(0.5)(0)
    absent = np.isnan([X[:, 0] for X in Xs])
    X = Xs[0][~absent[0]].T
    for lambda1 in (1e-3, 1e-1, 10, 1000):
        run = fitted(UEAF(10, lambda1=lambda1, scale="sample_unit"), Xs, {})
        found = accuracy(y, run.labels_), nmi(absent[0] + 2 * absent[1], run.labels_, "arithmetic")
        relief = np.mean(run.E_[0].std(axis=0) / np.abs(run.E_[0].mean(axis=0)))
        rows.append([lambda1, f"{relief:.2f}", f"{found[1]:.2f}", f"{100 * found[0]:.0f}"])
    rows.append(["observed images", f"{np.mean(X.std(axis=0) / X.mean(axis=0)):.2f}", "", ""])
    head = ["lambda1", "deviation / mean over the pixels", "NMI of labels and mask"]
    fill("methods/ueaf.md", "flatness", table([*head, "accuracy in %"], rows))
    with panels_of("ueaf_variants", 2) as (first, second):
        Xs, _, _ = paired(0.5)(0)
        draw_objectives(first, UEAF(10), Xs)
        variants = {variant: UEAF(10, lambda1=1e-3, variant=variant) for variant in VARIANTS}
        cases = {v: by_parameter(model, "lambda2", paired(0.5)) for v, model in variants.items()}
        draw_accuracy(second, np.logspace(-3, 1, 3), cases)
        finish(first, "iteration", "objective, Eq. (11)", log=False, legend=True)
        log_scale(first, "y")
        finish(second, "lambda2, with lambda1 = 0.001")
    models = {
        "UEAF": UEAF(10),
        "UEAF, lambda1=0.001": UEAF(10, lambda1=0.001),
        'UEAF, scale="sample_unit"': UEAF(10, scale="sample_unit"),
        'UEAF, scale="sample_unit", lambda1=0.001': UEAF(10, scale="sample_unit", lambda1=0.001),
    }
    compare(models | OTHERS, INCOMPLETE)


def mpac():
    with panels_of("mpac", 4) as panels:
        ranges = {"alpha": np.logspace(-1, 4, 6), "beta": np.logspace(-5, 0, 6)}
        ranges |= {"gamma": np.logspace(-7, -1, 4)}
        draw_grid(panels, ranges, MPAC(10), {"pix, fou": complete(), "six views": complete(SIX)})
        panels[0].legend()
        Xs, _, _ = complete()(0)
        draw_objectives(panels[3], MPAC(10, max_iter=30), Xs, unit=1000)
        finish(panels[3], "sweep", "Eq. (6) / 1000", log=False, legend=True)
        panels[3].set_ylim(bottom=0)
    settings, rows = COMPLETE | {"six views": complete(SIX)}, []
    for label, draw_data in settings.items():
        Xs, y, _ = draw_data(0)
        F = start_from_graphs([unit_range(X) for X in Xs], 10, 5)
        aligned = sum(F_v @ R_v for F_v, R_v in zip(F, align_partitions(F), strict=True))
        start = aligned.argmax(axis=1)
        row = [label, f"{100 * accuracy(y, start):.0f}"]
        for gamma in (1e-5, 1e-3):
            run = fitted(MPAC(10, gamma=gamma), Xs, {})
            row.append(f"{100 * np.mean(run.labels_ == start):.0f}")
            row.append(" ".join(f"{w:.2f}" for w in run.w_))
        rows.append(row)
    kept = "labels of the start kept, %, `gamma=1e-"
    head = ["", "accuracy of the start, %", f"{kept}5`", "`w_`", f"{kept}3`", "`w_`"]
    fill("methods/mpac.md", "start", table(head, rows))
    models = {"MPAC": MPAC(10), "MPAC, gamma=0.001": MPAC(10, gamma=0.001)}
    models |= {f'MPAC, variant="{v}"': MPAC(10, variant=v) for v in ("paper", "author")}
    compare(models | OTHERS, settings)


def multinmf():
    with panels_of("multinmf", 2) as (first, second):
        values = np.logspace(-4, 2, 7)
        found = np.empty((len(values), DRAWS, 2))
        for draw in range(DRAWS):
            Xs, y, _ = complete()(draw)
            start = MultiNMF(10, random_state=draw).draw_start(Xs)  # does not depend on lam
            for j, lam in enumerate(values):
                run = fitted(MultiNMF(10, lam=lam, init=start), Xs, {}, draw)
                found[j, draw] = accuracy(y, run.labels_), accuracy(y, run.V_star_.argmax(axis=1))
                if draw == 0 and 1e-4 < lam < 1:
                    style = {"color": COLOURS[j - 1], "label": f"lam = {lam:g}"}
                    second.plot(range(1, run.n_iter_ + 1), run.objective_, **style)
        for i, labels in enumerate(("kmeans", "argmax")):
            draw_band(first, values, found[:, :, i], i, f'labels="{labels}"')
        finish(first, "lam", legend=True)
        finish(second, "round", "objective O", log=False, legend=True)
    models = {"MultiNMF": MultiNMF(10), 'MultiNMF, init="random"': MultiNMF(10, init="random")}
    models['MultiNMF, labels="argmax"'] = MultiNMF(10, labels="argmax")
    compare(models | OTHERS, COMPLETE)


def cmvnmf():
    with panels_of("cmvnmf", 2) as (first, second):
        models = {
            'variant="scaled"': CMVNMF(10),
            'variant="paper", tol=0.01': CMVNMF(10, variant="paper", tol=0.01),
            'variant="paper", tol=1e-4': CMVNMF(10, variant="paper"),
        }
        percent = [0.2, 0.5, 1, 2, 5]
        draw_accuracy(second, percent, by_data(models, lambda p: unmapped(p / 100)))
        kept = list(models)[:2]  # the third differs from the second in tol alone
        cases = {label: by_parameter(models[label], "beta", unmapped(0.02)) for label in kept}
        draw_accuracy(first, np.logspace(-3, 1, 5), cases)
        finish(first, "beta, with 2 % of the pairs")
        finish(second, "% of the pairs that are constraints", legend=True)
        second.set_xticks(percent, percent)
        second.minorticks_off()
    models['init="kmeans"'] = CMVNMF(10, init="kmeans")
    models["beta=0 (views apart)"] = CMVNMF(10, beta=0)
    settings = {f"{100 * s:g} % constraints": unmapped(s) for s in (0.002, 0.01, 0.05)}
    compare(models, settings)


PAGES = {page.__name__: page for page in (daimc, pvc, ueaf, mpac, multinmf, cmvnmf)}


def main(names):
    with threadpool_limits(1), mpl.rc_context(RC):
        for name in names or PAGES:
            start = time.process_time()
            PAGES[name]()
            print(f"{name}: {time.process_time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    start_again()
    main(sys.argv[1:])
