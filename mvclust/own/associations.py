"""Whether facts about the samples go with clusters: a test and an effect size per fact."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from mvclust.numerics.multiple import holm
from mvclust.own.texts import number
from mvclust.own.words import any_case

MOST_LEVELS = 10  # distinct numbers that are read as categories
LEAST_EXPECTED = 5  # per cell, or samples per cluster; below, p comes from permutations
N_PERMUTATIONS = 9999
LEVEL = 0.05
TIES = 1 - 1e-9  # statistics that differ by rounding are equal
STRONG = {"Cramér's V": 0.3, "eta²": 0.1}  # from there clusters follow a batch
BATCH = any_case(r"""(^|[ ._-])(batch|plate|run|lane|chip|array|slide|site|cent(er|re)|hospital|
    scanner|machine|platform|lab|laboratory|operator|cohort|study)(es|s)?([ ._-]|\d|$)""")


class Association(NamedTuple):
    """How a fact goes with the clusters; `clusters` has a few words about each."""

    fact: str
    n_samples: int
    test: str
    p: float
    p_holm: float
    measure: str
    effect: float
    clusters: dict


def associations(facts: dict, labels: np.ndarray, seed: int) -> tuple[list[Association], dict]:
    """Test each fact against the clusters, those with the smallest p first; and why others not.

    A fact is a list of texts, empty where it is not known. More than 10 distinct numbers are
    compared by ranks (Kruskal-Wallis, eta²), everything else by counts (chi-squared, Cramér's V).
    """
    tested, reasons = [], {}
    for name, texts in facts.items():
        known = np.array([text != "" for text in texts], dtype=bool)
        own, values = labels[known], np.array([text for text in texts if text != ""])
        levels = set(values)
        numeric = len(levels) > MOST_LEVELS and all(number(v) is not None for v in levels)
        if len(levels) < 2:
            reasons[name] = "one value only"
        elif not numeric and len(levels) > max(len(values) / 2, 2):
            reasons[name] = "nearly every sample has a value of its own"
        elif len(np.unique(own)) < 2:
            reasons[name] = "known in one cluster only"
        else:
            rng = np.random.default_rng([seed, len(tested)])
            test, p, *rest = (_by_ranks if numeric else _by_counts)(values, own, rng)
            tested.append(Association._make([name, len(own), test, p, p, *rest]))
    corrected = holm([a.p for a in tested])
    found = [a._replace(p_holm=float(p)) for a, p in zip(tested, corrected, strict=True)]
    return sorted(found, key=lambda a: (a.p, -a.effect)), reasons


def _by_counts(values, labels, rng):
    (clusters, levels), table = stats.contingency.crosstab(labels, values)
    statistic = chi_squared(table)
    margins = table.sum(axis=1), table.sum(axis=0)
    if np.outer(*margins).min() / table.sum() < LEAST_EXPECTED:
        drawn = stats.random_table(*margins, seed=rng).rvs(N_PERMUTATIONS)
        p, test = _share(chi_squared(drawn), statistic), "chi-squared, permuted"
    else:
        freedom = (len(clusters) - 1) * (len(levels) - 1)
        p, test = float(stats.chi2.sf(statistic, freedom)), "chi-squared"
    effect = np.sqrt(statistic / (table.sum() * (min(table.shape) - 1)))
    shown = {
        int(c): f"{levels[counts.argmax()]} ({counts.max() / counts.sum():.0%})"
        for c, counts in zip(clusters, table, strict=True)
    }
    return test, p, "Cramér's V", float(effect), shown


def chi_squared(tables: np.ndarray) -> np.ndarray:
    """Pearson's statistic of tables of counts, along the last two axes; no margin is zero."""
    rows, columns = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    n = tables.sum(axis=(-2, -1))
    return n * ((tables**2 / (rows * columns)).sum(axis=(-2, -1)) - 1)


def _by_ranks(values, labels, rng):
    order = np.argsort(labels, kind="stable")
    numbers, labels = np.array([number(v) for v in values], dtype=float)[order], labels[order]
    clusters, starts, sizes = np.unique(labels, return_index=True, return_counts=True)
    groups = np.split(numbers, starts[1:])
    statistic, p = map(float, stats.kruskal(*groups))
    test = "Kruskal-Wallis"
    if sizes.min() < LEAST_EXPECTED:
        ranks = stats.rankdata(numbers)
        own = _between(ranks, starts, sizes)
        drawn = [_between(rng.permutation(ranks), starts, sizes) for _ in range(N_PERMUTATIONS)]
        p, test = _share(np.array(drawn), own), "Kruskal-Wallis, permuted"
    n, k = len(numbers), len(clusters)
    effect = max(0.0, (statistic - k + 1) / (n - k)) if n > k else 0.0
    shown = {int(c): f"median {np.median(g):.4g}" for c, g in zip(clusters, groups, strict=True)}
    return test, p, "eta²", effect, shown


def _between(ranks, starts, sizes):
    """Sum of squares between clusters, up to constants: Kruskal's statistic orders alike."""
    return (np.add.reduceat(ranks, starts) ** 2 / sizes).sum()


def _share(drawn, statistic):
    return float((1 + (drawn >= statistic * TIES).sum()) / (1 + len(drawn)))


def _in_words(found):
    return ", ".join(f"{a.fact} ({a.measure} {a.effect:.2f}, p = {a.p_holm:.2g})" for a in found)


def batch_warning(found: list[Association], batch: str | None = None) -> str | None:
    """Return a sentence if clusters follow the batch, or a fact whose name says that it is one."""
    clear = [a for a in found if a.p_holm <= LEVEL and a.effect >= STRONG[a.measure]]
    batches = [a for a in clear if a.fact == batch or BATCH.search(a.fact)]
    if not batches:
        return None
    return (
        f"The clusters follow {' and '.join(_in_words([a]) for a in batches)}: they may show how "
        "samples were taken or measured, not what they are."
    )


def sentence(found: list[Association]) -> str | None:
    """Return which facts go with the clusters."""
    if not found:
        return None
    clear = [a for a in found if a.p_holm <= LEVEL]
    tested = f"({len(found)} fact{'s' * (len(found) > 1)} tested, p corrected by Holm)."
    what = f"What goes with the clusters: {_in_words(clear)}"
    return f"{what if clear else 'No fact goes with the clusters'} {tested}"
