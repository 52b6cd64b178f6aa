"""What a mutant is: one small change to a source file that a test should notice.

Left alone: annotations, docstrings and messages, tables of data, the layout of structs and
decorators. A change there is either no change of behaviour or stops the import at once.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import pairwise

# A boundary moved by one, and the opposite.
COMPARISONS: dict[str, tuple[str, ...]] = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
_COMPARISON = re.compile(r"not\s+in|is\s+not|in|is|[<>=!]=|[<>]")
_MOST_CONSTANTS = 8  # a literal with more of them is a table of data


@dataclass(frozen=True)
class Mutant:
    """Replace the bytes from `start` to before `end` of the file at `path`."""

    path: str
    operator: str
    start: int
    end: int
    replacement: str
    line: int  # from 1
    function: str  # the innermost around it; empty in the module itself
    before: str  # the line as it is, without indentation
    after: str

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line}:{self.start}-{self.end}:{self.replacement}"

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.replacement.encode() + source[self.end :]


def mutants(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a source file, in the order of their places."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda mutant: (mutant.start, mutant.end, mutant.replacement))


class _Finder(ast.NodeVisitor):
    def __init__(self, path: str, source: bytes):
        self.path = path
        self.source = source
        self.found: list[Mutant] = []
        self._function = ""
        self._line_starts = [0]
        for line in source.splitlines(keepends=True):
            self._line_starts.append(self._line_starts[-1] + len(line))

    # --- Places ----------------------------------------------------------------------------

    def _start(self, node: ast.expr) -> int:
        return self._line_starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._line_starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        return self.source[self._start(node) : self._end(node)].decode()

    def _add(self, operator: str, start: int, end: int, replacement: str) -> None:
        line = self.source.count(b"\n", 0, start) + 1
        place = (self.path, operator, start, end, replacement, line, self._function)
        mutant = Mutant(*place, "", "")
        before, after = self.source, mutant.apply(self.source)
        at = self._line_starts[line - 1]
        shown = [text[at:].split(b"\n", 1)[0].decode().strip() for text in (before, after)]
        self.found.append(Mutant(*place, *shown))

    # --- Operators -------------------------------------------------------------------------

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        for left, right in pairwise(operands):
            gap_start = self._end(left)
            gap = self.source[gap_start : self._start(right)].decode()
            match = _COMPARISON.search(gap)
            assert match is not None, ast.unparse(node)
            for replacement in COMPARISONS[" ".join(match[0].split())]:
                start = gap_start + len(gap[: match.start()].encode())
                self._add("comparison", start, start + len(match[0]), replacement)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            for value in (node.value + 1, node.value - 1):
                self._add("constant", self._start(node), self._end(node), str(value))

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        word, other, neutral = (
            ("and", "or", "True") if isinstance(node.op, ast.And) else ("or", "and", "False")
        )
        for left, right in pairwise(node.values):
            gap_start = self._end(left)
            gap = self.source[gap_start : self._start(right)].decode()
            match = re.search(rf"\b{word}\b", gap)
            assert match is not None, ast.unparse(node)
            start = gap_start + len(gap[: match.start()].encode())
            self._add("and/or", start, start + len(word), other)
        for operand in node.values:
            if isinstance(operand, ast.Constant):  # the 0 in `number or 0`
                continue
            self._add("condition", self._start(operand), self._end(operand), neutral)
        self.generic_visit(node)

    def _condition(self, test: ast.expr, replacements: tuple[str, ...]) -> None:
        if isinstance(test, ast.Constant):
            return
        for replacement in replacements:
            self._add("condition", self._start(test), self._end(test), replacement)
        if not isinstance(test, ast.Compare):  # whose opposite is a comparison flipped
            negated = f"not ({self._text(test)})"
            self._add("condition", self._start(test), self._end(test), negated)

    def visit_If(self, node: ast.If) -> None:
        if "__name__" in (text := ast.unparse(node.test)) or "TYPE_CHECKING" in text:
            return
        self._condition(node.test, ("True", "False"))
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self._condition(node.test, ("False",))
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._condition(node.test, ("True", "False"))
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._condition(test, ("True", "False"))
        self.generic_visit(node)

    # --- Left alone ------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        outside, self._function = self._function, node.name
        for statement in node.body:
            self.visit(statement)
        self._function = outside

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        layout = any(ast.unparse(base).endswith("Struct") for base in node.bases)
        for statement in node.body:
            if not layout or isinstance(statement, ast.FunctionDef):
                self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = isinstance(node.targets[0], ast.Tuple)
        if not (names and ast.unparse(node.value).startswith("range(")):  # A, B, C = range(3)
            self.visit(node.value)
            for target in node.targets:
                self.visit(target)

    def visit_Call(self, node: ast.Call) -> None:
        if ast.unparse(node.func) not in ("print", "cast", "TypeVar"):
            self.generic_visit(node)

    def _literal(self, node: ast.Tuple | ast.List | ast.Set | ast.Dict) -> None:
        constants = [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
        if len(constants) <= _MOST_CONSTANTS:
            self.generic_visit(node)

    visit_Tuple = visit_List = visit_Set = visit_Dict = _literal  # noqa: N815, ast's names

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Text; before Python 3.12 its parts also have no place in the file."""

    def visit_Raise(self, node: ast.Raise) -> None:
        """A message."""
