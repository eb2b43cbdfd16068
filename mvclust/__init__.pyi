from . import (
    bench as bench,
    choosing as choosing,
    command as command,
    datasets as datasets,
    estimators as estimators,
    filling as filling,
    masking as masking,
    mechanisms as mechanisms,
    metrics as metrics,
    missingness as missingness,
    numerics as numerics,
    own as own,
    structure as structure,
    testing as testing,
    unmapping as unmapping,
    wrapping as wrapping,
)
from .choosing import select_n_clusters as select_n_clusters, tune as tune
from .datasets import list_datasets as list_datasets, load_dataset as load_dataset
from .filling import fill_missing as fill_missing
from .own.annotated import from_mudata as from_mudata, to_mudata as to_mudata
from .own.certainty import label_certainty as label_certainty
from .structure import clusters_exist as clusters_exist
from .wrapping import wrap as wrap
from .estimators.amgl import AMGL as AMGL
from .estimators.ascr import ASCR as ASCR
from .estimators.best_single_view import BestSingleView as BestSingleView
from .estimators.concat_kmeans import ConcatKMeans as ConcatKMeans
from .estimators.concat_nmf import ConcatNMF as ConcatNMF
from .estimators.concat_spectral import ConcatSpectral as ConcatSpectral
from .estimators.clr import CLR as CLR
from .estimators.cmvnmf import CMVNMF as CMVNMF
from .estimators.constraint_propagation import ConstraintPropagation as ConstraintPropagation
from .estimators.coreg_spectral import CoRegSpectral as CoRegSpectral
from .estimators.cotrain_spectral import CoTrainSpectral as CoTrainSpectral
from .estimators.daimc import DAIMC as DAIMC
from .estimators.eeimvc import EEIMVC as EEIMVC
from .estimators.eomscca import EOMSCCA as EOMSCCA
from .estimators.fimvcvia import FIMVCVIA as FIMVCVIA
from .estimators.gpmvc import GPMVC as GPMVC
from .estimators.hcpimsc import HCPIMSC as HCPIMSC
from .estimators.img import IMG as IMG
from .estimators.imscagl import IMSCAGL as IMSCAGL
from .estimators.imvccbg import IMVCCBG as IMVCCBG
from .estimators.imvtsc import IMVTSC as IMVTSC
from .estimators.jpltd import JPLTD as JPLTD
from .estimators.lfimvc import LFIMVC as LFIMVC
from .estimators.lmvsc import LMVSC as LMVSC
from .estimators.lsimvc import LSIMVC as LSIMVC
from .estimators.mic import MIC as MIC
from .estimators.mmnmf import MMNMF as MMNMF
from .estimators.mpac import MPAC as MPAC
from .estimators.multinmf import MultiNMF as MultiNMF
from .estimators.mvkkm import MVKKM as MVKKM, MVSpec as MVSpec
from .estimators.mvsc import MVSC as MVSC
from .estimators.nemo import NEMO as NEMO
from .estimators.nmf_clustering import NMFClustering as NMFClustering
from .estimators.omvc import OMVC as OMVC
from .estimators.opimc import OPIMC as OPIMC
from .estimators.pimvc import PIMVC as PIMVC
from .estimators.pvc import PVC as PVC
from .estimators.rmkmc import RMKMC as RMKMC
from .estimators.simvcsa import SIMVCSA as SIMVCSA
from .estimators.smvsc import SMVSC as SMVSC
from .estimators.snf import SNF as SNF
from .estimators.swmc import SwMC as SwMC
from .estimators.tsvdmsc import TSVDMSC as TSVDMSC
from .estimators.ueaf import UEAF as UEAF
from .estimators.xray import XRAY as XRAY

__version__: str
