"""The command mvclust: runs on one's own data, runs compared, merged and checked."""

import argparse
import json
import re
import shutil
import signal
import subprocess
import sys
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

import mvclust
from mvclust.bench.arithmetic import start_again
from mvclust.datasets.files import DamagedFile
from mvclust.extras import need
from mvclust.own import NotUnderstood


def main(arguments=None):
    """Run the command line, by default with the arguments of the process; returns the exit code."""
    options, more = _parser().parse_known_args(arguments)
    if arguments is None and options.command in COMPUTING:
        start_again()
    if more and options.command != "run":
        _parser().error(f"unrecognised arguments: {' '.join(more)}")
    try:
        code = COMMANDS[options.command](options, more)
        sys.stdout.flush()
        return code
    except NotUnderstood as error:
        if getattr(options, "json", False):
            print(json.dumps({"error": str(error)}, ensure_ascii=False))
        print(f"mvclust: {error}", file=sys.stderr)
        return 2
    except (DamagedFile, OSError, ModuleNotFoundError) as error:
        print(f"mvclust: {_told(error)}", file=sys.stderr)
        return 2 if options.command in CHECKS else 1
    except KeyboardInterrupt:
        print("mvclust: stopped", file=sys.stderr)
        return 130


def _told(error):
    """An error in one line, with the file for one of the system."""
    reason, file = getattr(error, "strerror", None), getattr(error, "filename", None)
    if not reason:
        return error
    if file is None:  # Python shall not try to write it at its end again
        sys.stdout = sys.stderr
        return f"the output: {reason}"
    unfinished = Path(str(file)).suffix == ".part"  # has a name that nobody gave
    return f"{Path(file).parent if unfinished else file}: {reason}"


def project_folder():
    """The folder with the workflow: of a checkout, or of the installed package."""
    package = Path(mvclust.__file__).resolve().parent
    folders = [package.parent, package / "project"]
    return next(f for f in folders if (f / "workflow" / "Snakefile").is_file())


def _parser():
    parser = argparse.ArgumentParser(prog="mvclust", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    more = "Further arguments go to Snakemake, for example -n or --profile."
    run = commands.add_parser("run", help="cluster your own data", epilog=more)
    run.add_argument("data", help="a folder, or a file: docs/own_data.md lists the layouts")
    clusters = "number of clusters; by default of classes, else that of the largest eigengap"
    run.add_argument("--clusters", type=int, help=clusters)
    run.add_argument("--name", help="name of the run: results go to results/NAME")
    methods = "keys of methods, separated by commas, or all that apply; by default five"
    run.add_argument("--methods", help=methods)
    features = "most features of a view, those with the largest variance, or all"
    run.add_argument("--features", type=_most_features, help=features)
    json_too = "print one object: what labels.csv and clusters.csv hold"
    run.add_argument("--json", action="store_true", help=json_too)
    run.add_argument("--cores", default="all", help="by default all")
    proposal = "propose how data are read, write views.yaml, and ask what only you know"
    look = commands.add_parser("look", help=proposal)
    look.add_argument("data")
    look.add_argument("--json", action="store_true", help="print one object")
    for command in (run, look):
        _add_understanding(command)
    compare = commands.add_parser("compare", help="what differs between the results of two runs")
    compare.add_argument("a", help="a results folder, such as results/default")
    compare.add_argument("b", help="another")
    compare.add_argument("--csv", help="write all numbers side by side into this file")
    others = "A run then takes the fits that it needs, and computes the others."
    merge = commands.add_parser("merge", help="take fits that were made elsewhere", epilog=others)
    merge.add_argument("source", help="the resources folder of a run made elsewhere")
    merge.add_argument("--into", default="resources", help="by default resources")
    commands.add_parser("doctor", help="what a run would find on this machine")
    _add_checks(commands)
    return parser


def _add_checks(commands):
    """The commands that check committed numbers; docs/sceptic.md shows them."""
    ends = "The exit code is 0 if all is the same, 1 if not, 2 if it cannot be checked."
    cell = "compute one cell of a table again, and show what is behind it"
    recompute = commands.add_parser("recompute", help=cell, epilog=ends)
    refit = commands.add_parser("refit", help="make one fit again, and compare digits", epilog=ends)
    redraw = commands.add_parser(
        "redraw",
        help="make tables, figures, ledger and page again from the fits of a run",
        epilog="Before it, the target old_fits of Snakemake makes the fits again that other code "
        "made than that of today, and no others.",
    )
    redraw.add_argument("run", help="a results folder with runs.parquet, such as results/default")
    some = "repeat some fits of a run, draw the rest again from the fits, and compare all bytes"
    verify = commands.add_parser("verify", help=some, epilog=ends)
    share = "share of the fits that are repeated; by default 0.01"
    verify.add_argument("--sample", type=float, default=0.01, metavar="SHARE", help=share)
    for command in (recompute, refit, verify):
        command.add_argument("run", help="a results folder, such as results/default")
    recompute.add_argument("table", help="name of a table of results")
    words = "values that name the cell: of its data set, setting, method, variant, tuning, metric "
    recompute.add_argument("words", nargs="*", help=f"{words}and params")
    refit.add_argument("key", help="of a fit in runs.parquet, or how it begins")


def _add_understanding(command):
    """The options that change views.yaml, the file that says how data are read."""
    answers = "the numbers of the right answers to the questions, in their order"
    command.add_argument("--answer", metavar="N,N,...", help=answers)
    line = "a line of views.yaml, such as 'views.rna.samples: columns'; null takes an entry away; "
    line += "may be repeated"
    command.add_argument("--set", action="append", default=[], metavar="LINE", help=line)
    samples = "where samples are, in all views"
    command.add_argument("--samples", choices=("rows", "columns"), help=samples)
    again = "propose anew, in place of the views.yaml there is"
    command.add_argument("--again", action="store_true", help=again)


def _changes(options):
    """The options that change views.yaml."""
    from mvclust.own.look import Changes

    answers = (options.answer or "").replace(" ", "").split(",")
    if options.answer and not all(answer.isdigit() for answer in answers):
        raise NotUnderstood(f"--answer {options.answer}: expected numbers, such as 1,2.")
    numbers = [int(answer) for answer in answers if answer]
    return Changes(options.again, options.samples, numbers, options.set)


def _look(options, _):
    need("pydantic", "pipeline")
    from mvclust.own.look import as_record, describe, look, presence_tested, questions_of, save

    found = look(options.data, _changes(options))
    lines, tested = presence_tested(found.data) if found.data else ([], None)
    written = save(found)
    if options.json:
        print(json.dumps(as_record(found) | {"missingness": tested}, ensure_ascii=False))
    else:
        print("\n".join([*describe(found), *lines, *questions_of(found.views), written]))
    if found.error:
        print(f"mvclust: {found.error}", file=sys.stderr)
    return 2 if found.error else 0


def _run(options, more):
    need("snakemake", "pipeline")
    from mvclust.own.look import describe
    from mvclust.own.run import own_run

    root = project_folder()
    run_file, found = own_run(
        options.data, Path("resources", "own"), root, name=options.name,
        n_clusters=options.clusters, methods=_names(options.methods), features=options.features,
        changes=_changes(options),
    )  # fmt: skip
    told = sys.stderr if options.json else sys.stdout
    print("\n".join(describe(found)), file=told, flush=True)
    line = [sys.executable, "-m", "snakemake", "--cores", str(options.cores), *more]
    line += ["--snakefile", str(root / "Snakefile"), "--configfile", str(run_file)]
    code = exit_code_of(line, told)
    answer = Path("results", run_file.parent.name, "answer.json")
    # Nothing is run by a dry run, so that results may be old.
    dry = any(re.fullmatch(r"--dry-?run|-[a-z]*n[a-z]*", word) for word in more)
    if code == 0 and answer.exists() and not dry:
        shutil.copyfile(run_file.with_name("views.yaml"), answer.with_name("views.yaml"))
        print(answer.read_text(encoding="utf-8") if options.json else _answered(answer))
    elif options.json:
        print(json.dumps({"error": f"there is no answer: Snakemake ended with exit code {code}"}))
    return code


def _names(text):
    """Names separated by commas; None for none given."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise NotUnderstood("--methods: expected keys of methods, separated by commas.")
    return names


def exit_code_of(line, told=None):
    """The exit code of a program, which hears Ctrl-C itself and ends in its own way.

    The line is the program and its arguments. Its standard output goes to the file `told`; by
    default where ours does.
    """
    # Not KeyboardInterrupt: raised while the exit code is taken, it would lose the code. A handler
    # that does nothing is not inherited by the program, as SIG_IGN would be.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        return subprocess.call(line, stdout=told)
    finally:
        signal.signal(signal.SIGINT, before)


def _answered(path):
    """The answer in a few lines: what was found, and where it is."""
    found = json.loads(path.read_text(encoding="utf-8"))
    sizes = ", ".join(str(cluster["size"]) for cluster in found["clusters"])
    return "\n".join([
        *found["summary"],
        f"sizes of the clusters: {sizes}",
        f"samples: {found['files'][0]}",
        f"clusters: {', '.join(found['files'][1:])}",
        f"for programs: {path}",
        f"report: {path.with_name('report.html')}",
    ])  # fmt: skip


def _most_features(text):
    """A number of features; 0 for all."""
    if text == "all":
        return 0
    if not text.isdigit() or text == "0":
        raise argparse.ArgumentTypeError(f"{text}: expected a number from 1, or all")
    return int(text)


def _compare(options, _):
    need("pandas", "pipeline")
    from mvclust.bench.report.writing import csv_text
    from mvclust.bench.score.comparing import compare_tables, described
    from mvclust.datasets.files import completed

    found = compare_tables(options.a, options.b)
    if options.csv is not None:
        path = Path(options.csv)
        # A device or a pipe stays what it is, and a folder is refused.
        with nullcontext(path) if path.exists() and not path.is_file() else completed(path) as file:
            file.write_text(csv_text(found, digits=None), encoding="utf-8")
    print("\n".join(described(found)))
    return 0


def _merge(options, _):
    need("pandas", "pipeline")
    from mvclust.bench.fit.journal import merge_journals
    from mvclust.bench.record.provenance import library_versions

    new = merge_journals(options.source, options.into)
    here = library_versions().items()
    other = sum(not here <= row.get("versions", {}).items() for row in new)
    print(f"{len(new)} new fits in {options.into}")
    if other:
        than = "other versions of libraries than those here; a run here will not take them"
        print(f"{other} of them were made with {than}")
    return 0


def _check(options, _):
    need("pandas", "pipeline")
    check = import_module(f"mvclust.bench.verify.{options.command}").check
    arguments = [getattr(options, name) for name in CHECKS[options.command]]
    return checked(check, options.run, project_folder(), *arguments)


def checked(check, *arguments):
    """Print what a check finds; the exit code says whether all is the same, or 2 if it cannot."""
    from mvclust.bench.verify.finished import REFUSED

    try:
        lines, same = check(*arguments)
    except REFUSED as error:
        print(f"mvclust: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0 if same else 1


def _doctor(*_):
    from mvclust.bench.verify import doctor

    return doctor.main(project_folder())


# The arguments of each command that checks committed numbers, beside the run.
CHECKS = {"recompute": ("table", "words"), "refit": ("key",), "redraw": (), "verify": ("sample",)}
COMPUTING = {"run", *CHECKS}
COMMANDS = {"run": _run, "look": _look, "compare": _compare, "merge": _merge, "doctor": _doctor}
COMMANDS |= dict.fromkeys(CHECKS, _check)


if __name__ == "__main__":
    sys.exit(main())
