from .apadc import APADC as APADC
from .completer import COMPLETER as COMPLETER
from .cpspan import CPSPAN as CPSPAN
from .dsimvc import DSIMVC as DSIMVC
from .proimp import ProImp as ProImp
