"""Whether facts about the samples go with clusters: a test and an effect size per fact."""

import re
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
# what a sample was taken or measured with: plate, BatchID, run_date; no tumor_site, no lab_crp
BATCH = any_case(r"""(^|[ ._-])((batch|plate|chip|array|slide|lane|kit)(es|s)?([ ._-]|id|no|\d|$)|
    (?<!tumor.)(?<!tumour.)(?<!body.)(?<!primary.)(?<!metastatic.)(?<!anatomic.)
    (run|seq_?run|site|cent(er|re)|hospital|institut(e|ion)|scanner|machine|instrument|platform|
    lab|laboratory|operator|technician|cohort|study|flow_?cell|tss)s?([ ._-]?(id|no|nr|number|code|
    name|date|\d+))?$)|^(processing|scan|sequencing|measurement)[ ._-]date$""")
DATE = re.compile(r"\d{4}-\d\d(-\d\d)?([ T].*)?$")  # in the order of their texts


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

    A fact is a list of texts, empty where it is not known. More than 10 distinct numbers or dates
    are compared by ranks (Kruskal-Wallis, eta²), everything else by counts (chi-squared, Cramér's
    V).
    """
    tested, reasons = [], {}
    for name, texts in facts.items():
        known = np.array([text != "" for text in texts], dtype=bool)
        own, values = labels[known], np.array([text for text in texts if text != ""])
        levels = set(values)
        numbers = all(number(v) is not None for v in levels) or all(map(DATE.match, levels))
        numeric = len(levels) > MOST_LEVELS and numbers
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
    effect = np.sqrt(max(statistic, 0.0) / (table.sum() * (min(table.shape) - 1)))
    margins = table.sum(axis=1), table.sum(axis=0)
    if np.outer(*margins).min() / table.sum() < LEAST_EXPECTED:
        drawn = stats.random_table(*margins, seed=rng).rvs(N_PERMUTATIONS)
        p, test = _share(chi_squared(drawn), statistic), "chi-squared, permuted"
    else:
        freedom = (len(clusters) - 1) * (len(levels) - 1)
        p, test = float(stats.chi2.sf(statistic, freedom)), "chi-squared"
    shown = {
        int(c): f"{levels[counts.argmax()]} ({counts.max() / counts.sum():.0%})"
        for c, counts in zip(clusters, table, strict=True)
    }
    return test, p, "Cramér's V", float(effect), shown


def chi_squared(tables: np.ndarray) -> np.ndarray:
    """Pearson's statistic of tables of counts, along the last two axes; no margin is zero."""
    rows, columns = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    return tables.sum(axis=(-2, -1)) * ((tables**2 / (rows * columns)).sum(axis=(-2, -1)) - 1)


def _by_ranks(values, labels, rng):
    order = np.argsort(labels, kind="stable")
    sorted_values, places = np.unique(values[order], return_inverse=True)
    dates, labels = DATE.match(sorted_values[0]), labels[order]
    numbers = places if dates else np.array([number(v) for v in values[order]], dtype=float)
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
    medians = [sorted_values[int(np.median(g))] if dates else f"{np.median(g):.4g}" for g in groups]
    shown = {int(c): f"median {text}" for c, text in zip(clusters, medians, strict=True)}
    return test, p, "eta²", effect, shown


def _between(ranks, starts, sizes):
    """Sum of squares between clusters, up to constants: Kruskal's statistic orders alike."""
    return (np.add.reduceat(ranks, starts) ** 2 / sizes).sum()


def _share(drawn, statistic):
    return float((1 + (drawn >= statistic * TIES).sum()) / (1 + len(drawn)))


def _in_words(found):
    return ", ".join(f"{a.fact} ({a.measure} {a.effect:.2f}, p = {a.p_holm:.2g})" for a in found)


def batch_warning(found: list[Association], batches: tuple = ()) -> str | None:
    """Return a sentence if clusters follow a batch: by its name, or one of `batches`.

    What is no batch corrects none of them: to overlook one is the costly error.
    """
    able = [a for a in found if a.fact in batches or BATCH.search(a.fact)]
    pairs = zip(able, holm([a.p for a in able]), strict=True)
    able = [a._replace(p_holm=float(p)) for a, p in pairs]
    clear = [a for a in able if a.p_holm <= LEVEL and a.effect >= STRONG[a.measure]]
    if not clear:
        return None
    return (
        f"The clusters follow {' and '.join(_in_words([a]) for a in clear)}: they may show how "
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
