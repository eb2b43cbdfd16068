"""One reader per data set: from the checked raw files to views and labels.

A module has a function ``read(files, subset)``: `files` maps the names of the raw files to their
paths, `subset` names the version. It returns Xs, view_names, y, label_names and presence, as in
`mvclust.datasets.Dataset`; then, where the files have them, ids and feature_names. The catalogue
names the module of each data set (``reader``).
"""
