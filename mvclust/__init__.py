"""Multi-view clustering with complete, incomplete and unmapped views."""

import lazy_loader

# Names are loaded on first use, so that `import mvclust` costs milliseconds.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "choosing",
        "command",
        "datasets",
        "estimators",
        "filling",
        "masking",
        "metrics",
        "numerics",
        "pipeline",
        "report",
        "suggesting",
        "testing",
        "unmapping",
        "wrapping",
    ],
    submod_attrs={
        "choosing": ["select_n_clusters", "tune"],
        "datasets": ["list_datasets", "load_dataset"],
        "filling": ["fill_missing"],
        "suggesting": ["suggest"],
        "wrapping": ["wrap"],
        "estimators.amgl": ["AMGL"],
        "estimators.best_single_view": ["BestSingleView"],
        "estimators.concat_kmeans": ["ConcatKMeans"],
        "estimators.concat_nmf": ["ConcatNMF"],
        "estimators.concat_spectral": ["ConcatSpectral"],
        "estimators.clr": ["CLR"],
        "estimators.cmvnmf": ["CMVNMF"],
        "estimators.constraint_propagation": ["ConstraintPropagation"],
        "estimators.coreg_spectral": ["CoRegSpectral"],
        "estimators.cotrain_spectral": ["CoTrainSpectral"],
        "estimators.daimc": ["DAIMC"],
        "estimators.gpmvc": ["GPMVC"],
        "estimators.img": ["IMG"],
        "estimators.mic": ["MIC"],
        "estimators.mmnmf": ["MMNMF"],
        "estimators.mpac": ["MPAC"],
        "estimators.multinmf": ["MultiNMF"],
        "estimators.mvkkm": ["MVKKM", "MVSpec"],
        "estimators.mvsc": ["MVSC"],
        "estimators.nmf_clustering": ["NMFClustering"],
        "estimators.omvc": ["OMVC"],
        "estimators.pvc": ["PVC"],
        "estimators.rmkmc": ["RMKMC"],
        "estimators.swmc": ["SwMC"],
        "estimators.ueaf": ["UEAF"],
        "estimators.xray": ["XRAY"],
    },
)

__version__ = "0.1.0"
