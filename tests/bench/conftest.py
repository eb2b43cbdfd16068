"""What tests of the pipeline share."""

import pytest
from bench.planned import EVERY, configuration_of, lay_out


@pytest.fixture
def project(tmp_path):
    """A small configuration that tests edit."""
    return lay_out(tmp_path / "project")


@pytest.fixture(scope="module")
def science(tmp_path_factory):
    """The configuration of which most tests make plans."""
    folder = lay_out(tmp_path_factory.mktemp("plan"))
    return configuration_of(folder, experiments=EVERY, datasets=None)


@pytest.fixture
def svg_alone(monkeypatch):
    """Write no figure as pdf and png, which takes a third of the time and is committed nowhere."""
    from mvclust.bench.report import style  # which loads matplotlib

    monkeypatch.setattr(style, "FORMATS", {"svg": style.FORMATS["svg"]})
