"""Views from annotated data, and labels back into them."""

from mvclust.extras import need


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
    columns = {key: labels, f"{key}_certainty": certainty}
    columns = {name: values for name, values in columns.items() if values is not None}
    for name, values in columns.items():
        if not isinstance(values, pandas.Series):
            if len(values) != mdata.n_obs:
                raise ValueError(
                    f"to_mudata: {name} has {len(values)} values, the data {mdata.n_obs} samples."
                )
            values = pandas.Series(values, index=mdata.obs_names)
        lacking = mdata.obs_names.difference(values.index)
        if len(lacking):
            raise ValueError(f"to_mudata: {name} has no value for sample {lacking[0]!r}.")
        columns[name] = values.reindex(mdata.obs_names)
    columns[key] = columns[key].astype("category")
    for name, values in columns.items():
        mdata.obs[name] = values
