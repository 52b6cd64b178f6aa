"""The mutants are what they say: one change each, of code that means something."""

from __future__ import annotations

import ast

from tests.mutation.operators import mutants
from tests.mutation.rooms import ROOMS
from tests.mutation.running import ROOT

SOURCE = b'''"""A docstring with 1 number."""

SIZES: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8, 9)  # a table of data


def sign(number: int, least: int = 3) -> int:
    if number < least and number != 7:
        raise ValueError(f"{number} is not {least + 1}")
    return 1 if "\xc3\xa9" in str(number) else 0
'''


def test_each_operator_finds_its_places() -> None:
    found = {(m.operator, m.line, m.after) for m in mutants("x.py", SOURCE)}
    condition = "if number < least and number != 7:"
    assert {after for operator, line, after in found if line == 7 and operator == "comparison"} == {
        condition.replace("<", "<="),
        condition.replace("<", ">="),
        condition.replace("!=", "=="),
    }
    assert {after for operator, line, after in found if line == 7 and operator == "condition"} == {
        "if True and number != 7:",
        "if number < least and True:",
        "if True:",
        "if False:",
        "if not (number < least and number != 7):",
    }
    assert ("and/or", 7, condition.replace("and", "or")) in found
    assert ("constant", 7, condition.replace("7", "8")) in found
    assert ("constant", 6, "def sign(number: int, least: int = 4) -> int:") in found
    assert ("comparison", 9, 'return 1 if "\u00e9" not in str(number) else 0') in found


def test_text_annotations_and_tables_are_left_alone() -> None:
    assert {mutant.line for mutant in mutants("x.py", SOURCE)} == {6, 7, 9}


def test_every_mutant_of_the_sources_is_python() -> None:
    for room in ROOMS:
        path = max(room.source_files(ROOT), key=lambda name: (ROOT / name).stat().st_size)
        source = (ROOT / path).read_bytes()
        found = mutants(path, source)
        assert len({mutant.name for mutant in found}) == len(found) > 20
        for mutant in found[:: 1 + len(found) // 50]:
            changed = mutant.apply(source)
            assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), mutant
