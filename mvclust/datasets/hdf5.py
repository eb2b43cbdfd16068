"""HDF5 files of others: nothing outside of the file is opened, sizes are known before reading."""

import contextlib
import math

from mvclust.datasets.room import room_for
from mvclust.extras import need


@contextlib.contextmanager
def opened(path):
    """Open a file of which no part is in another file, and no group within itself.

    ValueError if it has links or values that are kept in another file.
    """
    with need("h5py").File(path, "r") as file:
        for _ in datasets_in(file):
            pass
        yield file


def datasets_in(file, leave_out=()):
    """All data sets of a file, each once, without those of the groups named in `leave_out`.

    ValueError if there are links or values that are kept in another file, or a group in two places.
    """
    h5py = need("h5py")
    waiting, seen = [file["/"]], {_address(file["/"])}
    while waiting:
        group = waiting.pop()
        for name in group:
            if name in leave_out:
                continue
            link = group.get(name, getlink=True)
            if isinstance(link, h5py.ExternalLink):
                raise ValueError(f"{name} is a link to another file, which is not followed")
            if isinstance(link, h5py.SoftLink):
                raise ValueError(f"{name} is a symbolic link, which is not followed")
            item = own(group[name])
            address = _address(item)
            if isinstance(item, h5py.Group):
                if address in seen:
                    raise ValueError(f"the group {name} is in two places")
                waiting.append(item)
            elif isinstance(item, h5py.Dataset) and address not in seen:
                yield item
            seen.add(address)


def own(item):
    """An item of a file; ValueError if its values are kept in another file."""
    if isinstance(item, need("h5py").Dataset) and (item.is_virtual or item.external):
        raise ValueError(f"{item.name} has its values in another file, which is not opened")
    return item


def size_of(item):
    """Bytes that a data set takes once it is read; numbers become float64."""
    return math.prod(item.shape or (0,)) * max(8, item.dtype.itemsize)


def room_for_all(file, shown, leave_out=()):
    """Refuse a file, `shown` in the message, whose data sets declare too much together."""
    room_for(sum(map(size_of, datasets_in(file, leave_out))), shown)


def _address(item):
    return need("h5py").h5o.get_info(item.id).addr
