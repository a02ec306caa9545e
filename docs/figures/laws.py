#!/usr/bin/env python3
"""Draws impulse space and the impulses of the collision laws: laws.py CAROM WORK_FOLDER PICTURE_FOLDER

Chatterjee and Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998, sections 3 to 5
([CR]). Every impulse comes from the command carom, whose contact files and results stay in the work folder.
"""

import sys
from pathlib import Path

import planar
import space


def main(carom, work, pictures):
    work, pictures = Path(work), Path(pictures)
    for folder in (work, pictures):
        folder.mkdir(parents=True, exist_ok=True)
    planar.draw(carom, work, pictures)
    space.draw(carom, work, pictures)


if __name__ == "__main__":
    main(*sys.argv[1:])
