"""The one arithmetic of runs: the kernel of BLAS, the loops of numpy, one thread.

OpenBLAS and numpy choose by the processor when they are loaded, and round differently. So processes
that compute are started with the variables of `environment`.
"""

import json
import os
import platform
import subprocess
import sys
from functools import cache
from typing import NamedTuple

KERNEL, LOOPS = "Haswell", "AVX2"
SAME_KERNELS = {"Haswell", "Zen"}  # equal in all digits
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# What numpy calls AVX2 and what is below it; the names differ by version.
UP_TO_AVX2 = {"SSE", "SSE2", "SSE3", "SSSE3", "SSE41", "SSE42", "POPCNT", "AVX", "F16C", "XOP"}
UP_TO_AVX2 |= {"FMA3", "FMA4", "AVX2", "X86_V2", "X86_V3"}
OF_JAX = "--xla_cpu_max_isa=AVX2"
STARTED_AGAIN = "MVCLUST_STARTED_AGAIN"


class Arithmetic(NamedTuple):
    """What decides the last digits of a process, beside the versions of libraries."""

    kernel: str
    loops: str
    libc: str

    def __str__(self) -> str:
        return f"kernel {self.kernel}, loops {self.loops}, {self.libc}"

    @property
    def is_pinned(self) -> bool:
        """Whether the digits are those of the repository, as far as kernel and loops decide."""
        return self.kernel in SAME_KERNELS and self.loops == LOOPS


def environment(kernel: str = KERNEL) -> dict[str, str]:
    """Variables for processes that compute, without AVX2 threads alone; a named kernel stays."""
    variables = dict(ONE_THREAD)
    has_avx2, above = _numpy_features()
    if has_avx2:
        variables["OPENBLAS_CORETYPE"] = os.environ.get("OPENBLAS_CORETYPE") or kernel  # pyright: ignore[reportArgumentType]
        named = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()
        if above or named:
            variables["NPY_DISABLE_CPU_FEATURES"] = " ".join(dict.fromkeys([*named, *above]))  # pyright: ignore[reportArgumentType]
        flags = os.environ.get("XLA_FLAGS", "")
        known = "xla_cpu_max_isa" in flags
        variables["XLA_FLAGS"] = flags if known else f"{flags} {OF_JAX}".strip()  # pyright: ignore[reportArgumentType]
    return variables  # pyright: ignore[reportReturnType]


def pin() -> None:
    """Let the processes that this one starts have the arithmetic of runs."""
    os.environ |= environment()


def start_again(kernel: str | None = None) -> None:
    """Start this program again under the arithmetic; a given kernel replaces a named one."""
    if os.environ.pop(STARTED_AGAIN, None):
        return
    if kernel is not None:
        os.environ["OPENBLAS_CORETYPE"] = kernel
    variables = environment()
    if kernel is None and variables.items() <= os.environ.items():
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os.environ |= variables | {STARTED_AGAIN: "1"}
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def of_process() -> Arithmetic:
    """What this process computes with."""
    import numpy  # noqa: F401  both load a BLAS of their own
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    kernels = {pool.get("architecture", pool["internal_api"]) for pool in pools}
    above = _features_above_avx2()
    loops = " ".join(above) or (LOOPS if _has("AVX2") else platform.machine())
    libc = " ".join(platform.libc_ver()).strip() or platform.system()
    return Arithmetic("+".join(sorted(kernels)) or "unknown", loops, libc)


@cache
def of_children() -> Arithmetic:
    """What a process that this one starts computes with: a name of a kernel may have no effect."""
    return Arithmetic(*_asked("of_process", os.environ | environment()))


def require(planned: Arithmetic) -> None:
    """See that this job computes as planned, started again if need be: a node may be another."""
    here = of_process()
    if here == planned:
        os.environ.pop(STARTED_AGAIN, None)
        return
    if here[:2] != planned[:2]:
        start_again(planned.kernel)
    raise RuntimeError(f"this machine computes with {here}, the run with {planned}")


def own_digits(arithmetic: Arithmetic) -> str:
    """A sentence on digits that are not those of the repository; empty if they are."""
    if arithmetic.is_pinned:
        return ""
    return (
        f"Computed with {arithmetic}: the digits are those of this arithmetic and not the "
        f"repository's (kernel {KERNEL}, loops {LOOPS})."
    )


@cache
def _numpy_features() -> tuple[bool, tuple[str, ...]]:
    """Whether numpy has AVX2 here, and its features above that which are on by themselves."""
    if "numpy" in sys.modules and "NPY_DISABLE_CPU_FEATURES" not in os.environ:
        has_avx2, above = _features_here()
        return has_avx2, tuple(above)
    variables = {k: v for k, v in os.environ.items() if k != "NPY_DISABLE_CPU_FEATURES"}
    has_avx2, above = _asked("_features_here", variables)
    return has_avx2, tuple(above)


def _asked(function: str, variables: dict[str, str]) -> list:
    """What a function of this module returns in a process with these variables."""
    code = f"import json; from {__name__} import {function}; print(json.dumps({function}()))"
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    run = subprocess.run(
        [sys.executable, "-c", code], env=variables, cwd=root, capture_output=True, text=True
    )
    if run.returncode:
        raise RuntimeError(f"numpy cannot be imported: {run.stderr.strip()}")
    return json.loads(run.stdout)


def _features_here() -> tuple[bool, list[str]]:
    return _has("AVX2"), _features_above_avx2()


def _has(name: str) -> bool:
    return bool(_umath().__cpu_features__.get(name))


def _features_above_avx2() -> list[str]:
    umath = _umath()
    on = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    return [name for name in on if name not in UP_TO_AVX2]


def _umath():
    from numpy._core import _multiarray_umath

    return _multiarray_umath
