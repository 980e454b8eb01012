#!/usr/bin/env python3
"""Writes Sori's icon as Windows or macOS want it, by the ending of the name: ``icon.py sori.ico`` or ``sori.icns``."""

import sys
from pathlib import Path

from PIL import Image

from assistant.host.places import RESOURCES

with Image.open(RESOURCES / "desktop" / "sori-512.png") as drawing:
    target = Path(sys.argv[1])
    edges = [(edge, edge) for edge in (16, 24, 32, 48, 64, 128, 256)]
    if target.suffix == ".ico":
        drawing.save(target, sizes=edges)
    else:
        drawing.save(target)
