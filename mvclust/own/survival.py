"""Survival by cluster: curves, and log-rank tests calibrated for a scan."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import stats

from mvclust.canonical import as_numbers, match_samples, read_labels

LEAST_PATIENTS, LEAST_EVENTS = 5, 2  # in each cluster; else a partition is not tested
N_PERMUTATIONS = 9999
BLOCK = 2_000_000  # entries of the largest array
RESOLUTION = 1e-9  # relative difference below which p values, and eigenvalues from 0, are equal


class LogRank(NamedTuple):
    """Mantel's statistic of a partition; p by chi squared, by permutations, and in a scan.

    `p_alone` is the share of the permutations in which this partition has as small a `p_chi2`, `p`
    that in which any of the partitions has.
    """

    chi2: float
    df: int
    p_chi2: float
    p_alone: float
    p: float


def scan(time, event, partitions: list, orders: np.ndarray) -> list[LogRank]:
    """Test several partitions of the same patients, calibrated for their number.

    The smallest p of a scan is too small by far; its distribution without effect is that over
    permutations of the pairs (time, event), in each of which all partitions are tested again
    (Westfall and Young, "Resampling-based multiple testing", 1993). The smallest `LogRank.p` is the
    p of the whole scan. `event` is 1 for an event and 0 for the last news; partitions must not
    depend on survival. `orders` hold the identity: see `drawn_orders`.

    Examples
    --------
    >>> import numpy as np
    >>> time, event = np.arange(1, 7), np.array([1, 1, 1, 1, 0, 1])
    >>> found = scan(time, event, [np.array([0, 0, 0, 1, 1, 1])], drawn_orders(6, 999, 0))
    >>> round(found[0].chi2, 3), round(found[0].p_chi2, 4)
    (5.052, 0.0246)
    """
    time, event, partitions = _of_the_same_patients(time, event, partitions, "scan")
    by_time = np.argsort(time, kind="stable")
    at_risk = _AtRisk(time[by_time], event[by_time] == 1)
    own, permuted, sizes = [], [], []
    for labels in partitions:
        codes = np.unique(labels, return_inverse=True)[1].ravel()[by_time]
        sizes.append(codes.max())
        own.append(at_risk.statistics(codes[None, :])[0])
        permuted.append(stats.chi2.sf(at_risk.statistics(codes[orders]), sizes[-1]))
    p_values = stats.chi2.sf(own, sizes)
    limits = p_values[:, None] * (1 + RESOLUTION)
    alone = (np.array(permuted) <= limits).mean(axis=1)
    whole = (np.min(permuted, axis=0) <= limits).mean(axis=1)
    return [
        LogRank(float(chi2), int(df), *map(float, p_values))
        for chi2, df, *p_values in zip(own, sizes, p_values, alone, whole, strict=True)
    ]


def drawn_orders(n: int, number: int, seed) -> np.ndarray:
    """Return the identity and `number` random permutations, one per row."""
    orders = np.tile(np.arange(n), (number + 1, 1))
    np.random.default_rng(seed).permuted(orders[1:], axis=1, out=orders[1:])
    return orders


def _of_the_same_patients(time, event, partitions, name):
    """Times, events and labels with patients in the same order, as arrays."""
    tables = {"time": time, "event": event}
    tables |= {f"partition {number}": labels for number, labels in enumerate(partitions)}
    time, event, *partitions = match_samples(tables, name)
    return as_numbers(time), as_numbers(event), [read_labels(y, "labels") for y in partitions]


class _AtRisk:
    """Patients by time: who is at risk when somebody has an event."""

    def __init__(self, time, event):
        self.event = event
        times, self.deaths = np.unique(time[event], return_counts=True)
        self.first = np.searchsorted(time, times)  # who is at risk begins there
        self.n = len(time) - self.first
        spread = self.deaths * (self.n - self.deaths)
        self.weights = spread / np.maximum(self.n - 1, 1)

    def statistics(self, codes):
        """Mantel's statistic of each row of clusters, whose patients are sorted by time."""
        inside = np.eye(codes.max() + 1)
        step = max(1, BLOCK // (codes.shape[1] * len(inside)))
        parts = (codes[s : s + step] for s in range(0, len(codes), step))
        return np.concatenate([self._statistics(inside[part]) for part in parts])

    def _statistics(self, inside):
        shares = inside[:, ::-1].cumsum(axis=1)[:, ::-1][:, self.first] / self.n[:, None]
        excess = inside[:, self.event].sum(axis=1) - (self.deaths @ shares)
        weighted = self.weights[:, None] * shares
        variance = -np.swapaxes(weighted, 1, 2) @ shares
        diagonal = np.arange(inside.shape[2])
        variance[:, diagonal, diagonal] += weighted.sum(axis=1)
        inverse = np.linalg.pinv(variance, rcond=RESOLUTION, hermitian=True)
        return np.einsum("bi,bij,bj->b", excess, inverse, excess)


def can_be_tested(event: np.ndarray, labels: np.ndarray) -> bool:
    """Whether each of at least two clusters has 5 patients and 2 events."""
    event, labels = match_samples({"event": event, "labels": labels}, "can_be_tested")
    event, codes = as_numbers(event), np.unique(labels, return_inverse=True)[1].ravel()
    sizes, events = np.bincount(codes), np.bincount(codes, event == 1)
    return bool(len(sizes) > 1 and min(sizes) >= LEAST_PATIENTS and min(events) >= LEAST_EVENTS)


def kaplan_meier(time, event):
    """Return times from 0, the share of patients without an event until then, its low and high.

    Low and high are a pointwise 95 % interval (log-log).

    Examples
    --------
    >>> import numpy as np
    >>> times, survival, *_ = kaplan_meier(np.array([1, 2, 2, 4]), np.array([1, 1, 0, 1]))
    >>> times.tolist(), survival.tolist()
    ([0.0, 1.0, 2.0, 4.0], [1.0, 0.75, 0.5, 0.0])
    """
    time, event = map(np.asarray, match_samples({"time": time, "event": event}, "kaplan_meier"))
    found = stats.ecdf(stats.CensoredData.right_censored(time, event != 1)).sf
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where no or every patient had the event
        interval = found.confidence_interval(0.95, method="log-log")
    survival = found.probabilities
    bounds = [interval.low.probabilities, interval.high.probabilities]
    low, high = (np.where(np.isfinite(bound), bound, survival) for bound in bounds)
    times = np.r_[0.0, found.quantiles]
    return times, *(np.r_[1.0, values] for values in (survival, low, high))


def _curves(time, event, labels):
    """The curve of each cluster, its median, and how many patients are at risk at some times."""
    power = 10.0 ** np.floor(np.log10(max(time.max(), RESOLUTION) / 5))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= time.max() / 5)
    ticks = [float(f"{tick:.6g}") for tick in np.arange(0, time.max() + step / 1e6, step)]
    curves = []
    for c in np.unique(labels):
        own = labels == c
        times, survival, low, high = kaplan_meier(time[own], event[own])
        curves.append({
            "cluster": int(c), "patients": int(own.sum()), "events": int((event[own] == 1).sum()),
            "median": float(times[survival <= 0.5][0]) if survival[-1] <= 0.5 else None,
            "times": times.tolist(), "survival": survival.tolist(),
            "low": low.tolist(), "high": high.tolist(),
            "at_risk": [int((time[own] >= tick).sum()) for tick in ticks],
        })  # fmt: skip
    return {"ticks": ticks, "curves": curves}


def survival_of(time, event, partitions: dict, chosen: str, seed: int) -> dict:
    """Return how survival differs between the clusters of a method, and of all others, for JSON.

    Curves, numbers of patients and events and the permutation `p` are of the chosen clusters;
    methods with a cluster of too few patients or events are left out of the scan.
    """
    time, event, labels = _of_the_same_patients(time, event, partitions.values(), "survival_of")
    known = np.isfinite(time) & np.isfinite(event)
    time, event = time[known], event[known]
    partitions = {name: of[known] for name, of in zip(partitions, labels, strict=True)}
    tested = {name: labels for name, labels in partitions.items() if can_be_tested(event, labels)}
    tests, few, own = {}, None, partitions[chosen]
    orders = drawn_orders(len(time), N_PERMUTATIONS, seed)
    if tested:
        found = scan(time, event, list(tested.values()), orders)
        tests = {name: test._asdict() for name, test in zip(tested, found, strict=True)}
    if chosen not in tested and len(np.unique(own)) > 1 and (event == 1).sum() >= LEAST_EVENTS:
        few = scan(time, event, [own], orders)[0].p_alone
    curves = _curves(time, event, own) if len(time) else {"ticks": [], "curves": []}
    return curves | {
        "patients": len(time),
        "events": int((event == 1).sum()),
        "permutations": N_PERMUTATIONS,
        "tests": [{"method": name, **test} for name, test in tests.items()],
        "not_tested": [name for name in partitions if name not in tests],
        "p": tests[chosen]["p_alone"] if chosen in tests else few,
        "sentence": _sentence(tests, chosen, few, f"{len(time)} of {len(known)} samples"),
    }


def _sentence(tests, chosen, p_of_few, who):
    few = f"a cluster has fewer than {LEAST_PATIENTS} patients or {LEAST_EVENTS} events."
    text = f"Survival cannot be compared between these clusters: {few}"
    if p_of_few is not None:
        text = f"Survival by cluster ({who}): log-rank {_p(p_of_few)}, with little power: {few}"
    if not tests:
        return text
    best = min(tests, key=lambda name: tests[name]["p"])
    over = f"after the scan of {len(tests)} partitions"
    if chosen in tests:
        own = tests[chosen]
        scanned = f", and {_p(own['p'])} {over}" if len(tests) > 1 else ""
        text = f"Survival by cluster ({who}): log-rank {_p(own['p_alone'])}{scanned}."
    if best != chosen:
        text += f" The smallest is that of {best}: {_p(tests[best]['p'])} {over}."
    return text


def _p(share):
    """A p of permutations in words; as many give no smaller one."""
    return f"p {'≤' if share <= 1 / N_PERMUTATIONS else '='} {share:.2g}"
