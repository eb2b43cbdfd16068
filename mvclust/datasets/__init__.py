"""The data sets of the papers: fetched, checked, prepared once and read.

The catalogue ``config/datasets.yaml`` says which files make a data set, where they come from and
what is in them; ``fetch`` brings the files, ``readers`` turn the bytes into views and labels,
``record`` keeps them in one HDF5 file a data set, ``loading`` ties the steps together.
"""

from mvclust.datasets.catalogue import list_datasets, load_catalogue
from mvclust.datasets.fetch import DataNotAvailable, fetch_dataset
from mvclust.datasets.loading import load_dataset, prepare_dataset
from mvclust.datasets.published_masks import published_masks
from mvclust.datasets.record import Dataset, read_dataset, write_dataset

__all__ = [
    "DataNotAvailable",
    "Dataset",
    "fetch_dataset",
    "list_datasets",
    "load_catalogue",
    "load_dataset",
    "prepare_dataset",
    "published_masks",
    "read_dataset",
    "write_dataset",
]
