"""What a fit runs on, and the fit itself, as plain records."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from mvclust.bench.config.protocols import BASE_OF, PER_VIEW, RATE_OF, RATES

JOINT = "+"  # joins names of metrics that are defined together


def defined_together(names: str, metrics: str) -> dict[str, str]:
    """What each of some names means, of which one definition decides."""
    return dict(zip(names.split(JOINT), metrics.split(JOINT), strict=True))


@dataclass(frozen=True, order=True)
class Setting:
    """A data set with some of its views under one protocol of missing instances."""

    dataset: str  # name of a prepared file: "bbcsport", or "bbcsport-544x2" for another version
    views: tuple
    protocol: str
    rate: float = 0.0  # meaning by protocol, see `RATE_OF`; 0 without one
    samples: int = 0  # number of samples drawn at random; 0 for all
    scale: str = ""  # how every view is scaled before a method sees it
    strength: float = 0.0  # how strongly missing views depend on the data; 0 if they do not

    @classmethod
    def from_record(cls, record: dict) -> Setting:
        """Read a setting from the JSON of `record`."""
        return cls(**record | {"views": tuple(record["views"])})  # pyright: ignore[reportArgumentType]

    @property
    def record(self) -> dict:
        """The setting as JSON."""
        record = {**vars(self), "views": list(self.views)}
        if not self.strength:
            del record["strength"]
        return record

    @property
    def id(self) -> str:
        """Name for files and messages; never parsed."""
        name = f"{self.dataset}.{'+'.join(self.views)}.{self._missing}"
        name += f".n{self.samples}" if self.samples else ""
        return name + (f".{self.scale}" if self.scale else "")

    @property
    def masks(self) -> str:
        """Name of the file with its masks: of one data set, protocol, rate and strength."""
        return f"{self.dataset}/{self._missing}"

    @property
    def _missing(self) -> str:
        strength = f"-{self.strength:g}" if self.strength else ""
        return f"{self.protocol}-{self.rate:g}{strength}"

    @property
    def per_view(self) -> bool:
        """Whether every view has rows, labels and scores of its own."""
        return self.protocol in PER_VIEW

    @property
    def columns(self) -> dict:
        """The setting as typed columns of a table; rates that the protocol lacks are None."""
        rates = dict.fromkeys(RATES)
        if self.protocol in RATE_OF:
            rates[RATE_OF[self.protocol]] = float(self.rate)  # pyright: ignore[reportArgumentType]
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
    """One method with given parameters on one mask of one setting."""

    setting: Setting
    repetition: int  # number of the mask, or of the start
    method: str  # key in the catalogue of methods
    params: dict  # those of the class, and of the pipeline's preprocessing

    @cached_property
    def key(self) -> str:
        """Name of the fit in the table of runs."""
        text = f"{self.setting.id}|{self.repetition}|{self.method}|{self.canonical_params}"
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    @cached_property
    def canonical_params(self) -> str:
        """The parameters as a text in a fixed order."""
        return canonical(self.params)


def canonical(params: dict) -> str:
    """Parameters as JSON in a fixed order; 10 and 10.0 are equal."""
    return json.dumps(plain(params), sort_keys=True)


def plain(params: dict) -> dict:
    """Parameters with whole numbers as integers."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in params.items()
    }
