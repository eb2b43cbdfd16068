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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sys.exit('no such thing')\n", "ended with exit code 1: no such thing"),
        ("pass\n", "wrote no labels"),
        ("open(labels, 'w').write('1 2 1')\n", "wrote 3 labels, expected 45"),
        ("open(labels, 'w').write('a ' * 45)\n", "labels that are not whole numbers"),
        ("open(labels, 'w').write('1.5 ' * 45)\n", "labels that are not whole numbers"),
        ("open(labels, 'w').write('nan ' * 45)\n", "labels that are not whole numbers"),
        ("open(labels, 'w').write('1e300 ' * 45)\n", "labels that are not whole numbers"),
    ],
)
def test_what_the_program_does_wrong_is_said(tmp_path, text, said):
    with pytest.raises(RuntimeError, match=said):
        Command(3, command=program(tmp_path, text)).fit(make_blobs()[0])


def test_a_command_is_no_shell(tmp_path):
    touched = tmp_path / "touched"
    command = program(tmp_path, "pass\n") + f" ; touch {touched}"
    with pytest.raises(RuntimeError):
        Command(3, command=command).fit(make_blobs()[0])
    assert not touched.exists()


def test_a_command_that_is_not_there_is_named():
    with pytest.raises(FileNotFoundError, match="no_such_program"):
        Command(3, command="no_such_program --fast").fit(make_blobs()[0])
    with pytest.raises(ValueError, match="command is empty"):
        Command(3, command=" ").fit(make_blobs()[0])


@pytest.mark.skipif(not shutil.which("octave-cli"), reason="Octave is not installed")
def test_the_example_in_octave_clusters(monkeypatch):
    Xs, y = make_blobs()
    monkeypatch.chdir(EXAMPLE)
    labels = Command(3, command="octave-cli --quiet cluster.m", random_state=0).fit_predict(Xs)
    assert accuracy(y, labels) == 1
    assert Path("cluster.m").is_file()
