"""The configuration of which most tests here make plans."""

import pytest
from bench.planned import EVERY, configuration_of, lay_out


@pytest.fixture(scope="module")
def science(tmp_path_factory):
    folder = lay_out(tmp_path_factory.mktemp("plan"))
    return configuration_of(folder, experiments=EVERY, datasets=None)
