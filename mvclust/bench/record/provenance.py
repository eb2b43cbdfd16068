"""What a result was made with: code, libraries, machine."""

import contextlib
import importlib
import os
import platform
import subprocess
from pathlib import Path

# What a result can follow from; uncommitted changes elsewhere do not count.
COMPUTING = ("mvclust", "workflow", "config", "Snakefile")


def commit_of(root: Path | str) -> str | None:
    """Commit of the project's folder, "+changes" if files differ from it, or None."""
    commit = _git(root, "rev-parse", "HEAD")
    changes = _git(root, "status", "--porcelain", "--", *COMPUTING)
    if commit is None or changes is None:
        return None
    return f"{commit}+changes" if changes else commit


def is_in_history(root: Path | str, commit: str) -> bool | None:
    """Whether the project's folder follows from a commit; None without the full history."""
    if _git(root, "merge-base", "--is-ancestor", commit, "HEAD") is not None:
        return True
    return False if _git(root, "rev-parse", "--is-shallow-repository") == "false" else None


def _git(root: Path | str, *arguments: str) -> str | None:
    """Output of git in a folder; None if it fails."""
    git = ["git", "-C", str(root), *arguments]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def library_versions() -> dict[str, str]:
    """Versions of Python and of the numerical libraries."""
    names = ["numpy", "scipy", "sklearn"]
    versions = {name: importlib.import_module(name).__version__ for name in names}
    return {"python": platform.python_version(), **versions}


def machine() -> dict:
    """Describe the machine: processor, cores, memory, system."""
    import psutil

    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def cpu_name() -> str:
    """Name of the processor."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line for line in lines if line.startswith("model name")).split(":")[1].strip()
    return platform.processor() or "unknown"
