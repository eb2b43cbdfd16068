"""Whatever is in the configuration's files, the check answers with a plan or with sentences."""

import json
import shutil
from datetime import date
from functools import reduce
from operator import getitem

import pytest
import yaml
from bench.planned import FIXTURE, lay_out, plan_of
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.bench.config.load import ConfigError, load_run

FILES = sorted(str(path.relative_to(FIXTURE)) for path in FIXTURE.rglob("*.*"))
RUN = "runs/small.yaml"

JUNK = [None, True, 0, -1, 3, 2.5, 1e308, float("nan"), float("inf"), 10**30, "", "a", "0", "null"]
JUNK += [[], [[]], {}, [None], {"a": [1]}, {1: 2}, ["a", "a"], [0.5, 0.5], {None: None}]
JUNK += [{True: {}}, "2026-01-01", "x" * 5000, "{rate}", "$HOME", "a\nb", "\0", "é/../x"]
JUNK += ["x" * 300, "{x}", "../../etc", "%s", "\u2028", "\x7f", 10**400, date(2020, 1, 1)]
JUNK += [{"folder": "../../etc"}, [True], {"": 1}, [{"a": 1}], 5e-324]
BYTES = [b"\xff", b"\0", b"\t", b":", b"- ", b"&a ", b"*a", b"{", b'"', b"\n\n", b","]
BYTES += [b"2020-99-99", b"9" * 5000, b"[" * 99_999, b"!!bool x", b"\xef\xbb\xbf", b"<<: "]
BYTES += [b"!!python/object:os.system {}", b"? ", b"1e999", b"---\n"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return lay_out(tmp_path_factory.mktemp("any"))


def is_answered(folder):
    """Check a run: there is a plan, or one sentence or more; the test fails by other errors."""
    try:
        configuration = load_run(folder / "config" / RUN, folder)
    except ConfigError as answer:
        sentences = answer.problems
        return sentences and all(each.strip() and each.isprintable() for each in sentences)
    return json.dumps(plan_of(configuration).slices)


def restore(folder):
    shutil.rmtree(folder / "config")
    lay_out(folder)


def places_in(value, place=()):
    """All places of a document, by keys and indices."""
    yield place
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places_in(value[key], (*place, key))


def changed(value, place, how, junk):
    """A copy of a document with another value, another key, or nothing at one place."""
    if not place:
        return junk
    first, *rest = place
    copy = dict(value) if isinstance(value, dict) else list(value)
    if rest or how == "value":
        copy[first] = changed(value[first], rest, how, junk)
    elif how == "key" and isinstance(copy, dict):
        copy = {"changed" if key == first else key: inner for key, inner in copy.items()}
    else:
        del copy[first]
    return copy


SETTINGS = settings(max_examples=60, deadline=None)


@SETTINGS
@given(data=st.data())
def test_any_value_at_any_place(folder, data):
    restore(folder)
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from([file for file in FILES if file.endswith(".yaml")]))
        path = folder / "config" / name
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        place = data.draw(st.sampled_from(list(places_in(document))))
        how = data.draw(st.sampled_from(["value", "value", "key", "nothing"]))
        there = reduce(getitem, place, document)
        junk = data.draw(st.sampled_from([[there], [[there]], {"a": there}, str(there), *JUNK]))
        document = changed(document, place, how, junk)
        path.write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")
    assert is_answered(folder)


@SETTINGS
@given(data=st.data())
def test_any_bytes_in_any_file(folder, data):
    restore(folder)
    path = folder / "config" / data.draw(st.sampled_from(FILES))
    content = path.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    left_out = data.draw(st.sampled_from([0, 0, 1, 5, 100, len(content)]))
    inside = data.draw(st.sampled_from([b"", *BYTES]))
    path.write_bytes(content[:start] + inside + content[start + left_out :])
    assert is_answered(folder)


WORDS = {  # a file, the keys of a place where one word or number belongs
    "protocol": ("experiments/curves.yaml", ("rates", "protocol")),
    "unit": ("experiments/curves.yaml", ("rates", "unit")),
    "metric": ("experiments/curves.yaml", ("rates", "metrics", "ACC")),
    "bad_mirror": ("runs/default.yaml", ("bad_mirror",)),
    "kind of view": ("datasets.yaml", ("digits", "views", 0, "kind")),
    "kind of test": ("claims.yaml", ("better", "tests", 0, "kind")),
}


@pytest.mark.parametrize("junk", [[], [[]], ["random"], {}, {"a": 1}], ids=str)
@pytest.mark.parametrize("word", WORDS)
def test_a_list_where_one_word_belongs_is_a_sentence(word, junk, folder):
    restore(folder)
    name, place = WORDS[word]
    path = folder / "config" / name
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump(changed(document, place, "value", junk)), encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"{path.name}:\d+: .*{place[-1]}"):
        load_run(folder / "config" / RUN, folder)


def test_a_project_in_a_folder_with_braces_is_a_sentence(tmp_path):
    folder = lay_out(tmp_path / "a{x}")
    with pytest.raises(ConfigError, match=r"the project's folder: '.*a\{x\}' holds a brace"):
        load_run(folder / "config" / RUN, folder)
