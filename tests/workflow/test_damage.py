"""Files that are cut: made again, or named in one sentence and made again by the next run."""

import shutil

import pytest

from workflow.project import bytes_of, snakemake

NUMBERS = "results/tiny/*s/[!c]*"
WORK = "resources/work/tiny"


def in_half(content):
    return content[: len(content) // 2]


def at_a_line_end(content):
    return content[: content.index(b"\n") + 1]


# What is cut at a time; each round makes again all that comes after.
CUTS = [
    {f"{WORK}/results/tiny.json": in_half, f"{WORK}/study.json": in_half,
     f"{WORK}/progress.jsonl": in_half, "results/tiny/costs.csv": in_half},
    {f"{WORK}/scores/tiny.parquet": in_half},
    {f"{WORK}/fits/handwritten/DAIMC.0.jsonl": at_a_line_end},
    {f"{WORK}/masks/handwritten/paired-0.3.npz": in_half},
    {"resources/raw/handwritten.json": in_half},
]  # fmt: skip


@pytest.mark.fault("several files cut at once, one stage after the other")
def test_damaged_files_are_made_again(finished, tmp_path):
    project = shutil.copytree(finished, tmp_path / "project")
    before = bytes_of(project, NUMBERS)
    for cuts in CUTS:
        for name, cut in cuts.items():
            path = project / name
            path.write_bytes(cut(path.read_bytes()))
        (project / "results/tiny/report.html").unlink()
        for _ in range(len(cuts) + 1):
            done = snakemake(project)
            assert "Traceback" not in done.stdout, done.stdout[-4000:]
            if done.returncode == 0:
                break
            assert any(f"{name} was damaged" in done.stdout for name in cuts), done.stdout[-4000:]
        assert done.returncode == 0, done.stdout[-4000:]
        assert bytes_of(project, NUMBERS) == before, cuts
