"""Each kind of test on made-up runs: what it decides, and what keeps it open."""

import numpy as np
import pytest
from bench.claims.made_up import MadeUp, points, test_of

from mvclust.bench.claims.paired import difference, power_text
from mvclust.bench.claims.tests import outcome_of
from mvclust.bench.claims.verdicts import FAILS, HOLDS, NO_DATA, OPEN, PARTLY
from mvclust.bench.config.models import ClaimTest

PAIR = {"methods": ["A"], "against": ["B"]}
ABOVE = test_of("above", **PAIR)


def compared(a, b, **keys):
    made = MadeUp(**keys)
    for rate in (0.1, 0.3, 0.5):
        made.add("e", {"A": a, "B": b}, rate=rate)
    return made.source()


VERDICTS = {
    "above": {(70, 60): HOLDS, (60, 70): FAILS},
    "much_above": {(70, 60): HOLDS, (63.1, 60): PARTLY, (61.8, 60): FAILS, (60, 70): FAILS},
    "best": {(70, 60): HOLDS, (60, 70): FAILS},
    "worst": {(60, 70): HOLDS, (70, 60): FAILS},
    "not_best": {(60, 70): HOLDS, (70, 60): FAILS},
    "below_median": {(60, 70): HOLDS},
    "within": {(60, 60.2): HOLDS, (60, 70): FAILS},
    "gain": {(70, 60): HOLDS, (62, 60): FAILS},  # by 10 %
}


@pytest.mark.parametrize(("kind", "pair"), [(k, pair) for k in VERDICTS for pair in VERDICTS[k]])
def test_pairs(kind, pair):
    (a, b), verdict = pair, VERDICTS[kind][pair]
    source = compared(points(a), points(b, seed=1, sd=0.5))
    outcome = outcome_of(test_of(kind, **PAIR, gain={"ACC": 10}), source)
    assert outcome.verdict == verdict
    assert outcome.power
    assert outcome.units


def test_noise_and_failed_fits_leave_a_claim_open():
    outcome = outcome_of(ABOVE, compared(points(61, sd=9), points(60, sd=9, seed=1)))
    assert (outcome.verdict, outcome.because) == (OPEN, "underpowered")
    assert outcome.detectable > 5
    a = [({"p": 0}, np.array([70, 71, np.nan, np.nan, 72]))]
    assert outcome_of(ABOVE, compared(a, points(60))).verdict == OPEN


def test_a_win_of_the_larger_grid_is_open_but_its_loss_is_not():
    many, one = points(70, 69, 68), points(60)
    lost = outcome_of(ABOVE, compared(points(50, 49, 48), one, tunable="AB"))
    assert lost.verdict == FAILS
    free = outcome_of(ABOVE, compared(many, one, tunable=["A"]))
    assert free.verdict == HOLDS  # a method without parameters has no larger grid
    tied = MadeUp("ABC").add("e", {"A": one, "B": many, "C": one}).source()
    assert outcome_of(test_of("best", methods=["A"], against=["B", "C"]), tied).verdict == OPEN


LARGER = {"A": ["above", "best", "not_best", "gain"], "B": ["above", "worst", "below_median"]}


@pytest.mark.parametrize(("kind", "more"), [(kind, m) for m in LARGER for kind in LARGER[m]])
def test_grids_count_in_every_comparison(kind, more):
    grids = points(70, 69, 68), points(60)
    a, b = grids if more == "A" else reversed(grids)
    outcome = outcome_of(test_of(kind, **PAIR, gain={"ACC": 15}), compared(a, b, tunable="AB"))
    assert outcome.verdict == OPEN
    numbers = "A 3, B 1" if more == "A" else "A 1, B 3"
    assert f"points per method: {numbers}" in outcome.because


def test_no_claim_is_decided_on_a_reconstructed_method():
    outcome = outcome_of(ABOVE, compared(points(70), points(60), reconstructed=["B"]))
    assert (outcome.verdict, outcome.because) == (OPEN, "reconstructed: B")
    made = MadeUp(reconstructed=["C"])
    made.add("e", {"A": points(70), "B": points(60), "C": points(90)})
    outcome = outcome_of(test_of("best", methods=["A"], against=["B", "C"]), made.source())
    assert outcome.verdict == HOLDS
    assert "without C (reconstructed)" in outcome.power


def test_what_is_not_in_the_run_is_no_data():
    source = compared(points(70), points(60))
    for place in {"experiments": ["f"]}, {"datasets": ["elsewhere"]}:
        outcome = outcome_of(test_of("above", **PAIR, **place), source)
        ((name,),) = place.values()
        assert (outcome.verdict, outcome.because) == (NO_DATA, f"not in this run: {name}")
    made = MadeUp().add("e", {"A": points(70), "B": points(60)})
    for row in made.rows["e"]:
        row.update(acc=np.nan, error="data not available", n_samples=None)
    assert outcome_of(ABOVE, made.source()).verdict == NO_DATA


def test_an_experiment_without_rows_is_no_error():
    made = MadeUp().add("e", {"A": points(70), "B": points(60)})
    del made.rows["e"][1:]
    keys = {"parameter": "p", "window": [1, 2], "iteration": 3, "gain": {"ACC": 1.0}}
    for kind in ClaimTest.model_json_schema()["properties"]["kind"]["enum"]:
        outcome = outcome_of(test_of(kind, **PAIR, **keys), made.source())
        assert outcome.verdict in (OPEN, NO_DATA), kind


def test_a_reduced_run_decides_nothing():
    made = MadeUp().add("e", {"A": points(70), "B": points(60)})
    both = outcome_of(test_of("above", **PAIR, experiments=["e", "f"]), made.source())
    assert (both.verdict, both.because) == (OPEN, "not in this run: f")
    made.experiments["e"]["cut"] = True
    cut = outcome_of(ABOVE, made.source())
    assert (cut.verdict, cut.because) == (OPEN, "reduced run: e")


@pytest.mark.parametrize(
    ("kind", "most"), [("above", 70), ("best", 70), ("worst", 50), ("not_best", 50)]
)
def test_a_claim_on_most_units_is_not_decided_by_one(kind, most):
    made = MadeUp()
    for place, mean in enumerate([most] * 10 + [120 - most] * 2):
        rows = {"A": points(mean), "B": points(60, seed=1)}
        made.add("e", rows, dataset=f"toy {place}")
    for quantifier, verdict in {None: PARTLY, "all": FAILS, "most": HOLDS}.items():
        test = test_of(kind, **PAIR, quantifier=quantifier)
        if (kind, quantifier) != ("not_best", "most"):  # of which no claim says so
            assert outcome_of(test, made.source()).verdict == verdict


RATES = (0.1, 0.3, 0.5, 0.7)
PAIRED = [{"rate": x, "protocol": "paired"} for x in RATES]  # counts what is not paired


@pytest.mark.parametrize(
    ("places", "keys", "verdict"),
    [
        (PAIRED, {"direction": "falls"}, HOLDS),
        (PAIRED, {"direction": "rises"}, FAILS),
        ([{"views": n, "dataset": f"toy {n}"} for n in (2, 3, 4, 5)], {"axis": "views"}, HOLDS),
    ],
)
def test_trends_over_rates_and_over_the_number_of_views(places, keys, verdict):
    made = MadeUp()
    for number, place in enumerate(places):
        made.add("e", {"A": points(50 + 8 * number)}, **place)
    assert outcome_of(test_of("trend", methods=["A"], **keys), made.source()).verdict == verdict


def test_views_with_scores_of_their_own_are_units_of_their_own():
    made = MadeUp()
    for number, rate in enumerate(RATES):  # what is not mapped is missing
        made.add("e", {"A": points(50 + 8 * number)}, rate=rate, protocol="mapped")
    for row in made.rows["e"]:
        row["per_view"] = [{"acc": row["acc"]}, {"acc": 1 - row["acc"]}]
    outcome = outcome_of(test_of("trend", methods=["A"], direction="falls"), made.source())
    assert outcome.units == (("A: toy view 1, ACC", "+"), ("A: toy view 2, ACC", "-"))


def test_a_lead_is_over_the_mean_of_the_others():
    made = MadeUp()
    for number, rate in enumerate(RATES):
        rows = {"A": points(60 + 4 * number), "B": points(60), "C": points(60 - 4 * number)}
        made.add("e", rows, rate=rate)
    keys = {"measure": "lead", "methods": ["A"], "against": ["B", "C"], "direction": "rises"}
    outcome = outcome_of(test_of("trend", **keys), made.source())
    assert (outcome.verdict, outcome.effect) == (HOLDS, pytest.approx(18))


def swept(means, values=(0.01, 0.1, 1, 10, 100, 1000, 1e4)):
    scores = [scores for _, scores in points(*means, sd=0.3)]
    grid = [({"w": value}, of_value) for value, of_value in zip(values, scores, strict=True)]
    return MadeUp().add("e", {"A": grid}, sweep=True)


def test_what_a_rise_could_show_is_told_by_its_ends():
    source = swept([40, 70, 79, 80, 80, 80, 81]).source()
    test = test_of("rise_then_flat", methods=["A"], parameter="w", window=[1, 10])
    (sweep,) = source.sweeps(test)
    ends = difference([sweep.scores[-1] - sweep.scores[0]], sweep.cell.step)
    assert outcome_of(test, source).detectable == power_text([ends])[1]


@pytest.mark.parametrize(("direction", "verdict"), [("rises", HOLDS), ("falls", FAILS)])
def test_trends_over_the_values_of_a_parameter(direction, verdict):
    source = swept([50, 55, 60, 65, 70, 75, 80]).source()
    test = test_of("trend", axis="parameter", methods=["A"], parameter="w", direction=direction)
    assert outcome_of(test, source).verdict == verdict


def test_insensitive_above_the_floor():
    made = swept([70, 71, 70, 72, 71, 70, 71]).add("f", {"K": points(60)})
    test = test_of("insensitive", experiments=["e", "f"], methods=["A"], against=["K"])
    assert outcome_of(test, made.source()).verdict == HOLDS
    narrow = test.model_copy(update={"margin": 0.5})
    assert outcome_of(narrow, made.source()).verdict == FAILS
    for row in made.rows["f"]:
        row["acc"] += 0.2
    assert outcome_of(test, made.source()).verdict == PARTLY


CURVE = [100 + 50 * 0.6**k for k in range(60)]


def traced(curves, variant):
    grid = [({"max_iter": k}, np.full(len(curves), 70.0 if k > 1 else 40.0)) for k in (1, 30, 60)]
    made = MadeUp()
    return made.add("e", {"A": grid}, sweep=True, variant=variant, curves=curves).source()


def test_curves_of_changed_steps_say_nothing_of_the_printed_ones():
    test = test_of("descent", methods=["A"], variant="paper")
    own = outcome_of(test, traced([CURVE] * 5, "exact"))
    assert own.verdict == OPEN
    assert "curves of variant exact only" in own.because
    held = outcome_of(test, traced([CURVE] * 5, "paper"))
    assert (held.verdict, held.because) == (HOLDS, "")
    assert outcome_of(test, traced([CURVE] * 4, "paper")).verdict == OPEN
    assert outcome_of(test, traced([CURVE[:5] + CURVE[:5]] * 5, "paper")).verdict == FAILS


COMPLETE = {"rate": 0, "protocol": "complete"}


@pytest.mark.parametrize(
    ("kind", "scores", "place", "verdict"),
    [
        ("one_run", [70.0] * 10, COMPLETE, HOLDS),
        ("several_runs", [70.0] * 10, COMPLETE, FAILS),
        ("several_runs", [60.0, 70.0] * 5, COMPLETE, HOLDS),
        ("one_run", [60.0, 70.0] * 5, {}, OPEN),  # masks differ too
    ],
)
def test_repeats(kind, scores, place, verdict):
    made = MadeUp().add("e", {"A": [({}, scores)]}, **place)
    assert outcome_of(test_of(kind), made.source()).verdict == verdict


def test_crossed_choices_do_not_profit_from_noise():
    rng = np.random.default_rng(0)
    noise = [({"p": i}, 60 + rng.normal(0, 5, 5)) for i in range(30)]
    made = MadeUp().add("e", {"A": noise, "B": points(60)})
    means = [made.source(crossed).cells(ABOVE)[0].scores["A"].mean() for crossed in (False, True)]
    assert means[0] == pytest.approx(max(scores.mean() for _, scores in noise))
    assert means[1] < means[0] - 1


@pytest.mark.parametrize(
    "better_and_worse",
    [
        [[70.0] * 5, [60.0] * 4 + [np.nan]],  # a failed fit is no part of a mean
        [[70.0], [90.0]],  # there is no other mask to choose on: the first point
    ],
)
def test_crossed_choices_with_little_to_choose_on(better_and_worse):
    grid = [({"p": i}, np.array(scores)) for i, scores in enumerate(better_and_worse)]
    source = MadeUp().add("e", {"A": grid}).source(crossed=True)
    (cell,) = source.cells(ABOVE)
    assert cell.scores["A"] == pytest.approx(70.0)
