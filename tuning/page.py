"""Reports as HTML pages of one file each, pictures included."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files import write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72em; margin: 2em auto; padding: 0 1em;
       color: #222; background: #fff; }
h1, h2, h3 { line-height: 1.2; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { padding: .15em .8em; border-bottom: 1px solid #ddd; text-align: right; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; }
figure { display: inline-block; margin: .5em; vertical-align: top; width: 260px; }
figcaption { font-size: 85%; overflow-wrap: anywhere; }
"""


def new_figure(width: float, height: float) -> Figure:
    """Inches. Matplotlib is imported when it is used: help needs none."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


@dataclass
class Page:
    """A page that grows from top to bottom. All texts are escaped."""

    title: str
    parts: list[str] = field(default_factory=list)

    def heading(self, text: str) -> None:
        self.parts.append(f"<h2>{html.escape(text)}</h2>")

    def text(self, text: str) -> None:
        self.parts.append(f"<p>{html.escape(text)}</p>")

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in heads)
        body = "\n".join(
            "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        self.parts.append(f"<table><tr>{head}</tr>\n{body}</table>")

    def plot(self, figure: Figure) -> None:
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=100, bbox_inches="tight")
        data = base64.b64encode(picture.getvalue()).decode()
        self.parts.append(f'<img alt="" src="data:image/png;base64,{data}">')

    def diagram(self, svg: str, caption: str) -> None:
        """A drawing that is already markup, as python-chess draws it."""
        caption = html.escape(caption)
        self.parts.append(f"<figure>{svg}<figcaption>{caption}</figcaption></figure>")

    def write(self, path: Path) -> None:
        title = html.escape(self.title)
        head = f'<meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        body = "\n".join([f"<h1>{title}</h1>", *self.parts])
        write_text(path, f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n{body}\n</html>\n')
