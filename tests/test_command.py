"""A program of another language clusters views; whatever it does wrong is one sentence."""

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import ROOT

from mvclust.command import Command
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.testing import make_blobs

EXAMPLE = ROOT / "docs" / "examples" / "octave"


def program(tmp_path, text):
    """A command that runs a program in Python."""
    path = tmp_path / "a program.py"
    path.write_text("import sys\nviews, labels = sys.argv[1:]\n" + text)
    return f"{sys.executable} '{path}'"


def test_the_program_gets_views_clusters_and_seed(tmp_path):
    text = (
        "import h5py, numpy as np\n"
        "file = h5py.File(views)\n"
        "assert list(file) == ['n_clusters', 'seed', 'view_1', 'view_2']\n"
        "assert file['view_1'].shape == (45, 5) and file['view_2'].shape == (45, 4)\n"
        "gone = np.isnan(file['view_1'][()]).all(axis=1)\n"
        "k = int(file['n_clusters'][()])\n"
        "np.savetxt(labels, np.where(gone, k, int(file['seed'][()]) % 1000), fmt='%d')\n"
    )
    Xs, y = make_blobs()
    presence = random_mask(len(y), 2, 0.3, seed=0)
    model = Command(3, command=program(tmp_path, text), random_state=1)
    labels = model.fit(apply_mask(Xs[:2], presence)).labels_
    assert labels.dtype == np.int64
    assert ((labels == 3) == ~presence[:, 0]).all()
    assert (model.fit_predict(apply_mask(Xs[:2], presence)) == labels).all()
    masked = [np.ma.masked_invalid(X) for X in apply_mask(Xs[:2], presence)]
    assert (model.fit_predict(masked) == labels).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sys.exit('no such thing')\n", "ended with exit code 1: no such thing"),
        ("sys.exit('error: no such thing\\nerror: called from\\n  cluster at line 3')\n",
         "exit code 1: error: no such thing$"),
        ("def f():\n    error = 1 / 0\nf()\n", "exit code 1: ZeroDivisionError: "),
        ("sys.exit('Error in f(x) : \\n  cannot open the connection\\nExecution halted')\n",
         r"Error in f\(x\) : cannot open the connection$"),
        ("print('Error: not licensed')\nsys.exit(3)\n", "exit code 3: Error: not licensed$"),
        ("import os\nos.kill(os.getpid(), 9)\n", "was killed by signal 9$"),
        ("pass\n", "wrote no labels"),
        ("open(labels, 'w').write('1 2 1')\n", "wrote 3 labels, expected 45"),
        ("open(labels, 'w').write('a ' * 45)\n", "labels that are not whole numbers"),
        ("open(labels, 'w').write('1.5 ' * 45)\n", "labels that are not whole numbers"),
        ("open(labels, 'w').write('nan ' * 45)\n", "labels that are not whole numbers"),
        ("open(labels, 'w').write('1e300 ' * 45)\n", "labels that are not whole numbers"),
    ],
)  # fmt: skip
def test_what_the_program_does_wrong_is_said(tmp_path, text, said):
    with pytest.raises(RuntimeError, match=said):
        Command(3, command=program(tmp_path, text)).fit(make_blobs()[0])


def test_a_command_is_no_shell_and_one_that_is_no_program_is_named(tmp_path):
    def refused(command, error, match):
        with pytest.raises(error, match=match):
            Command(3, command=command).fit(make_blobs()[0])

    touched, notes = tmp_path / "touched", tmp_path / "notes.txt"
    refused(f"{program(tmp_path, 'pass')} ; touch {touched}", RuntimeError, "")
    assert not touched.exists()
    refused("no_such_program --fast", FileNotFoundError, "there is no program 'no_such_program'; i")
    refused(" ", ValueError, "command is empty")
    refused('a "b', ValueError, r"command='a \"b': no closing quotation")
    notes.write_text("no program")
    refused(str(notes), OSError, r"notes\.txt' cannot be run: Permission denied")
    notes.chmod(0o755)
    refused(str(notes), OSError, "cannot be run: Exec format error")


@pytest.mark.skipif(not shutil.which("octave-cli"), reason="Octave is not installed")
def test_the_example_in_octave_clusters(monkeypatch):
    Xs, y = make_blobs()
    monkeypatch.chdir(EXAMPLE)
    labels = Command(3, command="octave-cli --quiet cluster.m", random_state=0).fit_predict(Xs)
    assert accuracy(y, labels) == 1
    assert Path("cluster.m").is_file()


@pytest.mark.parametrize(
    ("n_clusters", "spoil", "said"),
    [
        (3, lambda X: np.where(X > 7, np.inf, X), "Command: view 1 contains infinite values"),
        (46, np.array, "Command: n_clusters=46 is more than the 45 samples"),
    ],
)
def test_views_that_no_program_should_see_are_refused(tmp_path, n_clusters, spoil, said):
    Xs = make_blobs()[0][:2]
    command = program(tmp_path, "open(labels, 'w').write('1 ' * 45)\n")
    with pytest.raises(ValueError, match=said):
        Command(n_clusters, command=command).fit([Xs[0], spoil(Xs[1])])
