"""Multi-view clustering with complete, incomplete and unmapped views."""

import lazy_loader

# Names are loaded on first use, so that `import mvclust` costs milliseconds.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "benchmark",
        "datasets",
        "estimators",
        "masking",
        "metrics",
        "numerics",
        "report",
        "unmapping",
    ],
    submod_attrs={
        "datasets": ["list_datasets", "load_dataset"],
        "estimators.best_single_view": ["BestSingleView"],
        "estimators.concat_kmeans": ["ConcatKMeans"],
        "estimators.concat_nmf": ["ConcatNMF"],
        "estimators.concat_spectral": ["ConcatSpectral"],
        "estimators.cmvnmf": ["CMVNMF"],
        "estimators.daimc": ["DAIMC"],
        "estimators.mpac": ["MPAC"],
        "estimators.multinmf": ["MultiNMF"],
        "estimators.nmf_clustering": ["NMFClustering"],
        "estimators.pvc": ["PVC"],
        "estimators.ueaf": ["UEAF"],
    },
)

__version__ = "0.1.0"
