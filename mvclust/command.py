"""A method in another language, run by a command."""

import shlex
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from mvclust.estimators.base import draw_seeds
from mvclust.extras import need

LARGEST = 2**31 - 1  # of a label


class Command(ClusterMixin, BaseEstimator):
    """Cluster views by a program of your own.

    The program is called with two more arguments, the file to read and the file to write:

    * an HDF5 file with the views ``view_1``, ``view_2``, … of shape (n_samples, n_features_v),
      where a missing instance is a row of NaN, and the numbers ``n_clusters`` and ``seed``;
    * a text file for the labels, one whole number per line, one line per sample.

    It has done its work if it ends with exit code 0. It is run without a shell.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    command : str
        The program with its arguments, quoted as for a shell: "octave-cli --quiet cluster.m".
        Files are looked for in the working directory.
    random_state : int, RandomState, Generator or None, default=None
        Where the program's seed is drawn from.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)

    Examples
    --------
    A program that puts every sample into one cluster of its own, modulo two:

    >>> import sys, numpy as np
    >>> from mvclust.command import Command
    >>> program = "import sys; open(sys.argv[2], 'w').write('0\\\\n1\\\\n0\\\\n')"
    >>> command = f'{sys.executable} -c "{program}"'
    >>> Command(2, command=command).fit([np.eye(3)]).labels_.tolist()
    [0, 1, 0]
    """

    def __init__(self, n_clusters, *, command, random_state=None):
        self.n_clusters = n_clusters
        self.command = command
        self.random_state = random_state

    def fit(self, Xs, y=None):
        """Run the program on some views.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        RuntimeError
            If the program fails, or its labels are not one whole number per sample.
        FileNotFoundError
            If there is no such program.
        """
        words = shlex.split(self.command)
        if not words:
            raise ValueError("Command: command is empty, expected a program with its arguments.")
        Xs = [np.asarray(X, dtype=np.float64) for X in Xs]
        (seed,) = draw_seeds(self.random_state, 1)
        with tempfile.TemporaryDirectory() as folder:
            views, labels = Path(folder, "views.h5"), Path(folder, "labels.csv")
            _write_views(views, Xs, self.n_clusters, seed)
            done = subprocess.run(
                [*words, str(views), str(labels)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
            )
            if done.returncode:
                said = done.stderr.decode(errors="replace").strip().splitlines()
                last = f": {said[-1]}" if said else ""
                raise RuntimeError(f"{words[0]} ended with exit code {done.returncode}{last}")
            self.labels_ = _read_labels(labels, len(Xs[0]), words[0])
        return self


def _write_views(path, Xs, n_clusters, seed):
    with need("h5py").File(path, "w") as file:
        for v, X in enumerate(Xs, 1):
            file[f"view_{v}"] = X
        file["n_clusters"] = float(n_clusters)
        file["seed"] = float(seed)


def _read_labels(path, n_samples, program):
    if not path.exists():
        raise RuntimeError(f"{program} wrote no labels")
    try:
        labels = np.array([float(word) for word in path.read_text(errors="replace").split()])
        right = (np.abs(labels) < LARGEST).all() and (labels == np.round(labels)).all()
    except ValueError:
        right = False
    if not right:
        raise RuntimeError(f"{program} wrote labels that are not whole numbers")
    if len(labels) != n_samples:
        raise RuntimeError(f"{program} wrote {len(labels)} labels, expected {n_samples}")
    return labels.astype(np.int64)
