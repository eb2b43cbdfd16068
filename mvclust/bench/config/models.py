"""The records that the configuration's files hold: every key with its type, default and meaning.

No default of a key is written anywhere else. ``config/README.md`` and the JSON Schemas for editors
are made from these classes (`mvclust.bench.config.document`).
"""

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from mvclust.bench.config.protocols import BEYOND, PER_VIEW, rate_key
from mvclust.metrics import INTERNAL, METRICS, STABILITY
from mvclust.numerics.features import STEPS

# Patterns, and what they mean in words.
PATTERNS = {
    "^[a-z0-9_-]+$": "lower-case letters, digits, - and _",
    "^[a-z0-9_]+$": "lower-case letters, digits and _",
    "^[a-z0-9][a-z0-9-]*$": "lower-case letters, digits and -",
    r"^\w[\w-]*$": "letters, digits, _ and -",
    r"^\w[\w.-]*$": "letters, digits, _, - and .",
    "^[A-Za-z][A-Za-z0-9]*(-[a-z0-9]+)*$": (
        "the name of the class, with -suffixes if several entries use it"
    ),
    r"^[^\W\d]\w*(\.\w+)+$": "the dotted name of a class, package.module.Class",
    "^https?://": "an address with http:// or https://",
}
MOST_LETTERS = 80  # of a name, which is a part of names of files


def _without_repeats(values: list) -> list:
    plain = [repr(int(v)) if isinstance(v, float) and v.is_integer() else repr(v) for v in values]
    if len(set(plain)) < len(plain):
        raise PydanticCustomError("repeated", "has the same entry twice")
    return values


def _is_value(value: Any) -> Any:
    """Check a parameter in YAML: one value, or a list of texts that belong together."""
    texts = isinstance(value, list) and value and all(isinstance(part, str) for part in value)
    if value is None or texts or isinstance(value, str | int | float | bool):
        return value
    raise PydanticCustomError(
        "kind", "expected a text or a number or true or false or null, or a list of texts"
    )


def _is_grid(values: Any) -> Any:
    if values in ("per_view", "per_pair"):
        return values
    if not isinstance(values, list):
        raise PydanticCustomError("kind", "expected a list of values, per_view or per_pair")
    return values


def _are_steps(value: Any) -> Any:
    steps = [value] if isinstance(value, str) else value
    if isinstance(steps, list) and steps and all(step in STEPS for step in steps):
        return value
    raise PydanticCustomError("kind", f"expected {', '.join(STEPS)}, or a list of several of these")


def _are_views(value: Any) -> Any:
    if value == "first_pair" or (
        isinstance(value, list) and all(isinstance(v, str) for v in value)
    ):
        return value
    raise PydanticCustomError("kind", "expected first_pair or a list of views")


def _is_meaning(value: Any) -> Any:
    metrics = list(value.values()) if isinstance(value, dict) else [value]
    if metrics and all(isinstance(metric, str) for metric in metrics):
        return value
    raise PydanticCustomError("kind", "expected a metric, or names with the metric of each")


def _are_methods(value: Any) -> Any:
    if value == "all" or isinstance(value, list):
        return value
    if isinstance(value, str):
        raise PydanticCustomError("kind", "expected all or a list of methods")
    raise PydanticCustomError("kind", "expected a list or a text")


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Natural = Annotated[int, Field(ge=0)]
Order = (
    Natural
    | Annotated[str, Field(pattern=r"^(sorted|interleaved|by_norm|reversed|shuffle_[1-9]\d*)$")]
)
Rate = Annotated[float, Field(ge=0, le=1)]
Unique = AfterValidator(_without_repeats)
Texts = Annotated[list[str], Unique]
SomeTexts = Annotated[list[str], Field(min_length=1), Unique]
Files = Annotated[list[Text], Unique]
Rates = Annotated[list[Rate], Field(min_length=1), Unique] | None
# A value of a parameter. What it may be follows from the class of the method.
Value = Annotated[
    Any,
    AfterValidator(_is_value),
    WithJsonSchema({"type": ["string", "number", "boolean", "null", "array"]}),
]
Values = Annotated[list[Value], Field(min_length=1), Unique]
Grid = Annotated[Values | Literal["per_view", "per_pair"], BeforeValidator(_is_grid)]
Meaning = Annotated[
    Any, AfterValidator(_is_meaning), WithJsonSchema({"type": ["string", "object"]})
]
Steps = Annotated[Any, AfterValidator(_are_steps), WithJsonSchema({"enum": list(STEPS)})]
Views = Annotated[Any, AfterValidator(_are_views), WithJsonSchema({"type": ["string", "array"]})]
Metric = Literal[(*METRICS, INTERNAL, STABILITY)]
Kind = Literal["counts", "tf-idf", "real", "links", "weighted"]


class Record(BaseModel):
    """An entry of a file: no key but the declared ones, no value of another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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
    experiments: SomeTexts
    """ids of the experiments to run"""
    add_methods: Texts = []
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
    datasets: SomeTexts | None = None
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
        return {key: value for key, value in self.model_dump().items() if key in SCIENCE}


SCIENCE = ("experiments", "add_methods", "datasets", "seed", "claims", "growth", "probes", "budget")


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

    dataset: str
    """name in `datasets.yaml`"""
    subset: str | None = None
    """version of the data set; `default_subset` by default"""
    samples: Annotated[int, Field(ge=2)] | None = None
    """number of samples to draw at random; all by default"""
    label: str
    """name in tables and in `published.csv`"""
    views: SomeTexts | None = None
    """the views to use, in this order; all by default"""
    features: Value = None
    """how the features of these data are scaled for every method whose own parameters do not say,
    see Preprocessing"""
    repetitions: Count | None = None
    """masks or starts per setting; those of the experiment by default"""
    masks: Count | None = None
    """number of the authors' masks, protocol published; repetitions beyond it fit the same masks
    again from other starts, whose deviation says what a published number can be compared with"""


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
    arms: Annotated[list[Text], Field(min_length=1), Unique]
    """what it compares: the names in what it returns"""
    data: Annotated[list[Data], Field(min_length=1)]
    """the data sets, without `samples`"""
    repetitions: Count
    """number of seeds"""


ClaimKind = Literal[
    *("above", "much_above", "gain", "within", "best", "worst", "not_best", "below_median"),
    *("trend", "rise_then_flat", "window", "insensitive", "less_spread"),
    *("descent", "settled", "one_run", "several_runs", "exponent"),
]


MUCH = 3.0  # points: what "much" is where a paper does not say
FEWEST_POINTS = 4  # of the axis of a trend


class ClaimTest(Record):
    """A test of a claim: its kind, and what it looks at."""

    kind: ClaimKind
    """kind of test, see Claims"""
    experiments: Texts = []
    """ids of the experiments with the numbers; in print, those whose `item` has them; none: kind
    exponent, which needs the key `growth` of the run, and tests of `probes`"""
    probes: Texts = []
    """in the place of experiments: names of probes, whose arms stand for methods"""
    methods: Texts = []
    """methods that the claim is about; none: all others of the experiment"""
    against: Texts = []
    """methods that they are compared with"""
    metrics: Texts = []
    """scores, by the names in the experiments; none: all. The first is the one whose effect is
    shown"""
    datasets: Texts = []
    """labels of data sets; none: all"""
    rates: Annotated[list[Rate], Unique] = []
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
    gain: dict[str, float] = {}
    """score: relative gain in percent"""
    parameter: str | None = None
    """parameter of a window, or of an axis"""
    window: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
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


class Claim(Record):
    """A statement of a paper that results can decide; the key of the entry is its id."""

    paper: Text
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


class View(Record):
    """One view of a data set."""

    name: str
    """name of the view"""
    dimension: Count
    """number of features"""
    kind: Kind
    """kind of its values"""
    what: str = ""
    """what the features are"""


Classes = Annotated[dict[str, Count | None], Field(min_length=1)]
ViewRecords = Annotated[list[View], Field(min_length=1)]


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
    accepted: Annotated[list[dict], Field(min_length=1)] | None = None
    """known copies, any of which will do"""


RawFiles = Annotated[
    dict[Annotated[str, Field(pattern=r"^\w[\w.-]*$")], File | None], Field(min_length=1)
]

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


Images = Annotated[dict[str, ImagesOfFolder], Field(min_length=1)]


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
    addresses: Annotated[
        dict[str, Annotated[str, Field(pattern="^https?://")]], Field(min_length=1)
    ]
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
    addresses: Annotated[
        dict[str, Annotated[str, Field(pattern="^https?://")]], Field(min_length=1)
    ]
    """file: address"""
    files: RawFiles | None = None
    """the files of this source if they are others than those above"""


class Included(Record):
    """Files that come with the package."""

    kind: Literal["included"]
    """included"""


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
    default_subset: str
    """the version that the papers use"""
    subsets: Annotated[
        dict[Annotated[str, Field(pattern=r"^\w[\w-]*$", max_length=MOST_LETTERS)], Subset | None],
        Field(min_length=1),
    ]
    """all versions: the keys that differ"""
    files: RawFiles
    """the raw files with checksum and size; with null any content will do: the checksum that is
    recorded, and by which a later change is noticed, is that of the file in the mirror folder"""
    sources: Annotated[
        list[
            Annotated[
                Included | Mirror | Addresses | ImageFolder | Archive,
                Field(discriminator="kind"),
            ]
        ],
        Field(min_length=1),
    ]
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
    values: Annotated[list[Option], Field(min_length=1)]
    """the ways to fill it"""


class Kind(Record):
    """A kind of methods; the questions that are put to every printed row of the kind, crossed."""

    questions: Annotated[dict[str, Values], Field(min_length=1)]
    """parameter: its options, explained in `questions.yaml`; the one that the table's experiment
    states must be among them"""
    definitions: dict[str, Annotated[list[Meaning], Field(min_length=2), Unique]] = {}
    """name in the paper: the metrics that it may mean; if one definition decides several names, a
    key of your own: meanings of the form name: metric; explained in `questions.yaml`"""
    added: bool = False
    """true for what was added after scores had been read; its rows are shown and never counted"""


class Described(Record):
    """What every experiment states."""

    title: str
    """title of the table or figure"""
    caption: str = ""
    """what a reader must know"""
    claim: str = ""
    """what the paper says of it, in one sentence; shown beside what the results say"""
    paper: Text = BEYOND
    """key of the paper in `papers.yaml`, or a text of your own"""
    item: str | None = None
    """its item in `published.csv`"""
    differs: str = ""
    """what differs from print, for the list in docs/reproduction.md"""


class Statistics(Described):
    """A table of what is in the data sets."""

    render: Literal["statistics"]
    """how it is drawn"""
    order: Texts = []
    """what the paper calls the data sets, in its order"""


class Partitions(Described):
    """A figure of the partitions of single views and of their consensus."""

    render: Literal["partitions"]
    """how it is drawn"""
    data: Annotated[list[Data], Field(min_length=1)]
    """one data set, whole"""
    views: Texts = []
    """the views whose partitions are drawn, beside the consensus; the table has all; none: all"""


Place = Literal["dataset", "views", "rate", "view", "metric", "method", "rest"]
Places = Annotated[list[Place], Unique]


class Form(Record):
    """The form in which the paper prints an experiment."""

    draw: Literal["table", "curves", "bars", "dots", "surfaces", "convergence"]
    """a table, or what the panels of a figure have; `dots` has a line per method and a dot per data
    set, in a sweep how far its first value is above the mean of the others; tables have all results
    """
    title: str = ""
    """title of the panel, if there is one; by default what rows and columns of panels differ in"""
    beside: Texts = []
    """ids of experiments that the paper prints in the same table or figure, each by its own form"""
    methods: Texts = []
    """the methods, in the paper's order; none: all"""
    datasets: Texts = []
    """labels of the data, in the paper's order; none: all"""
    metrics: Texts = []
    """the scores, in the paper's order; none: all"""
    rows: Places = []
    """what the lines of a table, or rows of panels, differ in"""
    columns: Places = []
    """what the columns of a table, or of panels, differ in"""
    lines: Place = "method"
    """what the curves or bars of a panel differ in"""
    window: dict[str, Annotated[list[float], Field(min_length=2, max_length=2)]] = {}
    """parameter: first and last value of the range that the paper names, which is shaded"""
    mark: dict[str, Values] = {}
    """parameter: the paper's own values, which are marked"""

    @property
    def selects(self) -> bool:
        """Whether some results are not shown."""
        return bool(self.methods or self.datasets or self.metrics)


class Experiment(Described):
    """An experiment with fits."""

    render: Literal["curves", "groups", "surfaces", "convergence", "ranks", "multiverse"]
    """how it is drawn; `multiverse` compares protocols with the published rows of a table;
    `statistics` takes none of the keys below, `partitions` only `data`"""
    repeats: str | None = None
    """id of the experiment that this one repeats with the steps that the paper prints; the ledger
    says whether its verdicts turn"""
    extends: str | None = None
    """id of the experiment that this one extends by fairer grids, longer sweeps or more masks; in a
    run that has it, claims about that one are tested on it"""
    x: Literal["rate", "views", "parameter"] = "rate"
    """horizontal axis of curves"""
    blocks: Literal["settings", "datasets"] = "settings"
    """what a block of the tests is, renderer ranks: a data set at one rate, or a data set, by its
    mean over the rates, which the tables in Markdown and LaTeX then show"""
    data: Annotated[list[Data], Field(min_length=1)]
    """the data sets"""
    protocol: Literal[
        *("random", "incomplete", "paired", "published", "natural", "complete"),
        *("unmapped", "mapped", "class", "block", "value", "other", "exclusive"),
    ]
    """which instances are present; see Protocols"""
    missing_rates: Rates = None
    """share of the instances of each view that is removed; protocols random, published, class,
    block, value and other"""
    incomplete_rates: Rates = None
    """share of the samples that lack some views; protocols incomplete and exclusive"""
    paired_rates: Rates = None
    """share of the samples that have both views; protocol paired"""
    mapped_rates: Rates = None
    """share of the samples whose correspondence is known; protocol mapped"""
    strength: Rate | None = None
    """how strongly it depends on the data who lacks a view: 0 not at all, 1 as far as possible;
    protocols class, block, value, other and exclusive"""
    scale: Literal["view_range", "sample_unit", "view_balanced"] | None = None
    """scaling of each view before any method sees it; none by default"""
    repetitions: Count
    """masks or starts per setting"""
    perturbed_fits: Natural = 0
    """above 0: the labels of the samples are written (`labels.csv`, `clusters.csv`, `features.csv`,
    `answer.json`), with so many perturbed fits of the chosen method behind their certainty; for one
    experiment with one data set"""
    survival: str | None = None
    """a csv with the columns `time` and `event` (1 or 0), one row per sample of the data set, empty
    where it is not known: `answer.json` then has curves and log-rank tests of the clusters; with
    `perturbed_fits`"""
    facts: str | None = None
    """a csv with a column per fact about the samples, one row per sample of the data set, empty
    where it is not known: `answer.json` then says which go with the clusters; with
    `perturbed_fits`"""
    methods: Annotated[SomeTexts | Literal["all"], BeforeValidator(_are_methods)]
    """methods in `methods.yaml` and `methods_files`; all: every method that can run on these data
    under this protocol, see below"""
    grids: dict[str, Annotated[dict[str, Grid], Field(min_length=1)]] = {}
    """grids of this experiment, in place of those in `methods.yaml`"""
    fixed: dict[str, Parameters] = {}
    """parameters that this experiment fixes"""
    leave_out: dict[str, SomeTexts] = {}
    """labels of data on which a method does not run, since it would take too long; their table
    cells stay blank"""
    kinds: dict[str, str] = {}
    """method: its kind in `multiverse.yaml`, whose questions are tried in all combinations with the
    grid; renderer multiverse"""
    sweep: bool = False
    """show every point of the grid instead of choosing one"""
    form: Form | None = Field(None, description=Form.__doc__)
    """how the paper prints it: `<id>` has this form, with the tuning `oracle`, and
    `<id>_extended` all methods and tunings; none: `<id>` has all"""
    metrics: Annotated[dict[str, Metric], Field(min_length=1)]
    """name in the paper: metric"""
    unit: Literal["fraction", "percent"]
    """unit of the scores in tables and figures"""

    @property
    def rates(self) -> list[float]:
        """Rates of the protocol; [0] without any."""
        key = rate_key(self.protocol)
        return getattr(self, key) if key else [0]

    @property
    def compares(self) -> bool:
        """Whether methods that take aligned views are compared, each by its own tuning."""
        drawn = self.render in ("curves", "groups", "ranks") and not self.sweep
        return drawn and self.protocol not in PER_VIEW

    @property
    def has_more(self) -> bool:
        """Whether the form of the paper leaves out results."""
        form = self.form
        return form is not None and form.draw != "dots" and (form.selects or not self.sweep)

    @property
    def varies(self) -> bool:
        """Whether protocols of a table are tried."""
        return self.render == "multiverse"


WITHOUT_FITS = {"statistics": Statistics, "partitions": Partitions}


def experiment_model(entry: object) -> type:
    """Class of an experiment's record, by its render."""
    render = entry.get("render") if isinstance(entry, dict) else None
    return WITHOUT_FITS.get(render, Experiment) if isinstance(render, str) else Experiment
