"""The records that the configuration's files hold: every key with its type, default and meaning.

No default of a key is written anywhere else. ``config/README.md`` and the JSON Schemas for editors
are made from these classes (`mvclust.bench.config.document`).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from mvclust.bench.config.applying import check_parameters
from mvclust.bench.config.messages import unknown
from mvclust.bench.config.names import Name, Record, Scope
from mvclust.bench.record.digest import module_file
from mvclust.metrics import INTERNAL, METRICS, STABILITY
from mvclust.numerics.features import STEPS

MOST_LETTERS = 80  # of a name, which is a part of names of files


def _without_repeats(values: list) -> list:
    plain = [repr(int(v)) if isinstance(v, float) and v.is_integer() else repr(v) for v in values]
    if len(set(plain)) < len(plain):
        raise PydanticCustomError("repeated", "has the same entry twice")
    return values


def expected(what: str, is_right: Callable[[Any], bool]) -> BeforeValidator:
    """Make a check that says what was expected in the place of a wrong value."""

    def check(value: Any) -> Any:
        if not is_right(value):
            raise PydanticCustomError("kind", f"expected {what}")  # pyright: ignore[reportArgumentType]
        return value

    return BeforeValidator(check)


def checked(what: str, is_right: Callable[[Any], bool], schema: dict) -> Any:
    """Type of a value that a function checks, with what is expected and its JSON Schema."""
    return Annotated[Any, expected(what, is_right), WithJsonSchema(schema)]


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _is_value(value: Any) -> bool:
    """Whether YAML holds a parameter: one value, or a list of texts that belong together."""
    is_one = value is None or isinstance(value, str | int | float | bool)
    return is_one or bool(value and _are_texts(value))


def _is_grid(values: Any) -> bool:
    return isinstance(values, list) or values in ("per_view", "per_pair")


def _are_steps(value: Any) -> bool:
    steps = _as_list(value)
    return isinstance(steps, list) and bool(steps) and all(step in STEPS for step in steps)


def _is_order(value: Any) -> bool:
    if isinstance(value, str):
        words = r"sorted|interleaved|by_norm|reversed|shuffle_[1-9]\d*"
        return re.fullmatch(words, value) is not None
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_views(value: Any) -> bool:
    return value == "first_pair" or _are_texts(value)


def _ascending(ends: list[float]) -> list[float]:
    if not ends[0] <= ends[1]:
        raise PydanticCustomError("kind", "expected the smaller value first")
    return ends


def _is_meaning(value: Any) -> bool:
    metrics = list(value.values()) if isinstance(value, dict) else [value]
    return bool(metrics) and _are_texts(metrics)


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Filled = Field(min_length=1)
Text = Annotated[str, Filled]
Count = Annotated[int, Field(ge=1)]
Natural = Annotated[int, Field(ge=0)]
Rate = Annotated[float, Field(ge=0, le=1)]
Unique = AfterValidator(_without_repeats)
Texts = Annotated[list[str], Unique]
Files = Annotated[list[Text], Unique]
Range = Annotated[list[float], Field(min_length=2, max_length=2), AfterValidator(_ascending)]
Rates = Annotated[list[Rate], Filled, Unique] | None
# A value of a parameter. What it may be follows from the class of the method.
Value = checked(
    "a text or a number or true or false or null, or a list of texts",
    _is_value,
    {"type": ["string", "number", "boolean", "null", "array"]},
)
Values = Annotated[list[Value], Filled, Unique]
Grid = Annotated[
    Values | Literal["per_view", "per_pair"],
    expected("a list of values, per_view or per_pair", _is_grid),
]
Meaning = checked(
    "a metric, or names with the metric of each", _is_meaning, {"type": ["string", "object"]}
)
Steps = checked(
    f"{', '.join(STEPS)}, or a list of several of these", _are_steps, {"enum": list(STEPS)}
)
Views = checked("first_pair or a list of views", _are_views, {"type": ["string", "array"]})
Order = checked(
    "a whole number from 0, sorted, interleaved, by_norm, reversed, or shuffle_1 and so on",
    _is_order,
    {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]},
)
AddressOfFiles = Annotated[dict[str, Annotated[str, Field(pattern="^https?://")]], Filled]
Metric = Literal[(*METRICS, INTERNAL, STABILITY)]
ViewKind = Literal["counts", "tf-idf", "real", "links", "weighted"]
MethodName = Annotated[str, Name("methods")]
ExperimentName = Annotated[str, Name("experiments")]
DataSetName = Annotated[str, Name("datasets")]
VersionName = Annotated[str, Name("versions")]
ViewName = Annotated[str, Name("views")]
Tested = Annotated[list[Annotated[str, Name("tested methods")]], Unique]
Score = Annotated[str, Name("tested metrics")]


class Limits(Record):
    """Limits of one fit; a fit that needs more is a row with its reason; null: none."""

    seconds: Annotated[float, Field(gt=0)] | None = 3600
    """most wall time"""
    memory_mb: Annotated[float, Field(gt=0)] | None = None
    """most memory, in MB beyond what the process has before"""
    tries: Count = 2
    """runs that try a fit which fails in each of them; then its failure rests until its code,
    parameters, data or limits change, this number is raised, or `--forceall` is given"""


class Budget(Record):
    """Limits on every experiment; null: as declared."""

    repetitions: Count | None = None
    """most masks or starts per setting"""
    samples_per_class: Annotated[int, Field(ge=2)] | None = None
    """most samples of each class"""
    rates: Count | None = None
    """most missing, paired or mapped rates; the first and last are kept"""
    grid_points: Count | None = None
    """most values per axis in tuning grids; the first and last are kept"""
    sweep_points: Count | None = None
    """most values per axis in figures with `sweep: true`; the first and last are kept"""
    pairs: Count | None = None
    """most pairs of views, for methods that take two views"""


class Run(Record):
    """What is computed, and where. Keys that a run leaves out come from the default run."""

    run: Annotated[str, Field(pattern="^[a-z0-9_-]+$", max_length=MOST_LETTERS)]
    """name of the run: results go to `<results>/<run>/`; `custom` if a run computes something else
    than the default one and gives no name"""
    experiments: Annotated[list[ExperimentName], Filled, Unique]
    """ids of the experiments to run"""
    add_methods: Annotated[list[MethodName], Unique] = []
    """methods to add to every chosen experiment that compares methods on aligned views"""
    methods_files: Files = []
    """more methods, written as `methods.yaml`; paths are relative to the file that names them"""
    experiments_files: Files = []
    """more experiments, written as those in `experiments/`; paths likewise"""
    datasets_files: Files = []
    """more data sets, written as `datasets.yaml`; paths likewise"""
    papers_files: Files = []
    """more papers, written as `papers.yaml`; paths likewise"""
    published_files: Files = []
    """more published numbers, written as `published.csv`; paths likewise"""
    claims_files: Files = []
    """more claims, written as `claims.yaml`; paths likewise"""
    datasets: Annotated[list[DataSetName], Filled, Unique] | None = None
    """use only these data sets of the experiments; null: all"""
    seed: Natural = 0
    """root of all seeds"""
    results: Text = "results"
    """where `<run>/` is made, with tables, figures and the report"""
    resources: Text = "resources"
    """raw and prepared data, work files, finished fits"""
    mirror: Text | None = None
    """folder with the original data files, in `<mirror>/<data set>/`; the variable MVCLUST_MIRROR
    does the same"""
    missing_data: Literal["stop", "skip"] = "stop"
    """when no source of a data set answers: stop, or skip the data set"""
    bad_mirror: Literal["stop", "warn"] = "stop"
    """when the mirror folder does not exist: stop, or warn"""
    claims: bool = False
    """write the ledger of the papers' claims, the directions of published differences, and the
    published rows beside ours"""
    probes: bool = False
    """measure the probes that claims name"""
    growth: bool = False
    """measure how the time of a fit grows with the size of the data, on synthetic views, for claims
    about cost; minutes"""
    limits: Limits = Field(Limits(), description=Limits.__doc__)
    budget: Budget = Field(Budget(), description=Budget.__doc__)

    @property
    def science(self) -> dict:
        """Keys that define the computation, without the name of the run and paths."""
        return self.model_dump(include=SCIENCE)


SCIENCE = {"experiments", "add_methods", "datasets", "seed", "claims", "growth", "probes", "budget"}


class Paper(Record):
    """A paper whose tables and figures are made; `beyond` collects the experiments of no paper."""

    title: Text
    """title of the paper"""
    label: Text
    """how pages call it: method, authors, venue and year"""
    doi: str = ""
    """identifier of the paper, or its address"""
    methods: Texts = []
    """published names of the methods that it proposes"""
    tables: Texts = []
    """items of `published.csv`: the tables with numbers"""
    page: bool = True
    """false: no target of its own and no page beside the report"""


class Data(Record):
    """A data set of an experiment."""

    dataset: DataSetName
    """name in `datasets.yaml`"""
    subset: VersionName | None = None
    """version of the data set; `default_subset` by default"""
    samples: Annotated[int, Field(ge=2)] | None = None
    """number of samples to draw at random; all by default"""
    label: str
    """name in tables and in `published.csv`"""
    views: Annotated[list[ViewName], Filled, Unique] | None = None
    """the views to use, in this order; all by default"""
    features: Steps | None = None
    """how the features of these data are scaled for every method whose own parameters do not say,
    see Preprocessing"""
    repetitions: Count | None = None
    """masks or starts per setting; those of the experiment by default"""
    masks: Count | None = None
    """number of the authors' masks, protocol published; repetitions beyond it fit the same masks
    again from other starts, whose deviation says what a published number can be compared with"""

    def offers(self, scopes: dict[str, Scope]) -> dict[str, Scope | None]:
        """Offer the versions of its data set, and the views of its own."""
        datasets: Any = scopes["datasets"].names
        dataset, version = datasets.get(self.dataset), self.version_in(datasets)
        return {
            "versions": dataset and Scope("version", dataset.subsets),
            "views": version and Scope("view", [view.name for view in version.views]),
        }

    def version_in(self, datasets: "dict[str, DataSet]") -> "Version | None":
        """Its version in a catalogue; None if that lacks it."""
        dataset = datasets.get(self.dataset)
        known = dataset and (self.subset or dataset.default_subset) in dataset.subsets
        return dataset.version(self.subset) if known else None

    def views_in(self, datasets: "dict[str, DataSet]") -> list[str]:
        """Names of its views; empty if the catalogue lacks its version and it names none."""
        version = self.version_in(datasets)
        return self.views or [view.name for view in (version.views if version else ())]


def check_data(record: Any, configuration: Any) -> Iterator[tuple]:
    """Check the samples of the data of a record, and that rows of a table are distinguishable."""
    labels, scalings = set(), {}
    for index, data in enumerate(record.data):
        version = data.version_in(configuration.datasets)
        if version and data.samples is not None and data.samples > version.n_samples:
            reason = f"{data.samples} is more than the {version.n_samples} samples"
            yield ["data", index, "samples"], reason
        if data.label in labels:
            reason = f"'{data.label}' is already the label of another data set; use different ones"
            yield ["data", index, "label"], reason
        labels.add(data.label)
        same = repr(data.model_copy(update={"label": "", "features": None}))
        if scalings.setdefault(same, data.features) != data.features:
            yield ["data", index, "features"], "the same data have another scaling above"


class Probe(Record):
    """A measurement on fits of its own, for claims about what no score of a run keeps; the key of
    the entry is its name."""

    title: Text
    """title in tables"""
    measure: Text
    """dotted name of the function in `mvclust/bench/claims/probes`"""
    unit: Text
    """what its numbers are, and their unit"""
    scores: bool = False
    """whether its numbers are scores of labels in points, which are known to one sample"""
    arms: Annotated[list[Text], Filled, Unique]
    """what it compares: the names in what it returns"""
    data: Annotated[list[Data], Filled]
    """the data sets, without `samples`"""
    repetitions: Count
    """number of seeds"""

    @property
    def labels(self) -> list[str]:
        """Labels of its data."""
        return [data.label for data in self.data]

    @property
    def methods(self) -> list[str]:
        """Arms: what a test compares."""
        return self.arms

    def check(self, name: str, configuration: Any) -> Iterable[tuple]:
        module = self.measure.rpartition(".")[0]
        if module_file(module) is None:
            yield ["measure"], f"there is no module '{module}'"
        yield from check_data(self, configuration)
        for index, data in enumerate(self.data):
            if data.samples is not None:
                yield ["data", index, "samples"], "a probe takes all samples"


PAIRED = ("methods", "against")
OVER_WINDOW = ("methods", "parameter", "window")
# Of each kind of test what it cannot do without.
NEEDED = {
    **dict.fromkeys(("above", "much_above"), ("against",)),
    "gain": (*PAIRED, "gain"),
    **dict.fromkeys(("within", "best", "worst", "not_best", "below_median"), PAIRED),
    "trend": (),
    **dict.fromkeys(("rise_then_flat", "window"), OVER_WINDOW),
    "insensitive": ("methods",),
    "less_spread": ("methods", "parameter"),
    **dict.fromkeys(("descent", "settled", "one_run", "several_runs"), ()),
    "exponent": ("methods", "grows", "stated"),
}
AGAINST = [kind for kind, keys in NEEDED.items() if "against" in keys]  # they compare runs
OF_PROBES = ("above", "much_above", "within", "one_run")  # they can test probes
COUNTED = ("above", "much_above", "best", "worst", "below_median")  # they can test "most"

MUCH = 3.0  # points: what "much" is where a paper does not say
FEWEST_POINTS = 4  # of the axis of a trend
FEWEST = {"descent": (5, "curves")} | dict.fromkeys(AGAINST, (3, "runs"))
SPREAD = 0.5  # points between masks; no comparison of scores in the committed runs has less

# The methods whose growth can be measured: those of claims.growth, which is a higher room.
MEASURED = ("DAIMC", "PVC", "UEAF", "MPAC", "MultiNMF", "CMVNMF")


class ClaimTest(Record):
    """A test of a claim: its kind, and what it looks at."""

    kind: Literal[(*NEEDED,)]
    """kind of test, see Claims"""
    experiments: Annotated[list[ExperimentName], Unique] = []
    """ids of the experiments with the numbers; in print, those whose `item` has them; none: kind
    exponent, which needs the key `growth` of the run, and tests of `probes`"""
    probes: Annotated[list[Annotated[str, Name("probes")]], Unique] = []
    """in the place of experiments: names of probes, whose arms stand for methods"""
    methods: Tested = []
    """methods that the claim is about; none: all others of the experiment"""
    against: Tested = []
    """methods that they are compared with"""
    metrics: Annotated[list[Score], Unique] = []
    """scores, by the names in the experiments; none: all. The first is the one whose effect is
    shown"""
    datasets: Annotated[list[Annotated[str, Name("tested labels")]], Unique] = []
    """labels of data sets; none: all"""
    rates: Annotated[list[Annotated[Rate, Name("tested rates")]], Unique] = []
    """rates; none: all"""
    unit: Literal["dataset", "cell"] = "dataset"
    """what is decided by itself: a data set, over its rates, or each cell of the table"""
    measure: Literal["score", "slope", "lead", "worst_rank"] = "score"
    """what is compared: scores; how they change with the missing rate; the lead over the mean of
    the others; the worst rank over data sets"""
    axis: Literal["rate", "views", "parameter"] = "rate"
    """axis of a trend"""
    direction: Literal["rises", "falls"] = "rises"
    """direction of a trend: as more is missing, with more views, with a larger parameter"""
    quantifier: Literal["all", "most"] | None = None
    """what the claim says of its units: all, so that one reversed unit refutes it; most, so that
    their share is compared with one half. Without one it holds if all are shown, and holds in part
    if some are reversed"""
    against_printed: bool = False
    """whether the others are taken from the paper's table, for methods that are reconstructed"""
    margin: Annotated[float, Field(ge=0)] | None = None
    """points; those of the kind of test by default"""
    gain: dict[Score, float] = {}
    """score: relative gain in percent"""
    parameter: str | None = None
    """parameter of a window, or of an axis"""
    window: Range | None = None
    """first and last value of a window, or of the range in which a rise ends"""
    at: dict[str, Values] = {}
    """of a sweep: parameter: the values at which to look"""
    iteration: Count | None = None
    """iteration by which a curve has settled; none: at its end"""
    grows: Literal["samples", "features", "clusters", "views"] | None = None
    """what grows, kind exponent"""
    stated: float | None = None
    """exponent that the paper states"""
    variant: str | None = None
    """variant of the method whose curves count, for claims about the printed steps"""

    @property
    def beyond(self) -> float:
        """Margin in points that a lead must exceed."""
        much = MUCH if self.kind == "much_above" else 0.0
        return much if self.margin is None else self.margin

    def offers(self, scopes: dict[str, Scope]) -> dict[str, Scope | None]:
        """Offer what its experiments, or its probes, have."""
        named = self.probes or self.experiments
        known: Any = scopes["probes" if self.probes else "experiments"].names
        used = [known[name] for name in named if hasattr(known.get(name), "labels")]
        words = {"methods": "arm" if self.probes else "method", "metrics": "score"}
        offered = {}
        for key, what in (words | {"labels": "data set", "rates": "rate"}).items():
            names = dict.fromkeys(n for each in used for n in getattr(each, key, None) or ())
            scope = Scope(f"{what} of {' and '.join(named)}", list(names))
            offered[f"tested {key}"] = scope if used and hasattr(used[0], key) else None
        if self.kind == "exponent":
            offered["tested methods"] = Scope("method whose growth is measured", MEASURED)
        return offered

    def check(self, name: str, configuration: Any) -> Iterable[tuple]:
        known = configuration.experiments
        for key in NEEDED[self.kind]:
            if getattr(self, key) in (None, [], {}):
                yield ["kind"], f"'{self.kind}' needs '{key}'"
        if self.probes:
            if self.kind not in OF_PROBES:
                yield ["kind"], unknown("kind of test of probes", self.kind, OF_PROBES)
            if self.experiments:
                yield ["experiments"], "a test looks at experiments or at probes, not at both"
        elif not self.experiments and self.kind != "exponent":
            yield ["kind"], f"'{self.kind}' needs 'experiments'"
        for index, each in enumerate(self.experiments):
            if each in known and not hasattr(known[each], "labels"):
                reason = f"'{each}' has no scores (renderer '{known[each].render}')"
                yield ["experiments", index], reason
        for index, each in enumerate(self.against):
            if each in self.methods:
                yield ["against", index], f"'{each}' is also under methods; keep one"
        if self.quantifier == "most" and self.kind not in COUNTED:
            yield ["quantifier"], unknown("kind of test of 'most'", self.kind, COUNTED)
        if self.axis == "parameter" and not self.parameter:
            yield ["axis"], "the axis 'parameter' needs 'parameter'"
        if self.kind in ("gain", "below_median") and len(self.methods) > 1:
            yield ["methods"], f"'{self.kind}' takes one method, got {len(self.methods)}"

    def undecidable(self, configuration: Any) -> Iterator[tuple]:
        """Find what keeps it from deciding anything: points, rivals, curves, runs, a margin."""
        known = configuration.experiments
        extending = [n for n in known if getattr(known[n], "extends", None) in self.experiments]
        tested = [*self.experiments, *extending]
        used = [known[n] for n in tested if n in known and hasattr(known[n], "labels")]
        most = max(map(self._points, used), default=FEWEST_POINTS)
        if self.kind in ("trend", "rise_then_flat") and most < FEWEST_POINTS:
            yield ["kind"], f"a trend needs {FEWEST_POINTS} points, the axis has {most}"
        for index, name in enumerate(self.against):
            method = configuration.methods.get(name)
            alone = set(self.against) == {name} and not self.against_printed
            if method and method.reconstructed and alone:
                yield ["against", index], f"'{name}' is reconstructed: compare with its printed row"
            per_pair = method and method.grid.get("views") == "per_pair"
            if per_pair and self.axis == "views" and self.measure == "lead":
                yield ["against", index], f"'{name}' takes two views, so its lead says nothing"
        if not used:
            return
        number, what = FEWEST.get(self.kind, (0, ""))
        runs = max(each.repetitions for each in used)
        if runs < number:
            yield ["kind"], f"'{self.kind}' needs {number} {what}"
        least = 3 * SPREAD / runs**0.5  # three standard errors
        if self.kind == "within" and self.margin is not None and self.margin < least:
            reason = f"{runs} masks cannot show a margin of {self.margin:g}, at the least"
            yield ["margin"], f"{reason} {least:.2g}"

    def _points(self, experiment: Any) -> int:
        """Number of points of the axis of a trend in an experiment."""
        if self.axis == "views":
            return len({len(data.views or ()) for data in experiment.data})
        if self.parameter:
            grids = [experiment.grids.get(name, {}) for name in self.methods]
            return max((len(grid.get(self.parameter, ())) for grid in grids), default=0)
        return len([r for r in experiment.rates or () if not self.rates or r in self.rates])


class Claim(Record):
    """A statement of a paper that results can decide; the key of the entry is its id."""

    paper: Annotated[Text, Name("papers")]
    """key of the paper in `papers.yaml`"""
    place: Text
    """where the paper says it"""
    says: Text
    """what it says, in words of ours"""
    tests: list[ClaimTest] = []
    """the tests; all must hold"""
    printed: list[ClaimTest] | None = None
    """what the paper's own numbers are asked, if it is another question; a list without entries if
    its tables do not speak of the claim; by default the tests"""
    proof: str = ""
    """why it follows from the equations, with the numerical check; in the place of tests"""
    needs: str = ""
    """what is missing to decide it; shown where a test cannot"""
    out_of_scope: str = ""
    """why no result here can decide it"""

    def check(self, name: str, configuration: Any) -> Iterable[tuple]:
        if not (self.tests or self.proof or self.needs or self.out_of_scope):
            reason = "a claim has tests or a proof, or what it needs, or why it is out of scope"
            yield [], reason
        for part in ("tests", "printed"):
            tests: list[ClaimTest] = getattr(self, part) or []
            for index, test in enumerate(tests):
                undecidable = test.undecidable(configuration) if part == "tests" else ()
                for keys, reason in (*test.check(name, configuration), *undecidable):
                    yield [part, index, *keys], reason


class View(Record):
    """One view of a data set."""

    name: str
    """name of the view"""
    dimension: Count
    """number of features"""
    kind: ViewKind
    """kind of its values"""
    what: str = ""
    """what the features are"""


Classes = Annotated[dict[str, Count | None], Filled]
ViewRecords = Annotated[list[View], Filled]


class Subset(Record):
    """What differs in a version of a data set."""

    n_samples: Count | None = None
    """number of samples"""
    classes: Classes | None = None
    """samples per class"""
    views: ViewRecords | None = None
    """the views"""
    incomplete: bool = False
    """whether instances are missing in its files"""


class File(Record):
    """What is known of the content of a raw file."""

    sha256: str | None = None
    """checksum"""
    git_blob: str | None = None
    """the id that `git hash-object` gives"""
    bytes: Count | None = None
    """size"""
    note: str | None = None
    """becomes part of the source that results record"""
    accepted: Annotated[list[dict], Filled] | None = None
    """known copies, any of which will do"""


RawFiles = Annotated[dict[Annotated[str, Field(pattern=r"^\w[\w.-]*$")], File | None], Filled]
Folder = Annotated[str, Field(pattern=r"^\w[\w.-]*(/\w[\w.-]*)*$")]


class Mirror(Record):
    """The mirror folder."""

    kind: Literal["mirror"]
    """mirror"""
    folder: Folder | None = None
    """where the files are in it; by default under the name of the data set"""
    files: RawFiles | None = None
    """see url"""


class ImagesOfFolder(Record):
    """The images of one folder."""

    n: Count
    """their number; they are called `image_0001.jpg`, `image_0002.jpg`, ..."""
    sha256: str
    """checksum over their contents, one after the other"""


Images = Annotated[dict[str, ImagesOfFolder], Filled]


class ImageFolder(Record):
    """A publisher's images in the mirror folder; they are packed into one file."""

    kind: Literal["images"]
    """images"""
    folder: Folder
    """where they are in the mirror folder"""
    images: Images
    """folder of a class, or `.`: its images"""
    files: RawFiles
    """the file into which they are packed"""


class Archive(Record):
    """A publisher's archive of images: those that are needed are packed into one file."""

    kind: Literal["archive"]
    """archive"""
    addresses: AddressOfFiles
    """file into which they are packed: address of the archive"""
    bytes: Count | None = None
    """size of the archive, if it is known; nothing larger is downloaded"""
    inner: str | None = None
    """the tar archive inside a zip archive"""
    folder: str
    """where the images are in the tar archive"""
    images: Images
    """see images"""
    files: RawFiles
    """see images"""


class Addresses(Record):
    """Addresses of the files."""

    kind: Literal["url"]
    """url"""
    addresses: AddressOfFiles
    """file: address"""
    files: RawFiles | None = None
    """the files of this source if they are others than those above"""


class Included(Record):
    """Files that come with the package."""

    kind: Literal["included"]
    """included"""


Origin = Included | Mirror | Addresses | ImageFolder | Archive
Source = Annotated[Origin, Field(discriminator="kind")]
SubsetName = Annotated[str, Field(pattern=r"^\w[\w-]*$", max_length=MOST_LETTERS)]


class DataSet(Record):
    """A data set: its contents, its files, and where these come from."""

    reader: str
    """module in `mvclust/datasets/readers`"""
    title: str
    """title in reports"""
    n_samples: Count
    """number of samples of the default version"""
    classes: Classes
    """samples per class, in the order of the labels"""
    views: ViewRecords
    """the views"""
    default_subset: VersionName
    """the version that the papers use"""
    subsets: Annotated[dict[SubsetName, Subset | None], Filled]
    """all versions: the keys that differ"""
    files: RawFiles
    """the raw files with checksum and size; with null any content will do: the checksum that is
    recorded, and by which a later change is noticed, is that of the file in the mirror folder"""
    sources: Annotated[list[Source], Filled]
    """where the files come from, tried in this order"""
    publisher: str = ""
    """original publisher"""
    licence: str = ""
    """licence"""
    citation: str = ""
    """what to cite"""
    paper_says: list = []
    """what the papers state about it"""
    notes: list = []
    """what a user must know"""
    needs: list[str] = []
    """packages that its reader needs; data are prepared again when their versions change"""
    unverified: bool = False
    """true if the files were never opened to check the numbers"""

    def offers(self, scopes: dict[str, Scope]) -> dict[str, Scope | None]:
        return {"versions": Scope("version", self.subsets)}

    def check(self, name: str, configuration: Any) -> Iterable[tuple]:
        reader = f"mvclust.datasets.readers.{self.reader}"
        if module_file(reader) is None:
            yield ["reader"], f"there is no module '{reader}'"

    @property
    def entry(self) -> dict:
        """The record in the form of the library's catalogue."""
        entry = self.model_dump(exclude_unset=True)
        return entry | {"files": {name: known or {} for name, known in entry["files"].items()}}

    def version(self, subset: str | None = None) -> "Version":
        """Contents of a version, by default the one that the papers use."""
        name = self.default_subset if subset is None else subset
        given = self.subsets[name] or Subset()
        return Version(
            name,
            given.n_samples or self.n_samples,
            given.classes or self.classes,
            given.views or self.views,
            given.incomplete,
        )


class Version(NamedTuple):
    """A version of a data set."""

    name: str
    n_samples: int
    classes: dict  # name -> number of samples, or None
    views: list  # list of View
    incomplete: bool  # whether instances are missing in its files


class ByKind(Record):
    """A value for each kind of view."""

    counts: str | None
    """views of counts"""
    tf_idf: str | None = Field(alias="tf-idf")
    """views of tf-idf"""
    real: str | None
    """views of measurements"""
    links: str | None
    """views of links"""
    weighted: str | None = None
    """views whose features have weights of their own"""


Parameters = dict[str, Value]


class Preparation(Record):
    """What the pipeline does to the views for a method; declared among the method's parameters.

    Only what is given counts, so that no default matters.
    """

    fill: Literal["mean", "knn"] = None
    """fill missing instances, for methods that need complete views"""
    features: Steps | None = None
    """scale every view over all its samples, before instances are removed: each feature to [0, 1]
    or [-1, 1], to unit length, or standardised; the view to [-1, 1], or divided by the sum of its
    entries; log(1 + count); tf-idf; each sample to unit length, or divided by the square root of
    its degree, the sum of its inner products with all samples"""
    shift: bool = None
    """subtract the minimum of each view that has negative values"""
    views: Views = None
    """run on these views only: `first_pair`, or their names; `per_pair` in a grid"""
    each_view: bool = None
    """cluster each view separately"""
    view_labels: bool = None
    """label every view by its own factor, for MultiNMF"""
    constraints: Rate = None
    """share of the pairs of samples that become must-links and cannot-links"""
    constrained: Literal["pairs", "samples"] = None
    """where these are drawn from: all pairs (by default), or all pairs among that share of the
    samples"""
    mapping: Literal["known", "ignored"] = None
    """whether methods with constraints use the correspondence that the setting knows (by default),
    or not"""
    start: Natural = None
    """number of the start on a mask; another number gives another seed"""
    order: Order = None
    """from 1: samples and features stand in another, random order for each number; 0: as in the
    files. The samples alone: `sorted` by class, at random within classes; `interleaved`, the
    classes by turns; `by_norm`, sorted by their length in the first view; `reversed`; or
    `shuffle_1`, `shuffle_2` and so on"""
    control: Literal["labels", "presence", "noise", "noise_views"] = None
    """in place of the views the method gets the classes, one column each; which instances are
    present; or random numbers, as one view or in each view"""


class Method(Record):
    """A method: a class, and the parameters with which it runs."""

    estimator: Annotated[str, Field(pattern=r"^[^\W\d]\w*(\.\w+)+$")]
    """dotted name of the class, of mvclust or of any installed package; the key of the entry is its
    name, or begins with its name and a hyphen"""
    label: str | None = None
    """name in tables and figures; the key by default"""
    published: Annotated[
        list[str], BeforeValidator(_as_list), WithJsonSchema({"type": ["string", "array"]})
    ] = []
    """name in `published.csv`, or several"""
    reference: bool = False
    """true for a baseline, drawn in grey"""
    reconstructed: bool = False
    """true if it follows an abstract or a description, since neither equations nor code are there;
    no claim about it is decided"""
    in_all: bool = True
    """false leaves it out of `methods: all`"""
    fixed: Parameters = {}
    """parameters that never change"""
    by_kind: dict[str, ByKind] = {}
    """parameters whose value follows from the kind of each view"""
    default: Parameters = {}
    """values of the tuning "default", the same for all data sets"""
    grid: dict[str, Grid] = {}
    """values among which the tunings "oracle" and "label-free" choose; `per_view`: every view,
    `per_pair`: every two views"""

    def check(self, name: str, configuration: Any) -> Iterable[tuple]:
        methods, label = configuration.methods, self.label or name
        first = next(other for other, each in methods.items() if (each.label or other) == label)
        if first != name:
            reason = f"'{label}' is also the label of {first}"
            yield ["label"], f"{reason}; tables and figures need different ones"
        if problem := configuration.classes.problem(self.estimator):
            yield ["estimator"], problem
            return
        class_name = self.estimator.rpartition(".")[2]
        if name.partition("-")[0] != class_name:
            reason = f"the key of a method is the name of its class, '{class_name}'"
            yield [], f"{reason}, or begins with '{class_name}-'"
        for part in ("fixed", "by_kind", "default", "grid"):
            yield from check_parameters([part], getattr(self, part), self, configuration.classes)
            for key in getattr(self, part) if part != "fixed" else ():
                if key in self.fixed:
                    yield [part, key], "is also under fixed; keep one"
        for key in self.grid:
            if key not in self.default and key not in self.fixed:
                reason = f"lacks '{key}', which the grid varies: give the value that the tuning"
                yield ["default"], f'{reason} "default" uses'


class Option(Record):
    """One way to fill what is left open."""

    value: Value | dict[str, Metric]
    """value of the parameter, or metrics by name in the paper"""
    says: str
    """what is done"""
    origin: str
    """where it comes from: a sentence of a paper, released code, or common habit"""


class Question(Record):
    """What the papers leave open; the key of the entry is the parameter, or the metric."""

    question: str
    """what the papers leave open"""
    values: Annotated[list[Option], Filled]
    """the ways to fill it"""


class Kind(Record):
    """A kind of methods; the questions that are put to every printed row of the kind, crossed."""

    questions: Annotated[dict[str, Values], Filled]
    """parameter: its options, explained in `questions.yaml`; the one that the table's experiment
    states must be among them"""
    definitions: dict[str, Annotated[list[Meaning], Field(min_length=2), Unique]] = {}
    """name in the paper: the metrics that it may mean; if one definition decides several names, a
    key of your own: meanings of the form name: metric; explained in `questions.yaml`"""
    added: bool = False
    """true for what was added after scores had been read; its rows are shown and never counted"""

    def check(self, name: str, configuration: Any) -> Iterable[tuple]:
        for part in ("questions", "definitions"):
            for key, options in getattr(self, part).items():
                question = configuration.questions.get(key)
                if question is None:
                    yield [part, key], f"config/questions.yaml does not explain '{key}'"
                    continue
                for value in options:
                    if not any(is_same(value, known.value) for known in question.values):
                        reason = f"config/questions.yaml does not explain the value {value!r}"
                        yield [part, key], reason


def is_same(value: Any, other: Any) -> bool:
    """Whether two values of YAML are equal; true is not 1."""
    return value == other and isinstance(value, bool) == isinstance(other, bool)
