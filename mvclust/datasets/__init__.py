"""The data sets of the papers: fetched, checked, prepared once and read.

The catalogue ``config/datasets.yaml`` says which files make a data set, where they come from and
what is in them. ``fetch`` brings the files, ``readers`` turn the bytes into views and labels,
``record`` keeps them in one HDF5 file per data set, ``loading`` ties the steps together.
``synthetic`` draws data of any size.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
