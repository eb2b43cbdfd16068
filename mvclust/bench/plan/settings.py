"""What a fit runs on, and the fit itself, as plain records."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from mvclust.bench.config.protocols import BASE_OF, PER_VIEW, RATE_OF, RATES

JOINT = "+"  # joins names of metrics that are defined together


def defined_together(names, metrics):
    """What each of some names means, of which one definition decides.

    Examples
    --------
    >>> defined_together("Precision+Recall", "recall+precision")
    {'Precision': 'recall', 'Recall': 'precision'}
    """
    return dict(zip(names.split(JOINT), metrics.split(JOINT), strict=True))


@dataclass(frozen=True, order=True)
class Setting:
    """A data set with some of its views under one protocol of missing instances.

    Parameters
    ----------
    dataset : str
        Name of a prepared file: "bbcsport" for the papers' version of a data set,
        "bbcsport-544x2" for another.
    views : tuple of str
    protocol : str
    rate : float, default=0.0
        What it counts follows from the protocol, see `RATE_OF`; 0 where there is none.
    samples : int, default=0
        Number of samples drawn at random; 0 for all.
    scale : str, default=""
        How every view is scaled before a method sees it.
    strength : float, default=0.0
        How strongly it depends on the data who lacks a view; 0 where it does not.
    """

    dataset: str
    views: tuple
    protocol: str
    rate: float = 0.0
    samples: int = 0
    scale: str = ""
    strength: float = 0.0

    @classmethod
    def from_record(cls, record):
        """The setting that `record` made, read back from JSON."""
        return cls(**record | {"views": tuple(record["views"])})

    @property
    def record(self):
        """The setting as JSON holds it."""
        record = {**vars(self), "views": list(self.views)}
        if not self.strength:
            del record["strength"]
        return record

    @property
    def id(self):
        """A name for files and messages; nothing reads it back."""
        name = f"{self.dataset}.{'+'.join(self.views)}.{self._missing}"
        name += f".n{self.samples}" if self.samples else ""
        return name + (f".{self.scale}" if self.scale else "")

    @property
    def masks(self):
        """The name of the file with its masks: of one data set, protocol, rate and strength."""
        return f"{self.dataset}/{self._missing}"

    @property
    def _missing(self):
        strength = f"-{self.strength:g}" if self.strength else ""
        return f"{self.protocol}-{self.rate:g}{strength}"

    @property
    def per_view(self):
        """Whether every view has rows, labels and scores of its own."""
        return self.protocol in PER_VIEW

    @property
    def columns(self):
        """The setting as typed columns of a table; rates that the protocol lacks are None."""
        rates = dict.fromkeys(RATES)
        if self.protocol in RATE_OF:
            rates[RATE_OF[self.protocol]] = float(self.rate)
        by_strength = {"strength": float(self.strength)} if self.protocol in BASE_OF else {}
        return {
            "dataset": self.dataset,
            "views": list(self.views),
            "protocol": self.protocol,
            **rates,
            "samples": self.samples or None,
            "view_scale": self.scale or None,
            **by_strength,
        }


@dataclass(frozen=True)
class Fit:
    """One method with given parameters on one mask of one setting.

    Parameters
    ----------
    setting : Setting
    repetition : int
        Number of the mask, or of the start.
    method : str
        Key in the catalogue of methods.
    params : dict
        The parameters of the class, and what the pipeline does to the views for it.
    """

    setting: Setting
    repetition: int
    method: str
    params: dict

    @cached_property
    def key(self):
        """Name of the fit in the table of runs."""
        text = f"{self.setting.id}|{self.repetition}|{self.method}|{self.canonical_params}"
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @cached_property
    def canonical_params(self):
        """The parameters as a text in a fixed order."""
        return canonical(self.params)


def canonical(params):
    """Parameters as JSON in a fixed order; 10 and 10.0 are the same value.

    Examples
    --------
    >>> canonical({"b": 10.0, "a": 0.1})
    '{"a": 0.1, "b": 10}'
    """
    return json.dumps(plain(params), sort_keys=True)


def plain(params):
    """Parameters with whole numbers as integers."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in params.items()
    }
