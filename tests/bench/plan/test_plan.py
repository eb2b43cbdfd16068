"""The plan: fits once, even jobs, and slices that change with exactly what a rule uses."""

import json
from collections import Counter
from itertools import product

import pytest
from bench.planned import changed_slices, costs_of, digests, edited, plan_of
from helpers import ROOT

from mvclust.bench.config.load import load_run
from mvclust.bench.config.models import DataSet, Method
from mvclust.bench.plan import job_inputs
from mvclust.bench.plan.costs import (
    JOB_START,
    Cost,
    Costs,
    for_few_samples,
    forecast,
    known_costs,
    read_costs,
)
from mvclust.bench.plan.jobs import JOB_SECONDS, Packing
from mvclust.bench.plan.seeds import seed_of, seed_of_setting
from mvclust.bench.plan.selection import Study
from mvclust.bench.plan.settings import Fit, Setting
from mvclust.bench.record.records import checksums, write_json


@pytest.fixture(scope="module")
def plan(science):
    return plan_of(science)


def test_shared_fits_run_once(plan):
    keys = [key for use in plan.slices["fit"].values() for key, *_ in use["fits"]]
    scores = plan.slices["score"].values()
    wanted = [key for use in scores for part in use["fits"].values() for key in part]
    assert sorted(keys) == sorted(set(wanted))
    assert len(wanted) > len(keys)  # rates and weights share a point


def test_seeds_and_names_of_fits_follow_from_their_values_alone():
    assert len({seed_of(0, "a", rate, r) for rate in (0.1, 0.3) for r in range(50)}) == 100
    settings = [Setting("digits", ("fou",), "random", rate) for rate in (0, 0.0)]
    assert len({seed_of_setting(0, setting, 1, "fit") for setting in settings}) == 1
    params = {"a": 1, "b": 2.0}, {"b": 2, "a": 1.0}
    assert len({Fit(settings[0], 0, "DAIMC", each).key for each in params}) == 1


# What an edit concerns. Rules are those of the plan; those after them follow from their files.
CLAIMED = {"claims"}
TUNED = {"experiment"} | CLAIMED
PAGES = {"paper", "report"}
SHOWN = {"experiment", "published"} | PAGES
NAMED = SHOWN | {"costs"}
FITTED = {"fit", "score"} | TUNED

METHOD_EDITS = {
    "label": ("a new name", NAMED),
    "published": (["Another"], SHOWN | CLAIMED),
    "reference": (True, SHOWN),
    "reconstructed": (True, CLAIMED | {"published"} | PAGES),
    "in_all": (False, set()),  # `methods: all` is a list before anything is planned
    "fixed": ({"variant": "paper"}, FITTED),
    "by_kind": ({"scale": dict.fromkeys(("counts", "tf-idf", "real", "links"))}, FITTED),
    "default": ({"alpha": 0.1, "beta": 1}, TUNED),  # a point that is in the grid already
    "grid": ({"alpha": [0.1, 10], "beta": [10, 1, 0.1]}, TUNED),  # the same points
    "estimator": ("mvclust.estimators.ueaf.UEAF", {"fit"}),
}

DATASET_EDITS = {
    "reader": ("buaa", {"prepare"}),
    "title": ("Another title", set()),
    "n_samples": (41, {"prepare"}),
    "classes": ({"0": 20, "2": 20}, {"prepare"}),
    "views": (
        [{"name": n, "dimension": 77, "kind": "real"} for n in ("fou", "pix", "zer")],
        {"prepare"},
    ),
    "default_subset": ("few", {"prepare"}),
    "subsets": ({"all": {"n_samples": 39}, "few": None}, {"prepare"}),
    "files": ({"digits.txt": {"sha256": "1", "bytes": 1}}, {"download", "prepare"}),
    "sources": (
        [{"kind": "mirror"}, {"kind": "url", "addresses": {"digits.txt": "https://a.b/c"}}],
        {"download", "prepare"},
    ),
    "publisher": ("somebody", set()),
    "licence": ("none", {"statistics"}),
    "citation": ("A paper", set()),
    "paper_says": ([{"paper": "beyond", "called": "Digits"}], {"statistics"}),
    "notes": (["mind this"], {"statistics"}),
    "needs": (["no-such-package"], {"prepare"}),
    "unverified": (True, set()),
}

EDITS = [("methods", "DAIMC", key, *METHOD_EDITS[key]) for key in METHOD_EDITS]
EDITS += [("datasets", "digits", key, *DATASET_EDITS[key]) for key in DATASET_EDITS]


@pytest.mark.parametrize(("kind", "name", "key", "value", "rules"), EDITS)
def test_an_edit_of_a_method_or_data_set_reaches_what_uses_it(
    science, kind, name, key, value, rules
):
    subsets = {"digits": {"subsets": {"all": None, "few": None}}}
    science = edited(science, run={"budget": {"grid_points": None}}, datasets=subsets)
    after = edited(science, **{kind: {name: {key: value}}})
    changed = changed_slices(plan_of(science), plan_of(after))
    # Another version has other settings, and so other fits.
    assert rules < changed if key == "default_subset" else rules == changed


def test_every_key_of_a_method_and_of_a_data_set_is_edited():
    assert set(Method.model_fields) == set(METHOD_EDITS)
    assert set(DataSet.model_fields) == set(DATASET_EDITS)


def test_neither_words_about_a_view_nor_where_things_lie_reach_anything(science, plan):
    first, *others = (view.model_dump() for view in science.datasets["digits"].views)
    views = [first | {"kind": "counts", "what": "Fourier"}, *others]
    after = edited(science, datasets={"digits": {"views": views}})
    assert changed_slices(plan, plan_of(after)) == set()
    keys = {"mirror": "elsewhere", "missing_data": "skip", "bad_mirror": "warn"}
    assert changed_slices(plan, plan_of(edited(science, run=keys))) == set()


@pytest.mark.parametrize(
    ("key", "value", "rules"),
    [
        ("title", "Another", {"experiment"} | PAGES),
        ("caption", "Another", {"experiment"} | PAGES),
        ("claim", "Another", {"experiment"} | PAGES),
        ("metrics", {"ACC": "acc"}, SHOWN | CLAIMED),
        ("unit", "percent", SHOWN),
        ("repetitions", 6, TUNED),  # the budget allows two
        ("missing_rates", [0, 0.4], {"masks"} | FITTED | PAGES),
        ("methods", ["DAIMC", "PVC"], {"fit", "score", "costs"} | SHOWN | CLAIMED),
    ],
)
def test_an_edit_of_an_experiment_reaches_what_shows_it(science, plan, key, value, rules):
    after = plan_of(edited(science, experiments={"rates": {key: value}}))
    assert changed_slices(plan, after) - {"published"} == rules - {"published"}
    for name in ("weights", "surface", "paired", "mapped"):
        assert digests(plan, "experiment")[name] == digests(after, "experiment")[name]


def test_a_rate_more_draws_no_other_masks_anew(science, plan):
    after = plan_of(edited(science, experiments={"rates": {"missing_rates": [0, 0.3, 0.4]}}))
    before, now = digests(plan, "masks"), digests(after, "masks")
    assert set(now) - set(before) == {"digits/random-0.4", "stories/random-0.4"}
    assert all(now[name] == before[name] for name in before)


def test_one_published_number_reaches_its_own_table(science, plan):
    first, *others = science.published
    after = plan_of(edited(science, published=[first | {"mean": first["mean"] + 1}, *others]))
    assert changed_slices(plan, after) == SHOWN | {"consistency", "claims"}
    before, now = digests(plan, "experiment"), digests(after, "experiment")
    assert [name for name in now if now[name] != before[name]] == ["paired"]


def test_probes_are_measured_where_a_run_asks_for_them(science, plan):
    assert not plan.slices["probe"] | plan.slices["probes"]
    asked = edited(science, run={"probes": True})
    before = plan_of(asked)
    slice_ = before.slices["probe"]["weights"]
    assert slice_["seeds"] == [0, 1, 2]
    assert [each["data"] for each in slice_["data"]] == ["digits", "stories"]
    assert "results/custom/tables/probes.csv" in before.products
    for key, value, rule in ("repetitions", 4, "probe"), ("title", "Another", "probes"):
        after = plan_of(edited(asked, probes={"weights": {key: value}}))
        assert changed_slices(before, after) == {rule}


def test_jobs_are_even_and_the_longest_comes_first(science):
    known = {("digits", "DAIMC"): 40.0, ("digits", "PVC"): 7.0, ("stories", "DAIMC"): 90.0}
    costs = Costs({(name, 0, 1, method): Cost(5.0, s) for (name, method), s in known.items()})
    slices = plan_of(science, costs).slices["fit"]
    seconds = {name: use["where"]["seconds"] for name, use in slices.items()}
    assert list(seconds.values()) == sorted(seconds.values(), reverse=True)
    for name, method in known:
        jobs, of_masks = [job for job in slices if job.startswith(f"{name}/{method}.")], Counter()
        for job in jobs:
            for _, s, repetition, *_ in slices[job]["fits"]:
                fit = costs.of(slices[job]["settings"][s], method).fit
                of_masks[job, s, repetition] += fit
        largest = 5 + max(of_masks.values())
        assert max(seconds[job] for job in jobs) <= JOB_SECONDS + largest


def test_fits_on_one_mask_stay_together(science):
    jobs = plan_of(science, costs_of(DAIMC=60.0)).slices["fit"]
    homes = {(*fit[1:3], fit[4], job) for job, use in jobs.items() for fit in use["fits"]}
    assert len({home[:-1] for home in homes}) == len(homes)
    assert sum(job.startswith("digits/DAIMC.") for job in jobs) > 1


def test_a_job_needs_the_memory_of_its_largest_fit(science):
    known = {("digits", 0, n, "DAIMC"): Cost(0.0, 1.0, mb) for n, mb in ((3, 300.0), (2, 700.0))}
    data = [{"dataset": "digits", "label": "Digits", "views": ["fou", "pix"]}]
    science = edited(science, experiments={"weights": {"data": data}})
    job = plan_of(science, Costs(known), Packing(1e6, 0.0)).slices["fit"]["digits/DAIMC.0"]
    assert job["where"]["memory_mb"] == 700.0


def test_a_plan_is_plain_data_and_the_same_each_time(science, plan):
    assert json.loads(json.dumps(plan.slices)) == plan.slices == plan_of(science).slices


def test_each_experiment_can_be_planned_alone_with_the_published_numbers_of_its_table(science):
    for name, experiment in science.experiments.items():
        plan = plan_of(edited(science, run={"experiments": [name]}))
        varies = experiment.render == "multiverse"
        assert list(plan.papers) == [name]
        assert "report" in plan.slices["report"]
        assert bool(plan.slices["consistency"]) == (experiment.item is not None)
        assert bool(plan.slices["published"]) == (experiment.item is not None and not varies)


def test_only_a_run_that_asks_for_it_writes_the_ledger(science, plan):
    assert plan.slices["claims"]
    slices = plan_of(edited(science, run={"claims": False})).slices
    assert not slices["claims"] | slices["probes"] | slices["growth"]


def test_an_experiment_whose_data_are_filtered_out_is_not_planned(science):
    plan = plan_of(edited(science, run={"datasets": ["stories"]}))
    assert not {"shapes", "surface"} & set(plan.papers)
    cases = plan.slices["experiment"]["rates"]["cases"]
    assert {case["label"] for case in cases} == {"Stories"}


def test_forecast_takes_known_costs_and_only_what_is_asked_for(science, tmp_path):
    head = "dataset,samples,views,method,masks,fits,start_cpu_seconds,fit_cpu_seconds"
    older = f"{head}\nstories,0,2,DAIMC,1,1,0,600\ndigits,0,1,DAIMC,1,1,-200,60\n"
    known = {}
    for content in older, f"{head},memory_mb\ndigits,0,1,DAIMC,1,1,0,60,500\n":
        (tmp_path / "costs.csv").write_text(content)
        known |= read_costs(tmp_path / "costs.csv").known
    stories, digits = ("stories", 0, 2, "DAIMC"), ("digits", 0, 1, "DAIMC")
    assert known == {stories: (0, 600, 0), digits: (0, 60, 500)}
    costs = Costs(known)
    plan = plan_of(science, costs)
    fits = plan.slices["score"]["surface"]["fits"]
    n_fits = sum(map(len, fits.values()))
    line = forecast(plan, ["surface"], costs)
    assert line.startswith(f"mvclust: 1 experiment, {n_fits} fits in ")
    assert f"about {round(n_fits + JOB_START * (len(fits) + 2) / 60)} CPU minutes" in line
    assert "minutes" not in forecast(plan, ["surface"], Costs({}))
    assert forecast(plan, ["sizes"], costs) == "mvclust: 1 experiment, 0 fits in 0 jobs"


def test_forecast_counts_no_fits_on_data_that_no_source_has(science, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    science = edited(science, run={"missing_data": "skip"})
    plan = plan_of(science)
    whole = forecast(plan, ["rates"], Costs({}))
    fits = plan.slices["score"]["rates"]["fits"]
    available = sum(len(fits[name]) for name in fits if name.startswith("digits/"))
    raw, job = plan.folders.raw("stories"), plan.jobs["download", "stories"]
    write_json(raw, {"unavailable": "no source answered"})
    write_json(job.record, {"slice": job.slice, "inputs": {}, "outputs": checksums([raw])})
    assert f", {available} fits in " not in whole
    assert f", {available} fits in " in forecast(plan_of(science), ["rates"], Costs({}))
    looked_for = edited(science, run={"missing_data": "stop"})
    assert forecast(plan_of(looked_for), ["rates"], Costs({})) == whole


def test_what_is_not_known_is_taken_from_what_is_nearest():
    costs = Costs({
        ("digits", 0, 2, "DAIMC"): Cost(1, 2, 10), ("digits", 0, 5, "DAIMC"): Cost(3, 6),
        ("stories", 0, 3, "DAIMC"): Cost(8, 16), ("stories", 0, 3, "PVC"): Cost(0, 24),
        ("cities", 0, 2, "DAIMC-2-printed"): Cost(3, 12),
    })  # fmt: skip

    def of(dataset, n_views, method, samples=0):
        views = ["a"] * n_views
        return costs.of({"dataset": dataset, "samples": samples, "views": views}, method)[:2]

    assert of("digits", 5, "DAIMC") == (3, 6)
    assert of("digits", 3, "DAIMC") == of("digits", 5, "DAIMC", samples=100) == (2, 4)
    assert of("webkb", 3, "DAIMC") == (4, 8)
    assert of("webkb", 3, "UEAF") == (3, 12)
    # A variant costs what its method costs on the data, if not known, and then elsewhere.
    assert of("digits", 3, "DAIMC-2-printed") == (2, 4)
    assert of("webkb", 3, "DAIMC-3") == (4, 8)
    assert Costs({}).of({"dataset": "digits", "samples": 0, "views": []}, "PVC").fit > 0


def test_data_without_costs_are_expected_to_take_their_share(science, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # without costs of an earlier run
    shipped, folders = Costs({("digits", 0, 3, "DAIMC"): Cost(1.0, 2.0)}), plan_of(science).folders
    costs = known_costs(shipped, folders, science)
    stories, third = (
        costs.of({"dataset": name, "samples": 0, "views": ["bbc"]}, "DAIMC")
        for name in ("stories", "third")
    )
    assert stories.fit == pytest.approx(2 * 30 * (3560 + 3631) / (40 * (76 + 240 + 47)))
    assert third == Cost(1.0, 2.0)
    assert costs.known == shipped.known
    assert known_costs(Costs({}), folders, science).known == {}


def test_few_samples_of_each_class_are_expected_to_take_their_share(science):
    known = Costs({("digits", drawn, 3, "DAIMC"): Cost(1.0, 2.0, 9.0) for drawn in (0, 20)})
    few, whole = (
        for_few_samples(known, edited(science, run={"budget": {"samples_per_class": number}})).known
        for number in (8, 10**6)
    )
    for drawn, of in ((0, 40), (20, 20)):  # 8 digits of each of 2 classes
        assert few["digits", drawn, 3, "DAIMC"] == pytest.approx((16 / of, 2 * 16 / of, 9))
    assert whole == known.known
    assert for_few_samples(known, science) is known


def test_the_shipped_costs_are_read():
    assert read_costs(ROOT / "workflow" / "costs.csv").known


def test_the_first_fit_on_a_mask_draws_the_start():
    setting = {"dataset": "digits", "samples": 0, "views": ["a"]}
    fits = [[key, "s", int(key[0]), {}, "PVC"] for key in ("00", "01", "10", "11")]
    job = {"settings": {"s": setting}, "fits": fits}
    costs = Costs({("digits", 0, 1, "PVC"): Cost(10.0, 1.0)})
    assert costs.of_fits(job) == {"00": 11, "01": 1, "10": 11, "11": 1}
    assert costs.of_fits(job, wanted={"01"}) == {"01": 11}


def test_protocols_are_all_combinations_with_the_grid(science):
    budget = {"grid_points": None, "pairs": None}
    science = edited(science, run={"experiments": ["rates", "read"], "budget": budget})
    plan = plan_of(science)
    (experiment,) = plan.slices["multiverse"]["multiverse"]["experiments"]
    points = experiment["cases"][0]["points"]
    assert len(points["PVC"]) == 2 * 2  # features and lam
    assert len(points["BestSingleView"]) == 2 * 2 * 2 * 2  # features, scale, start and view
    asked = edited(science, questions={"features": {"question": "another question"}})
    assert changed_slices(plan, plan_of(asked)) == {"multiverse"}
    alone = plan_of(edited(science, run={"experiments": ["read"]}))
    assert not alone.slices["paper"]
    assert alone.slices["report"]


def test_every_row_varies_what_its_table_states():
    """The stated protocol's fits are those of the table: the same keys, so the same scores."""
    runs = [load_run(ROOT / f"config/runs/{name}.yaml", ROOT) for name in ("multiverse", "paper")]
    study, paper = (Study(run, Costs({}), Packing()) for run in runs)
    printed = {fit.key for plan in paper.plans.values() for fit in plan.fits()}
    for name, plan in study.plans.items():
        for case, method in product(plan.cases, plan.experiment.methods):
            stated = plan.stated_of(method, case)
            usual = [
                point.fits[0].key
                for point in case.points[method]
                if all(point.values.get(axis, value) == value for axis, value in stated.items())
            ]
            assert usual, (name, method)
            assert printed.issuperset(usual), (name, case.setting, method)


def test_another_version_of_what_a_reader_needs_prepares_the_data_again(science, monkeypatch):
    science = edited(science, datasets={"digits": {"needs": ["pillow"]}})
    before = plan_of(science)
    monkeypatch.setattr(job_inputs, "installed", lambda packages: dict.fromkeys(packages, "0"))
    assert changed_slices(before, plan_of(science)) == {"prepare"}


def test_a_form_gives_all_results_files_of_their_own(science, plan):
    assert not plan.slices["extended"]
    form = {"draw": "curves", "methods": ["DAIMC"], "beside": ["weights"]}
    formed = plan_of(edited(science, experiments={"rates": {"form": form}}))
    assert list(formed.slices["extended"]) == ["rates"]
    assert "results/custom/figures/rates_extended.svg" in formed.products
    used = formed.slices["experiment"]["rates"]
    assert [part["id"] for part in used["form"]["beside"]] == ["weights"]
    assert len(used["inputs"]["scores"]) == 2
    swept = edited(science, experiments={"weights": {"form": {"draw": "curves"}}})
    assert not plan_of(swept).slices["extended"]  # a sweep whose form leaves out nothing
