"""Measure the features of images, and draw them: python docs/make_images.py [FILE]

Data: Caltech101-7, -20 and Flowers17, rebuilt from the images (some ten CPU minutes). FILE is a fit
that FPMVS-CAG stored; how well the features explain it is printed.
"""

import contextlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import scipy.io
from sklearn.cluster import KMeans
from sklearn.preprocessing import minmax_scale, normalize, scale

import mvclust
import mvclust.datasets
from docs.pages import DOCS, ROOT, fill, read_table, table
from mvclust.bench.arithmetic import start_again
from mvclust.bench.report.style import PAGE, RC, new_figure
from mvclust.datasets.catalogue import is_rebuilt
from mvclust.datasets.images.compare import projection_agreement
from mvclust.datasets.images.extract import VIEWS
from mvclust.datasets.images.grey import decode, grey_image
from mvclust.datasets.images.packing import unpack
from mvclust.metrics import score

SETS = {"caltech101-7": "Caltech7", "caltech101-20": "Caltech20"}  # and how mPAC calls them
STARTS = 5
PAIRS = ("f_score", "precision", "recall", "nmi_arithmetic", "ari")
PROCESS = """
import re, time
from mvclust.datasets.images.packing import unpack
from mvclust.datasets.images.{module} import {function}
Xs = {function}(content for _, content in unpack({path!r}))
peak = re.search(r"VmHWM:\\s*([0-9]+)", open("/proc/self/status").read())[1]
print(len(Xs[0]), round(time.process_time()), round(int(peak) / 1000))
"""
SCALINGS = {
    "as they are": lambda X: X,
    "each feature to [-1, 1]": lambda X: minmax_scale(X, (-1, 1)),
    "each sample of a view to unit length": normalize,
    "each feature standardised": scale,
}


def main(stored=None):
    data = {name: mvclust.load_dataset(name) for name in [*SETS, "flowers17-rebuilt"]}
    if lacking := [name for name, each in data.items() if not is_rebuilt(each.source)]:
        sys.exit(f"{', '.join(lacking)}: the features are published ones, not rebuilt.")
    with mpl.rc_context(RC):
        draw(made_up_image()).savefig(DOCS / "figures/images.png", dpi=150)
    fill("images.md", "views", table_of_views(data))
    fill("images.md", "concatenated", table_of_concatenations(data))
    fill("images.md", "flowers", table_of_flowers(data["flowers17-rebuilt"]))
    fill("images.md", "cost", table_of_cost())
    if stored is not None:
        print(table(["view", "agreement"], agreements(stored, data["caltech101-20"])))


def scores(X, y, *names: str) -> list[str]:
    """Mean scores of k-means over random starts, as the tables show them."""
    runs = []
    for seed in range(STARTS):
        model = KMeans(len(set(y)), init="random", n_init=1, max_iter=300, random_state=seed)
        runs.append(score(y, model.fit_predict(X)))
    means = pd.DataFrame(runs).mean()
    return [f"{means[name]:.3f}" for name in names]


def table_of_views(data: dict) -> str:
    """Accuracy and mutual information of each view alone."""
    rows = []
    for v, view in enumerate(VIEWS):
        X = data["caltech101-20"].Xs[v]
        rows.append([f"`{view}`", X.shape[1], f"{np.median(np.linalg.norm(X, axis=1)):.4g}"])
        for name in SETS:
            rows[-1] += scores(data[name].Xs[v], data[name].y, "acc", "nmi_arithmetic")
        print(*rows[-1], flush=True)
    head = ["view", "features", "median length of a sample"]
    return table([*head, *(f"{name}: {key}" for name in SETS for key in ("ACC", "NMI"))], rows)


def table_of_concatenations(data: dict) -> str:
    """k-means on all views side by side, under four scalings, beside the published row."""
    published = read_table(ROOT / "config/published.csv", method="KM(AllFea)")
    rows = []
    for name, dataset in SETS.items():
        means = published[published["dataset"] == dataset].set_index("metric")["mean"]
        names = [key.removesuffix("_arithmetic") for key in PAIRS]
        rows.append([name, "published", *means[names].map("{:.3f}".format)])
        for scaling, change in SCALINGS.items():
            X = np.hstack([change(X) for X in data[name].Xs])
            rows.append([name, scaling, *scores(X, data[name].y, *PAIRS)])
            print(*rows[-1], flush=True)
    return table(["data set", "views", "F-score", "precision", "recall", "NMI", "ARI"], rows)


def table_of_flowers(data) -> str:
    """Each view of Flowers17 alone, and all with samples of unit length."""
    views = dict(zip(data.view_names, data.Xs, strict=True))
    views["all, samples of unit length"] = np.hstack([normalize(X) for X in data.Xs])
    names = "acc", "nmi_arithmetic"
    rows = [[name, X.shape[1], *scores(X, data.y, *names)] for name, X in views.items()]
    return table(["view", "features", "ACC", "NMI"], rows)


def table_of_cost():
    """CPU time per image of each step, and CPU time and peak memory of whole data sets."""
    steps = table(["step", "CPU ms per image"], cost_of_steps("caltech101-20"))
    rows = [whole("caltech101-20", "extract", "six_views")]
    rows.append(whole("flowers17-rebuilt", "flowers", "flower_views"))
    return f"{steps}\n\n{table(['data set', 'images', 'CPU s', 'peak memory, MB'], rows)}"


def cost_of_steps(name: str) -> list[list[str]]:
    """CPU time of each step, on every tenth image."""
    with packed(name) as path:
        contents = [content for _, content in unpack(path)][::10]
    start, images = time.process_time(), [grey_image(decode(content)) for content in contents]
    times = {"decoding and resizing": time.process_time() - start}
    for view, function in VIEWS.items():
        start = time.process_time()
        for image in images:
            function(image)
        times[f"`{view}`"] = time.process_time() - start
    return [[step, f"{1000 * seconds / len(images):.1f}"] for step, seconds in times.items()]


def whole(name, module, function):
    """Number of images, CPU time and peak memory of a process that computes all views."""
    with packed(name) as path:
        code = PROCESS.format(module=module, function=function, path=str(path))
        printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    return [f"`{name}`", *printed.split()]


@contextlib.contextmanager
def packed(name):
    """The packed images of a data set."""
    with tempfile.TemporaryDirectory() as folder:
        mvclust.datasets.fetch_dataset(name, folder)
        (path,) = Path(folder).glob("*.tar")
        yield path


def agreements(path, data):
    """How well each view explains the projection that FPMVS-CAG stored of the original one."""
    content = scipy.io.loadmat(path)
    W, A, Z = (content[name] for name in ("W", "A", "Z"))
    for view, X, stored in zip(data.view_names, data.Xs, W.ravel(), strict=True):
        yield [f"`{view}`", f"{projection_agreement(X, stored, A, Z):.5f}"]


def made_up_image():
    """A disc, stripes and a slope: 128 x 128 grey levels."""
    y, x = np.mgrid[:128, :128]
    image = 40 + 0.6 * x
    image = np.where((y > 70) & (x < 64), 128 + 90 * np.sign(np.sin(0.5 * (x + y))), image)
    image = np.where((x - 90) ** 2 + (y - 40) ** 2 < 24**2, 230, image)
    return np.round(np.where((x > 70) & (y > 84), 128 + 60 * np.sin(0.9 * x), image)).clip(0, 255)


def draw(image):
    """An image and its six views."""
    figure = new_figure(PAGE, 3.6)
    panels = figure.subplots(2, 4).ravel()
    patterns, moments = VIEWS["lbp"](image).reshape(58, 4, 4), VIEWS["wavelet_moments"](image)
    hog, gist = VIEWS["hog"](image), VIEWS["gist"](image)
    pictures = {  # place -> title, what is shown, and the range of its values
        0: ("image, 128 x 128", image, {"cmap": "gray", "vmin": 0, "vmax": 255}),
        4: ("hog: sum of 9 orientations", hog.reshape(31, 8, 8)[18:27].sum(axis=0).T, {}),
        5: ("gist: mean of 32 filters", gist.reshape(4, 8, 4, 4).mean(axis=(0, 1)).T, {}),
        6: ("lbp: flat pattern", patterns[56].T, {"vmin": 0, "vmax": 1}),
    }
    for place, (title, shown, style) in pictures.items():
        panels[place].imshow(shown, **{"cmap": "cividis"} | style)
        panels[place].set(title=title, xticks=[], yticks=[])
    panels[1].imshow(VIEWS["gabor"](image)[24:].reshape(6, 4), cmap="cividis", aspect="auto")
    panels[1].set(title="gabor: mean amplitudes", xlabel="scale", ylabel="orientation")
    for place in (*pictures, 1):
        panels[place].grid(False)
    panels[2].plot(moments[:20], label="means")
    panels[2].plot(moments[20:], label="deviations")
    panels[2].set(title="wavelet_moments", xlabel="column of the approximation")
    panels[2].legend()
    panels[3].semilogy(np.arange(1, 255), np.maximum(VIEWS["centrist"](image), 0.8), ".", ms=2)
    panels[3].set(title="centrist: counts", xlabel="census code")
    panels[7].bar(range(58), (patterns**2).mean(axis=(1, 2)))
    panels[7].set(title="lbp: shares of patterns", xlabel="bin", yscale="log")
    return figure


if __name__ == "__main__":
    start_again()
    main(*sys.argv[1:2])
