"""How estimators declare what their parameters may be.

scikit-learn's validators are private there. Only this module imports them, so that a change of
scikit-learn is met in one place; estimators import them from here.
"""

from sklearn.utils._param_validation import Interval, StrOptions

__all__ = ["Interval", "StrOptions"]
