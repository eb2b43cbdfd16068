"""Files damaged at random. The variable MVCLUST_FUZZ gives the number of files of each kind."""

import os

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

FILES = int(os.environ.get("MVCLUST_FUZZ", "12"))


def fuzzed(test):
    """Call a test with many seeds of damage."""
    return settings(max_examples=FILES, deadline=None)(given(seed=st.integers(0, 10**9))(test))


def damaged(whole, seed):
    """The bytes of a file, cut, changed, overwritten, or longer or shorter in the middle."""
    rng = np.random.default_rng(seed)
    content, n = bytearray(whole), len(whole)
    at = int(rng.integers(n))
    match rng.integers(7):
        case 0:
            del content[at:]
        case 1:
            for place in rng.integers(0, n, rng.integers(1, 8)):
                content[place] = rng.integers(256)
        case 2:  # the header
            for place in rng.integers(0, min(300, n), rng.integers(1, 4)):
                content[place] = rng.integers(256)
        case 3:
            content[at:at] = rng.bytes(rng.integers(1, 40))
        case 4:
            length = int(rng.integers(1, 9))
            content[at : at + length] = b"\xff" * length
        case 5:
            del content[at : at + int(rng.integers(1, 64))]
        case 6:  # the end, where archives have their list
            content[rng.integers(max(0, n - 200), n)] = rng.integers(256)
    return bytes(content)
