"""Losses of all methods: worked examples, naive sums, gradients, padding, floors."""

import functools

import numpy as np
import pytest
from deep.needed import jax

from mvclust.deep import proimp
from mvclust.deep.apadc import discrepancy_loss, information_loss, kernel_widths
from mvclust.deep.completer import batch_terms, total_loss
from mvclust.deep.cpspan import alignment_of_dimensions, alignment_of_samples
from mvclust.deep.dsimvc import features_loss, labels_loss
from mvclust.deep.losses import mutual_information, squared_error

pytestmark = pytest.mark.usefixtures("double")
# Arrays of the worked examples: probabilities; rows, not yet of unit length; codes; features.
Z = (
    np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]]),
    np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]),
)
AB = (
    np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
    np.array([[1.0, 0.5], [0.0, 2.0], [1.0, 0.0]]),
)
CODES = (
    np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]]),
    np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 2.0]]),
)
H = (np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 2.0]]))
ONES = np.ones(4)


def mmd(widths):
    """L_mmd of APADC where nothing is incomplete."""

    def loss(Z1, Z2, weight):
        nothing = [0 * weight, 0 * weight]
        return discrepancy_loss([Z1, Z2], [Z1, Z2], weight, nothing, widths)

    return loss


def prototypes(A, B, weight):
    return proimp.prototypes_loss(jax.numpy.concatenate([A, B]))


def mutual_information_10(Z1, Z2, weight):
    return mutual_information(Z1, Z2, 10, weight)


dimensions = functools.partial(alignment_of_dimensions, prototypes="all")  # as released
# Loss, the arrays it takes, its value, and norm and first row of its gradient.
EXAMPLES = {
    "MI_10": (mutual_information_10, Z, -19.7692408717, 0.73380733,
              [0.04977628, 0.24455855, -0.13754288]),
    "samples": (proimp.samples_loss, AB, 1.2284458497, 0.40159062, [0, -0.04675842]),
    "assignments": (proimp.assignments_loss, Z, 0.0266020340, 0.08184015,
                    [0.01106247, 0.01419438, -0.03475589]),
    "prototypes": (prototypes, AB, 1.5746672394, 0.19124989, [0, 0.13795819]),
    "information": (information_loss, Z, -39.4935848383, 1.87563792,
                    [0.30719413, 0.55991182, -0.50321566]),
    # Its bandwidth is constant in the gradient, not in the value.
    "discrepancy": (mmd(kernel_widths(2, 4)), Z, 0.1461488120, 0.75811907,
                    [0.07575111, -0.14974055, 0.07398944]),
    "samples of CPSPAN": (alignment_of_samples, CODES, 0.0609061644, 0.16983274,
                          [0, -0.13807119]),
    "features": (features_loss, H, -1.3140332628, 1.02305303, [-0.46666667, -0.26666667]),
    "labels": (labels_loss, Z, 0.8332007673, 0.29560553,
               [-0.03857261, 0.06965419, 0.05853818]),
    "dimensions": (dimensions, CODES, 0.1480061586, 0.26950887, [-0.05405694, -0.04909944]),
}  # fmt: skip


@functools.cache
def compiled(name):
    """A loss with its gradient; each new shape is compiled."""
    return jax.jit(jax.value_and_grad(EXAMPLES[name][0]))


@pytest.mark.parametrize("name", EXAMPLES)
def test_values_and_gradients_are_those_of_the_worked_examples_in_any_order_and_padded(name):
    _, arrays, value, norm, first = EXAMPLES[name]
    ones = np.ones(len(arrays[0]))
    found, gradient = compiled(name)(*arrays, ones)
    assert float(found) == pytest.approx(value, abs=2e-10)
    assert float(np.linalg.norm(gradient)) == pytest.approx(norm, abs=1e-8)
    np.testing.assert_allclose(gradient[0], first, atol=1e-8)
    swapped, _ = compiled(name)(*arrays[::-1], ones)
    assert float(swapped) == pytest.approx(value, abs=2e-10)
    if name != "prototypes":  # which are never padded
        order = np.random.default_rng(0).permutation(len(ones) + 3)
        padded = [np.r_[A, np.full((3, A.shape[1]), 1 / 3)][order] for A in arrays]
        found, _ = compiled(name)(*padded, np.r_[ones, np.zeros(3)][order])
        assert float(found) == pytest.approx(value, abs=2e-10)


def test_mutual_information_has_its_bound_and_its_value_at_uniform_codes():
    information = jax.jit(mutual_information)
    assert float(information(*Z, 1, ONES)) == pytest.approx(-0.0480663831, abs=1e-10)
    uniform, alone = np.full((4, 3), 1 / 3), np.eye(3)[[0, 0, 0, 0]]
    assert float(information(uniform, uniform, 10, ONES)) == pytest.approx(-19.775021196)
    assert float(information(alone, alone, 10, ONES)) == pytest.approx(0, abs=1e-9)
    for h, bound in {3: -20.8736334847, 40: -70.0887096282}.items():
        codes = np.eye(h)
        assert float(information(codes, codes, 10, np.ones(h))) == pytest.approx(bound)


@pytest.mark.parametrize("name", ["MI_10", "assignments", "information", "discrepancy"])
def test_codes_that_are_unused_or_equal_have_a_finite_gradient(name):
    """Equal codes have no discrepancy."""
    codes = np.full((4, 3), 1 / 3) if name == "discrepancy" else np.eye(3)[[0, 0, 1, 1]]
    value, gradient = compiled(name)(codes, codes, ONES)
    assert np.isfinite(gradient).all()
    assert abs(float(value)) < 1e-12 if name == "discrepancy" else np.isfinite(value)


def test_a_single_pair_has_nothing_to_contrast_and_partners_too_similar_are_pushed_back():
    assert float(compiled("samples")(*AB, np.array([1.0, 0, 0]))[0]) == 0
    equal, _ = compiled("prototypes")(AB[0], AB[0], np.ones(3))
    assert float(equal) == pytest.approx(1.6067495366, abs=1e-10)
    assert float(equal) > EXAMPLES["prototypes"][2]


def test_matching_maximises_agreement():
    first, second = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([1, 1, 2, 2, 0, 0, 1])
    matching = proimp.match_assignments(first, second, 3)
    assert matching.tolist() == [2, 0, 1]
    assert np.argsort(matching).tolist() == [1, 2, 0]
    assert sorted(proimp.match_assignments(first[:2], second[:2], 3)) == [0, 1, 2]  # some are dead


def test_completer_adds_its_terms_with_their_weights():
    X = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0], [1, 1, 1.0]])
    back = np.array([[0.5, 1, 1.5], [1, 0.5, 1], [1.5, 1, 0.5], [1, 0, 1]])
    terms = batch_terms((X, X), Z, (back, back), Z, ONES, 10)
    assert float(terms["reconstruction"]) == pytest.approx(0.375)
    assert float(terms["prediction"]) == pytest.approx(0.03)
    weights = {"lam_pre": 0.1, "lam_rec": 0.1}
    for late, value in {1.0: -19.7287408717, 0.0: -19.7317408717}.items():
        assert float(total_loss(terms, weights | {"late": late})) == pytest.approx(value, abs=1e-9)
    padded = np.r_[back, np.ones((2, 3))]
    more = squared_error(padded, np.r_[X, np.zeros((2, 3))], np.r_[ONES, 0, 0])
    assert float(more) == pytest.approx(0.1875)


@pytest.mark.parametrize(("mul", "num", "value"), [(2, 6, 0.3285869509), (0.01, 3, 0.8898055353)])
def test_discrepancy_is_that_of_the_worked_example(mul, num, value):
    assert float(jax.jit(mmd(kernel_widths(mul, num)))(*Z, ONES)) == pytest.approx(value, abs=2e-10)


def test_dimensions_can_be_aligned_with_their_own_alone():
    align = jax.jit(alignment_of_dimensions, static_argnames="prototypes")
    assert float(align(*CODES, np.ones(3), "same")) == pytest.approx(0.0368367524, abs=1e-10)
    for kind in ("all", "same"):
        assert float(align(*CODES, np.zeros(3), kind)) == 0
