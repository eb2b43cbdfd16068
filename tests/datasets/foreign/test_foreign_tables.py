"""Tables as people write them: headers, names, gaps, decimal marks, long format, texts."""

import numpy as np
import pytest
from foreign_files import IDS, WORDS, A, B, C, N, Y, same_values, understood, write_table
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.datasets.foreign import NotUnderstood, find_views


def text(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def rows(X, mark=",", number="%.4f"):
    return [mark.join(number % x for x in row) for row in X]


@pytest.mark.parametrize(
    "header",
    [
        range(5),
        range(1, 6),
        "pqrst",
        ["f0", "f1", "f2", "f3", "f4"],
        [400.5, 401, 401.5, 402, 402.5],
    ],
)
def test_a_header_is_no_sample(tmp_path, header):
    write_table(tmp_path / "a.csv", A, header)
    same_values(understood(tmp_path, [5]), A)


def test_numbers_in_the_first_row_are_a_sample(tmp_path):
    X = np.round(A)
    X[0] = [3, 1, 2, 5, 4]
    write_table(tmp_path / "a.csv", X, number="%d")
    same_values(understood(tmp_path, [5]), X)
    times = np.cumsum(np.ones((N, 6)), axis=1) + 3 * np.arange(N)[:, None]  # every row rises
    write_table(tmp_path / "a.csv", times, number="%d")
    same_values(understood(tmp_path, [6]), times)


@pytest.mark.parametrize(
    "corner", ["", "Unnamed: 0", '""', "id", "PatientID", "sample_name", "No."]
)
def test_the_first_column_names_or_numbers_the_samples(tmp_path, corner):
    for start in (0, 1):
        write_table(tmp_path / "a.csv", A, "pqrst", range(start, N + start), corner)
        write_table(tmp_path / "b.csv", B, "uvwx", range(start, N + start), corner)
        same_values(understood(tmp_path, [5, 4]), A, B)


def test_row_numbers_without_a_header(tmp_path):
    write_table(tmp_path / "a.csv", A, None, range(1, N + 1))
    same_values(understood(tmp_path, [5]), A)


def test_a_short_header_as_r_writes_it(tmp_path):
    lines = [f"{i} {line}" for i, line in zip(IDS, rows(A, " "), strict=True)]
    text(tmp_path / "a.txt", "p q r s t", *lines)
    quoted = [f'"{i}" {line}' for i, line in zip(IDS, rows(B, " "), strict=True)]
    text(tmp_path / "b.txt", '"u" "v" "w" "x"', *quoted)
    same_values(understood(tmp_path, [5, 4]), A, B)


@pytest.mark.parametrize("gap", ["", "NA", "NaN", "?", "null", "N/A", "-", "None", "#N/A", " NA "])
def test_gaps_are_no_texts(tmp_path, gap):
    X = A.copy()
    X[3], X[5, 2], X[6, 0] = np.nan, np.nan, np.nan
    write_table(tmp_path / "a.csv", X, "pqrst", IDS, "id", gap=gap)
    write_table(tmp_path / "b.csv", B, "uvwx", IDS, "id")
    found = understood(tmp_path, [5, 4], missing=[1, 0])
    assert any("2 single gaps in the view a" in note for note in found.notes)


def test_a_mark_for_gaps_stops_a_run(tmp_path):
    X = A.copy()
    X[[2, 8], [1, 3]] = -999
    write_table(tmp_path / "a.csv", X, "pqrst")
    found = understood(tmp_path, [5])
    assert "the value -999 is 2 times in a" in found.open[0]
    assert not find_views(tmp_path, roles={"a": "view"}).open


@pytest.mark.parametrize("mark", [",", ";", "\t", "|", " ", "   "])
def test_delimiters(tmp_path, mark):
    text(tmp_path / "a.txt", *rows(A, mark))
    same_values(understood(tmp_path, [5]), A)


@pytest.mark.parametrize("mark", [";", "\t", " "])
def test_decimal_commas(tmp_path, mark):
    text(tmp_path / "a.txt", mark.join("pqrst"), *(r.replace(".", ",") for r in rows(A, mark)))
    found = understood(tmp_path, [5])
    same_values(found, A)
    assert any("commas are decimal marks" in note for note in found.notes)


def test_commas_that_may_be_decimal_or_not_are_a_sentence(tmp_path):
    text(tmp_path / "a.csv", "p;q", "1,234;5,678", "2,345;6,789", "1,111;2,222")
    with pytest.raises(NotUnderstood, match="decimal mark or group the digits"):
        find_views(tmp_path)
    text(tmp_path / "a.csv", "p;q", "1,234.5;5,678.25", "2,345.5;678.0", "1,111.0;2,222.0")
    same_values(understood(tmp_path, [2], n=3), [[1234.5, 5678.25], [2345.5, 678], [1111, 2222]])


def test_comments_blank_lines_and_marks_of_byte_order(tmp_path):
    body = "\r\n".join(["# by us", "", "p,q,r,s,t", *rows(A), "", ""])
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + body.encode())
    same_values(understood(tmp_path, [5]), A)
    (tmp_path / "a.csv").write_bytes(body.encode("utf-16"))
    same_values(understood(tmp_path, [5]), A)
    np.savetxt(tmp_path / "a.csv", A, header="p q r s t")
    found = understood(tmp_path, [5])
    assert found.feature_names == [list("pqrst")]


def test_a_delimiter_at_the_end_of_lines(tmp_path):
    text(tmp_path / "a.csv", *(line + "," for line in rows(A)))
    same_values(understood(tmp_path, [5]), A)


def test_texts_in_quotes_with_delimiters(tmp_path):
    lines = [f'"Doe, {i}",{line}' for i, line in zip(IDS, rows(A), strict=True)]
    text(tmp_path / "a.csv", '"who, when",p,q,r,s,t', *lines)
    found = understood(tmp_path, [5])
    assert found.ids[0] == f"Doe, {IDS[0]}"


def test_columns_of_texts_are_left_out_by_name(tmp_path):
    lines = [
        f"{i},{'mf'[n % 2]},{line}" for n, (i, line) in enumerate(zip(IDS, rows(A), strict=True))
    ]
    text(tmp_path / "a.csv", "id,gender,p,q,r,s,t", *lines)
    found = understood(tmp_path, [5])
    assert any("the column gender of a.csv holds 2 different texts" in note for note in found.notes)
    understood(tmp_path, [5], classes=2, roles={"a/gender": "labels"})
    one_hot = understood(tmp_path, [5, 2], roles={"a/gender": "view"})
    assert one_hot.Xs[1][:2].tolist() == [[0, 1], [1, 0]]


def test_a_stray_text_is_named(tmp_path):
    lines = rows(A)
    lines[7] = lines[7].replace(lines[7].split(",")[2], "~0.1")
    text(tmp_path / "a.csv", "p,q,r,s,t", *lines)
    found = understood(tmp_path, [4])
    assert any(
        "the column r of a.csv is not numeric in 1 of 30 rows" in note for note in found.notes
    )


def test_a_stray_text_in_the_first_row_makes_no_header(tmp_path):
    lines = rows(A)
    lines[0] = lines[0].replace(lines[0].split(",")[2], "~0.1")
    text(tmp_path / "a.csv", *lines)
    understood(tmp_path, [4])


def test_a_column_of_labels(tmp_path):
    lines = [f"{line},{word}" for line, word in zip(rows(A), WORDS, strict=True)]
    text(tmp_path / "a.csv", "p,q,r,s,t,class", *lines)
    found = understood(tmp_path, [5], classes=3)
    assert found.label_names == ["ash", "birch", "cedar"]
    text(tmp_path / "a.csv", *lines)  # as in the files of the UCI repository
    understood(tmp_path, [5], classes=3)


def test_labels_in_every_table_are_one(tmp_path):
    for name, X in (("a", A), ("b", B)):
        lines = [f"{line},{y}" for line, y in zip(rows(X), Y, strict=True)]
        text(tmp_path / f"{name}.csv", ",".join([*"pqrstu"[: X.shape[1]], "label"]), *lines)
    understood(tmp_path, [5, 4], classes=3)


@pytest.mark.parametrize("name", ["labels", "gnd", "a_label", "y", "classes", "truth"])
@pytest.mark.parametrize("header", [[], ["genotype"], ["label"]])
def test_a_file_of_labels(tmp_path, name, header):
    write_table(tmp_path / "a.csv", A, "pqrst")
    text(tmp_path / f"{name}.csv", *header, *WORDS)
    found = understood(tmp_path, [5], classes=3)
    assert found.label_names == ["ash", "birch", "cedar"]
    text(tmp_path / f"{name}.csv", *header, *map(str, Y))
    understood(tmp_path, [5], classes=3)


def test_labels_in_one_line(tmp_path):
    write_table(tmp_path / "a.csv", A)
    text(tmp_path / "labels.txt", " ".join(map(str, Y)))
    understood(tmp_path, [5], classes=3)


def test_one_line_per_value(tmp_path):
    order = np.random.default_rng(0).permutation(N * 5)
    lines = [f"{IDS[k // 5]},{'pqrst'[k % 5]},{A[k // 5, k % 5]:.4f}" for k in order]
    text(tmp_path / "a.csv", "sample,feature,value", *lines)
    write_table(tmp_path / "b.csv", B, "uvwx", IDS, "sample")
    found = understood(tmp_path, [5, 4])
    place = [found.ids.index(i) for i in IDS]
    np.testing.assert_allclose(found.Xs[0][place], A, atol=1e-4)
    np.testing.assert_allclose(found.Xs[1][place], B, atol=1e-4)


def test_one_line_per_value_with_the_view(tmp_path):
    lines = [f"{i},{v},{v}{f},{X[n, f]:.4f}" for v, X in (("rna", A), ("protein", B))
             for n, i in enumerate(IDS) for f in range(X.shape[1])]  # fmt: skip
    text(tmp_path / "a.csv", "sample,view,feature,value", *lines)
    found = understood(tmp_path, [4, 5])
    assert found.view_names == ["protein", "rna"]


def test_two_values_for_one_pair_are_a_sentence(tmp_path):
    lines = [f"s{k % 4},f{k % 3},{k}" for k in range(24)]
    text(tmp_path / "a.csv", "sample,feature,value", *lines)
    with pytest.raises(NotUnderstood, match="expected one value per sample and feature"):
        find_views(tmp_path)


def test_rows_of_texts_where_samples_are_columns(tmp_path):
    write_table(tmp_path / "a.csv", A.T, IDS, [f"G{n * 3}" for n in range(5)], "gene")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    lines.insert(1, "subtype," + ",".join(WORDS))
    text(tmp_path / "a.csv", *lines)
    found = understood(tmp_path, [5], classes=3)
    same_values(found, A)


def test_lines_of_other_lengths_are_a_sentence(tmp_path):
    text(tmp_path / "a.csv", "1,2,3", "4,5", "6,7,8", "1,2,3")
    with pytest.raises(NotUnderstood, match=r"a.csv:2: 2 columns, expected 3"):
        find_views(tmp_path)


def test_names_of_files_in_any_alphabet(tmp_path):
    write_table(tmp_path / "größe (2).csv", A, ["ä", "б", "漢", "é", "x"], IDS, "id")
    found = understood(tmp_path, [5])
    assert found.view_names == ["größe (2)"]
    assert found.feature_names == [["ä", "б", "漢", "é", "x"]]


def test_a_second_header_is_no_sample(tmp_path):
    write_table(tmp_path / "a.csv", A, "pqrst", IDS, "id")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    lines.insert(1, ",mm,mm,kg,s,s")
    text(tmp_path / "a.csv", *lines)
    found = understood(tmp_path, [5])
    assert found.feature_names == [["p mm", "q mm", "r kg", "s s", "t s"]]


def test_a_line_that_names_the_delimiter(tmp_path):
    text(tmp_path / "a.csv", "sep=;", "p;q;r;s;t", *rows(A, ";"))
    same_values(understood(tmp_path, [5]), A)


@pytest.mark.parametrize("first", [False, True])
def test_a_column_of_codes_among_fractions_without_a_header(tmp_path, first):
    X = np.column_stack([Y + 1, A] if first else [A, Y + 1])
    text(tmp_path / "a.csv", *rows(X, ",", "%.5g"))
    found = understood(tmp_path, [5], classes=3)
    assert any("taken as labels" in note for note in found.notes)


@pytest.mark.parametrize("header", ["id,label,age", "id,subtype,age"])
def test_other_columns_of_a_file_of_labels_are_no_view(tmp_path, header):
    write_table(tmp_path / "a.csv", A, "pqrst", IDS, "id")
    lines = [f"{i},{w},{20 + 3 * n / 2}" for n, (i, w) in enumerate(zip(IDS, WORDS, strict=True))]
    text(tmp_path / "labels.csv", header, *lines)
    understood(tmp_path, [5], classes=3)


def test_labels_as_pandas_writes_a_series(tmp_path):
    write_table(tmp_path / "a.csv", A, range(5), range(N), "")
    text(tmp_path / "labels.csv", ",0", *(f"{n},{y}" for n, y in enumerate(Y)))
    understood(tmp_path, [5], classes=3)
    text(tmp_path / "labels.csv", "0", *map(str, Y))
    found = understood(tmp_path, [5], classes=3)
    assert found.y.tolist() == Y.tolist()


def test_labels_with_numbers_of_samples_and_no_header(tmp_path):
    write_table(tmp_path / "a.csv", A)
    text(tmp_path / "labels.txt", *(f"{n + 1} {y}" for n, y in enumerate(Y)))
    understood(tmp_path, [5], classes=3)


def test_true_and_false_are_numbers(tmp_path):
    lines = [
        f"{i},{n % 2 == 0},{'TRUE' if n % 3 else 'FALSE'},{n / 7:.3f}" for n, i in enumerate(IDS)
    ]
    text(tmp_path / "a.csv", "id,smoker,treated,dose", *lines)
    found = understood(tmp_path, [3])
    assert found.Xs[0][:3, 0].tolist() == [1, 0, 1]


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(N)), st.sampled_from([",", ";", "\t"]))
def test_the_order_of_the_rows_of_a_table_with_names_changes_nothing(tmp_path_factory, order, mark):
    folder = tmp_path_factory.mktemp("order")
    write_table(folder / "a.csv", A, "pqrst", IDS, "id")
    write_table(folder / "b.csv", C[order], "uvwxyz", [IDS[n] for n in order], "id", mark)
    same_values(understood(folder, [5, 6]), A, C)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 12), st.integers(2, 6), st.booleans(), st.booleans(), st.integers(0, 2**32 - 1)
)
def test_numbers_come_back_as_they_were_written(tmp_path_factory, n, d, header, ids, seed):
    X = np.random.default_rng(seed).standard_normal((n, d)) * 10
    path = tmp_path_factory.mktemp("numbers") / "a.csv"
    names = [f"P{3 * k + 1}x" for k in range(n)] if ids else None
    write_table(path, X, [f"f{c}" for c in range(d)] if header or ids else None, names, "id")
    same_values(understood(path, [d], n=n), X)


def test_digits_grouped_by_commas_in_quotes_are_numbers(tmp_path):
    X = np.round(1e4 * A, 2)
    quoted = [",".join(f'"{x:,.2f}"' for x in row) for row in X]
    text(tmp_path / "a.csv", "p,q,r,s,t", *quoted)
    same_values(understood(tmp_path, [5]), X)


def beginnings(of_a, of_b):
    return [f"{of_a}{n}" for n in range(5)], [f"{of_b}{n}" for n in range(4)]


@pytest.mark.parametrize("mark", ["_", ".", ":", "|", "-"])
def test_columns_in_blocks_of_one_beginning_are_views(tmp_path, mark):
    a, b = beginnings(f"rna{mark}", f"prot{mark}")
    write_table(tmp_path / "all.csv", np.hstack([A, B]), a + b, IDS, "id")
    found = understood(tmp_path, [5, 4])
    same_values(found, A, B)
    assert found.view_names == ["rna", "prot"]
    assert find_views(tmp_path, roles={"all": "view"}).view_names == ["all"]


@pytest.mark.parametrize("change", ["mixed", "short", "bare"])
def test_columns_in_no_blocks_are_one_view(tmp_path, change):
    a, b = beginnings("rna_", "prot_")
    X, names = np.hstack([A, B]), a + b
    if change == "mixed":  # rna, prot, rna, ...
        order = [0, 5, 1, 6, 2, 7, 3, 8, 4]
        X, names = X[:, order], [names[c] for c in order]
    elif change == "short":
        X, names = X[:, 3:7], names[3:7]
    else:
        names[2] = "age"
    write_table(tmp_path / "all.csv", X, names, IDS, "id")
    assert len(understood(tmp_path, [X.shape[1]]).Xs) == 1


def test_a_table_of_labels_and_words_is_no_view(tmp_path):
    write_table(tmp_path / "a.csv", A, "pqrst", IDS, "id")
    write_table(tmp_path / "b.csv", B, "uvwx", IDS, "id")
    about = [f"{i},{40 + n % 30},{'FM'[n % 2]},{WORDS[n]}" for n, i in enumerate(IDS)]
    text(tmp_path / "clinical.csv", "id,age,sex,subtype", *about)
    found = understood(tmp_path, [5, 4], classes=3)
    assert any("clinical tells about the samples" in note for note in found.notes)
    with_it = find_views(tmp_path, roles={"clinical": "view"})
    assert "clinical" in with_it.view_names


def test_percent_signs_and_another_minus_are_no_texts(tmp_path):
    X = np.where(A > 2, -A, A)
    lines = [",".join(f"{x:.1f}%" for x in row) for row in X]
    (tmp_path / "a.csv").write_text("p,q,r,s,t\n" + "\n".join(lines))
    lines = [",".join(f"{x:.4f}".replace("-", "\u2212") for x in row) for row in -B]
    (tmp_path / "b.csv").write_text("u,v,w,x,z\n".replace(",z", "") + "\n".join(lines), "utf-8")
    found = understood(tmp_path, [5, 4])
    same_values(found, np.round(X, 1), -B)


def test_two_commas_in_a_number_group_digits(tmp_path):
    rows = [",".join(f'"{1_000_000 + 1000 * n + c:,}"' for c in range(4)) for n in range(N)]
    (tmp_path / "a.csv").write_text("p,q,r,s\n" + "\n".join(rows))
    write_table(tmp_path / "b.csv", B, "uvwx")
    found = understood(tmp_path, [4, 4])
    assert found.Xs[0][1, 2] == 1_001_002


def test_y_beside_x_is_a_coordinate(tmp_path):
    write_table(tmp_path / "a.csv", A, "pqrst")
    write_table(tmp_path / "spots.csv", np.c_[np.arange(N) % 5, np.arange(N) // 5], ["x", "y"])
    understood(tmp_path, [5, 2])
    write_table(tmp_path / "spots.csv", np.c_[B, Y], [*"uvw", "q", "y"])
    understood(tmp_path, [5, 4], classes=3)
