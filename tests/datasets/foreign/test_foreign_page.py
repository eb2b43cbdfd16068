"""The page on data of one's own says what happens."""

import re
import subprocess

from helpers import ROOT

from mvclust import cli

TEXT = (ROOT / "docs" / "own_data.md").read_text(encoding="utf-8")
SHELL, SHOWN = re.search(r"```sh\n(mkdir.*?)```\n\n```\n(.*?)```", TEXT, re.DOTALL).groups()


def make_trees(folder):
    commands = "".join(line for line in SHELL.splitlines(True) if not line.startswith("mvclust"))
    subprocess.run(["sh", "-c", commands], cwd=folder, check=True)


def test_the_five_minute_path_shows_what_the_page_shows(tmp_path, monkeypatch, capsys):
    make_trees(tmp_path)
    monkeypatch.chdir(tmp_path)
    (command,) = [line for line in SHELL.splitlines() if line.startswith("mvclust")]
    assert cli.main(command.split()[1:]) == 0
    assert capsys.readouterr().out == SHOWN


def test_the_python_of_the_page_runs(tmp_path, monkeypatch):
    make_trees(tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(re.search(r"```python\n(from mvclust.datasets.foreign.*?)```", TEXT, re.DOTALL)[1], names)
    assert [X.shape[1] for X in names["found"].Xs] == [3, 1]


def test_every_role_is_on_the_page():
    from mvclust.datasets.foreign.roles import ROLES

    assert set(re.findall(r"--role NAME=(\w+)", TEXT)) == set(ROLES)
