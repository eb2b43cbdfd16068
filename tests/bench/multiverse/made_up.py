"""A made-up table: two methods on data whose scores follow from the options by known amounts."""

import itertools

import numpy as np
import pandas as pd

from mvclust.bench.plan.settings import canonical

METRICS = {"ACC": "acc", "NMI": "nmi_max"}
QUESTIONS = {"features": [None, "feature_minmax"], "labels": ["kmeans", "argmax"]}
ALPHAS = (1, 10)


def experiment_of(how, sd=0.0, n_masks=6, protocol="paired", starts=(0,), rates=(0.1, 0.3)):
    """A slice of the plan, and its runs, whose noise has the deviation `sd`.

    `how` gives an accuracy in percent of (method, rate, features, labels, alpha).
    """
    rng, cases, runs = np.random.default_rng(0), [], []
    for rate in rates:
        points = {"A": [], "B": []}
        for method, features, labels, alpha, start in itertools.product(
            points, *QUESTIONS.values(), ALPHAS, starts
        ):
            chosen = {"features": features, "labels": labels, "alpha": alpha, "start": start}
            keys = []
            for mask in range(n_masks):
                key = f"{rate}|{method}|{canonical(chosen)}|{mask}"
                acc = (how(method, rate, features, labels, alpha) + rng.normal(0, sd)) / 100
                keys.append(key)
                scores = {"acc": acc, "nmi_max": acc / 2, "nmi_arithmetic": acc / 4}
                runs.append({"key": key, "error": None, "source": "x"} | scores)
            points[method].append({"values": chosen, "keys": keys})
        setting = {"protocol": protocol, "rate": rate, "views": ["a", "b"]}
        cases.append({"label": "one", "setting": setting, "points": points})
    definitions = {"NMI": ["nmi_max", "nmi_arithmetic"]}
    kind = {"name": "kind", "added": False, "questions": QUESTIONS, "definitions": definitions}
    stated = {"features": None, "labels": "kmeans", "start": 0}
    return {
        "id": "m", "paper": "p", "item": "t", "unit": "percent", "metrics": METRICS,
        "methods": [{"key": m, "label": m, "published": [f"{m} printed"]} for m in "AB"],
        "published": printed(how, rates, protocol), "cases": cases, "protocol": protocol,
        "kinds": {"A": kind, "B": kind}, "stated": {m: {"one": stated} for m in "AB"},
        "runs": {"one": 5}, "steps": {"one": 0.5}, "own": ["A"],
    }, pd.DataFrame(runs)  # fmt: skip


def printed(how, rates, protocol, features="feature_minmax", labels="argmax"):
    """What a paper prints that took one protocol, with NMI by the arithmetic mean."""
    name = "paired_rate" if protocol == "paired" else "missing_rate"
    rows = []
    for method, rate in itertools.product("AB", rates):
        score = max(how(method, rate, features, labels, alpha) for alpha in ALPHAS)
        rows += [
            {"paper": "p", "item": "t", "dataset": "one", "missing_rate": None, "paired_rate": None,
             "view": None, "method": f"{method} printed", "metric": metric, "unit": "percent",
             "mean": f"{score / part:.2f}", "std": None} | {name: rate}
            for metric, part in (("acc", 1), ("nmi", 4))
        ]  # fmt: skip
    return rows


def additive(method, rate, features, labels, alpha):
    """Features are worth 8 points, labels 2, both together 1 more; each rate has its own alpha."""
    score = 40 + 30 * rate + (10 if method == "B" else 0)
    minmax, argmax = features == "feature_minmax", labels == "argmax"
    score += 8 * minmax + 2 * argmax + minmax * argmax
    return score + 3 * ((alpha == 10) == (rate > 0.2))
