"""The registry of products: each entry can be made, and its names are taken by nobody else."""

import inspect
import re
from importlib import import_module

import pytest
from bench.planned import lay_out, plan_of
from helpers import ROOT

from mvclust.bench.config.load import load
from mvclust.bench.plan import plan
from mvclust.bench.plan.folders import WITH_FILES, Folders
from mvclust.bench.plan.products import PICTURES, PRODUCTS, Product
from mvclust.bench.report.answer import DRAWINGS
from mvclust.own import reserved

FOLDERS = Folders("results/toy", "resources", "resources/work/toy", "resources/journals")


@pytest.mark.parametrize("product", PRODUCTS, ids=[product.rule for product in PRODUCTS])
def test_an_entry_names_a_function_of_one_argument(product):
    module, _, name = product.make.partition(":")
    function = getattr(import_module(f"mvclust.bench.{module}"), name)
    assert list(inspect.signature(function).parameters) == ["used"]
    assert product.outputs("toy", FOLDERS)


def test_no_two_entries_have_a_rule_or_a_file():
    rules = [product.rule for product in PRODUCTS]
    assert len({*rules, *WITH_FILES}) == len(rules) + len(WITH_FILES)
    files = [file for each in PRODUCTS if not each.wildcard for file in each.outputs("", FOLDERS)]
    assert len(set(files)) == len(files)
    assert set(PICTURES) == set(DRAWINGS)


def test_no_experiment_paper_or_run_on_own_data_is_called_as_a_product_or_a_rule():
    products = {name for each in PRODUCTS for name in (*each.tables, *each.figures)}
    assert {name.replace("_", "-") for name in products if "{" not in name} == reserved.PRODUCTS
    workflow = "".join(file.read_text() for file in (ROOT / "workflow").rglob("*.smk"))
    rules = set(re.findall(r"^rule ([a-z]+):", workflow, re.MULTILINE))
    assert rules | {product.rule for product in PRODUCTS} <= reserved.RESERVED


def test_a_new_product_is_an_entry_and_a_function(tmp_path, monkeypatch):
    """What CONTRIBUTING says: nothing else knows of it."""

    def jobs(plan):
        scores = {name: plan.folders.scores(name) for name in plan.study.plans}
        yield "extremes", {"scores": scores}, {"unit": "points"}

    new = Product("extremes", "report.extremes:make_extremes", jobs, tables=("extremes",))
    monkeypatch.setattr(plan, "PRODUCTS", (*PRODUCTS[:-2], new, *PRODUCTS[-2:]))
    monkeypatch.setattr(plan, "code_hash", lambda *modules, **files: "")
    made = plan_of(load({}, lay_out(tmp_path)))
    page = made.slices["report"]["report"]
    assert made.slices["extremes"]["extremes"]["unit"] == "points"
    assert made.folders.table("extremes")[0] in page["inputs"]["products"]
