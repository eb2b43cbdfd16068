"""R's own files: lists of matrices, data frames and factors, and experiments of Bioconductor."""

import bz2
import gzip
import lzma
import warnings
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.columns import as_column
from mvclust.datasets.foreign.record import CannotRead, Variable
from mvclust.datasets.foreign.tables import variables_of_frame
from mvclust.datasets.foreign.unfold import unfold
from mvclust.datasets.foreign.words import names_labels
from mvclust.datasets.room import room_for
from mvclust.extras import need

PACKED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}  # by their starts


def read_r(source, log):
    """The variables in a .rda, .RData or .rds file.

    Parameters
    ----------
    source : Source
    log : Log

    Returns
    -------
    list of Variable
    """
    rdata = need("rdata", "formats")
    _check_size(source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parsed = rdata.parser.parse_file(
                source.path, altrep_constructor_dict=_compact(rdata.parser, source)
            )
            _without_code(parsed.object, rdata.parser.RObjectType)
            content = rdata.conversion.convert(parsed)
        except (NotImplementedError, RecursionError) as error:
            raise CannotRead(
                source.shown,
                f"it holds objects of R that are no tables ({error}); write each table from R, "
                "write.csv(X, 'X.csv')",
            ) from error
    if source.ending == ".rds" or not isinstance(content, dict):
        content = content if isinstance(content, dict) else {source.stem: content}
    while len(content) == 1 and isinstance(next(iter(content.values())), dict):
        content = next(iter(content.values()))
    return _variables(content, source, log, "")


def _check_size(source):
    """Refuse a file that unpacks to more than there is room for."""
    with open(source.path, "rb") as file:
        start = file.read(6)
    kind = next((kind for mark, kind in PACKED.items() if start.startswith(mark)), open)
    size = 0
    with kind(source.path, "rb") as stream:
        while piece := stream.read(1 << 20):
            size += len(piece)
            room_for(size, source.shown)


def _compact(parser, source):
    """What makes the vectors that R keeps by their length alone, if there is room for them."""
    made = dict(parser.DEFAULT_ALTREP_MAP)

    def sequence(make, state):
        room_for(8 * int(state.value[0]), source.shown)
        return make(state)

    for name in (b"compact_intseq", b"compact_realseq"):
        if name in made:
            made[name] = partial(sequence, made[name])
    return made


def _without_code(parsed, types):
    """Functions and promises are no data: they become NULL."""
    waiting, seen = [parsed], set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, (list, tuple)):
            waiting.extend(item)
        elif hasattr(item, "enclosure"):
            waiting.extend([item.enclosure, item.frame, item.hash_table])
        elif hasattr(item, "info") and id(item) not in seen:
            seen.add(id(item))
            if item.info.type in (types.PROM, types.CLO, types.BCODE):
                item.info.type, item.value, item.attributes = types.NILVALUE, None, None
            else:
                waiting.extend([item.value, item.attributes, item.tag, item.referenced_object])


def _variables(content, source, log, prefix):
    found = []
    for key, value in content.items():
        name = f"{prefix}{key}"
        if value is None:
            continue
        if isinstance(value, dict):
            found += _variables(value, source, log, f"{name}/")
        elif hasattr(value, "ExperimentList"):
            found += _experiments(value, source, log)
        elif hasattr(value, "assays"):
            found += _experiment(key, value, None, source, log)
        elif hasattr(value, "Dim") and hasattr(value, "p"):
            found.append(_sparse(name, value, source))
        elif hasattr(value, "columns"):
            found += _data_frame(name, value, source, log)
        elif hasattr(value, "dims") and value.ndim == 2:
            found.append(_matrix(name, value, source))
        elif hasattr(value, "categories"):
            entries = np.array(["" if x != x else str(x) for x in value])
            found += unfold(name, entries, source.shown, log, family=source.shown)
        elif isinstance(value, (np.ndarray, list, str, int, float)) or hasattr(value, "values"):
            values = getattr(value, "values", value)
            found += unfold(name, values, source.shown, log, family=source.shown, from_one=True)
        else:
            log.note(f"{name} is no table and is left out")
    return found


def _matrix(name, value, source):
    named = {k: [str(x) for x in c.values] for k, c in value.coords.items()}
    rows, columns = (named.get(dim) for dim in value.dims)
    numbered = rows is not None and _numbered(rows)
    return Variable(
        name, np.asarray(value.values), source.shown, source.shown, rows=rows, columns=columns,
        numbered=numbered, from_one=True,
    )  # fmt: skip


def _sparse(name, value, source):
    """A dgCMatrix of the package Matrix."""
    shape = tuple(int(n) for n in value.Dim)
    made = sparse.csc_array((np.asarray(value.x), np.asarray(value.i), np.asarray(value.p)), shape)
    rows, columns = ([str(x) for x in names] if names is not None else None
                     for names in (getattr(value, "Dimnames", None) or (None, None)))  # fmt: skip
    return Variable(
        name, sparse.csr_array(made, dtype=float), source.shown, source.shown, rows=rows,
        columns=columns, from_one=True,
    )  # fmt: skip


def _numbered(names):
    return names == [str(n) for n in range(1, len(names) + 1)]


def _data_frame(name, frame, source, log):
    rows = [str(x) for x in frame.index]
    texts, values = {}, np.full(frame.shape, np.nan)
    for c in range(frame.shape[1]):
        entries = as_column([None if x != x else x for x in frame.iloc[:, c].tolist()])
        if entries.dtype.kind in "US":
            texts[c] = entries.tolist()
        else:
            values[:, c] = entries
    names = [str(c) for c in frame.columns]
    found = variables_of_frame(
        name, source.shown, names, values, texts, log, ids=rows, numbered=_numbered(rows), corner=""
    )
    return [replace(v, family=source.shown) for v in found]


def _experiments(value, source, log):
    """A MultiAssayExperiment: one view per experiment, patients by its sample map."""
    found = []
    sample_map = _frame(value.sampleMap)
    for key, experiment in value.ExperimentList.listData.items():
        patients = {
            str(column): str(patient)
            for assay, patient, column in zip(
                *(sample_map[c] for c in ("assay", "primary", "colname")), strict=True
            )
            if str(assay) == key
        }
        found += _experiment(key, experiment, patients, source, log)
    known = _frame(value.colData)
    ids = [str(x) for x in value.colData.rownames]
    for key, column in known.items():
        entries = column if isinstance(column, np.ndarray) else np.array([str(x) for x in column])
        if entries.shape == (len(ids),):
            role = None if names_labels(key) == 2 else "facts"
            family = f"{source.shown}/colData"
            found.append(
                Variable(
                    f"colData/{key}", _plain(entries), source.shown, family, rows=ids, role=role
                )
            )
    log.note(f"{len(known)} columns of colData tell about the samples; --role colData/NAME=labels "
             "takes one as labels")  # fmt: skip
    return found


def _plain(entries):
    return entries.astype(str) if entries.dtype.kind == "O" else entries


def _frame(frame):
    """The columns of a DFrame; factors as texts."""
    return {
        key: np.array([str(x) for x in column]) if hasattr(column, "categories") else column
        for key, column in frame.listData.items()
    }


def _assays(assays):
    """The matrices of an experiment, which older versions keep in an environment."""
    kept = getattr(assays, ".xData", None)
    fields = dict(kept.maps[0]) if hasattr(kept, "maps") else {}
    for place in (fields.get("data"), fields.get(".->data"), getattr(assays, "data", None), assays):
        if isinstance(getattr(place, "listData", None), (dict, list)):
            return place.listData
    return None


def _experiment(key, experiment, patients, source, log):
    """The first assay of an experiment: features x samples."""
    value = experiment
    if hasattr(experiment, "assays"):
        listed = _assays(experiment.assays)
        value = next(iter(listed.values())) if isinstance(listed, dict) else (listed or [None])[0]
    elif hasattr(experiment, "assayData"):
        value = experiment.assayData.get("exprs")
    if not hasattr(value, "dims") and not isinstance(value, np.ndarray):
        log.leave_out(f"{source.shown}: {key}", "an experiment that is no matrix", matters=True)
        return []
    matrix = _matrix(key, value, source) if hasattr(value, "dims") else Variable(
        key, value, source.shown, source.shown, from_one=True
    )  # fmt: skip
    columns = matrix.columns
    if columns is None and hasattr(experiment, "colData"):
        columns = [str(x) for x in experiment.colData.rownames]
    if patients is not None and columns is not None:
        columns = [patients.get(c, c) for c in columns]
    turned = Variable(
        key, np.asarray(matrix.values, dtype=float).T, source.shown, source.shown, rows=columns,
        columns=matrix.rows, role="view",
    )  # fmt: skip
    return [turned]
