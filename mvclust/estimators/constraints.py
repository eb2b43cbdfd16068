"""How estimators declare what their parameters may be.

scikit-learn's validators are private there. Only this module imports them, so that a change of
scikit-learn is met in one place; estimators import them from here.
"""

from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["COUNT", "NONNEGATIVE", "POSITIVE", "Interval", "StrOptions"]

COUNT = [Interval(Integral, 1, None, closed="left")]
NONNEGATIVE = [Interval(Real, 0, None, closed="left")]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
