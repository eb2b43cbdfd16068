"""From declared experiments to a table of runs, and from runs to tuned results."""

import signal
import sys

_given = getattr(sys.modules.get("__main__"), "snakemake", None)
if type(_given).__module__.startswith("snakemake") and hasattr(_given, "scriptdir"):
    # The script of a rule. Ctrl-C ends it without a word while it imports; see record.log.job.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from mvclust.bench.record.parent import end_with_snakemake

    end_with_snakemake()
