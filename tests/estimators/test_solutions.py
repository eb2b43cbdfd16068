"""The functions with the mathematics return one type, and the classes take it as it is."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import mvclust.estimators
from mvclust.estimators.base import Solution, tags_of
from mvclust.testing import make_blobs

MODULES = [
    importlib.import_module(found.name)
    for found in pkgutil.iter_modules(mvclust.estimators.__path__, "mvclust.estimators.")
]
# The public functions that say that they return a Solution.
SOLVERS = [
    (module, name)
    for module in MODULES
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if function.__module__ == module.__name__
    and inspect.signature(function).return_annotation is Solution
    and not name.startswith("_")
]
CASES = {  # the class that calls a solver, and its parameters, if the module does not tell
    "coreg_centroid": ("CoRegSpectral", {"variant": "centroid"}),
    "coreg_pairwise": ("CoRegSpectral", {"variant": "pairwise"}),
    "mvkkm": ("MVKKM", {}),
    "mvspec": ("MVSpec", {}),
}


def test_every_method_with_mathematics_of_its_own_has_a_solver():
    last = {module: module.__name__.rpartition(".")[2] for module in MODULES}
    alike = {name for m, name in last.items() if inspect.isfunction(getattr(m, name, None))}
    assert alike | {"coreg_spectral", "cotrain_spectral"} <= {last[module] for module, _ in SOLVERS}


@pytest.mark.parametrize(("module", "solver"), SOLVERS, ids=[name for _, name in SOLVERS])
def test_solvers_return_a_solution_that_the_class_takes(monkeypatch, module, solver):
    classes = [
        (name, {})
        for name, c in inspect.getmembers(module, inspect.isclass)
        if c.__module__ == module.__name__ and hasattr(c, "view_tags")
    ]
    ((name, parameters),) = [CASES[solver]] if solver in CASES else classes
    estimator, true_solver, returned = getattr(module, name), getattr(module, solver), []

    def recorded(*args, **kwargs):
        returned.append(true_solver(*args, **kwargs))
        return returned[-1]

    monkeypatch.setattr(module, solver, recorded)
    Xs = make_blobs()[0][: tags_of(estimator).n_views]
    model = estimator(3, random_state=0, **parameters).fit(Xs)
    (solution,) = returned
    assert (type(solution), type(solution.factors)) == (Solution, dict)
    assert isinstance(solution.objective, list)
    assert isinstance(solution.stop, float)
    if solution.objective:
        np.testing.assert_array_equal(model.objective_, solution.objective)
        assert model.n_iter_ == len(solution.objective)
    else:
        assert not hasattr(model, "objective_")
