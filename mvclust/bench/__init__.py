"""From declared experiments to a table of runs, and from runs to tuned results."""

import signal
import sys


def _is_script():
    """Whether this process is the script of a rule, to which Snakemake gives an object."""
    given = getattr(sys.modules.get("__main__"), "snakemake", None)
    return type(given).__module__.startswith("snakemake") and hasattr(given, "scriptdir")


if _is_script():
    # Ctrl-C ends it without a word while it imports libraries; see record.log.job.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from mvclust.bench.record.parent import end_with_snakemake

    end_with_snakemake()
