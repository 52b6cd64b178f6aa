"""What the site needs of mkdocs: pages outside docs/, and links that cross its border.

Every page keeps its place in the repository, less the folder `docs`: docs/search.md is search.md on
the site, tuning/README.md stays there. So links work on the site and where the repository is read.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
OUTSIDE = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "THIRD-PARTY.md",
    "LICENSE",
    "openings/README.md",
    "tablebases/README.md",
    "tuning/README.md",
]
LINK = re.compile(r"(\]\()(?![a-z]+:|#|/)([^)#\s]+)")  # the address of a relative Markdown link


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name in OUTSIDE:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    site = page.file.src_uri
    source = site if site in OUTSIDE else f"docs/{site}"

    def on_the_site(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[2]))
        address = posixpath.relpath(target.removeprefix("docs/"), posixpath.dirname(site) or ".")
        return link[1] + address

    return LINK.sub(on_the_site, markdown)
