"""Pictures of results/default/report.html: python docs/make_screenshots.py (needs Chromium)"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from docs.pages import DOCS, ROOT

REPORT = ROOT / "results/default/report.html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Width and height in pixels, colour scheme, medium. Print has the size of A4 at 96 dpi.
SHOTS = {
    "phone": (390, 1200, "light", "screen"),
    "desktop": (1400, 1000, "light", "screen"),
    "dark": (1400, 1000, "dark", "screen"),
    "print": (794, 1123, "light", "print"),
}
COLOURS = 128
MARGIN = {"screen": 0, "print": 48}  # pixels, as a printer leaves them
# A window is at least 500 pixels wide, a frame in it is not.
FRAME = """<!doctype html>
<style>body {{ margin: {margin}px; background: white }} iframe {{ border: 0 }}</style>
<iframe src="page.html" width="{width}" height="{height}" scrolling="no"></iframe>"""


def take(browser: str, picture: Path, width: int, height: int, scheme: str, medium: str) -> None:
    """Write a picture (PNG) of the report in few colours."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        text = REPORT.read_text(encoding="utf-8")
        if medium == "print":  # Chromium draws the screen: the rules of print take its place
            script = "<script>dispatchEvent(new Event('beforeprint'))</script>"
            text = text.replace("@media print", "@media screen")
            text = text.replace("</body>", f"{script}</body>")
        (folder / "page.html").write_text(text, encoding="utf-8")
        frame, margin = folder / "frame.html", MARGIN[medium]
        size = {"width": width - 2 * margin, "height": height - 2 * margin}
        frame.write_text(FRAME.format(margin=margin, **size), encoding="utf-8")
        shot = folder / "shot.png"
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={folder / 'browser'}", "--virtual-time-budget=20000",
            f"--window-size={max(width, 500)},{height}", f"--screenshot={shot}",
            f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}", frame.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=240)
        image = Image.open(shot).convert("RGB").crop((0, 0, width, height))
        few = image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(picture, optimize=True)


if __name__ == "__main__":
    browsers = list(filter(None, map(shutil.which, BROWSERS)))
    if not browsers:
        sys.exit(f"The screenshots need Chromium: none of {', '.join(BROWSERS)} is on the PATH.")
    for name, shot in SHOTS.items():
        take(browsers[0], DOCS / "figures" / f"report_{name}.png", *shot)
