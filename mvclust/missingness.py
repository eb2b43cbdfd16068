"""Whether it depends on the samples which of their views are missing: a test for one's own data."""

from typing import NamedTuple

import numpy as np
from scipy import sparse, stats

from mvclust.canonical import read_views, whole_number
from mvclust.mechanisms import OF_PERMUTATIONS, child_seed, normal_scores, sizes_of, standard_scores
from mvclust.numerics.products import dense

FEWEST = 20  # samples with a view, for what it says of the others
FEWEST_OF_EACH = 5  # samples that have, and that lack, a view that is predicted
MOST = 1000  # samples of a view; of more, so many are drawn
SAME = 1e-9  # relative difference of two statistics within which they are the same
AT_ONCE = 64  # permutations that are multiplied as one
LEVEL = 0.05  # of p, for what is said
LIMITS = "Dependence on the missing values themselves cannot be tested."


class OfView(NamedTuple):
    """What the features of one view say of the presence of the others.

    Attributes
    ----------
    view : int
    n_samples : int
        That have the view and were used.
    p : float
        Of both statistics together.
    p_location, p_magnitude : float
        Whether presence follows where samples are, and how far from the centre.
    aucs : dict
        View -> area under the ROC curve with which this view predicts its presence.
    """

    view: int
    n_samples: int
    p: float
    p_location: float
    p_magnitude: float
    aucs: dict


class Missingness(NamedTuple):
    """The result of `missingness_test`.

    Attributes
    ----------
    p : float
        Corrected for the number of views tested; NaN if no view could be.
    views : list of OfView
        The views tested.
    """

    p: float
    views: list

    @property
    def strongest(self):
        """The largest AUC, with who predicts and whose presence: (AUC, view, view)."""
        return max((auc, of.view, v) for of in self.views for v, auc in of.aucs.items())


def missingness_test(Xs, presence=None, n_permutations=999, seed=0):
    """Test whether the pattern of present views depends on the features of the samples.

    The null hypothesis: given the patterns that occur, every assignment of patterns to samples is
    equally likely. For each view, among the samples that have it, the presence of the other views
    is permuted by whole rows. Two statistics are taken: one of location, a Hilbert-Schmidt
    independence criterion [1]_, and one of magnitude. The smaller of their two p values is
    compared with that of the permuted rows, so that each view's p is exact; the p of all is
    Bonferroni's.

    A rejection says that there is a dependence on observed values, not of which kind. Samples must
    be independent. What depends on missing values alone cannot be found.

    Parameters
    ----------
    Xs : list of {array-like, sparse array} of shape (n_samples, n_features_v)
        The views; a missing instance is a row of NaN.
    presence : array-like of shape (n_samples, n_views), optional
        True where present, bool; by default what is not NaN. Missing rows are not read.
    n_permutations : int, default=999
        Fewer than ``20 * n_views - 1`` cannot reach p = 0.05.
    seed : int or SeedSequence, default=0
        Of the permutations, and of the samples that are drawn where a view has more than 1,000.

    Returns
    -------
    Missingness

    References
    ----------
    .. [1] A. Gretton et al., "Measuring statistical dependence with Hilbert-Schmidt norms",
       Algorithmic Learning Theory 2005.

    Examples
    --------
    >>> X = np.r_[np.zeros(20), np.ones(20)][:, None] + np.linspace(0, 0.5, 40)[:, None]
    >>> presence = np.column_stack([np.ones(40, bool), np.arange(40) < 15])
    >>> missingness_test([X, X], presence).p
    0.002
    """
    whole_number(n_permutations, "n_permutations")
    Xs, presence = read_views(Xs, "missingness_test", presence)
    views = []
    for w, X in enumerate(Xs):
        rng = np.random.default_rng(child_seed(child_seed(seed, OF_PERMUTATIONS), w))
        rows = np.flatnonzero(presence[:, w])
        if len(rows) > MOST:
            rows = np.sort(rng.permutation(rows)[:MOST])
        counts = presence[rows].sum(axis=0)
        tested = np.flatnonzero(np.minimum(counts, len(rows) - counts) >= FEWEST_OF_EACH)
        if len(rows) >= FEWEST and tested.size:
            gram, sizes = _gram_and_sizes(X[rows])
            present = presence[np.ix_(rows, tested)]
            ps = _p_values(_kernel(gram), sizes, standard_scores(present), n_permutations, rng)
            aucs = dict(zip(tested.tolist(), _aucs(gram, present), strict=True))
            views.append(OfView(w, len(rows), *ps, aucs))
    p = min(1.0, len(views) * min(view.p for view in views)) if views else np.nan
    return Missingness(p, views)


def _gram_and_sizes(X):
    """Inner products of the centred samples, and their sizes, which magnitude is about.

    Features of a dense view are standardised, samples of a sparse one have unit length.
    """
    if sparse.issparse(X):
        sizes = sizes_of(X, "norm")
        scale = np.divide(1, sizes, out=np.zeros_like(sizes), where=sizes > 0)
        X = sparse.diags_array(scale) @ X
        gram = dense(X @ X.T)
    else:
        sizes, X = sizes_of(X), standard_scores(X)
        gram = X @ X.T
    return _centred(gram), standard_scores(normal_scores(sizes)[:, None])[:, 0]


def _centred(K):
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()


def _kernel(gram):
    """The doubly centred ``exp(-D / median D)`` of the squared distances D."""
    squares = np.diag(gram)
    D = np.maximum(squares[:, None] + squares - 2 * gram, 0)
    pairs = D[np.triu_indices(len(D), 1)]
    unit = np.median(pairs) or pairs.mean()  # if most samples are equal
    return _centred(np.exp(-D / unit)) if unit else np.zeros_like(D)


def _p_values(K, sizes, Z, n_permutations, rng):
    """The p of both statistics together, that of location, that of magnitude."""
    orders = [np.arange(len(Z))]
    orders += [rng.permutation(len(Z)) for _ in range(n_permutations)]
    location, magnitude = [], []
    for first in range(0, len(orders), AT_ONCE):
        permuted = Z[np.array(orders[first : first + AT_ONCE])]  # (permutations, samples, views)
        columns = np.moveaxis(permuted, 0, 1).reshape(len(Z), -1)
        sums = (columns * (K @ columns)).sum(axis=0)
        location.append(sums.reshape(len(permuted), -1).sum(axis=1))
        magnitude.append(((sizes @ permuted) ** 2).sum(axis=1))
    shares = [_shares_as_large(np.concatenate(each)) for each in (location, magnitude)]
    both = _shares_as_large(-np.minimum(*shares))
    return float(both[0]), float(shares[0][0]), float(shares[1][0])


def _shares_as_large(statistics):
    """Of each statistic the share of all that are at least as large."""
    unit = SAME * np.abs(statistics).max()
    rounded = np.round(statistics / unit) if unit else statistics
    return stats.rankdata(-rounded, method="max") / len(rounded)


def _aucs(gram, present):
    """The areas under the ROC curves of ridge regressions on presence, by leaving pairs out.

    Each pair of a present and a missing instance is ordered by the regression on all others. Left
    out one by one, the others' mean would say which of the two a sample is.
    """
    n = len(gram)
    if not np.trace(gram):
        return [0.5] * present.shape[1]
    H = np.linalg.solve(gram + 5 * np.trace(gram) / n * np.eye(n), gram).T + 1 / n
    return [_auc(H, there) for there in present.T]


def _auc(H, there):
    """The share of pairs in which the present one is predicted to be more likely present.

    H maps what is regressed on to what is fitted.
    """
    errors, own = there - H @ there, 1 - np.diag(H)
    i, j = np.ix_(there, ~there)
    shared = own[i] * own[j] - H[i, j] ** 2
    lead = 1 - ((own[j] - H[i, j]) * errors[i] - (own[i] - H[i, j]) * errors[j]) / shared
    return float(np.mean((lead > SAME) + 0.5 * (np.abs(lead) <= SAME)))


def describe_missingness(result, view_names):
    """The result of the test in sentences.

    Parameters
    ----------
    result : Missingness
        As `missingness_test` returns it.
    view_names : list of str
        The names of all views.

    Returns
    -------
    list of str
        Empty if nothing could be tested.

    Examples
    --------
    >>> of = OfView(0, 40, 0.004, 0.002, 0.5, {1: 0.712})
    >>> describe_missingness(Missingness(0.3, [of]), ["fou", "pix"])[0]
    'No dependence of the present views on observed values was found (p = 0.3).'
    >>> for line in describe_missingness(Missingness(0.008, [of]), ["fou", "pix"]):
    ...     print(line)
    Which views are present depends on the samples (p = 0.008).
    View fou predicts the presence of pix (AUC 0.71).
    By fou: p = 0.004 (location 0.002, magnitude 0.5; 40 samples).
    Dependence on the missing values themselves cannot be tested.
    """
    if not result.views:
        return []
    if result.p <= LEVEL:
        auc, by, of = result.strongest
        first = [
            f"Which views are present depends on the samples (p = {result.p:.2g}).",
            f"View {view_names[by]} predicts the presence of {view_names[of]} (AUC {auc:.2f}).",
        ]
    else:
        said = "No dependence of the present views on observed values was found"
        first = [f"{said} (p = {result.p:.2g})."]
    parts = [
        f"{view_names[of.view]}: p = {of.p:.2g} (location {of.p_location:.2g}, magnitude "
        f"{of.p_magnitude:.2g}; {of.n_samples} samples)"
        for of in result.views
    ]
    return [*first, f"By {'; '.join(parts)}.", LIMITS]
