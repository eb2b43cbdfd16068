"""Whether data have clusters at all: a test against data without clusters, and a spectrum."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import special

from mvclust.canonical import generator, match_samples, whole_number
from mvclust.estimators.base import check_views, draw_seeds
from mvclust.numerics.dip import dip
from mvclust.numerics.graphs import neighbor_graph
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.low_rank import leading_components, low_rank_fill
from mvclust.numerics.products import dense

NUMBERS = (2, 3, 4)  # of clusters between which a gap is looked for
N_COMPONENTS = 10  # in which the clusters are found
N_STARTS = 3
MOST_FEATURES = 50  # of a view; a larger one is replaced by its leading components
FEWEST_SAMPLES = 40
FEWEST_SHARED = 10  # samples with two views
MOST_SAMPLES = 500
SHARE_OF_EQUAL = 0.05  # of the pairs of samples; a feature with more has atoms
N_DRAWN, N_ROUNDS = 2000, 5  # samples and rounds that find the covariance below atoms
FEWEST_APART = 3  # samples that a wide gap must leave on either side
LEAST_VARIANCE = 1e-3  # of a direction of the references, of the mean of all directions
MOST_IN_GRAPH = 1000
N_NEIGHBORS = 5
N_DIRECTIONS = 15  # in which neighbours are found
STEEPNESS, FAR = 4.432010535838295, 50.0  # of `classes_as_clusters`; where it is 1 in any case


class Structure(NamedTuple):
    """What `clusters_exist` found.

    Attributes
    ----------
    p_value : float
        Share of the data sets without clusters, the data among them, whose gap is as large; NaN
        where nothing can be tested.
    sentence : str
        The result in words.
    """

    p_value: float
    sentence: str


def clusters_exist(Xs, *, n_references=99, level=0.05, random_state=None):
    """Test whether the samples fall into separate groups.

    The null hypothesis is one population without gaps: normal samples with the means, the standard
    deviations, the covariance within and between views and the missing instances of the data. A
    feature with few values, such as answers, counts or zeros among measurements, has just the
    values of the data there, by the rank of a normal one. The statistic is the largest dip [1]_
    among projections onto the lines between the centers of k-means, 2 to 4 clusters, each number
    standardised over the data and the references; missing instances are filled by an iterated
    singular value decomposition for k-means, and do not count in the projections. A gap that is
    wider than all samples on its larger side, and leaves three on the other, counts beside the
    dips, since a few far samples have a small dip. Searching for the best projection is repeated
    in every reference, so that no correction is needed. The test asks for a gap: clusters that
    overlap are often not shown, so that a large p-value is no evidence that there are none.
    docs/choosing.md has its measured size.

    Parameters
    ----------
    Xs : list of array-like, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN. Views of counts enter as log(1 + x). Of a
        view with more than 50 features the leading components are taken, of more than 500 samples
        500 drawn ones. Copies of samples are left out unless every feature has few values.
    n_references : int, default=99
        Number of data sets that are drawn without clusters.
    level : float, default=0.05
        Below it the sentence says that there are groups.
    random_state : int, RandomState, Generator or None, default=None
        Drives the references.

    Returns
    -------
    Structure

    Raises
    ------
    ValueError
        If the views are none that `mvclust` clusters.

    References
    ----------
    .. [1] J. A. Hartigan and P. M. Hartigan, "The dip test of unimodality", Annals of Statistics
       13 (1985).
    .. [2] Y. Liu, D. N. Hayes, A. Nobel and J. S. Marron, "Statistical significance of clustering
       for high-dimension, low-sample size data", JASA 103 (2008), for the references.

    Examples
    --------
    >>> from mvclust.structure import clusters_exist
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> clusters_exist(Xs, n_references=19, random_state=0).p_value
    0.05
    """
    Xs, presence = check_views(Xs, accept_sparse=True, name="clusters_exist")
    whole_number(n_references, "clusters_exist: n_references")
    first, *seeds = draw_seeds(random_state, n_references + 1)
    Xs, presence, n_distinct = _distinct_samples(Xs, presence, first)
    why = _why_not(presence, n_distinct)
    if why:
        return Structure(np.nan, f"Whether there are groups cannot be tested: {why}.")
    Z, present = _side_by_side(Xs, presence)
    draw = _reference(Z, present)
    found = [_gaps(Z, present, first)]
    found += [_gaps(draw(np.random.default_rng(seed)), present, seed) for seed in seeds]
    p_value = _p_value(np.array(found))
    least = p_value <= 1 / (n_references + 1)  # fewer references give no smaller one
    told = f"(p {'≤' if least else '='} {p_value:.2g})"
    sentence = f"No evidence of separate groups {told}: clusters may be parts of one cloud."
    if p_value <= level:
        sentence = (
            f"The samples are no even cloud {told}: they fall into separate groups, or lie along a "
            "curve, or their features are skewed."
        )
    return Structure(p_value, sentence)


def classes_as_clusters(X, y):
    """How well classes form clusters, comparable between data sets: 0 not at all, 1 for far ones.

    The adjusted Calinski-Harabasz index [1]_: the mean over pairs of classes of tanh(k a exp(a) /
    4), with a the variance between the two classes over the deviation of the squared distances from
    their mean, and the constant k of the released code. It depends neither on the number of
    samples or classes, nor on the scale.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        A view, scaled, without missing values.
    y : array-like of shape (n_samples,)
        Classes, two at least.

    Returns
    -------
    float

    References
    ----------
    .. [1] H. Jeon, M. Aupetit, D. Shin, A. Cho, S. Park and J. Seo, "Measuring the Validity of
       Clustering Validation Datasets", TPAMI 2025, arXiv:2503.01097.

    Examples
    --------
    >>> from mvclust.structure import classes_as_clusters
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> mixed = np.arange(len(y)) % 3
    >>> classes_as_clusters(Xs[0], y) > 0.9, classes_as_clusters(Xs[0], mixed) < 0.1
    (True, True)
    """
    X, y = match_samples({"X": X, "y": y}, "classes_as_clusters")
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if len(np.unique(y)) < 2:
        raise ValueError("classes_as_clusters: y needs two classes.")
    scores = []
    for first, second in combinations(np.unique(y), 2):
        P, of_first = X[(y == first) | (y == second)], y[(y == first) | (y == second)] == first
        squared = ((P - P.mean(axis=0)) ** 2).sum(axis=1)
        means = np.where(of_first[:, None], P[of_first].mean(axis=0), P[~of_first].mean(axis=0))
        between = squared.mean() - ((P - means) ** 2).sum(axis=1).mean()
        a = between / max(squared.std(), np.finfo(float).tiny)
        scores.append(np.tanh(STEEPNESS * a * np.exp(min(a, FAR)) / 4))
    return float(np.mean(scores))


def joint_components(Xs, presence, n_components):
    """The leading components of all views, standardised and filled by a matrix of low rank.

    Parameters
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
        The views.
    presence : ndarray of bool of shape (n_samples, n_views)
        Missing rows are never read.
    n_components : int
        Number of components.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        With fewer columns if there are fewer directions.

    Examples
    --------
    >>> import numpy as np
    >>> joint_components([np.arange(6.0).reshape(3, 2)], np.ones((3, 1), bool), 1).shape
    (3, 1)
    """
    Z, present = _side_by_side(Xs, presence)
    return leading_components(low_rank_fill(Z, present), n_components)[0]


def _side_by_side(Xs, presence):
    """Prepared views in one array, and which of its entries are known."""
    views = [_prepared(dense(X), present) for X, present in zip(Xs, presence.T, strict=True)]
    return np.hstack(views), np.repeat(presence, [X.shape[1] for X in views], axis=1)


def _why_not(presence, n_distinct):
    if n_distinct < FEWEST_SAMPLES:
        return f"{n_distinct} distinct samples, at least {FEWEST_SAMPLES} are needed"
    shared = np.count_nonzero(presence.sum(axis=1) > 1)
    if presence.shape[1] > 1 and shared < FEWEST_SHARED:
        return f"{shared} samples have two views, at least {FEWEST_SHARED} must"
    return ""


def _distinct_samples(Xs, presence, seed):
    """Each sample once, and of many some; also how many differ.

    Where every feature has few values, equal samples are no copies.
    """
    Xs = [dense(X) for X in Xs]
    _, rows = np.unique(np.hstack([*Xs, presence]), axis=0, return_index=True)
    rows.sort()
    n_distinct = len(rows)
    pairs = zip(Xs, presence.T, strict=True)
    if all(_has_atoms(values) for X, present in pairs for values in X[present].T):
        rows = np.arange(len(presence))
    if len(rows) > MOST_SAMPLES:
        rows = np.sort(generator(seed).choice(rows, MOST_SAMPLES, replace=False))
    kept = [v for v, present in enumerate(presence[rows].T) if present.sum() > 1]
    return [Xs[v][rows] for v in kept], presence[np.ix_(rows, kept)], n_distinct


def _has_atoms(values):
    """Whether a feature has so few values that samples often agree."""
    _, counts = np.unique(values, return_counts=True)
    n = len(values)
    return (counts * (counts - 1)).sum() > SHARE_OF_EQUAL * n * (n - 1)


def _prepared(X, present):
    """A view of variance 1 in all, its features standardised over the present rows, zero elsewhere.

    Of a wide one the leading components.
    """
    known = X[present]
    if (known >= 0).all() and (known == np.rint(known)).all():
        known = np.log1p(known)
    known = known - known.mean(axis=0)
    deviation = known.std(axis=0)
    varies = deviation > 1e-12 * np.abs(X[present]).max(axis=0)
    known = known[:, varies] / (deviation[varies] * np.sqrt(max(varies.sum(), 1)))
    if known.shape[1] > MOST_FEATURES:
        n_components = max(2, min(MOST_FEATURES, len(known) // 4))
        known, _ = leading_components(known, n_components)
    values = np.zeros((len(X), known.shape[1]))
    values[present] = known
    return values


def _deviations(Z, present):
    return np.sqrt((Z**2).sum(axis=0) / present.sum(axis=0))


def _reference(Z, present):
    """A function of a generator: normal samples with the covariance of what is present.

    Of features with atoms, the values of the data by the ranks of the normal ones. Means and
    deviations of what is present are those of the data.
    """
    deviations = _deviations(Z, present)
    known = present.astype(float)
    covariance = (Z.T @ Z) / np.maximum(known.T @ known, 1.0)
    columns = {j: Z[present[:, j], j] for j in range(Z.shape[1])}
    atoms = {j: np.sort(values) for j, values in columns.items() if _has_atoms(values)}
    root = _root(_below_atoms(covariance, atoms) if atoms else covariance)

    def draw(rng):
        drawn = rng.standard_normal(Z.shape) @ root.T
        for j, values in atoms.items():
            rows = np.flatnonzero(present[:, j])
            order = np.argsort(drawn[rows, j], kind="stable")
            drawn[rows[order], j] = values
        means = drawn.sum(axis=0, where=present) / present.sum(axis=0)
        drawn = np.where(present, drawn - means, 0.0)
        return drawn * (deviations / _deviations(drawn, present))

    return draw


def _root(covariance):
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, LEAST_VARIANCE * values.mean()))


def _below_atoms(covariance, atoms):
    """The covariance of normal features that is `covariance` once some have their atoms.

    Atoms bring features closer to independence, so that what they lose is added, in rounds.
    """
    normal = np.random.default_rng(0).standard_normal((N_DRAWN, len(covariance)))
    latent = covariance
    for _ in range(N_ROUNDS):
        drawn = normal @ _root(latent).T
        for j, values in atoms.items():
            shares = special.ndtr(drawn[:, j] / drawn[:, j].std())
            drawn[:, j] = values[(shares * len(values)).astype(int).clip(max=len(values) - 1)]
        latent = latent + covariance - np.cov(drawn.T, bias=True)
        np.fill_diagonal(latent, np.diag(covariance))
    return latent


def _gaps(Z, present, seed):
    """For each number of clusters the largest dip between two; whether samples are far apart."""
    filled = low_rank_fill(Z, present)
    scores, _ = leading_components(filled, N_COMPONENTS)
    columns = (Z[there, j] for j, there in enumerate(present.T))
    largest, far = [], any(_is_apart(t) for t in columns if not _has_atoms(t))
    for n_clusters in NUMBERS:
        labels, _ = kmeans(scores, n_clusters, n_init=N_STARTS, seed=seed)
        centers = np.array([filled[labels == c].mean(axis=0) for c in range(n_clusters)])
        # Where samples lie on lines, by their present features (of the others Z is 0).
        lines = [a - b for a, b in combinations(centers, 2)]
        along = [(Z @ line) / np.maximum(present @ line**2, 1e-12) for line in lines]
        largest.append(max(map(dip, along)))
        far = far or any(map(_is_apart, along))
    return [*largest, float(far)]


def _is_apart(t):
    """Whether a gap is wider than all samples on its larger side, with some on the other."""
    t = np.sort(t)
    before = np.arange(1, len(t))  # samples left of each gap
    after = len(t) - before
    width = np.where(before >= after, t[:-1] - t[0], t[-1] - t[1:])
    return bool(((np.diff(t) > width) & (np.minimum(before, after) >= FEWEST_APART)).any())


def _p_value(gaps):
    """From the gaps of the data (first) and of the references, a column per statistic."""
    gaps = gaps[:, np.ptp(gaps, axis=0) > 0]
    if not gaps.size:
        return 1.0
    scaled = (gaps - gaps.mean(axis=0)) / gaps.std(axis=0)
    largest = scaled.max(axis=1)
    return float(np.mean(largest >= largest[0] - 1e-12))


def spectrum(Xs, n_values):
    """The leading eigenvalues of the mean graph of neighbours of all views.

    Samples of a view are compared in the leading components of its standardised features, missing
    instances filled by the nearest neighbours; two samples are joined if one is among the 5 nearest
    of the other. As many eigenvalues are near 1 as there are groups with few edges between them.

    Parameters
    ----------
    Xs : list of array-like, each of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN. Of more than 1,000 samples some are drawn.
    n_values : int
        Number of eigenvalues.

    Returns
    -------
    ndarray of shape (n_values,)
        From 1 downwards; fewer if there are fewer samples.

    References
    ----------
    .. [1] U. von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17 (2007),
       section 8.3 (the eigengap heuristic).

    Examples
    --------
    >>> from mvclust.structure import spectrum
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> values = spectrum(Xs, 4)
    >>> bool(values[2] > 0.99 > 0.9 > values[3])
    True
    """
    Xs, presence = check_views(Xs, accept_sparse=True, name="spectrum")
    if len(presence) > MOST_IN_GRAPH:
        rows = np.sort(generator(0).choice(len(presence), MOST_IN_GRAPH, replace=False))
        presence = presence[rows]
        kept = [v for v, present in enumerate(presence.T) if present.sum() > 1]
        Xs, presence = [Xs[v][rows] for v in kept], presence[:, kept]
    views = [_prepared(dense(X), present) for X, present in zip(Xs, presence.T, strict=True)]
    views = [X for X in fill_missing(views, presence, "knn") if X.shape[1]]
    n_samples = len(presence)
    W = np.zeros((n_samples, n_samples))
    for X in views:
        scores, _ = leading_components(X, min(N_DIRECTIONS, *X.shape))
        W += neighbor_graph(scores, min(N_NEIGHBORS, n_samples - 1))
    root = 1 / np.sqrt(np.maximum(W.sum(axis=0), 1.0))
    return np.linalg.eigvalsh(W * np.outer(root, root))[::-1][:n_values]
