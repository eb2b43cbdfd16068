"""The papers' numbers are read anew from texts, of which test_docs.py reads the real ones."""

import shutil

import pytest
from workflow.project import edit

from docs.read_papers import check
from mvclust.cli import checked

HEAD = "paper,item,dataset,missing_rate,paired_rate,view,method,metric,mean,std,unit\n"
# Paper -> its text, and its rows of published.csv: each form of a table that the papers have.
FORMS = {
    "rates": (
        "Text.\n\nTable 4: Mean NMIs (%) and ACCs (%) of methods.\n\n"
        "Database\tMethod \\ Paired rate\tNMI\t\tACC\t\n\t\t0.1\t0.3\t0.1\t0.3\n"
        "Digits\tBSV\t43.10\t53.03\t<b>48.33</b>\t5.96\n\tOur UEAF\t1.10\t2.00\t3.0\t4.00\n\n"
        "Methods 1.5 follow.\n",
        "rates,table4,Digits,,0.1,,BSV,nmi,43.10,,percent\n"
        "rates,table4,Digits,,0.3,,BSV,nmi,53.03,,percent\n"
        "rates,table4,Digits,,0.1,,BSV,acc,48.33,,percent\n"
        "rates,table4,Digits,,0.3,,BSV,acc,5.96,,percent\n"
        "rates,table4,Digits,,0.1,,UEAF,nmi,1.10,,percent\n"
        "rates,table4,Digits,,0.3,,UEAF,nmi,2.00,,percent\n"
        "rates,table4,Digits,,0.1,,UEAF,acc,3.0,,percent\n"
        "rates,table4,Digits,,0.3,,UEAF,acc,4.00,,percent\n",
    ),
    "views": (
        "Table 1: On Mapped Data\n\nDATASET\tALGORITHM\tACC(%)\t\n\t\tVIEW 1\tVIEW 2\n"
        "WIKI\tPROP(5%)\t17.6 ± .13\t–\n",
        "views,table1,WIKI,,,1,PROP(5%),acc,17.6,.13,percent\n",
    ),
    "one": (
        "Method F-score NMI\nKM(AllFea) 0.3834(0.0520) 0.1701(0.0763))\nmPAC 0.6780 0.7500\n"
        "Table 2: Performance on BBCSport data.\nMethod F-score NMI\nmPAC 0.1 0.2\n"
        "Table 3: Performance on Digits of numerals data.\n",
        "one,table2,BBCSport,,,,KM(AllFea),f_score,0.3834,0.0520,fraction\n"
        "one,table2,BBCSport,,,,KM(AllFea),nmi,0.1701,0.0763,fraction\n"
        "one,table2,BBCSport,,,,mPAC,f_score,0.6780,,fraction\n"
        "one,table2,BBCSport,,,,mPAC,nmi,0.7500,,fraction\n"
        "one,table3,Digits,,,,mPAC,f_score,0.1,,fraction\n"
        "one,table3,Digits,,,,mPAC,nmi,0.2,,fraction\n",
    ),
    "pairs": (
        "Methods A-B C\nNMI AC NMI AC\nPVC 0.2412 0.4334 \\\\\\backslash \\\\\\backslash\n"
        "Table 2: Subsets.\n",
        "pairs,table2,A-B,,,,PVC,nmi,0.2412,,fraction\n"
        "pairs,table2,A-B,,,,PVC,acc,0.4334,,fraction\n",
    ),
}


@pytest.fixture
def project(tmp_path):
    """A project with the numbers of all forms, and the texts in its folder ``texts``."""
    for folder in ("config", "texts"):
        (tmp_path / folder).mkdir()
    rows = [rows for _, rows in FORMS.values()]
    (tmp_path / "config/published.csv").write_text(HEAD + "".join(rows))
    for paper, (text, _) in FORMS.items():
        (tmp_path / "texts" / f"{paper}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_each_form_of_a_table_is_read_and_a_paper_without_a_text_is_named(project):
    read = ["rates: 8 of 8 numbers", "views: 1 of 1 number", "one: 6 of 6 numbers",
            "pairs: 2 of 2 numbers", "the same digits: 17 of 17"]  # fmt: skip
    assert check(project / "texts", project) == (read, True)
    (project / "texts/one.txt").unlink()
    lines, same = check(project / "texts", project)
    assert same
    assert lines[-2:] == ["one: not checked, no one.txt", "the same digits: 11 of 11"]


@pytest.mark.parametrize(
    ("old", "new", "cell", "committed", "here"),
    [
        ("nmi,43.10", "nmi,43.1", "rates, table4, Digits, 0.1, BSV, nmi", "43.1 percent",
         "43.10 percent"),
        ("17.6,.13", "17.6,.31", "views, table1, WIKI, 1, PROP(5%), acc", "17.6 .31 percent",
         "17.6 .13 percent"),
        ("0.2,,fraction", "0.2,,percent", "one, table3, Digits, mPAC, nmi", "0.2 percent",
         "0.2 fraction"),
        ("pairs,table2,A-B,,,,PVC,acc,0.4334,,fraction\n", "", "pairs, table2, A-B, PVC, acc",
         "nothing", "0.4334 fraction"),
        ("PVC,acc", "PVC,ari", "pairs, table2, A-B, PVC, ari", "0.4334 fraction", "nothing"),
    ],
)  # fmt: skip
def test_a_changed_number_is_noticed(project, old, new, cell, committed, here):
    edit(project / "config/published.csv", old, new)
    lines, same = check(project / "texts", project)
    assert not same
    assert f"  {cell}: {committed} in published.csv, {here} here" in lines
    assert lines[-1].startswith("the same digits: 16 of ")
    # A header that does not fit gives no numbers.
    edit(project / "texts/pairs.txt", "NMI AC NMI AC", "NMI AC NMI")
    lines, _ = check(project / "texts", project)
    assert any(line.startswith("pairs: 0 of ") for line in lines)


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (
            lambda texts: edit(texts / "one.txt", "0.6780 ", ""),
            "one.txt: expected 2 numbers in the row 'mPAC' of table 2, got 1.",
        ),
        (lambda texts: (texts / "one.txt").write_bytes(b"\xff\xfe"), "one.txt"),
        (shutil.rmtree, "none of the papers' texts rates.txt, views.txt, one.txt, pairs.txt."),
    ],
)
def test_bad_input_is_a_sentence(project, capsys, spoil, sentence):
    spoil(project / "texts")
    assert checked(check, project / "texts", project) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("mvclust: ")
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
