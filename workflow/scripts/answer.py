"""Rule answer."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.answer import draw_answer
from mvclust.bench.score.answer import answer_of, write_answer

with job(snakemake) as work:
    folder = Path(snakemake.output[0]).parent
    answer = answer_of(work.slice)
    write_answer(answer, folder)
    draw_answer(answer, folder / "figures")
