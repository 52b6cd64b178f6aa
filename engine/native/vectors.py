"""The operations of bits.py on vectors in LLVM's language, for each level.

Numba has no vectors, and LLVM does not find the instructions that multiply bytes or words and add
up the products. Short loops it unrolls, number by number, and sums that could stay in registers it
loads and stores for each row. The loops are the same for all processor levels. In
`affine_transform` registers keep the totals of 16 rows, four times, so that no instruction waits
for the one before it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.native import processor
from engine.native.lowering import (
    ADD_BYTES,
    ADD_WORDS,
    AFFINE_BYTES,
    AFFINE_WORDS,
    CLIP_AND_SQUARE,
    DOT_PRODUCT,
    SLIDE,
)

TILE = 16  # rows
AT_ONCE = 4  # groups of columns


class Step(NamedTuple):
    """How a level multiplies groups of numbers and adds each group to a total."""

    lanes: int  # 32-bit totals side by side
    size: int  # bytes of a number
    code: str  # from %vector, %row and <lanes x i32> %sums to %result
    declarations: str

    @property
    def numbers(self) -> str:
        return f"<{self.lanes * 4 // self.size} x i{8 * self.size}>"

    @property
    def sums(self) -> str:
        return f"<{self.lanes} x i32>"


_VNNI_BYTES = Step(  # of integers, which LLVM 20 wants; newer versions convert them
    16,
    1,
    """
  %vector_fours = bitcast <64 x i8> %vector to <16 x i32>
  %row_fours = bitcast <64 x i8> %row to <16 x i32>
  %result = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
      <16 x i32> %sums, <16 x i32> %vector_fours, <16 x i32> %row_fours)""",
    "declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <16 x i32>, <16 x i32>)",
)
_VNNI_WORDS = Step(  # LLVM makes one instruction of both
    16,
    2,
    """
  %twos = call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(<32 x i16> %vector, <32 x i16> %row)
  %result = add <16 x i32> %sums, %twos""",
    "declare <16 x i32> @llvm.x86.avx512.pmaddw.d.512(<32 x i16>, <32 x i16>)",
)
_AVX2_BYTES = Step(  # sums of two products of 127 and at most 128 fit into int16
    8,
    1,
    """
  %pairs = call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8> %vector, <32 x i8> %row)
  %fours = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %pairs, <16 x i16> splat (i16 1))
  %result = add <8 x i32> %sums, %fours""",
    "declare <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8>, <32 x i8>)",
)
_AVX2_WORDS = Step(
    8,
    2,
    """
  %twos = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %vector, <16 x i16> %row)
  %result = add <8 x i32> %sums, %twos""",
    "declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>)",
)


def _plain(size: int) -> Step:
    """Without such instructions: every number of a group by itself."""
    lanes, group = 4, 4 // size
    numbers = f"<{lanes * group} x i{8 * size}>"
    lines, before = [], "%sums"
    for k in range(group):
        places = ", ".join(f"i32 {group * lane + k}" for lane in range(lanes))
        after = "%result" if k == group - 1 else f"%sums_after_{k}"
        for name in ("vector", "row"):
            lines += [
                f"%{name}_part_{k} = shufflevector {numbers} %{name}, {numbers} poison, "
                f"<{lanes} x i32> <{places}>",
                f"%{name}_wide_{k} = sext <{lanes} x i{8 * size}> %{name}_part_{k} to "
                f"<{lanes} x i32>",
            ]
        lines += [
            f"%products_{k} = mul <{lanes} x i32> %vector_wide_{k}, %row_wide_{k}",
            f"{after} = add <{lanes} x i32> {before}, %products_{k}",
        ]
        before = after
    return Step(lanes, size, "\n  " + "\n  ".join(lines), "")


def vectors_module(cpu: str) -> str:
    """The text of an LLVM module that defines them for one processor level."""
    of_bytes, of_words = _steps(cpu)
    return "\n".join(
        [
            of_bytes.declarations,
            of_words.declarations,
            f"declare i32 @llvm.vector.reduce.add.v{of_bytes.lanes}i32({of_bytes.sums})",
            _affine_transform(AFFINE_BYTES, of_bytes),
            _affine_transform(AFFINE_WORDS, of_words),
            _clip_and_square(),
            _dot_product(of_bytes),
            _add_rows(ADD_BYTES, 1),
            _add_rows(ADD_WORDS, 2),
            _slide(),
        ]
    )


def _steps(cpu: str) -> tuple[Step, Step]:
    if cpu == processor.WIDE_LEVEL:
        return _VNNI_BYTES, _VNNI_WORDS
    if cpu.removesuffix(processor.PEXT) == "x86-64-v3":
        return _AVX2_BYTES, _AVX2_WORDS
    return _plain(1), _plain(2)


def _numbered(code: str, vector: str, suffix: str) -> str:
    """The code of a step with names of its own."""
    return re.sub(r"%(\w+)", lambda name: vector if name[1] == "vector" else name[0] + suffix, code)


def _affine_transform(name: str, step: Step) -> str:
    """A function: totals of 16 rows at a time, over all groups of columns, four at a time."""
    registers = [(k, part) for k in range(AT_ONCE) for part in range(TILE // step.lanes)]
    sums, numbers = step.sums, step.numbers
    lines = [
        f"define void @{name}"
        "(ptr %weights, ptr %vector, ptr %bias, ptr %totals, i64 %rows, i64 %groups) {",
        "start:",
        "  %stride = mul i64 %rows, 4",
        "  br label %tile",
        "tile:",
        "  %row = phi i64 [0, %start], [%next_row, %done]",
        "  %row_bytes = mul i64 %row, 4",
        "  %column = getelementptr i8, ptr %weights, i64 %row_bytes",
        "  br label %loop",
        "loop:",
        "  %at = phi i64 [0, %tile], [%after, %loop]",
        *(
            f"  %sums_{k}_{part} = phi {sums} [zeroinitializer, %tile], [%result_{k}_{part}, %loop]"
            for k, part in registers
        ),
    ]
    for k in range(AT_ONCE):
        lines += [
            f"  %group_{k} = add i64 %at, {k}",
            f"  %v_{k} = getelementptr i32, ptr %vector, i64 %group_{k}",
            f"  %one_{k} = load i32, ptr %v_{k}, align 1",
            f"  %first_{k} = insertelement {sums} poison, i32 %one_{k}, i32 0",
            f"  %all_{k} = shufflevector {sums} %first_{k}, {sums} poison, {sums} zeroinitializer",
            f"  %vector_{k} = bitcast {sums} %all_{k} to {numbers}",
            f"  %offset_{k} = mul i64 %stride, %group_{k}",
        ]
        for part in range(TILE // step.lanes):
            suffix = f"_{k}_{part}"
            lines += [
                f"  %offset{suffix} = add i64 %offset_{k}, {4 * step.lanes * part}",
                f"  %here{suffix} = getelementptr i8, ptr %column, i64 %offset{suffix}",
                f"  %row{suffix} = load {numbers}, ptr %here{suffix}, align 16",
                _numbered(step.code, f"%vector_{k}", suffix),
            ]
    lines += [
        f"  %after = add i64 %at, {AT_ONCE}",
        "  %more = icmp ult i64 %after, %groups",
        "  br i1 %more, label %loop, label %done",
        "done:",
    ]
    for part in range(TILE // step.lanes):
        lines += [
            f"  %row_{part} = add i64 %row, {step.lanes * part}",
            f"  %start_{part} = getelementptr i32, ptr %bias, i64 %row_{part}",
            f"  %total_{part}_0 = load {sums}, ptr %start_{part}, align 16",
            *(
                f"  %total_{part}_{k + 1} = add {sums} %total_{part}_{k}, %result_{k}_{part}"
                for k in range(AT_ONCE)
            ),
            f"  %place_{part} = getelementptr i32, ptr %totals, i64 %row_{part}",
            f"  store {sums} %total_{part}_{AT_ONCE}, ptr %place_{part}, align 16",
        ]
    return "\n".join(
        [
            *lines,
            f"  %next_row = add i64 %row, {TILE}",
            "  %more_rows = icmp ult i64 %next_row, %rows",
            "  br i1 %more_rows, label %tile, label %end",
            "end:",
            "  ret void",
            "}",
        ]
    )


def _clip_and_square() -> str:
    """A function for 16 totals at a time, the same on all levels."""
    sums, words = f"<{TILE} x i32>", f"<{TILE} x i16>"

    def splat(name: str) -> str:
        return f"""
  %{name}_word = trunc i64 %{name} to i32
  %{name}_first = insertelement {sums} poison, i32 %{name}_word, i32 0
  %{name}_all = shufflevector {sums} %{name}_first, {sums} poison, {sums} zeroinitializer"""

    return f"""
declare {sums} @llvm.smax.v{TILE}i32({sums}, {sums})
declare {sums} @llvm.smin.v{TILE}i32({sums}, {sums})
define void @{CLIP_AND_SQUARE}(ptr %totals, i64 %shift, i64 %bits, ptr %words, i64 %count) {{
start:
{splat("shift")}
{splat("bits")}
  %most = shl {sums} splat (i32 1), %bits_all
  %squares = getelementptr i16, ptr %words, i64 %count
  br label %loop
loop:
  %at = phi i64 [0, %start], [%after, %loop]
  %total_here = getelementptr i32, ptr %totals, i64 %at
  %total = load {sums}, ptr %total_here, align 16
  %shifted = ashr {sums} %total, %shift_all
  %positive = call {sums} @llvm.smax.v{TILE}i32({sums} %shifted, {sums} zeroinitializer)
  %clipped = call {sums} @llvm.smin.v{TILE}i32({sums} %positive, {sums} %most)
  %product = mul {sums} %clipped, %clipped
  %square = lshr {sums} %product, %bits_all
  %word = trunc {sums} %clipped to {words}
  %word_here = getelementptr i16, ptr %words, i64 %at
  store {words} %word, ptr %word_here, align 16
  %square_word = trunc {sums} %square to {words}
  %square_here = getelementptr i16, ptr %squares, i64 %at
  store {words} %square_word, ptr %square_here, align 16
  %after = add i64 %at, {TILE}
  %more = icmp ult i64 %after, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""


def _dot_product(step: Step) -> str:
    """A function: one row of bytes times a vector."""
    width = 4 * step.lanes
    return f"""
define i64 @{DOT_PRODUCT}(ptr %weights, ptr %bytes, i64 %columns) {{
start:
  br label %loop
loop:
  %at = phi i64 [0, %start], [%after, %loop]
  %sums = phi {step.sums} [zeroinitializer, %start], [%result, %loop]
  %vector_here = getelementptr i8, ptr %bytes, i64 %at
  %vector = load {step.numbers}, ptr %vector_here, align 16
  %row_here = getelementptr i8, ptr %weights, i64 %at
  %row = load {step.numbers}, ptr %row_here, align 16
{step.code}
  %after = add i64 %at, {width}
  %more = icmp ult i64 %after, %columns
  br i1 %more, label %loop, label %done
done:
  %total = call i32 @llvm.vector.reduce.add.v{step.lanes}i32({step.sums} %result)
  %wide = sext i32 %total to i64
  ret i64 %wide
}}"""


def _add_rows(name: str, size: int) -> str:
    """A function: 128 columns at a time stay in registers while all rows are added and taken
    away. The numbers of rows have `size` bytes."""
    sums, numbers, parts = f"<{TILE} x i16>", f"<{TILE} x i{8 * size}>", range(128 // TILE)
    lines = [
        f"define void @{name}(ptr %before, ptr %rows, ptr %added, i64 %added_count, "
        "ptr %removed, i64 %removed_count, ptr %after, i64 %columns) {",
        "start:",
        "  %any_added = icmp ne i64 %added_count, 0",
        "  %any_removed = icmp ne i64 %removed_count, 0",
        "  br label %block",
        "block:",
        "  %column = phi i64 [0, %start], [%next_column, %done]",
        f"  %block_rows = getelementptr i{8 * size}, ptr %rows, i64 %column",
    ]
    for k in parts:
        lines += [
            f"  %column_{k} = add i64 %column, {TILE * k}",
            f"  %from_{k} = getelementptr i16, ptr %before, i64 %column_{k}",
            f"  %before_{k} = load {sums}, ptr %from_{k}, align 16",
        ]
    lines += ["  br i1 %any_added, label %adding, label %all_added"]
    for what, places, operation, first, start, then in (
        ("adding", "added", "add", "before", "block", "all_added"),
        ("removing", "removed", "sub", "all_added", "all_added", "done"),
    ):
        lines += [
            f"{what}:",
            f"  %{what}_at = phi i64 [0, %{start}], [%{what}_next, %{what}]",
            *(
                f"  %{what}_{k} = phi {sums} [%{first}_{k}, %{start}], [%{what}_then_{k}, %{what}]"
                for k in parts
            ),
            f"  %{what}_here = getelementptr i64, ptr %{places}, i64 %{what}_at",
            f"  %{what}_place = load i64, ptr %{what}_here, align 8",
            f"  %{what}_offset = mul i64 %{what}_place, %columns",
            f"  %{what}_row = getelementptr i{8 * size}, ptr %block_rows, i64 %{what}_offset",
        ]
        for k in parts:
            lines += [
                f"  %{what}_from_{k} = getelementptr i{8 * size}, ptr %{what}_row, i64 {TILE * k}",
                f"  %{what}_numbers_{k} = load {numbers}, ptr %{what}_from_{k}, align 16",
            ]
            wide = f"%{what}_numbers_{k}"
            if size == 1:
                lines.append(f"  %{what}_words_{k} = sext {numbers} {wide} to {sums}")
                wide = f"%{what}_words_{k}"
            lines.append(f"  %{what}_then_{k} = {operation} {sums} %{what}_{k}, {wide}")
        lines += [
            f"  %{what}_next = add i64 %{what}_at, 1",
            f"  %{what}_more = icmp ult i64 %{what}_next, %{places}_count",
            f"  br i1 %{what}_more, label %{what}, label %{then}",
            f"{then}:",
            *(
                f"  %{then}_{k} = phi {sums} [%{first}_{k}, %{start}], [%{what}_then_{k}, %{what}]"
                for k in parts
            ),
        ]
        if then == "all_added":
            lines.append("  br i1 %any_removed, label %removing, label %done")
    for k in parts:
        lines += [
            f"  %to_{k} = getelementptr i16, ptr %after, i64 %column_{k}",
            f"  store {sums} %done_{k}, ptr %to_{k}, align 16",
        ]
    return "\n".join(
        [
            *lines,
            "  %next_column = add i64 %column, 128",
            "  %more_columns = icmp ult i64 %next_column, %columns",
            "  br i1 %more_columns, label %block, label %end",
            "end:",
            "  ret void",
            "}",
        ]
    )


_NOT_FILE_A, _NOT_FILE_H, _ANYWHERE = ~0x0101010101010101, 0x7F7F7F7F7F7F7F7F, -1
_DIAGONAL = (  # how squares shift, how far, and where such a step can end
    ("shl", 9, _NOT_FILE_A),
    ("shl", 7, _NOT_FILE_H),
    ("lshr", 9, _NOT_FILE_H),
    ("lshr", 7, _NOT_FILE_A),
)
_STRAIGHT = (
    ("shl", 8, _ANYWHERE),
    ("shl", 1, _NOT_FILE_A),
    ("lshr", 8, _ANYWHERE),
    ("lshr", 1, _NOT_FILE_H),
)


def _slide() -> str:
    """A function: four sets at a time, in each direction by the parallel prefix of Kogge and Stone,
    the "fill" of books on bitboards: one, two and four steps reach seven squares."""
    four = "<4 x i64>"
    lines = [
        f"define void @{SLIDE}(ptr %pieces, i64 %empty, ptr %reached) {{",
        f"  %empty_first = insertelement {four} poison, i64 %empty, i32 0",
        f"  %empty_all = shufflevector {four} %empty_first, {four} poison, "
        "<4 x i32> zeroinitializer",
    ]
    for first, directions in ((0, _DIAGONAL), (4, _STRAIGHT)):
        lines += [
            f"  %from_{first} = getelementptr i64, ptr %pieces, i64 {first}",
            f"  %pieces_{first} = load {four}, ptr %from_{first}, align 8",
        ]
        found = "zeroinitializer"
        for number, (shift, squares, end) in enumerate(directions):
            name = f"{first}_{number}"
            filled, free = f"%pieces_{first}", f"%free_{name}_1"
            lines.append(f"  {free} = and {four} %empty_all, splat (i64 {end})")
            for steps in (1, 2, 4):
                by = f"splat (i64 {steps * squares})"
                lines += [
                    f"  %moved_{name}_{steps} = {shift} {four} {filled}, {by}",
                    f"  %new_{name}_{steps} = and {four} %moved_{name}_{steps}, {free}",
                    f"  %filled_{name}_{steps} = or {four} {filled}, %new_{name}_{steps}",
                    f"  %way_{name}_{steps} = {shift} {four} {free}, {by}",
                    f"  %free_{name}_{2 * steps} = and {four} {free}, %way_{name}_{steps}",
                ]
                filled, free = f"%filled_{name}_{steps}", f"%free_{name}_{2 * steps}"
            lines += [
                f"  %last_{name} = {shift} {four} {filled}, splat (i64 {squares})",
                f"  %ended_{name} = and {four} %last_{name}, splat (i64 {end})",
                f"  %found_{name} = or {four} {found}, %ended_{name}",
            ]
            found = f"%found_{name}"
        lines += [
            f"  %to_{first} = getelementptr i64, ptr %reached, i64 {first}",
            f"  store {four} {found}, ptr %to_{first}, align 8",
        ]
    return "\n".join([*lines, "  ret void", "}"])
