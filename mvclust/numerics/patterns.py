"""Samples grouped by the set of views that they are present in."""

import numpy as np


class PresencePatterns:
    """Sort samples so that those present in the same views lie side by side.

    A sum over the views of W_v V A_v, with W_v the diagonal of presence, is then one product per
    pattern instead of one per view, on contiguous rows. For `presence` of shape
    (n_samples, n_views) the `patterns` have shape (n_patterns, n_views), and `slices` are the
    sorted rows of each.

    >>> groups = PresencePatterns(np.array([[True, True], [False, True], [True, True]]))
    >>> groups.patterns.tolist(), groups.slices
    ([[False, True], [True, True]], [slice(0, 1, None), slice(1, 3, None)])
    >>> groups.unsort(groups.sort(np.arange(3))).tolist()
    [0, 1, 2]
    """

    def __init__(self, presence):
        self.patterns, which = np.unique(presence, axis=0, return_inverse=True)
        which = which.ravel()
        self._order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=len(self.patterns))).tolist()
        self.slices = [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def sort(self, A):
        """Rows of A in the order of the patterns (a copy)."""
        return A[self._order]

    def unsort(self, A):
        """Undo `sort` (a copy)."""
        restored = np.empty_like(A)
        restored[self._order] = A
        return restored

    def sums(self, per_view):
        """For each pattern the sum of the arrays of its views, all of one shape (an array)."""
        return np.tensordot(self.patterns.astype(np.float64), np.stack(per_view), 1)
