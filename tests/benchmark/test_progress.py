"""The line that shows how far a run is."""

from mvclust.benchmark.progress import Progress


def test_counts_jobs_fits_and_time(tmp_path):
    progress = Progress(tmp_path / "work" / "progress.jsonl")
    progress.start({"a.DAIMC.0": {"DAIMC": 4}, "a.BSV.0": {"BSV": 2}}, cores=2)
    assert progress.line() == "mvclust: 0/2 jobs, 0/6 fits done"
    with progress.job("a.DAIMC.0", "DAIMC", 4) as fit_done:
        fit_done({"method": "DAIMC", "cpu_seconds": 10.0})
        # 3 DAIMC left at 10 s, 2 BSV guessed at 10 s, on two cores
        assert progress.line() == "mvclust: 0/2 jobs, 1/6 fits done, about 25 s left"
    assert progress.line().startswith("mvclust: 1/2 jobs")


def test_a_job_that_was_not_foreseen_counts(tmp_path):
    progress = Progress(tmp_path / "progress.jsonl")
    progress.start({}, cores=1)
    with progress.job("a.DAIMC.0", "DAIMC", 3) as fit_done:
        fit_done({"method": "DAIMC", "cpu_seconds": 600.0})
        assert progress.line() == "mvclust: 0/1 jobs, 1/3 fits done, about 20 min left"


def test_without_a_run_nothing_is_written(tmp_path):
    progress = Progress(tmp_path / "progress.jsonl")
    with progress.job("a", "DAIMC", 1) as fit_done:
        fit_done({"method": "DAIMC", "cpu_seconds": 1.0})
    assert not progress.path.exists()
