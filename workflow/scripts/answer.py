"""Rule answer."""

from pathlib import Path

from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.answer import answer_of, write_answer
from mvclust.report.answer import draw_answer

with job(snakemake) as work:
    folder = Path(snakemake.output[0]).parent
    answer = answer_of(work.slice)
    write_answer(answer, folder)
    draw_answer(answer, folder / "figures")
