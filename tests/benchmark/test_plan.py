"""Experiments become fits, each once; jobs keep them together; seeds follow from named axes."""

import ast
import copy
from dataclasses import replace

import pytest
import yaml
from helpers import ROOT

from mvclust.benchmark import sources
from mvclust.benchmark.config import check_config
from mvclust.benchmark.cost import forecast, read_costs
from mvclust.benchmark.plan import Plan, canonical, read_plan, seed_of, seed_of_setting


def load(**changes):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text()) | changes
    return check_config(config, ROOT, [ROOT / "config/config.yaml"])


@pytest.fixture(scope="module")
def plan():
    return Plan(load())


def test_shared_fits_run_once(plan):
    jobs = [fit.key for fits in plan.jobs.values() for fit in fits]
    wanted = [fit.key for name in plan.experiments for fit in plan.fits_of(name)]
    assert len(jobs) == len(set(jobs))
    assert set(jobs) == set(wanted)
    assert len(wanted) > len(jobs)  # daimc_fig1 and daimc_fig2cd share grid points


def test_jobs_hold_whole_settings_up_to_the_limit(plan):
    for (dataset, method, _), fits in plan.jobs.items():
        assert {(f.setting.dataset, f.method) for f in fits} == {(dataset, method)}
        most = plan.algorithms[method].get("fits_per_job", plan.config["fits_per_job"])
        assert len({f.setting for f in fits}) == 1 or len(fits) <= most
    seen = [s for job in plan.jobs for s in {(job[1], x) for x in plan.job_settings(*job)}]
    assert len(seen) == len(set(seen))


def test_default_point_comes_first_and_is_always_fitted(plan):
    _, setting = plan.cases_of("daimc_fig1")[0]
    points = plan.points("daimc_fig1", "DAIMC", setting)
    assert points[0] == canonical({"alpha": 10, "beta": 1, "variant": "author"})
    assert len(points) == len(set(points)) == 5  # two values an axis, and the default
    views = plan.points("daimc_fig1", "BSV", setting)
    assert [yaml.safe_load(p)["view"] for p in views] == ["silhouette", 0, 4]


def test_sweeps_have_just_their_own_points(plan):
    (_, setting), *_ = plan.cases_of("daimc_fig2cd")
    assert len(plan.points("daimc_fig2cd", "DAIMC", setting)) == 6 * 6
    assert len(plan.points("daimc_fig2b", "DAIMC", setting)) == 1


def test_budget_limits_and_keeps_the_ends():
    budget = {
        "repetitions": 1,
        "samples_per_class": None,
        "grid_points": 2,
        "sweep_points": 2,
        "pairs": None,
    }
    plan = Plan(load(budget=budget))
    assert {fit.repetition for fits in plan.jobs.values() for fit in fits} == {0}
    _, setting = plan.cases_of("daimc_fig2cd")[0]
    assert plan.grid("daimc_fig2cd", "DAIMC", setting)["alpha"] == [0.0001, 1000]


def test_canonical_parameters_do_not_depend_on_order_or_type():
    assert canonical({"b": 10.0, "a": 0.1}) == canonical({"a": 0.1, "b": 10})


def test_seeds_follow_from_the_axes_alone():
    assert seed_of(0, "a", 0.3, 1) == seed_of(0, "a", 0.3, 1)
    assert len({seed_of(0, "a", rate, r) for rate in (0.1, 0.3) for r in range(50)}) == 100


def test_seed_does_not_depend_on_how_a_rate_is_written(plan):
    (_, setting), *_ = plan.cases_of("daimc_fig1")
    assert setting.rate == 0
    written = [seed_of_setting(0, replace(setting, rate=rate), 1, "fit") for rate in (0, 0.0)]
    assert written[0] == written[1]


def test_digest_changes_with_fits_and_seed(plan):
    job = next(iter(plan.jobs))
    assert Plan(load()).job_digest(*job) == plan.job_digest(*job)
    assert Plan(load(seed=1)).job_digest(*job) != plan.job_digest(*job)


def test_scripts_see_the_same_plan(plan):
    assert read_plan(plan.config, ROOT).jobs == plan.jobs


def test_open_jobs_are_those_without_output(plan, tmp_path):
    first = next(iter(plan.jobs))
    (tmp_path / (".".join(first) + ".jsonl")).touch()
    assert set(plan.open_jobs(tmp_path)) == {".".join(job) for job in plan.jobs} - {".".join(first)}


def test_code_hash_follows_imports_and_nothing_else(tmp_path, monkeypatch):
    package = tmp_path / "mvclust"
    (package / "methods").mkdir(parents=True)
    (package / "core.py").write_text("x = 1\n")
    (package / "other.py").write_text("y = 1\n")
    (package / "methods" / "one.py").write_text("from mvclust.core import x\n")
    (package / "methods" / "two.py").write_text("import mvclust.other\nfrom mvclust import core\n")
    monkeypatch.setattr(sources, "PACKAGE", package)

    def hashes():
        sources.code_hash.cache_clear()
        sources._parse.cache_clear()
        return [sources.code_hash(f"mvclust.methods.{name}") for name in ("one", "two")]

    before = hashes()
    (package / "other.py").write_text("y = 2\n")
    after = hashes()
    assert after[0] == before[0]
    assert after[1] != before[1]
    (package / "core.py").write_text("x = 2\n")
    assert all(a != b for a, b in zip(hashes(), after, strict=True))
    sources.code_hash.cache_clear()


def test_class_parameters_agree_with_the_class():
    from mvclust import DAIMC

    named = sources.class_parameters("mvclust.estimators.daimc.DAIMC")
    assert set(named) == set(DAIMC(2).get_params())


def test_planning_imports_nothing_heavy():
    heavy = {"numpy", "scipy", "sklearn", "pandas", "matplotlib", "h5py"}
    for name in ("plan", "config", "located", "sources", "progress"):
        tree = ast.parse((ROOT / f"mvclust/benchmark/{name}.py").read_text())
        modules = {
            (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        assert not modules & heavy, name


def test_forecast_takes_the_last_known_cost_of_every_fit(plan, tmp_path):
    head = "dataset,method,fits,cpu_seconds\n"
    (tmp_path / "old.csv").write_text(head + "other,DAIMC,1,600\nhandwritten,DAIMC,1,600\n")
    (tmp_path / "new.csv").write_text(head + "handwritten,DAIMC,1,60\n")
    costs = read_costs(tmp_path / "none.csv", tmp_path / "old.csv", tmp_path / "new.csv")
    assert costs == {("other", "DAIMC"): 600, ("handwritten", "DAIMC"): 60}
    daimc = {job: fits for job, fits in plan.jobs.items() if job[1] == "DAIMC"}
    assert all(dataset == "handwritten" for dataset, _, _ in daimc)
    only_daimc = copy.copy(plan)
    only_daimc.jobs = daimc
    minutes = sum(map(len, daimc.values()))
    assert only_daimc.cpu_minutes(costs) == minutes
    assert f"about {minutes} CPU minutes" in forecast(only_daimc, costs)
    assert only_daimc.cpu_minutes({("other", "DAIMC"): 120}) == 2 * minutes
    assert "minutes" not in forecast(only_daimc, {})


def test_ueaf_on_texts_is_run_on_unit_samples():
    """Standardised features, the catalogue's default, cost 10 to 17 points in Table 3."""
    paper = yaml.safe_load((ROOT / "config/paper.yaml").read_text())
    budget = dict.fromkeys(load()["config"]["budget"]) | {"repetitions": 1}
    plan = Plan(load(**paper | {"budget": budget}))
    seen = set()
    for name in plan.experiments:
        scales = {
            yaml.safe_load(fit.params).get("scale")
            for fit in plan.fits_of(name)
            if fit.method.startswith("UEAF") and fit.setting.dataset in ("3sources", "bbcsport")
        }
        if scales:
            assert "l2" in scales, name
            seen.add(name)
    assert {"ueaf_table3", "ueaf_fig2", "ueaf_fig3"} <= seen
