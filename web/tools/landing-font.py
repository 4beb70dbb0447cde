"""Cuts the font of the landing page from Inter: the letters of both languages, weights 400 to 600.

    python3 -m venv /tmp/font && /tmp/font/bin/pip install fonttools brotli
    /tmp/font/bin/python web/tools/landing-font.py
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

WEB = Path(__file__).resolve().parent.parent
SOURCE = WEB / "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"
TARGET = WEB / "src/portals/public/landing/font/inter.woff2"
LETTERS = "".join(map(chr, range(0x20, 0x7F))) + "\u00a0©·“”‘’–—…áéíóúñüÁÉÍÓÚÑÜ¿¡→✓€£"

options = subset.Options()
options.layout_features = ["kern", "tnum"]
options.hinting = False
subsetter = subset.Subsetter(options)
subsetter.populate(text=LETTERS)
font = TTFont(SOURCE)
subsetter.subset(font)
font = instancer.instantiateVariableFont(font, {"wght": (400, 400, 600)})
font.flavor = "woff2"
font.save(TARGET)
print(f"{TARGET} {TARGET.stat().st_size} bytes")
