"""What tests of the report share."""

import pytest

from mvclust.bench.report import style


@pytest.fixture
def svg_alone(monkeypatch):
    """Write no figure as pdf and png, which takes a third of the time and is committed nowhere."""
    monkeypatch.setattr(style, "FORMATS", {"svg": style.FORMATS["svg"]})
