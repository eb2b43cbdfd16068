"""Names by which people call things, and how they write gaps."""

import re

LABELS = ("y", "gt", "gnd", "label", "labels", "truelabel", "truelabels", "truth", "classlabel")
LABELS += ("classlabels", "class", "classes", "target", "targets", "groundtruth", "trueclass")
LABELS += ("ytrue", "ylabel", "category", "subtype", "celltype", "lab", "labs", "cls", "diagnosis")
# Names of nothing else.
ONLY_LABELS = {"y", "gt", "gnd", "label", "labels", "truelabel", "truelabels", "truth", "target"}
ONLY_LABELS |= {"groundtruth", "ytrue", "classlabel", "classlabels", "trueclass"}
# Parts of a name that make it one of labels.
LABEL_PARTS = {"gt", "gnd", "label", "labels", "truelabel", "truth", "class", "classes", "target"}
LABEL_PARTS |= {"targets", "groundtruth", "subtype", "classlabel", "lbl", "lbls"}
MASKS = {"mask", "masks", "presence", "present", "available", "availability", "avail", "observed"}
MASKS |= {"exist", "exists", "existing", "index", "indicator", "indicators", "missing", "miss"}
MASKS |= {"missingstatus", "missingness", "absent", "status", "isobserved", "ismissing", "folds"}
MASKS |= {"ind", "idx", "indices", "indexes", "obs", "viewmask"}
ABSENCE = {"missing", "miss", "missingness", "absent", "ismissing", "lost", "removed"}
IDS = {"id", "ids", "name", "names", "sample", "samples", "sampleid", "sampleids", "samplename"}
IDS |= {"samplenames", "patient", "patientid", "subject", "subjectid", "barcode", "barcodes"}
IDS |= {"index", "cell", "cellid", "cells", "donor", "donorid", "participant", "participantid"}
IDS |= {"case", "caseid", "individual", "individualid", "doc", "docs", "docid", "rownames"}
IDS |= {"respondent", "mrn", "patientno", "subjectno", "participantno", "sampleno"}
IDS |= {"obsnames", "specimen", "cellline", "rowid", "uid", "eid", "iid", "key", "mouse", "animal"}
FEATURES = {"gene", "genes", "geneid", "genename", "genesymbol", "symbol", "probe", "probeid"}
FEATURES |= {"feature", "features", "featureid", "featurename", "cpg", "cg", "ensembl", "entrez"}
FEATURES |= {"ensemblid", "entrezid", "protein", "proteins", "mirna", "mirnaid", "variable", "var"}
FEATURES |= {"term", "terms", "word", "words", "taxon", "otu", "peak", "metabolite", "transcript"}
FEATURES |= {"hugosymbol", "compositeelementref", "idref", "analyte", "marker", "antibody", "locus"}
FEATURES |= {"hybridizationref", "vocabulary", "vocab", "attribute", "varnames", "species"}
# Scales along which a spectrum is measured, as the first column calls them.
SCALES = {"wavelength", "wavelengths", "wavenumber", "wavenumbers", "nm", "ppm", "mz", "frequency"}
SCALES |= {"hz", "ramanshift", "retentiontime", "rt"}
# Names of rows at the end of a table that sum it up.
SUMMARIES = {"total", "totals", "grandtotal", "sum", "mean", "means", "average", "averages", "avg"}
SUMMARIES |= {"median", "sd", "std", "stdev", "stddev", "standarddeviation"}
# What tables of genes say of these, beside the values of samples.
GENES = {"gene", "genes", "geneid", "genename", "genesymbol", "symbol", "hugosymbol", "ensembl"}
GENES |= {"ensemblid", "entrez", "entrezid", "probe", "probeid", "transcript", "hgncsymbol"}
GENE_PLACES = {"chr", "chrom", "chromosome", "seqname", "seqnames", "start", "end", "stop"}
GENE_PLACES |= {"strand", "txstart", "txend"}
GENE_IDS = {"entrezgeneid", "entrezid", "entrez", "ensemblgeneid", "ensemblid", "hgncid"}
GENE_FACTS = GENE_PLACES | GENE_IDS | {"length", "genelength", "gc", "gccontent", "band"}
GENE_FACTS |= {"biotype", "genetype", "genebiotype", "description", "genename", "cytoband"}
# Kinds of features as 10x Genomics and others call them.
KINDS = {"gene expression", "antibody capture", "peaks", "crispr guide capture", "custom", "rna"}
KINDS |= {"multiplexing capture", "protein", "proteins", "adt", "hto", "atac"}
# Files of text that are no tables of samples.
NO_TABLES = {"readme", "license", "licence", "changelog", "copying", "authors", "notes", "citation"}
NO_TABLES |= {"log", "logs", "requirements", "metricssummary", "todo", "changes", "news"}
SAMPLE_FILES = {"docs", "barcodes", "cells", "samples", "rows", "ids", "names", "documents"}
FEATURE_FILES = {"terms", "features", "genes", "vocab", "vocabulary", "words", "cols", "columns"}
# Vectors of few values that say something else of the samples.
OTHER = {"batch", "fold", "folds", "split", "site", "plate", "session", "weight", "weights", "sex"}
OTHER |= {"gender", "age", "time", "times", "group_size", "run", "lane", "center", "centre", "year"}
OTHER |= {"survival", "death", "event", "os", "pfs", "vital", "censored", "order", "perm", "year"}
# Tables about the samples that are no measurement.
ANNOTATIONS = {"survival", "outcome", "outcomes", "metadata", "meta", "phenotype", "phenotypes"}
ANNOTATIONS |= {"pheno", "coldata", "pdata", "annotation", "annotations", "sampleinfo", "obs"}
ANNOTATIONS |= {"samplesheet", "manifest", "followup", "prognosis"}
# Columns that are more often groups of samples than measurements.
GROUPS = {"cluster", "clusters", "leiden", "louvain", "group", "groups", "condition", "treatment"}
GROUPS |= {"status", "survived", "response", "responder", "outcome", "phenotype", "species", "type"}
GROUPS |= {"disease", "relapse", "grade", "stage", "arm", "cohort", "batch", "category", "sex"}
# Columns of texts that are as likely labels as not.
CLASSES = {"group", "groups", "condition", "treatment", "dx", "disease", "diseasetype", "species"}
CLASSES |= {"outcome", "phenotype", "histology", "pam50", "arm", "tissue", "cancertype", "genotype"}
CLASSES |= {"tumortype", "tumourtype", "status", "response", "type", "cohort", "variety", "strain"}
VALUES = {"value", "values", "count", "counts", "expression", "abundance", "intensity", "amount"}
VALUES |= {"measurement", "level", "score", "tpm", "fpkm", "reading", "result", "x", "n", "freq"}
VIEWS = {"view", "views", "modality", "omics", "omic", "assay", "source", "block", "platform"}
VIEWS |= {"datatype", "type", "experiment", "layer", "panel"}
LINKS = {"edges", "edge", "links", "link", "edgelist", "cites", "cite", "citations", "network"}
LINK_ENDS = (("source", "target"), ("from", "to"), ("node1", "node2"), ("citing", "cited"))
LINK_ENDS += (("head", "tail"), ("start", "end"), ("nodea", "nodeb"), ("i", "j"), ("u", "v"))
EMBEDDINGS = {"pca", "umap", "tsne", "mds", "lsi", "phate", "embedding", "embeddings", "xpca"}
EMBEDDINGS |= {"xumap", "xtsne", "pcs", "harmony"}
IMAGES = {"img", "imgs", "image", "images", "pix", "pixels", "picture", "photos", "faces", "pic"}
PARTS = {"train": "train", "training": "train", "tr": "train", "trn": "train", "test": "test"}
PARTS |= {"testing": "test", "te": "test", "tst": "test", "val": "validation"}
PARTS |= {"valid": "validation", "validation": "validation"}
GAPS = {"", "*", "na", "n/a", "#n/a", "nan", "null", "none", "?", "-", "--", ".", "nil", "missing"}
GAPS |= {"#null!", "#num!", "#ref!", "#name?", "bdl", "blq", "bql", "lod", "loq"}
GAPS |= {"<na>", "#na", "#value!", "#div/0!", "-nan", "1.#qnan", "n.a.", "unknown", "nd", "n.d."}
# Codes that questionnaires and genotypes have for no answer, beside small whole numbers.
CODES = (-9.0, -8.0, -7.0, -1.0, 9.0, 77.0, 88.0, 97.0, 98.0, 99.0)
MARKS = (-999.0, -9999.0, -99.0, 999.0, 9999.0, 99999.0, -99999.0, 1e30, -1e30)


def plain(name):
    """A name without marks and case, so that `Sample_ID` and `sampleid` are one.

    Examples
    --------
    >>> plain("Sample_ID"), plain("X.label")
    ('sampleid', 'xlabel')
    """
    return re.sub(r"[\W_]+", "", str(name)).casefold()


def parts_of(name):
    """The words of a name: cut at marks, between letters and digits, and at capitals.

    Examples
    --------
    >>> parts_of("dataV1_trueLabel"), parts_of("data.train/mRNA")
    (['data', 'v', '1', 'true', 'label'], ['data', 'train', 'm', 'rna'])
    """
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+", str(name))
    return [part.casefold() for part in found]


def last(name):
    """The part of a name after the last slash: that of a field in a struct."""
    return str(name).rsplit("/", 1)[-1]


def without_number(name):
    """A name without the number at its end.

    Examples
    --------
    >>> without_number("truelabel2"), without_number("X")
    ('truelabel', 'X')
    """
    return re.sub(r"[\W_]*\d+$", "", str(name)) or str(name)


def names_labels(name):
    """How surely a name is one of labels: 2 by all of it, 1 by a part, 0 not.

    Examples
    --------
    >>> names_labels("gt"), names_labels("flowers_label"), names_labels("pixels")
    (2, 1, 0)
    """
    name = last(name)
    if plain(name) in LABELS or plain(without_number(name)) in LABELS:
        return 2
    return 1 if LABEL_PARTS & set(parts_of(name)) else 0


def names_one_of(name, words):
    """Whether a name, or its last or first word, is one of some words.

    Examples
    --------
    >>> names_one_of("Sample_ID", IDS), names_one_of("X_mask", MASKS), names_one_of("fou", MASKS)
    (True, True, False)
    """
    name = last(name)
    parts = parts_of(without_number(name))
    whole = {plain(name), plain(without_number(name))}
    return bool(words & (whole | set(parts[:1] + parts[-1:])))


def is_gap(text):
    """Whether a cell of a table says that there is no value."""
    return text.strip().casefold() in GAPS
