from .catalogue import list_datasets as list_datasets, load_catalogue as load_catalogue
from .fetch import fetch_dataset as fetch_dataset
from .files import (
    BadMirror as BadMirror,
    DamagedFile as DamagedFile,
    DataNotAvailable as DataNotAvailable,
)
from .loading import load_dataset as load_dataset, prepare_dataset as prepare_dataset
from .published_masks import published_masks as published_masks
from .record import (
    Dataset as Dataset,
    content_digest as content_digest,
    read_dataset as read_dataset,
    write_dataset as write_dataset,
)
from .synthetic import make_multiview as make_multiview
