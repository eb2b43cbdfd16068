"""The functions with the mathematics return one type, and the classes take it as it is."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import mvclust.estimators
from mvclust.estimators.base import Solution, tags_of
from mvclust.testing import make_blobs


def solvers_of(module):
    """The public functions of a module that say that they return a Solution."""
    functions = inspect.getmembers(module, inspect.isfunction)
    own = [(name, f) for name, f in functions if f.__module__ == module.__name__]
    return {
        name: function
        for name, function in own
        if inspect.signature(function).return_annotation is Solution and not name.startswith("_")
    }


MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.iter_modules(mvclust.estimators.__path__, "mvclust.estimators.")
]
# (module, name of the solver, class that calls it, parameters with which it does)
CASES = {
    "coreg_centroid": ("CoRegSpectral", {"variant": "centroid"}),
    "coreg_pairwise": ("CoRegSpectral", {"variant": "pairwise"}),
    "mvkkm": ("MVKKM", {}),
    "mvspec": ("MVSpec", {}),
}
SOLVERS = [(module, name) for module in MODULES for name in solvers_of(module)]


def class_of(module, solver):
    if solver in CASES:
        return getattr(module, CASES[solver][0]), CASES[solver][1]
    (estimator,) = [
        c
        for _, c in inspect.getmembers(module, inspect.isclass)
        if c.__module__ == module.__name__ and hasattr(c, "view_tags")
    ]
    return estimator, {}


def test_every_method_with_mathematics_of_its_own_has_a_solver():
    with_solver = {module.__name__.rpartition(".")[2] for module, _ in SOLVERS}
    named_alike = {
        module.__name__.rpartition(".")[2]
        for module in MODULES
        if inspect.isfunction(getattr(module, module.__name__.rpartition(".")[2], None))
    }
    assert named_alike <= with_solver
    assert {"coreg_spectral", "cotrain_spectral"} <= with_solver


@pytest.mark.parametrize(("module", "solver"), SOLVERS, ids=[name for _, name in SOLVERS])
def test_solvers_return_a_solution_that_the_class_takes(monkeypatch, module, solver):
    estimator, parameters = class_of(module, solver)
    true_solver, returned = getattr(module, solver), []

    def recorded(*args, **kwargs):
        returned.append(true_solver(*args, **kwargs))
        return returned[-1]

    monkeypatch.setattr(module, solver, recorded)
    Xs = make_blobs()[0][: tags_of(estimator).n_views]
    model = estimator(3, random_state=0, **parameters).fit(Xs)
    (solution,) = returned
    assert type(solution) is Solution
    assert solution.factors
    assert all(isinstance(name, str) for name in solution.factors)
    assert isinstance(solution.objective, list)
    assert isinstance(solution.stop, float)
    if solution.objective:
        np.testing.assert_array_equal(model.objective_, solution.objective)
        assert model.n_iter_ == len(solution.objective)
    else:
        assert not hasattr(model, "objective_")
