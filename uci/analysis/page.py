"""The page with the board: one HTML file that needs no network and no other file.

page.html is its frame, page.css its style, page.js its script, which shows sheets (sheet.py): those
of a saved analysis, or of a program that stands behind the page and answers it (uci/board).
The pieces are those that python-chess draws (Colin M. L. Burnett, BSD licence).
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import chess.svg

FOLDER = Path(__file__).parent  # of page.html, page.css and page.js
STYLE = re.compile(r'style="([^"]*)"')
ICON = "data:image/svg+xml;base64,"


def page(
    title: str,
    sheets: Sequence[dict[str, Any]],
    footer: str,
    play: dict[str, Any] | None = None,
    desk: str = "",
) -> str:
    """The title is the players' if there is one game and they are known.

    `play` is the state of the program behind the page, `desk` the markup that asks it (uci/board);
    without them nothing stands behind the page.
    """
    players = sheets[0]["title"] if len(sheets) == 1 and sheets[0]["named"] else title
    data = json.dumps({"games": sheets, "play": play}, separators=(",", ":"))
    return Template(_part("html")).substitute(
        title=escape(players),
        heading=escape(title),
        policy=policy(play is not None),
        icon=_icon(),
        style=_part("css"),
        pieces=_pieces(),
        desk=desk,
        footer=escape(footer),
        data=data.replace("<", "\\u003c"),  # no text of a game ends the script
        script=_part("js"),
    )


@cache
def policy(is_served: bool) -> str:
    """What the page may load: its own style and script, and nothing else; a program behind it."""
    script, style = (_hash(_part(kind)) for kind in ("js", "css"))
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src data:; "
        "base-uri 'none'; form-action 'none'" + ("; connect-src 'self'" if is_served else "")
    )


@cache
def _part(kind: str) -> str:
    return (FOLDER / f"page.{kind}").read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _pieces() -> str:
    """With attributes in place of styles, which the policy forbids."""

    def attributes(found: re.Match[str]) -> str:
        pairs = (part.split(":") for part in found[1].split(";") if part)
        return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)

    return "".join(STYLE.sub(attributes, piece) for piece in chess.svg.PIECES.values())


def _icon() -> str:
    knight = chess.svg.PIECES["n"]
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">{knight}</svg>'
    return ICON + base64.b64encode(picture.encode()).decode()
