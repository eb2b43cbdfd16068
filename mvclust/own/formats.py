"""Files to named tables and arrays, without interpretation.

Which side holds the samples is said only where the format itself says it.
"""

import bz2
import contextlib
import faulthandler
import gzip
import lzma
import multiprocessing
import re
import resource
import sys
import warnings
import zipfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.datasets.room import OF_TEXT, TooLarge, most_bytes, room_for
from mvclust.extras import NotInstalled, need
from mvclust.own import NotUnderstood, r_files
from mvclust.own.pieces import SIDES, Piece, arrays, cells, key_of, table
from mvclust.own.texts import Unreadable, as_text, comments_about, decoded, rectangle, table_of
from mvclust.own.words import any_case, listed

MOST_FILES = 2000
LAYOUTS = (
    "one file with all views (.npz, .mat, .h5ad, .h5mu, .h5, .rda, .rds, .xlsx), or one file per "
    "view (.csv, .tsv, .txt, .npy, .mtx, .parquet, .feather)"
)
EXPORT = {  # ending -> how to write what is read
    ".arff": "scipy.io.arff.loadarff", ".sav": "pandas.read_spss", ".dta": "pandas.read_stata",
    ".sas7bdat": "pandas.read_sas", ".biom": "biom convert --to-tsv",
    ".gct": "cmapPy.pandasGEXpress.parse", ".gctx": "cmapPy.pandasGEXpress.parse",
    ".loom": "scanpy.read_loom, then write_h5ad", ".zarr": "anndata.read_zarr, then write_h5ad",
    ".pkl": "pandas or numpy where you trust it (pickles are never loaded)",
    ".ts": "aeon.datasets.load_from_ts_file", ".fcs": "fcsparser.parse",
    ".svm": "sklearn.datasets.load_svmlight_file, then scipy.io.mmwrite",
    ".ldac": "gensim.corpora.BleiCorpus, then scipy.io.mmwrite", ".edf": "mne.io.read_raw_edf",
    ".nc": "xarray.open_dataset", ".tif": "skimage.io.imread, then numpy.save of all images",
    ".wav": "scipy.io.wavfile.read, then numpy.save of features",
    ".db": "sqlite3 and pandas.read_sql", ".7z": "7z x", ".rar": "unrar x", ".tar": "tar xf",
}  # fmt: skip
ALIKE = {".pickle": ".pkl", ".joblib": ".pkl", ".pt": ".pkl", ".svmlight": ".svm", ".tgz": ".tar",
         ".libsvm": ".svm", ".sqlite": ".db", ".tiff": ".tif", ".netcdf": ".nc"}  # fmt: skip
STARTS = {
    b"version https://git-lfs": "it is a pointer of Git LFS, not the data: git lfs pull",
    b"/annex/objects/": "it is a pointer of git-annex, not the data: git annex get",
    **dict.fromkeys((b"<!doctype", b"<html"), "it is a page of HTML, not the data"),
    b"%pdf": "it is a PDF document",
}
UNPACKED = r"(\.(gz|bz2|xz))"  # endings of packed files that are read
PROSE = any_case(rf"""(readme|licen[cs]e|description|changelog|^meta_)
    (?!.*\.([ct]sv|np[yz]|parquet|xlsx){UNPACKED}?$)|
    \.(md|py|r|m|json|ya?ml|pdf|png|jpe?g|svg|docx?|html?|sh|ipynb|rmd|log|bib)$""")
STEM = any_case(rf"""({UNPACKED}|\.(csv|tsv|txt|dat|data|zip|mat|npz|npy|rda|rds|rdata|xlsx|xls|ods|
    mtx|h5ad|h5mu|h5|hdf5|tab|parquet|feather|cct))+$""")


def pieces_of(
    path: Path, only: set[str] | None = None
) -> tuple[list[Piece], dict[str, Unreadable]]:
    """Return the pieces of a file or folder, or of `only` some files, and what is not read."""
    path = Path(path)
    if not path.exists():
        raise NotUnderstood(f"{path}: there is no such file or folder.")
    base, files = (path.parent, [path]) if path.is_file() else (path, _files(path))
    pieces, unread = [], {}
    for file in files:
        name = file.relative_to(base).as_posix()
        if only is not None and name not in only:
            continue
        try:
            for piece in read_file(file):
                piece.where = {"file": name, **piece.where}
                pieces.append(piece)
        except Unreadable as error:
            unread[name] = error
    _name_apart(pieces)
    return pieces, unread


def _files(folder):
    files = []
    ours = ("results", "resources") if (folder / ".snakemake").is_dir() else ()  # of runs here
    for file in folder.rglob("*"):
        *above, name = parts = file.relative_to(folder).parts
        hidden = parts[0] in ours or any(p.startswith(".") or p == "__MACOSX" for p in parts)
        if hidden or name.endswith("views.yaml") or any(p.endswith(".zarr") for p in above):
            continue
        if file.is_file() or file.suffix == ".zarr":
            files.append(file)
        if len(files) > MOST_FILES:
            text = f"more than {MOST_FILES} files; expected a folder with the data only."
            raise NotUnderstood(f"{folder}: {text}")

    def natural(file):
        parts = re.split(r"(\d+)", file.relative_to(folder).as_posix())
        return [(int(p), "") if p.isdigit() else (-1, p) for p in parts]

    return sorted(files, key=natural)


def _name_apart(pieces):
    """Give each piece a name of its own that a key of views.yaml can be."""
    taken = Counter(p.name for p in pieces)
    folders = [str(Path(p.where["file"]).parent) if taken[p.name] > 1 else "." for p in pieces]
    alone, before = Counter(folders), set()
    for p, folder in zip(pieces, folders, strict=True):
        apart = folder if alone[folder] == 1 else f"{folder}_{p.name}"
        p.name = key_of(p.name if folder == "." else apart) or "data"
        if p.name in before:
            inside = p.where.get("key") or f"{p.name}.{p.where['file'].rsplit('.', 1)[-1]}"
            p.name, k = re.sub(r"\W+", "_", inside), 2
            while p.name in before:
                p.name, k = f"{p.name}_{k}", k + 1
        before.add(p.name)


def read_file(file: Path) -> list[Piece]:
    """Return the pieces of one file, or say why it is not read."""
    name = re.sub(f"{UNPACKED}$", "", file.name.lower())
    end = "." + name.rsplit(".", 1)[-1] if "." in name else ""
    if PROSE.search(file.name):
        raise Unreadable("a text for people", prose=True)
    if tool := EXPORT.get(ALIKE.get(end, end)):
        raise Unreadable(f"{end} is not read: read it by {tool}, and save a csv, h5ad or mtx")
    try:
        head = _head(file)
    except OSError as error:
        raise Unreadable(f"it cannot be opened: {error.strerror}") from error
    for start, why in STARTS.items():
        if head.lstrip()[:30].lower().startswith(start):
            raise Unreadable(why)
    try:
        stem = STEM.sub("", file.name)
        reader = READERS.get(end)
        return _in_child(reader, file, stem) if reader else _text(file, stem, head)
    except Unreadable:
        raise
    except (TooLarge, NotInstalled) as error:
        raise Unreadable(str(error).rstrip(".")) from error
    except MemoryError as error:
        raise Unreadable("it needs more memory than there is room for") from error
    except BrokenProcessPool as error:
        raise Unreadable("it is damaged: the library that reads it stopped") from error
    except Exception as error:  # the words of the library that reads it
        words = str(error).strip().split("\n")[0][:200]
        raise Unreadable(f"it cannot be read, is it damaged? ({words})") from error


def _in_child(reader, file, stem):
    """Read in a child process, which a damaged file may take down or fill."""
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with warnings.catch_warnings(), ProcessPoolExecutor(1, context, _limit) as pool:
        warnings.simplefilter("ignore", DeprecationWarning)
        return pool.submit(reader, file, stem).result()


def _limit():
    """Keep a child from writing a core and from taking too much memory."""
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    statm = Path("/proc/self/statm")
    if statm.exists():
        taken = int(statm.read_text().split()[0]) * resource.getpagesize()
        most = taken + int(2 * most_bytes())
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _text(file, stem, head):
    plain = _opener(head) is open and not head.startswith((b"\xff\xfe", b"\xfe\xff"))
    if plain and b"\0" in head[4:] and not file.name.lower().endswith((".csv", ".txt", ".tsv")):
        raise Unreadable("its ending is not known, and it is no text")
    text, encoding = decoded(_bytes(file))
    piece = Piece({}, stem, table_of(text), raw=True)
    notes = [f"read as {encoding}, as it is not UTF-8"] if encoding else []
    if unread := comments_about(piece.values, text):
        shown = listed([line[:40] for line in unread], 3)
        notes.append(f"{len(unread)} lines of comments name samples or say key = value, and are "
                     f"not read: do they hold labels? ({shown})")  # fmt: skip
    piece.note = f"{file.name}: {'; '.join(notes)}" if notes else None
    return [piece]


def _bytes(file, factor=OF_TEXT):
    """Return the bytes of a file, unpacked, if there is room for `factor` times as many."""
    parts, size = [], 0
    with _opener(_head(file))(file, "rb") as stream:
        while part := stream.read(1 << 22):
            parts.append(part)
            size += len(part)
            room_for(factor * size, file.name)
    return b"".join(parts)


def _head(file):
    with file.open("rb") as stream:
        return stream.read(200)


def _opener(head):
    """Return what opens a file that begins so, by marks that no text has."""
    return next((opener for at, mark, opener in PACKED if head[at:].startswith(mark)), open)


@contextlib.contextmanager
def _only_member(file, mode):
    with zipfile.ZipFile(file, mode[0]) as archive:
        if len(archive.infolist()) != 1:
            raise Unreadable("an archive of several files; unpack it into a folder")
        with archive.open(archive.infolist()[0]) as stream:
            yield stream


PACKED = (  # where the mark is, the mark, what opens such a file
    (0, b"\x1f\x8b", gzip.open), (4, b"1AY&SY", bz2.open), (0, b"\xfd7zXZ", lzma.open),
    (0, b"PK\x03\x04", _only_member),
)  # fmt: skip


def _numpy(file, stem):
    loaded = np.load(file, allow_pickle=False)
    return arrays(loaded if file.suffix.lower() == ".npy" else dict(loaded), [], stem)


def _columns(file, stem):
    """Parquet and Feather."""
    need("pyarrow", "formats")
    pd = need("pandas", "formats")
    parquet = file.suffix.lower() == ".parquet"
    frame = (pd.read_parquet if parquet else pd.read_feather)(file)
    frame = frame.reset_index() if frame.index.nlevels > 1 else frame
    rows = None if isinstance(frame.index, pd.RangeIndex) else [str(i) for i in frame.index]
    values = frame.astype(object).where(frame.notna(), None).to_numpy(dtype=object)
    return [Piece({}, stem, values, rows=rows, columns=[str(c) for c in frame.columns])]


def _workbook(file, stem):
    book = need("python_calamine", "formats").CalamineWorkbook.from_path(str(file))
    pieces, several, prose = [], len(book.sheet_names) > 1, []
    for sheet in book.sheet_names:
        rows = [[as_text(c) for c in row] for row in book.get_sheet_by_name(sheet).to_python()]
        rows = [row for row in rows if any(row)]
        try:
            named = ({"sheet": sheet}, sheet) if several else ({}, stem)
            pieces += [Piece(*named, rectangle(rows), raw=True)] if rows else []
        except Unreadable as error:
            if not (several and error.prose):
                raise
            prose.append(sheet)
    for piece in pieces[:1]:
        piece.note = f"{file.name}: {', '.join(prose)}: texts for people" if prose else None
    return pieces


def _market(file, stem):
    """A matrix of the Matrix Market format, with names and kinds from lists beside it."""
    from scipy.io import mmread

    with _opener(_head(file))(file, "rb") as stream:
        X = mmread(stream)
    piece = Piece({}, stem, sparse.csr_array(X, dtype=float) if sparse.issparse(X) else X)
    kinds, beside = None, sorted(file.parent.iterdir())
    lists = [o for o in beside if ".mtx" not in o.name]
    own = [o for o in lists if o.name.startswith((f"{stem}.", f"{stem}_"))]
    taken = tuple(o.name.split(".mtx")[0] for o in beside if ".mtx" in o.name and o != file)
    for other in own or [o for o in lists if not o.name.startswith(taken)]:
        rest = other.name.lower().replace(stem.lower(), "", 1)
        samples = re.search(r"barcodes|docs|cells|samples|rows", rest)
        side_word = samples or re.search(r"features|genes|terms|vocab|words|cols|columns", rest)
        if not side_word or not other.is_file():
            continue
        text = decoded(_bytes(other))[0]
        lines = [line.split("\t") for line in text.splitlines() if line.strip()]
        for side, opposite, n in zip(SIDES, SIDES[::-1], X.shape, strict=True):
            if len(lines) == n and X.shape[0] != X.shape[1]:
                setattr(piece, side, [line[0].strip() for line in lines])
                if side_word[0] not in ("rows", "cols", "columns"):
                    piece.samples = side if samples else opposite
                if not samples and all(len(line) > 2 for line in lines):
                    kinds = [line[2].strip() for line in lines]
    return piece.by_kind(kinds)


def _matlab(file, stem):
    """The variables of a .mat file."""
    from scipy.io import loadmat

    h5py = need("h5py")
    if not h5py.is_hdf5(file):
        return arrays(loadmat(file), [], stem)
    with h5py.File(file) as f:
        _refuse_links(f)
        return arrays(_of_matlab(f, f), [], stem)


def _refuse_links(file):
    """Refuse a file with a link to another file."""
    external = need("h5py").ExternalLink
    found = file.visititems_links(lambda key, link: key if isinstance(link, external) else None)
    if found:
        raise Unreadable(f"{found} is a link to another file, which is not followed")


def _of_matlab(file, item):
    """Return an item of MATLAB 7.3: a struct, sparse matrix, text, cell array or array."""
    h5py = need("h5py")
    if isinstance(item, h5py.Group):
        if "MATLAB_sparse" in item.attrs:
            return _sparse(item, int(item.attrs["MATLAB_sparse"]), "ir", "jc")
        return {k: _of_matlab(file, v) for k, v in item.items() if not k.startswith("#")}
    if item.attrs.get("MATLAB_empty"):
        return np.empty(0)
    of_codes = "MATLAB_int_decode" in item.attrs and item.dtype == np.uint16
    if item.attrs.get("MATLAB_class") == b"char" or of_codes:
        codes = np.atleast_2d(item[()].T)
        texts = ["".join(map(chr, row)).rstrip() for row in codes.reshape(len(codes), -1)]
        return texts[0] if len(texts) == 1 else cells(texts)
    if item.dtype == h5py.ref_dtype:
        return cells([_of_matlab(file, file[r]) for r in item[()].T.ravel(order="F")])
    return item[()].T


def _sparse(group, n_rows, indices="indices", indptr="indptr"):
    """Return a matrix that HDF5 holds by columns."""
    data = group["data"][()] if "data" in group else np.empty(0)
    i = group[indices][()].astype(int) if indices in group else np.empty(0, int)
    p = group[indptr][()].astype(int)
    return sparse.csr_array(sparse.csc_array((data, i, p), shape=(n_rows, len(p) - 1)))


def _annotated(file, stem):
    """The parts of an AnnData, MuData or 10x file, or the arrays of any HDF5."""
    h5py = need("h5py")
    with h5py.File(file) as f:
        _refuse_links(f)
        if "mod" in f:
            if f.attrs.get("axis", 0) != 0:
                raise Unreadable(
                    "a MuData of axis 1: its modalities share the variables, not the samples; "
                    "write one h5ad per modality"
                )
            parts = [p for m in f["mod"] for p in _anndata(f["mod"][m], m, f"mod/{m}/")]
            return parts + (_facts(f["obs"], f"{stem}_obs", "obs") if "obs" in f else [])
        if "obs" in f and "X" in f:
            return _anndata(f, stem, "")
        if "matrix" in f and "barcodes" in f["matrix"]:
            group = f["matrix"]
            X, columns = _sparse(group, int(group["shape"][0])), _texts(group["barcodes"])
            features = group["features"] if "features" in group else {"name": group["gene_names"]}
            rows, kinds = _texts(features["name"]), features.get("feature_type")
            piece = Piece({"key": "matrix"}, stem, X, rows=rows, columns=columns, samples="columns")
            return piece.by_kind(kinds and _texts(kinds))
        if "col_attrs" in f or "observation" in f:
            raise Unreadable("a loom or biom file: read it by scanpy or biom, and save an h5ad")
        found = []
        f.visititems(lambda key, item: found.append((key, item)))
        return [a for key, item in found if isinstance(item, h5py.Dataset) and item.shape
                for a in arrays(item[()], key.split("/"), stem)]  # fmt: skip


def _texts(item):
    return [t.decode() if isinstance(t, bytes) else str(t) for t in item[()]]


def _column(item):
    """Return a column of an AnnData's frame: numbers, texts or categories."""
    if hasattr(item, "keys") and "codes" in item:
        names = _column(item["categories"])
        return [names[c] if c >= 0 else None for c in item["codes"][()]]
    if hasattr(item, "keys"):  # nullable numbers
        values, gone = item["values"][()], item["mask"][()]
        return [None if g else v for v, g in zip(values.tolist(), gone, strict=True)]
    return _texts(item) if item.dtype.kind in "OS" else item[()].astype(float).tolist()


def _index(group):
    """Return the keys of the names of a frame, and the names."""
    index = group.attrs.get("_index", "_index" if "_index" in group else "index")
    names = _texts(group[index])
    if names == [*map(str, range(len(names)))]:  # as AnnData does by default: in a column
        datasets = [(k, item) for k, item in group.items() if k != index and hasattr(item, "dtype")]
        for key, texts in ((k, _texts(item)) for k, item in datasets if item.dtype.kind in "OS"):
            if len({*texts}) == len(texts):
                return (index, key), texts
    return (index,), names


def _facts(group, name, path):
    """Return the columns of a frame about the samples, as a table if there are any."""
    index, rows = _index(group)
    columns = {k: _column(item) for k, item in group.items()
               if k not in index and not k.startswith("__")
               and (not hasattr(item, "keys") or {"codes", "values"} & set(item))}  # fmt: skip
    return [table({"key": path}, name, columns, rows, samples="rows")] if columns else []


def _anndata(group, name, path):
    if not hasattr(group["obs"], "keys"):
        raise Unreadable("an old AnnData: read it by anndata and write it again")
    rows, columns, X = _index(group["obs"])[1], _index(group["var"])[1], group["X"]
    if not hasattr(X, "keys"):
        values = X[()]
    elif "csc" in str(X.attrs.get("encoding-type", "csr")):
        values = _sparse(X, len(rows))
    else:
        values = sparse.csr_array(_sparse(X, len(columns)).T)
    piece = Piece({"key": f"{path}X"}, name, values, rows=rows, columns=columns, samples="rows")
    groups = [k for k in ("layers", "obsm") if hasattr(group.get(k), "keys")]
    beside = [f"{k}/{x}" for k in groups for x in group[k]]
    piece.note = f"{name}: {', '.join(beside)} are not read" if beside else None
    return [piece, *_facts(group["obs"], f"{name}_obs", f"{path}obs")]


def _r(file, stem):
    _bytes(file, 1)  # refuses what has no room
    return r_files.pieces_of(file, stem)


READERS = {
    **dict.fromkeys((".npz", ".npy"), _numpy),
    **dict.fromkeys((".parquet", ".feather"), _columns),
    **{".mat": _matlab, ".mtx": _market},
    **dict.fromkeys((".h5ad", ".h5mu", ".h5", ".hdf5"), _annotated),
    **dict.fromkeys((".rda", ".rds", ".rdata"), _r),
    **dict.fromkeys((".xlsx", ".xls", ".xlsb", ".xlsm", ".ods"), _workbook),
}
