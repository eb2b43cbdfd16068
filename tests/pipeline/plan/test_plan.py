"""The plan: fits once, even jobs, and slices that change with exactly what a rule uses."""

import ast
import copy
import json
from dataclasses import replace

import pytest
from helpers import ROOT
from pipeline.planned import changed_slices, costs_of, lay_out, plan_of, science_of

from mvclust.datasets.files import DamagedFile
from mvclust.pipeline.plan.check import check_config, check_run
from mvclust.pipeline.plan.expected import JOB_START, Cost, Costs, forecast, read_costs
from mvclust.pipeline.plan.packing import JOB_SECONDS, pack
from mvclust.pipeline.plan.plan import load_plan, make_plan, read_slice, write_plan
from mvclust.pipeline.plan.seeds import seed_of, seed_of_setting
from mvclust.pipeline.plan.settings import Fit, Setting, canonical

EVERY = ["rates", "weights", "surface", "paired", "mapped", "shapes", "sizes"]


@pytest.fixture(scope="module")
def science(tmp_path_factory):
    return science_of(lay_out(tmp_path_factory.mktemp("plan")), experiments=EVERY, datasets=None)


@pytest.fixture(scope="module")
def plan(science):
    return plan_of(science)


def fits_of(plan):
    return [fit for use in plan["uses"]["fit"].values() for fit in use["fits"]]


def points_of(plan, name, method):
    return plan["uses"]["render"][name]["cases"][0]["points"][method]


def test_shared_fits_run_once(plan):
    keys = [key for key, *_ in fits_of(plan)]
    scores = plan["uses"]["score"].values()
    wanted = [key for use in scores for part in use["fits"].values() for key in part]
    assert len(keys) == len(set(keys))
    assert set(keys) == set(wanted)
    assert len(wanted) > len(keys)  # rates and weights share a point


def test_default_point_comes_first_and_is_always_fitted(plan):
    points = points_of(plan, "rates", "DAIMC")
    assert points[0]["values"] == {"alpha": 10, "beta": 1}
    assert len(points) == 5  # two values per axis, and the default
    assert [p["values"]["view"] for p in points_of(plan, "rates", "BestSingleView")] == [
        "silhouette", 0, 2,
    ]  # fmt: skip
    assert plan["uses"]["render"]["rates"]["cases"][0]["declared"]["DAIMC"] == 6


def test_a_method_may_be_left_out_on_some_data(science):
    cut = copy.deepcopy(science)
    entry = cut["experiments"]["rates"]
    label = entry["data"][0]["label"]
    entry["leave_out"] = {"DAIMC": [label]}
    before, after = plan_of(science), plan_of(cut)
    whole, less = (plan["uses"]["render"]["rates"]["cases"] for plan in (before, after))
    for case, other in zip(whole, less, strict=True):
        gone = {"DAIMC"} if case["label"] == label else set()
        assert set(case["points"]) - set(other["points"]) == gone
        assert set(case["declared"]) == set(case["points"])
        assert set(other["declared"]) == set(other["points"])
    shown = after["uses"]["render"]["rates"]["methods"]
    assert "DAIMC" in [method["key"] for method in shown]
    assert len(fits_of(after)) < len(fits_of(before))


def test_sweeps_have_just_their_own_points(plan):
    assert len(points_of(plan, "surface", "DAIMC")) == 4
    assert len(points_of(plan, "weights", "BestSingleView")) == 1


def test_budget_limits_and_keeps_the_ends(science):
    tight = copy.deepcopy(science)
    tight["config"]["budget"] |= {"repetitions": 1, "sweep_points": 2, "rates": 1}
    plan = plan_of(tight)
    cases = plan["uses"]["render"]["rates"]["cases"]
    assert {case["setting"]["rate"] for case in cases} == {0}
    assert {repetition for _, _, repetition, *_ in fits_of(plan)} == {0}
    assert [p["values"] for p in points_of(plan, "weights", "DAIMC")] == [
        {"alpha": 0.1}, {"alpha": 10},
    ]  # fmt: skip


def test_rates_say_what_they_count(plan):
    (case, *_) = plan["uses"]["render"]["paired"]["cases"]
    assert Setting.from_record(case["setting"]).columns["paired_rate"] == 0.1
    (case, *_) = plan["uses"]["render"]["rates"]["cases"]
    columns = Setting.from_record(case["setting"]).columns
    assert (columns["missing_rate"], columns["paired_rate"]) == (0.0, None)


def test_canonical_parameters_do_not_depend_on_order_or_type():
    assert canonical({"b": 10.0, "a": 0.1}) == canonical({"a": 0.1, "b": 10})


def test_seeds_follow_from_the_axes_alone():
    assert seed_of(0, "a", 0.3, 1) == seed_of(0, "a", 0.3, 1)
    assert len({seed_of(0, "a", rate, r) for rate in (0.1, 0.3) for r in range(50)}) == 100
    setting = Setting("digits", ("fou",), "random", 0)
    written = [seed_of_setting(0, replace(setting, rate=rate), 1, "fit") for rate in (0, 0.0)]
    assert written[0] == written[1]


# What an edit concerns. Rules are those of the plan; those after them follow from their files.
TUNED = {"render"}
SHOWN = {"render", "compare", "page"}  # page: the report and that of the paper
NAMED = SHOWN | {"cost"}
FITTED = {"fit", "score", "render"}

METHOD_EDITS = {
    "label": ("a new name", NAMED),
    "published": (["Another"], SHOWN),
    "reference": (True, NAMED),
    "in_all": (False, set()),  # `methods: all` is a list before anything is planned
    "fixed": ({"variant": "paper"}, FITTED),
    "by_kind": ({"scale": dict.fromkeys(("counts", "tf-idf", "real", "links"))}, FITTED),
    "default": ({"alpha": 0.1, "beta": 1}, TUNED),  # a point that is in the grid already
    "grid": ({"alpha": [0.1, 10], "beta": [10, 1, 0.1]}, TUNED),  # the same points
    "estimator": ("mvclust.estimators.ueaf.UEAF", {"fit"}),
}


@pytest.mark.parametrize("key", METHOD_EDITS)
def test_an_edit_of_a_method_reaches_what_uses_it(science, key):
    value, rules = METHOD_EDITS[key]
    science = copy.deepcopy(science)
    science["config"]["budget"]["grid_points"] = None
    before = plan_of(science)
    science["methods"]["DAIMC"][key] = value
    assert changed_slices(before, plan_of(science)) == rules


def test_a_value_follows_from_the_kind_of_the_views(science):
    science = copy.deepcopy(science)
    scale = {
        "counts": "sample_unit",
        "tf-idf": "sample_unit",
        "links": "sample_unit",
        "real": "view_balanced",
    }
    science["methods"]["DAIMC"]["by_kind"] = {"scale": scale}
    kinds = {view["name"]: view["kind"] for view in science["datasets"]["digits"]["views"]}
    found = {}
    for use in plan_of(science)["uses"]["fit"].values():
        for _, setting, _, params, method in use["fits"]:
            if method == "DAIMC" and use["settings"][setting]["dataset"] == "digits":
                found[tuple(use["settings"][setting]["views"])] = params["scale"]
    assert found
    for views, given in found.items():
        wanted = [scale[kinds[view]] for view in views]
        assert given == (wanted[0] if len(set(wanted)) == 1 else wanted)


def test_every_key_of_a_method_is_edited():
    schema = json.loads((ROOT / "workflow/schemas/methods.schema.json").read_text())
    assert set(schema["additionalProperties"]["properties"]) == set(METHOD_EDITS)


DATASET_EDITS = {
    "reader": ("buaa", {"prepare"}),
    "title": ("Another title", set()),
    "n_samples": (41, {"prepare"}),
    "classes": ({"0": 20, "2": 20}, {"prepare"}),
    "views": (
        [
            {"name": "fou", "dimension": 77, "kind": "real"},
            {"name": "pix", "dimension": 240, "kind": "counts"},
            {"name": "zer", "dimension": 47, "kind": "real"},
        ],
        {"prepare"},
    ),
    "default_subset": ("few", {"prepare"}),
    "subsets": ({"all": {"n_samples": 39}, "few": None}, {"prepare"}),
    "files": ({"digits.txt": {"sha256": "1", "bytes": 1}}, {"fetch", "prepare"}),
    "sources": ([{"kind": "mirror"}, {"kind": "url", "addresses": {}}], {"fetch", "prepare"}),
    "publisher": ("somebody", set()),
    "licence": ("none", {"statistics"}),
    "citation": ("A paper", set()),
    "paper_says": ([{"paper": "beyond", "called": "Digits"}], {"statistics"}),
    "notes": (["mind this"], {"statistics"}),
    "unverified": (True, set()),
}


@pytest.mark.parametrize("key", DATASET_EDITS)
def test_an_edit_of_a_data_set_reaches_what_uses_it(science, key):
    value, rules = DATASET_EDITS[key]
    science = copy.deepcopy(science)
    science["datasets"]["digits"]["subsets"]["few"] = None
    before = plan_of(science)
    science["datasets"]["digits"][key] = value
    after = plan_of(science)
    if key == "default_subset":  # another version has other settings, and so other fits
        assert rules < changed_slices(before, after)
    else:
        assert changed_slices(before, after) == rules


def test_every_key_of_a_data_set_is_edited():
    schema = json.loads((ROOT / "workflow/schemas/datasets.schema.json").read_text())
    assert set(schema["additionalProperties"]["properties"]) == set(DATASET_EDITS)


def test_what_is_said_of_a_view_but_its_size_reaches_nothing(science, plan):
    edited = copy.deepcopy(science)
    edited["datasets"]["digits"]["views"][0] |= {"kind": "counts", "what": "Fourier"}
    assert changed_slices(plan, plan_of(edited)) == set()


@pytest.mark.parametrize(
    ("key", "value", "rules"),
    [
        ("title", "Another", {"render", "page"}),
        ("caption", "Another", {"render", "page"}),
        ("claim", "Another", {"render", "page"}),
        ("metrics", {"ACC": "acc"}, SHOWN),
        ("unit", "percent", SHOWN),
        ("repetitions", 6, {"render", "page"}),  # the budget allows two
        ("missing_rates", [0, 0.4], {"masks", "fit", "score", "render", "page"}),
        ("methods", ["DAIMC", "PVC"], {"fit", "score", "cost"} | SHOWN),
    ],
)
def test_an_edit_of_an_experiment_reaches_what_shows_it(science, plan, key, value, rules):
    edited = copy.deepcopy(science)
    edited["experiments"]["rates"][key] = value
    changed = changed_slices(plan, plan_of(edited))
    assert changed - {"compare"} == rules - {"compare"}
    after = plan_of(edited)["digests"]["render"]
    for name in ("weights", "surface", "paired", "mapped"):
        assert plan["digests"]["render"][name] == after[name]


def test_one_published_number_reaches_its_own_table(science, plan):
    edited = copy.deepcopy(science)
    edited["published"][0]["mean"] += 1
    after = plan_of(edited)
    assert changed_slices(plan, after) == {"render", "compare", "printed", "page"}
    differ = [n for n, d in after["digests"]["render"].items() if d != plan["digests"]["render"][n]]
    assert differ == ["paired"]


def test_only_published_masks_follow_from_how_they_are_read(science):
    assert not any("published_code" in use for use in plan_of(science)["uses"]["masks"].values())
    given = copy.deepcopy(science)
    given["experiments"]["rates"]["protocol"] = "published"
    uses = plan_of(given)["uses"]["masks"]
    assert {name for name, use in uses.items() if "published_code" in use} == {"digits", "stories"}


def test_where_things_lie_reaches_nothing(science, plan):
    edited = copy.deepcopy(science)
    edited["config"] |= {"mirror": "elsewhere", "missing_data": "skip", "bad_mirror": "warn"}
    assert changed_slices(plan, plan_of(edited)) == set()


def test_jobs_are_even_and_the_longest_comes_first(science):
    known = {("digits", "DAIMC"): 40.0, ("digits", "PVC"): 7.0, ("stories", "DAIMC"): 90.0}
    costs = Costs({(name, 0, 1, method): Cost(5.0, s) for (name, method), s in known.items()})
    plan = plan_of(science, costs)
    seconds = [job["seconds"] for job in plan["jobs"].values()]
    assert seconds == sorted(seconds, reverse=True)
    for method in ("DAIMC", "PVC"):
        own = [use["seconds"] for job, use in plan["jobs"].items() if job.startswith(f"{method}.")]
        largest = max(
            5 + sum(costs.of(use["settings"][s], method).fit for _, s, *_ in fits)
            for use in plan["uses"]["fit"].values()
            if list(use["methods"]) == [method]
            for fits in by_mask(use)
        )
        assert max(own) <= JOB_SECONDS + largest


def by_mask(use):
    groups = {}
    for fit in use["fits"]:
        groups.setdefault((fit[1], fit[2]), []).append(fit)
    return groups.values()


def test_fits_on_one_mask_stay_together(science):
    plan = plan_of(science, costs_of(DAIMC=60.0))
    homes = {}
    for job, use in plan["uses"]["fit"].items():
        for _, setting, repetition, _, method in use["fits"]:
            homes.setdefault((method, setting, repetition), set()).add(job)
    assert all(len(jobs) == 1 for jobs in homes.values())
    assert len([job for job in plan["jobs"] if job.startswith("DAIMC.")]) > 2


def test_a_profile_says_how_long_jobs_are(science):
    costs = costs_of(DAIMC=60.0)
    few = make_plan(copy.deepcopy(science), costs, job_seconds=1e6)["jobs"]
    many = make_plan(copy.deepcopy(science), costs, job_seconds=60.0)["jobs"]
    assert [name for name in few if name.startswith("DAIMC.")] == ["DAIMC.0"]
    assert len(many) > len(plan_of(science, costs)["jobs"]) > len(few)
    total = [round(sum(job["seconds"] for job in jobs.values())) for jobs in (few, many)]
    assert total[0] == total[1]


def test_a_job_needs_the_memory_of_its_largest_fit(science):
    known = {("digits", 0, 1, "DAIMC"): Cost(0.0, 1.0, 300.0)}
    known |= {("stories", 0, 1, "DAIMC"): Cost(0.0, 1.0, 700.0)}
    jobs = make_plan(copy.deepcopy(science), Costs(known), job_seconds=1e6)["jobs"]
    assert jobs["DAIMC.0"]["memory_mb"] == 700.0


def test_packing_nothing_gives_no_job():
    assert pack({}, Costs({})) == {}


def test_a_slice_is_read_only_from_the_plan_that_it_was_made_from(plan, tmp_path):
    path = tmp_path / "work" / "plan.json"
    write_plan(plan, path)
    digest = plan["digests"]["render"]["rates"]
    assert read_slice(path, "render", "rates", digest) == plan["uses"]["render"]["rates"]
    with pytest.raises(ValueError, match="is not the plan of this run"):
        read_slice(path, "render", "rates", "another")
    path.write_text(path.read_text()[:-100])
    with pytest.raises(DamagedFile, match=r"plan\.json is damaged"):
        load_plan(path)


def test_a_plan_is_plain_data(plan):
    assert json.loads(json.dumps(plan)) == plan


def test_the_same_configuration_gives_the_same_plan(science, plan):
    assert plan_of(science) == plan


@pytest.mark.parametrize("name", EVERY)
def test_each_experiment_can_be_planned_alone(science, name):
    alone = copy.deepcopy(science)
    alone["config"]["experiments"] = [name]
    plan = plan_of(alone)
    assert list(plan["papers"]) == [name]
    assert "report" in plan["uses"]["page"]


def test_printed_numbers_belong_to_tables_that_print_them(science):
    printing = {n for n, e in science["experiments"].items() if "item" in e}
    for name in science["experiments"]:
        alone = copy.deepcopy(science)
        alone["config"]["experiments"] = [name]
        uses = plan_of(alone)["uses"]
        reads = science["experiments"][name]["render"] == "readings"
        assert bool(uses["printed"]) == (name in printing)
        assert bool(uses["compare"]) == (name in printing and not reads)


def test_an_experiment_whose_data_are_filtered_out_is_not_planned(science):
    alone = copy.deepcopy(science)
    alone["config"] |= {"datasets": ["stories"]}
    plan = plan_of(alone)
    assert "shapes" not in plan["papers"]
    assert "surface" not in plan["papers"]
    assert {use["label"] for use in plan["uses"]["render"]["rates"]["cases"]} == {"Stories"}


def test_planning_imports_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "pandas", "matplotlib", "h5py"}
    paths = [*(ROOT / "mvclust/pipeline/plan").glob("*.py"), ROOT / "mvclust/pipeline/run.py"]
    paths += [ROOT / f"mvclust/pipeline/record/{name}.py" for name in ("progress", "lock")]
    for path in paths:
        for node in ast.parse(path.read_text()).body:  # at the top; functions may
            if isinstance(node, ast.Import | ast.ImportFrom):
                name = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
                assert name.split(".")[0] not in heavy, path


def test_forecast_takes_the_last_known_cost_and_only_what_is_asked_for(science, tmp_path):
    head = "dataset,samples,views,method,masks,fits,start_cpu_seconds,fit_cpu_seconds\n"
    old = "stories,0,2,DAIMC,1,1,0,600\ndigits,0,1,DAIMC,1,1,0,600\n"
    (tmp_path / "old.csv").write_text(head + old)
    new = head.replace("\n", ",memory_mb\n") + "digits,0,1,DAIMC,1,1,0,60,500\n"
    (tmp_path / "new.csv").write_text(new)
    (tmp_path / "cut.csv").write_text("dataset,meth")
    files = ("none.csv", "old.csv", "new.csv", "cut.csv")
    costs = read_costs(*(tmp_path / name for name in files))
    assert costs.known == {
        ("stories", 0, 2, "DAIMC"): (0, 600, 0),
        ("digits", 0, 1, "DAIMC"): (0, 60, 500),
    }
    plan = plan_of(science, costs)
    n_fits = sum(len(keys) for keys in plan["uses"]["score"]["surface"]["fits"].values())
    line = forecast(plan, ["surface"], costs)
    assert line.startswith(f"mvclust: 1 experiment, {n_fits} fits in ")
    n_jobs = len(plan["uses"]["score"]["surface"]["fits"])
    minutes = round(n_fits + JOB_START * (n_jobs + 2) / 60)
    assert f"about {minutes} CPU minutes" in line
    assert "minutes" not in forecast(plan, ["surface"], Costs({}))
    assert forecast(plan, ["sizes"], costs) == "mvclust: 1 experiment, 0 fits in 0 jobs"


def test_what_is_not_known_is_taken_from_what_is_nearest():
    costs = Costs({
        ("digits", 0, 2, "DAIMC"): Cost(1, 2, 10), ("digits", 0, 5, "DAIMC"): Cost(3, 6),
        ("stories", 0, 3, "DAIMC"): Cost(8, 16), ("stories", 0, 3, "PVC"): Cost(0, 24),
    })  # fmt: skip

    def of(dataset, n_views, method, samples=0):
        views = ["a"] * n_views
        return costs.of({"dataset": dataset, "samples": samples, "views": views}, method)[:2]

    assert of("digits", 5, "DAIMC") == (3, 6)
    assert of("digits", 3, "DAIMC") == of("digits", 5, "DAIMC", samples=100) == (2, 4)
    assert of("webkb", 3, "DAIMC") == (4, 8)
    assert of("webkb", 3, "UEAF") == (3, 12)
    assert Costs({}).of({"dataset": "digits", "samples": 0, "views": []}, "PVC").fit > 0


def test_the_first_fit_on_a_mask_draws_the_start():
    setting = {"dataset": "digits", "samples": 0, "views": ["a"]}
    fits = [[f"{r}{i}", "s", r, {}, "PVC"] for r in (0, 1) for i in (0, 1)]
    job = {"settings": {"s": setting}, "fits": fits}
    costs = Costs({("digits", 0, 1, "PVC"): Cost(10.0, 1.0)})
    assert costs.of_fits(job) == {"00": 11, "01": 1, "10": 11, "11": 1}
    assert costs.of_fits(job, {"01"}) == {"01": 11}


def test_a_fit_has_one_name_however_its_parameters_are_ordered():
    setting = Setting("digits", ("fou",), "complete")
    fits = [Fit(setting, 0, "DAIMC", p) for p in ({"a": 1, "b": 2.0}, {"b": 2, "a": 1.0})]
    assert fits[0].key == fits[1].key


@pytest.mark.parametrize("run", ["default", "smoke", "paper", "readings"])
def test_the_shipped_runs_are_planned_in_few_jobs(run):
    science = check_run(ROOT / f"config/runs/{run}.yaml", ROOT)
    plan = make_plan(science, read_costs(ROOT / "workflow/costs.csv"))
    numbers = {rule: len(names) for rule, names in plan["digests"].items()}
    rules = ("fetch", "prepare", "masks", "fit", "score", "render", "statistics", "partitions")
    assert sum(numbers[rule] for rule in rules) <= 300


def test_ueaf_on_texts_is_run_on_unit_samples():
    """Standardised features, the catalogue's default, cost 10 to 17 points in Table 3."""
    import yaml

    paper = yaml.safe_load((ROOT / "config/runs/paper.yaml").read_text())
    budget = dict.fromkeys(paper["budget"]) | {"repetitions": 1}
    plan = make_plan(check_config(paper | {"budget": budget}, ROOT), Costs({}))
    scales = {}
    for use in plan["uses"]["fit"].values():
        for _, setting, _, params, method in use["fits"]:
            if method.startswith("UEAF"):
                dataset = use["settings"][setting]["dataset"]
                scales.setdefault((dataset, setting), set()).add(params.get("scale"))
    texts = [s for (dataset, _), s in scales.items() if dataset in ("3sources", "bbcsport")]
    assert texts
    assert all("sample_unit" in scale for scale in texts)


def test_readings_are_all_combinations_with_the_grid(science):
    science = copy.deepcopy(science)
    science["config"]["experiments"] = ["rates", "read"]
    science["config"]["budget"] |= {"grid_points": None, "pairs": None}
    plan = plan_of(science)
    (experiment,) = plan["uses"]["readings"]["readings"]["experiments"]
    case = experiment["cases"][0]
    values = [point["values"] for point in case["points"]["PVC"]]
    assert len(values) == 2 * 2
    assert {value["features"] for value in values} == {None, "feature_minmax"}
    assert {value["lam"] for value in values} == {0.001, 0.01}
    single = [point["values"] for point in case["points"]["BestSingleView"]]
    assert len(single) == 2 * 2 * 2 * 2  # features, scale, start and view
    assert experiment["readings"]["PVC"] == {"features": [None, "feature_minmax"]}
    assert not experiment["cut"]
    for part, most in (("repetitions", 1), ("rates", 1), ("grid_points", 1), ("pairs", 1)):
        less = copy.deepcopy(science)
        less["config"]["budget"][part] = most
        (cut,) = plan_of(less)["uses"]["readings"]["readings"]["experiments"]
        assert cut["cut"] == (part != "pairs")  # there is one pair
    assert "read" not in plan["uses"]["render"]
    assert "read" in plan["uses"]["score"]
    assert plan["uses"]["page"]["report"]["readings"] == ["read"]
    assert plan["papers"]["read"] == "ueaf"
    edited = copy.deepcopy(science)
    edited["readings"]["features"]["values"][1]["says"] = "other words"
    assert changed_slices(plan, plan_of(edited)) == {"readings"}
    alone = copy.deepcopy(science)
    alone["config"]["experiments"] = ["read"]
    assert list(plan_of(alone)["uses"]["page"]) == ["report"]
