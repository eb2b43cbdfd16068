"""The report page in a browser."""

import re
import shutil
import subprocess
import time

import pytest
from helpers import ROOT

BROWSER = (
    shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
)
PAGE = ROOT / "results/report.html"


def test_page_needs_no_network():
    text = PAGE.read_text()
    assert not re.search(r"""(src|href)=["']?https?:""", text)
    assert not re.search(r"\b(fetch|XMLHttpRequest|import)\(", text)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_page_opens_quickly_and_builds_itself(tmp_path):
    command = [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}",
        "--virtual-time-budget=2000", "--dump-dom", PAGE.as_uri(),
    ]  # fmt: skip
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    print(f"{time.monotonic() - start:.1f} s with the start of the browser")
    dom = done.stdout
    ready = re.search(r'data-ready-ms="([0-9]+)"', dom)[1]
    print(f"{ready} ms until it is built")
    assert dom.count("<details") > 5
    assert 'class="chart"' in dom
    assert "<option" in dom
    assert dom.count("<tr") > 20
    assert 'id="filter-method"' in dom
