"""A small configuration that tests edit."""

import pytest
from bench.planned import lay_out


@pytest.fixture
def project(tmp_path):
    return lay_out(tmp_path / "project")
