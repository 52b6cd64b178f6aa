"""`dot_products` of bits.py in LLVM's language, for each processor level.

Numba has no vectors, and LLVM does not find the instructions that multiply bytes and add up the
products. The loops are the same for all levels. Four rows at a time share what is loaded of the
vector, and none waits for the sum of another.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.native import processor
from engine.native.lowering import DOT_PRODUCTS


class Step(NamedTuple):
    """How a level multiplies some bytes and adds the products to some sums."""

    lanes: int  # 32-bit sums side by side
    width: int  # bytes
    code: str  # from <width x i8> %vector, %row and <lanes x i32> %sums to %result
    declarations: str


_VNNI = Step(
    16,
    64,
    """
  %result = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(
      <16 x i32> %sums, <64 x i8> %vector, <64 x i8> %row)""",
    "declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <64 x i8>, <64 x i8>)",
)
_AVX2 = Step(  # sums of two products of 127 and at most 128 fit into int16
    8,
    32,
    """
  %pairs = call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8> %vector, <32 x i8> %row)
  %fours = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %pairs, <16 x i16> splat (i16 1))
  %result = add <8 x i32> %sums, %fours""",
    """
declare <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8>, <32 x i8>)
declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>)""",
)
_PLAIN = Step(
    16,
    16,
    """
  %wide_vector = sext <16 x i8> %vector to <16 x i32>
  %wide_row = sext <16 x i8> %row to <16 x i32>
  %products = mul <16 x i32> %wide_vector, %wide_row
  %result = add <16 x i32> %sums, %products""",
    "",
)


def dot_products_module(cpu: str) -> str:
    """The text of an LLVM module that defines it for one processor level."""
    step = _step(cpu)
    return f"""
{step.declarations}
declare i32 @llvm.vector.reduce.add.v{step.lanes}i32(<{step.lanes} x i32>)
{_rows(step, 1)}
{_rows(step, 4)}
define void @{DOT_PRODUCTS}(ptr %matrix, ptr %vector, ptr %totals, i64 %rows, i64 %columns) {{
start:
  %in_fours = and i64 %rows, -4
  br label %next
next:
  %row = phi i64 [0, %start], [%row_after_four, %four], [%row_after_one, %one]
  %offset = mul i64 %row, %columns
  %place = getelementptr i8, ptr %matrix, i64 %offset
  %total = getelementptr i32, ptr %totals, i64 %row
  %has_four = icmp ult i64 %row, %in_fours
  br i1 %has_four, label %four, label %last
four:
  call void @rows_4(ptr %place, ptr %vector, ptr %total, i64 %columns)
  %row_after_four = add i64 %row, 4
  br label %next
last:
  %has_one = icmp ult i64 %row, %rows
  br i1 %has_one, label %one, label %end
one:
  call void @rows_1(ptr %place, ptr %vector, ptr %total, i64 %columns)
  %row_after_one = add i64 %row, 1
  br label %next
end:
  ret void
}}
"""


def _step(cpu: str) -> Step:
    if cpu == processor.WIDE_LEVEL:
        return _VNNI
    return _AVX2 if cpu.removesuffix(processor.PEXT) == "x86-64-v3" else _PLAIN


def _rows(step: Step, count: int) -> str:
    """A function that multiplies so many rows by the vector."""
    sums, each = f"<{step.lanes} x i32>", range(count)

    def numbered(i: int) -> str:
        return re.sub(r"%(?!vector\b)\w+", lambda name: f"{name[0]}_{i}", step.code)

    lines = [
        f"define internal void @rows_{count}(ptr %place, ptr %v, ptr %totals, i64 %columns) {{",
        "start:",
        *(f"  %offset_{i} = mul i64 %columns, {i}" for i in each),
        *(f"  %place_{i} = getelementptr i8, ptr %place, i64 %offset_{i}" for i in each),
        "  br label %loop",
        "loop:",
        "  %at = phi i64 [0, %start], [%after, %loop]",
        *(
            f"  %sums_{i} = phi {sums} [zeroinitializer, %start], [%result_{i}, %loop]"
            for i in each
        ),
        "  %v_here = getelementptr i8, ptr %v, i64 %at",
        f"  %vector = load <{step.width} x i8>, ptr %v_here, align 16",
    ]
    for i in each:
        lines += [
            f"  %here_{i} = getelementptr i8, ptr %place_{i}, i64 %at",
            f"  %row_{i} = load <{step.width} x i8>, ptr %here_{i}, align 16",
            numbered(i),
        ]
    lines += [
        f"  %after = add i64 %at, {step.width}",
        "  %more = icmp ult i64 %after, %columns",
        "  br i1 %more, label %loop, label %done",
        "done:",
    ]
    for i in each:
        lines += [
            f"  %sum_{i} = call i32 @llvm.vector.reduce.add.v{step.lanes}i32({sums} %result_{i})",
            f"  %total_{i} = getelementptr i32, ptr %totals, i64 {i}",
            f"  store i32 %sum_{i}, ptr %total_{i}",
        ]
    return "\n".join([*lines, "  ret void", "}"])
