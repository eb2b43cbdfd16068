"""Views from annotated data, and labels back into them."""

from mvclust.canonical import samples_of
from mvclust.extras import need


def from_frames(frames):
    """Data frames of partly other samples as views of the same samples.

    Parameters
    ----------
    frames : sequence of DataFrame, each of shape (n_samples_v, n_features_v)
        One per view; the index names samples.

    Returns
    -------
    list of DataFrame, each of shape (n_samples, n_features_v)
        With one index: the samples of the first frame, then those of the next that it lacks. A
        sample that a frame lacks is a row of NaN, a missing instance.

    Raises
    ------
    ValueError
        If a view is no data frame whose index names samples, names one twice, or has no sample in
        common with the other views.

    Examples
    --------
    >>> import pandas as pd
    >>> from mvclust.own.annotated import from_frames
    >>> size = pd.DataFrame({"height": [9.5, 20.3]}, ["ash", "elm"])
    >>> colour = pd.DataFrame({"red": [0.1, 0.4]}, ["elm", "oak"])
    >>> from_frames([size, colour])[1]
         red
    ash  NaN
    elm  0.1
    oak  0.4
    """
    pandas = need("pandas")
    indices = [samples_of([X]) for X in frames]
    for v, index in enumerate(indices):
        if index is None or index.empty:
            raise ValueError(f"from_frames: view {v} is no data frame whose index names samples.")
        if index.has_duplicates:
            twice = index[index.duplicated()][0]
            raise ValueError(f"from_frames: the index of view {v} names sample {twice!r} twice.")
    for v, index in enumerate(indices):
        others = [name for w, other in enumerate(indices) if w != v for name in other]
        if others and not index.isin(others).any():
            raise ValueError(
                f"from_frames: view {v}, which names {index[0]!r}, has no sample in common with "
                "the other views."
            )
    samples = pandas.Index(dict.fromkeys(name for index in indices for name in index))
    return [X.reindex(samples) for X in frames]


def from_mudata(mdata):
    """The modalities of a MuData as views, one data frame each.

    Parameters
    ----------
    mdata : mudata.MuData
        What counts of a modality is its ``X``.

    Returns
    -------
    list of DataFrame, each of shape (n_samples, n_features_v)
        In the order of ``mdata.mod``. The index is ``mdata.obs_names`` in all of them; an
        observation that a modality lacks is a row of NaN. Columns are the names of the variables.

    Raises
    ------
    ValueError
        If there is no modality, or a name of an observation occurs twice.

    Examples
    --------
    >>> import mvclust, mudata  # doctest: +SKIP
    >>> Xs = mvclust.from_mudata(mdata)  # doctest: +SKIP
    >>> found = mvclust.label_certainty(mvclust.DAIMC(3, random_state=0), Xs)  # doctest: +SKIP
    >>> mvclust.to_mudata(mdata, found.labels, found.certainty)  # doctest: +SKIP
    """
    if not len(mdata.mod):
        raise ValueError("from_mudata: the MuData has no modality.")
    if not mdata.obs_names.is_unique:
        twice = mdata.obs_names[mdata.obs_names.duplicated()][0]
        raise ValueError(f"from_mudata: observation {twice!r} occurs twice; names must differ.")
    frames = (part.to_df().astype(float) for part in mdata.mod.values())
    return [frame.reindex(mdata.obs_names) for frame in frames]


def to_mudata(mdata, labels, certainty=None, key="mvclust"):
    """Write labels, and how sure they are, into the table of observations of a MuData.

    Parameters
    ----------
    mdata : mudata.MuData
        It is changed.
    labels : Series or array-like of shape (n_samples,)
        A Series is matched by its index, an array by order. Becomes the categorical column
        ``mdata.obs[key]``.
    certainty : Series or array-like of shape (n_samples,), default=None
        Becomes the column ``mdata.obs[f"{key}_certainty"]``.
    key : str, default="mvclust"
        Name of the column of labels.

    Raises
    ------
    ValueError
        If an array has another length than the data, or a Series lacks an observation.

    Examples
    --------
    >>> import mvclust, mudata  # doctest: +SKIP
    >>> mvclust.to_mudata(mdata, labels, key="subtype")  # doctest: +SKIP
    """
    pandas = need("pandas")
    columns = {}
    for name, values in {key: labels, f"{key}_certainty": certainty}.items():
        if values is None:
            continue
        if not isinstance(values, pandas.Series):
            if len(values) != mdata.n_obs:
                raise ValueError(
                    f"to_mudata: {name} has {len(values)} values, the data {mdata.n_obs} samples."
                )
            values = pandas.Series(values, index=mdata.obs_names)
        lacking = mdata.obs_names.difference(values.index)
        if len(lacking):
            raise ValueError(f"to_mudata: {name} has no value for sample {lacking[0]!r}.")
        values = values.reindex(mdata.obs_names)
        columns[name] = values.astype("category") if name == key else values
    for name, values in columns.items():
        mdata.obs[name] = values
