"""Words and patterns of names: what they may mean, in English as most files have them."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

import numpy as np


def any_case(pattern: str) -> re.Pattern:
    """Compile a pattern; blanks and ends of lines in it mean nothing, and letters any case."""
    return re.compile(pattern, re.I | re.X)


_ID = r"([ _.-]?(ids?|names?|codes?|barcodes?|no|nr|number))?$"
SAMPLE_WORD = any_case(r"""^(.*[ _.-])?(ids?|samples?|patients?|subjects?|participants?|donors?|
    individuals?|barcodes?|cells?[ _.](?=\w)|mouse|animal|respondents?|seqn|[pisf]id|subj|patid|
    specimens?|cases?[ _.](?=\w)|machine|doc(ument)?s?|submitter|wells?|muster|kennung|
    proband(in)?|[eé]chantillons?|muestras?|amostras?|campion[ei]|iso3?|countr(y|ies)|land|
    pa[yií]s|gemeinde|\w*(stu|sch|obj|hh|pers|emp|cust|user|player|member|station|
    house)id)""" + _ID)  # fmt: skip
# probe alone is a sample in German
FEATURE_WORD = any_case(r"""^(?!probe$)(.*[ _.-])?(genes?|symbols?|hugo|probes?|features?|
    ensembl|entrez|proteins?|peptides?|metabolites?|compounds?|mirnas?|mir|otus?|asvs?|tax(on|a)?|
    clade|cpgs?|wavelengths?|wavenumbers?|m/?z|ppm|variables?|variablemetadata|attrib(ute)?s?|
    transcripts?|accessions?|uniprot|terms?|words?|lipids?|analytes?|snps?|ref|
    protein[ ._]?groups?|gene[ _.]famil(y|ies)|pathways?)""" + _ID)  # fmt: skip
SAMPLE_LIKE = any_case(r"""^(TCGA[-.]|GSM\d|[SED]R[RSX]\d|ACH-\d|GTEX-|[ACGT]{10,30}(-\d+)?$|
    [ACGT]{4}\d+-1$|(sample|patient|subject|pat|case|donor|mouse|rat|boy|girl|child|participant|
    individual)[ _.-]?\w*\d)""")
FEATURE_LIKE = any_case(r"""^(ENS[A-Z]*[GTP]\d{5}|cg\d{5}|(hsa|mmu)-(mi|le)|rs\d{4}|[dkpcofgs]__|
    N[MR]_\d|HMDB\d|LOC\d|(f|feat|feature|var|dim|pc|gene|protein|otu|asv|ion|
    metabolite)[ _.-]?\d+$)""")
OF_LETTER_F = re.compile(r"^f[ _.-]?\d+$", re.I)
# symbols, accessions of probes and proteins, and peptides
GENE_LIKE = re.compile(r"""(?x)^([A-Z][A-Z0-9]{1,9}(-[A-Z0-9]+)?|[A-Z]{7,50}|
    [A-Z][a-z]{2,5}\d+[a-z]?|\d{3,}(_[a-z])?_at|ILMN_\d+|A_\d+_P\d+|C\d+orf\d+)$""")
LABEL = any_case(r"""^(true|ground|given|gold)?[ _.-]?(labels?|y|gt|gnd|truth|truelabels?|
    class(es)?|classlabels?|targets?|categor(y|ies))\d*$""")
LABEL_PART = re.compile(r"(^|[ _.-])(true)?labels?([ _.-]|$)|(class|true)label|groundtruth", re.I)
TAGS = re.compile(r"(^|_)(l|lab|lall|tags?|concepts?|anno\w*|topics?|genres?)(_|\d|$)", re.I)
SOFT_LABEL = any_case(r"""^(species|function|sub_?types?|types?|groups?|conditions?|diagnosis|
    genotype|treatment|dose|cell_?types?|topic|phenotype|kind|clusters?|tissue|disease|
    sample_?type|body_?site|class.*|.*_label)$""")
FACTS = any_case(r"""positions|coordinates|(^|_)(coords?|xy|loc|locations?|spatial)(_|$)|
    clinical|metadata|pheno|survival|sample_?sheet|sample_?(info|data|annot)|(^|_)(meta|pdata|
    coldata|samples|design|facts|info|obs|annotation|covariates?|treatment|summary|qc|demo|
    demographics|participants)(_|$)""")
TIME = any_case(r"""((^|\W|_)(os|pfs|dfs|rfs|dss|pfi|dfi|efs|survival|overall|progression|
    follow).*(time|days|months|years))|^(overall|(disease|progression|event).free)[._ ]survival$|
    ^(time|futime|fu_?days|os|pfs|dfs|efs|t|survival)$|days_to|survival_?times?|time_?to|
    time[ _.]survival""")
EVENT = any_case(r"""^(os|pfs|dfs|rfs|dss|fustat|dead|death|died|deceased|status|alive|cens|
    censor\w*|progression|relapse|recurrence)$|event|vital|[._ ](status|censor\w*|dead)$|^(status|
    censor)[._ ]|^(overall|(disease|progression|event).free)[._ ]survival$""")
STEM_TIME = re.compile(r"(\w*?)[ _.-]?(?:time|tm|days|months|years)|(?:t|time)[_.](\w+)", re.I)
STEM_EVENT = re.compile(
    r"(\w*?)[ _.-]?(?:stat(?:us)?|cens\w*|event|ind)|(?:d|delta|event|status)[_.](\w+)", re.I
)
SPAN = any_case(r"""((time|surv(ival)?|follow([ _.-]?up)?|fu|dur(ation)?|last[ _.-]?contact)
    [ _.-]?)?(days?|weeks?|months?|years?)$|(l?dur(at(ion)?)?|fu|obs_?time|follow([ _.-]?up)?|
    last[ _.-]?contact)$""")
HAPPENED = re.compile(r"^(1|dead|deceased|died|event|yes|true|1[:;].*|2)$", re.I)
TURNED = re.compile(r"(alive|cens\w*)$", re.I)  # 1 says that it did not happen
BARE_ANSWER = re.compile(r"^(0|1|yes|no|y|n|true|false)$", re.I)
SAID = re.compile(r"^(dead|deceased|died|death)$", re.I)
SAID_NOT = re.compile(r"^(alive|living|censored|lost)$", re.I)
# how certain the value of a column is, beside its name
SPREAD = any_case(r"""[ _.-](se|sem|sd|std|std_?(err|dev)|err|error|uncertainty|rsd|cv|lower|
    upper|(ci|conf)[ _.-]?(lo|hi|low|high|lower|upper)|p[ _.-]?val(ue)?|flag|qc|quality)$|(err|
    lim)\d?$""")
# columns that are seldom measurements
ASIDE = any_case(r"""^(time\w*|date|day|month|year|hour|minute|second|timestamp|seconds_elapsed|
    batch|plate|run|order|fold|split|site|age|sex|gender|icu.*|outcome|response|status|event|
    stage|grade|rank|chosen|choice|stake|trap|transect|quadrat|ts|yr|dy|elapse\w*|bar.?codes?|
    epoch|date_?time|lat(itude)?|lon(g|gitude)?|easting|northing|predict(ed|ion)\w*|los|
    los[_.-].*|length.of.stay.*|mortality|father|mother|[pm]at|duration|dur[eé]e.*|d[eé]c[eè]s|
    tod|verstorben|verweildauer|liegedauer|estancia.*|degenza.*|perman[eê]ncia.*|
    [adp]n?s?p?(ps)?w(ei)?ght|w_\w*wgt\d*|w_\w*wt|wt\w+\d+yr|sdm\w+|psu|strat(a|um)|elevation|
    altitude|chr(om(osome)?)?|(loc[ _.]?)?(start|end|stop)|num[ _.]?mark|strand|pos(ition)?|
    (post(al)?|zip)[ _.-]?(code)?|plz|cap|wt_\w+|\w+_[xl]w|p?[ie]c50\w*|pno|ivfho|dvage|gndr|agea|
    essround|edition|proddate|(\w+_)?(lat|long?)|ra|dec|(month|year|day)s?_\w{1,3}|lastpage|
    interviewtime|grouptime\d*|(\w+_|submit|start|end)date|datestamp|token|progress|treat|trt|
    off_?trt|rmse|r.squared|corr(elation)?|fdr|(adj\w*[ _.-]?)?[pq][ _.-]?(val(ue)?|adj)|
    silhouette\w*|log_?lik\w*|posterior|confidence|pseudotime|doublet_?scores?|percent[._]mt|(pct|
    total|n)_?(counts?|genes|features)\w*|n(Count|Feature)_\w+)s?$""")
# of these, those that fractions are not
WHOLE = any_case("order|fold|split|plate|batch|run|site|sex|gender|father|mother|[pm]at")
CODE = re.compile(r"(.*[ _.-]|^)(num|no|nr|code)$|.*[a-z](Num|N[or]|Code)$")
PLACE = any_case(r"""^[*#_\ ]*([xyz]\d?[ _.-]?(coo(rd(inate)?)?s?|pos(ition)?|utm|centroid)|
    (coo(rd(inate)?)?s?|utm|point|pos|centroid|geo)[ _.-]?[xyzensw]+|(.*[ _.-])?(lat(itude)?|
    lon(g(itude)?)?|easting|northing)|elev(ation)?|altitude|aspect)$""")
CLOCK = re.compile(r"^(time|date|ts$|epoch|sec|min|hour|day|month|year)", re.I)
# columns beside samples that tell about the features
OF_FEATURES = any_case(r"""^(start|end|length|chrom|score|strand|p[._ ]?val|q[._ ]?val|mean|
    total|fold|log2?fc|mol|count|msms|ms/ms)|tax_?id|_id$""")
# columns of a table about features
RANK = any_case(r"""^(kingdom|domain|phylum|class|order|family|genus|species|symbol|
    chr(om(osome)?)?|biotype|(entrez|ensembl)\w*|description)$""")
DATE = re.compile(r"^\d{4}-\d\d?-\d\d?|^\d\d?[/.]\d\d?[/.]\d{2,4}|^\d\d?:\d\d")
# also Xtrain
PART = any_case(r"""(^|[_ .-]|(?<=(?<![a-z])[xy]))(train(ing)?|test(ing)?|tr|te|valid(ation)?|
    val)(?=$|[_ .-])""")
SUMMARY = any_case(r"""^((grand\ )?(total|sum|mean|averages?|median|sd|std|
    st(an)?d[ ._]?dev(iation)?|min|max|all|subtotal.*)|(ins)?gesamt|(gesamt)?summe|mittelwert|
    stabw\.?|standardabweichung|moyenne|[eé]cart.type|ensemble|media|promedio|desv\w*\.?(\ .*)?|
    totale?|world|(euro|arab|oecd|european)\ (area|world|union|members)|(high|low|(lower\ |
    upper\ )?middle).income.*)$""")
BARE = re.compile(r"[A-Za-z]{0,2}\d*")  # what only counts columns: V1
# What follows the name of a sample that was measured again.
AGAIN = r"[._ -]((rep|dup|r)?\d+|rep|dup(licate)?)$"
# of a laboratory
NO_SAMPLE = any_case(r"""(pcr|ext(r(action)?)?|dna|rna|lib|field|trip|method|reagent|
    solvent)?[ _.-]?(qc|lod|loq|blank|pool(ed)?|std|standard|ntc|buffer|calib\w*|mock\w*|empty|
    neg(ative)?|(neg(ative)?|pos(itive)?|sample|control|process|extraction|kit|plate|
    inter.?plate)[ _.-]?(ctrl|controls?|sample|blank)\w*)\d*([ _.-]|$)""")
OUTCOME = any_case(r"""(^|_)(outcomes?|end_?points?|responses?|references?|targets?|quality|
    yields?)(_|$)""")
RESPONSE = re.compile(r"y[ _.-]?\d*$", re.I)
# coordinates that another method made of the data
DERIVED = any_case(r"""(^|_)(pca?|eigenvec|umap|t?sne|embeddings?|latent|loadings|scores|kmeans|
    clusters?|clustering)(_|\d|$)""")
VIEW = re.compile(r"(view|modality|x|v|data)[ _.-]?\d+$", re.I)
FOLD = re.compile(r"(?:^|[/_ .-])(?:fold|split|cv|run|seed|repeat)[_ .-]?(\d+)", re.I)
VERSION = re.compile(r"(^|_)(old|raw|norm\w*|scaled|log\w*|z_?scores?)(_|\d|$)", re.I)
HEAD = re.compile(r"(.*?[A-Za-z].*?[._: -]|[Xx](?=\d))(.+)$")  # before the name of a sample
ZEROS = "^0+"
MASK = re.compile(r"mask|missing|present|observed|avail|indicator|exist", re.I)
INDEX = re.compile(r"ind(ex|ices)?|idx|exist|present", re.I)
NO_FEATURE = re.compile(r"__|(con|rev)__|un(mapped|assigned|known|classified)|no_feature", re.I)
ROW_NUMBERS = ("column 1", "rownames", "index", "Unnamed: 0")


def names_samples(title: str) -> bool:
    """Whether the title of a column says that it names samples."""
    return bool(SAMPLE_WORD.match(title)) and not FEATURE_WORD.match(title)


def called_labels(name: str) -> bool:
    """Whether a name says labels."""
    return bool(LABEL.match(name) or LABEL_PART.search(name))


def part(name: str) -> tuple:
    """Return the words for parts in a name: train, test."""
    return tuple(m[2].lower() for m in PART.finditer(name))


def like(names, pattern: re.Pattern) -> bool:
    """Whether most names look like a pattern."""
    return bool(names) and np.mean([bool(pattern.match(str(n))) for n in names[:200]]) >= 0.8  # pyright: ignore[reportReturnType]


def listed(names, most: int = 6) -> str:
    """Return names in words; dots say that more follow."""
    return ", ".join(map(str, names[:most])) + " ..." * (len(names) > most)


def shape(name) -> str:
    """Return a name with 9 for each number in it."""
    return re.sub(r"\d+", "9", str(name))


def unlike(names) -> tuple[set, bool]:
    """Return names of a shape of their own among others of one shape, and if that has a number."""
    shapes = Counter(map(shape, names))
    top, count = next(iter(shapes.most_common(1)), ("", 0))
    usual = 1 < count >= 0.8 * len(names)
    alone = (n for n in names if usual and shapes[s := shape(n)] == 1 and not s.startswith(top))
    return set(alone), "9" in top


def uniform(names) -> bool:
    """Whether names have one pattern with a number (S1, S2, ...), as names of samples may."""
    names = names or []
    shapes = Counter(map(shape, names))
    alike = sum(c for s, c in shapes.items() if "9" in s and c > 2)
    return len(names) > 3 and alike >= 0.7 * len(names) and not like(names, FEATURE_LIKE)


def counted(names) -> int | None:
    """Return the first number of names that only count the samples: S1, S2, ..."""
    ends = sorted(int(m[0]) for n in names or () if (m := re.search(r"\d+$", str(n))))
    whole = len({*ends}) == len(ends) == len(names or ()) > 0
    return ends[0] if whole and ends[-1] - ends[0] + 1 == len(ends) else None


@lru_cache(maxsize=1_000_000)
def plain(name: str) -> str:
    """Return a name in lower case without marks and accents."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", name.lower()))


def relation(a, b) -> dict | None:
    """Return what views.yaml has to say of the names `a` so that they are those of `b`.

    An empty dict says that they are as they stand, None that they are not related.
    """
    a, b = [str(i) for i in a], {str(i) for i in b}
    plain_a, plain_b = {plain(i) for i in a}, {plain(i) for i in b}
    begin = {i[:1] for i in plain_a} & {i[:1] for i in plain_b}
    if not begin and not {i[-1:] for i in plain_a} & {i[-1:] for i in plain_b}:
        return None  # each way below keeps how names begin or end
    enough = max(2, 0.3 * min(len(set(a)), len(b)))
    same = len(set(a) & b)
    if len({i.lstrip("0") for i in a} & b) >= max(enough, same + 1):
        return {"rename": {ZEROS: ""}}
    if len(plain_a & plain_b) >= max(enough, same + 1):
        return {"plain_ids": True}
    if same >= enough:
        return {}
    heads = Counter(m[1] for i in a if (m := HEAD.match(i)) and m[2] in b)
    if heads and (most := heads.most_common(1)[0])[1] >= enough:
        return {"rename": {"^" + re.escape(most[0]): ""}}
    cuts = [[i[-k:] for k in range(1, min(17, len(i) - 2)) if i[:-k] in b] for i in a]
    n_cut = sum(map(bool, cuts))
    if n_cut < enough:
        return None
    end, count = Counter(end for ends in cuts for end in ends).most_common(1)[0]
    if count >= 0.9 * n_cut:
        return {"rename": {re.escape(end) + "$": ""}}
    return {"rename": {f"^(.{{{min(map(len, b))}}}).*": r"\1"}}
