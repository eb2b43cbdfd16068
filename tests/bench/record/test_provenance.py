"""What a result was made with is named so that another machine can be told apart."""

import numpy as np  # brings the BLAS
import pytest
from threadpoolctl import threadpool_info

from mvclust.bench.record.provenance import cpu_name, machine


def test_the_processor_is_named_with_the_kernels_of_blas():
    assert np.ones((2, 2)).sum() == 4
    kernels = {each["architecture"] for each in threadpool_info() if "architecture" in each}
    if not kernels:
        pytest.skip("this BLAS does not name its kernels")
    assert cpu_name().endswith(f", {', '.join(sorted(kernels))}")
    assert machine()["cpu"] == cpu_name()
