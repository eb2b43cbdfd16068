"""Features of images: the six classical views of Caltech101, and three views of Flowers17.

`grey` decodes an image and makes it 128 x 128 grey levels; each view is one function of that image
in a module of its own. `extract` turns many images into views, `flowers` computes the three views
of Flowers17, and `compare` says how features that someone else computed agree with ours.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
