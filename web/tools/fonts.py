"""Cuts the Latin letters of Inter, weights 400 to 600: those of both languages for every page, the rest for names.

    python3 -m venv /tmp/font && /tmp/font/bin/pip install fonttools brotli
    /tmp/font/bin/python web/tools/fonts.py
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEB = Path(__file__).resolve().parent.parent
SOURCE = WEB / "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"
TARGET = WEB / "src/fonts"
# As in the unicode-range of src/fonts/inter.css.
MAIN = set(range(0x20, 0x7F)) | set(map(ord, "\u00a0©·“”‘’–—…áéíóúñüÁÉÍÓÚÑÜ¿¡→✓€£"))


def cut(name: str, codes: set[int]) -> None:
    font = TTFont(SOURCE)
    options = subset.Options()
    options.layout_features = ["kern", "tnum"]
    options.hinting = False
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=codes)
    subsetter.subset(font)
    font = instancer.instantiateVariableFont(font, {"wght": (400, 400, 600)})
    font.flavor = "woff2"
    font.save(TARGET / name)
    print(name, (TARGET / name).stat().st_size, "bytes")


cut("inter-main.woff2", MAIN)
cut("inter-rest.woff2", set(TTFont(SOURCE).getBestCmap()) - MAIN)
