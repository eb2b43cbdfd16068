from .centrist import centrist as centrist
from .compare import (
    compare_with_images as compare_with_images,
    feature_agreement as feature_agreement,
    projection_agreement as projection_agreement,
)
from .extract import VIEWS as VIEWS, six_views as six_views
from .flowers import flower_views as flower_views
from .gist import gist as gist
from .grey import decode as decode, grey_image as grey_image, resize as resize
from .hog import hog as hog
from .lbp import lbp as lbp
from .log_gabor import log_gabor as log_gabor
from .wavelet_moments import wavelet_moments as wavelet_moments
