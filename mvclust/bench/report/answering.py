"""The answer on samples with its pictures: it follows from the code that runs fits."""

from mvclust.bench.report.answer import draw_answer
from mvclust.bench.report.writing import results_folder
from mvclust.bench.score.answer import answer_of, write_answer


def make_answer(used: dict) -> None:
    """Choose a method, fit it on parts of the data, write and draw the answer."""
    folder, answer = results_folder(used), answer_of(used)
    write_answer(answer, folder)
    draw_answer(answer, folder)
