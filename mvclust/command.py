"""A method in another language, run by a command."""

import shlex
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

from mvclust.canonical import whole_number
from mvclust.estimators.base import check_views, draw_seeds, named
from mvclust.extras import need
from mvclust.masking import apply_mask

LARGEST = 2**31 - 1  # of a label
LONGEST = 500  # characters of what a program says, that are quoted


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
            The views; a missing instance is a row of NaN, or masked.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If the views are none that `mvclust` clusters, or the number of clusters is none.
        RuntimeError
            If the program fails, or its labels are not one whole number per sample.
        FileNotFoundError
            If there is no such program.
        OSError
            If it is no program, or may not be run.
        """
        words, given = _words_of(self.command), Xs
        Xs, presence = check_views(Xs, name="Command")
        n, n_clusters = len(presence), whole_number(self.n_clusters, "Command: n_clusters")
        if n_clusters > n:
            raise ValueError(f"Command: n_clusters={n_clusters} is more than the {n} samples.")
        (seed,) = draw_seeds(self.random_state, 1)
        with tempfile.TemporaryDirectory() as folder:
            views, labels = Path(folder, "views.h5"), Path(folder, "labels.csv")
            with need("h5py").File(views, "w") as file:
                for v, X in enumerate(apply_mask(Xs, presence), 1):
                    file[f"view_{v}"] = X
                file["n_clusters"], file["seed"] = float(n_clusters), float(seed)
            _run([*words, str(views), str(labels)], Path(folder, "said.txt"))
            found = _read_labels(labels, n, words[0])
            self.labels_ = named(found, given, "cluster")
        return self


def _words_of(command):
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"Command: command={command!r}: {str(error).lower()}.") from None
    if not words:
        raise ValueError("Command: command is empty, expected a program with its arguments.")
    return words


def _run(words, out):
    """Run a program; what it prints goes into a file, its errors into an exception."""
    try:
        with open(out, "wb") as file:
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE, check=False
            )
    except FileNotFoundError:
        raise FileNotFoundError(
            f"Command: there is no program '{words[0]}'; is it installed and on PATH?"
        ) from None
    except OSError as error:
        raise OSError(f"Command: '{words[0]}' cannot be run: {error.strerror}.") from None
    if done.returncode:
        said = _reason(done.stderr) or _reason(out.read_bytes()[-LONGEST:])
        said = f": {said}" if said else ""
        code = done.returncode
        end = f"ended with exit code {code}" if code > 0 else f"was killed by signal {-code}"
        raise RuntimeError(f"{words[0]} {end}{said}")


def _reason(said):
    """The line that says why a program failed.

    That is the first that speaks of an error, as Octave and R begin with it and go on to where it
    was; else the last. Indented lines, which quote code in a traceback, do not count; but R puts
    the reason into one after a colon.
    """
    lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
    for n, line in enumerate(lines):
        if not line[0].isspace() and "error" in line.lower():
            more = lines[n + 1 : n + 2] if line.rstrip().endswith(":") else []
            return " ".join(part.strip() for part in [line, *more])[:LONGEST]
    return lines[-1].strip()[:LONGEST] if lines else ""


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
