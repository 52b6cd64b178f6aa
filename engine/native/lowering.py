"""How Numba compiles structs and bit operations. Imported only to compile.

A struct is an untyped address. `pos.board` adds a constant to it; `pos.board[square]` adds the
scaled index and loads. There are no reference counts, negative indices or exceptions: NumPy arrays
have all of these, and they make a move generator seven times slower.
"""

from __future__ import annotations

import operator
from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.errors import LoweringError, TypingError
from numba.core.imputils import RefType, iternext_impl, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    type_callable,
)

from engine.native.clock import CLOCK_ID, TICKS_PER_SECOND
from engine.native.settings import CHECKED
from engine.native.structs import (
    Field,
    Inline,
    InlineArray,
    Integers,
    Pointer,
    PointerToArray,
    Struct,
)

I1, I8, I32, I64 = (ir.IntType(width) for width in (1, 8, 32, 64))
ADDRESS = I8.as_pointer()

check_bounds = CHECKED  # is every index compared with its bound?
current_kernel = ""  # set by compiler.py, for the message of a failed check
# Names of functions that compiler.py defines for each processor level.
HAS_PEXT, PEXT = "has_pext", "pext"
AFFINE_BYTES, AFFINE_WORDS = "affine_bytes", "affine_words"
CLIP_AND_SQUARE, DOT_PRODUCT = "clip_and_square", "dot_product"
ADD_BYTES, ADD_WORDS, SLIDE = "add_bytes", "add_words", "slide"
FAULT = "kernel_fault"  # name of the global {message address, index} of the first bad index


# --- Types ---------------------------------------------------------------------------------


class StructType(types.Opaque):
    """The address of one struct."""

    def __init__(self, struct_type: type[Struct]):
        self.struct_type = struct_type
        super().__init__(f"{struct_type.__module__}.{struct_type.__qualname__}")

    def can_convert_to(self, context, other):
        """A struct can stand in for one of its base class, with whose members it begins."""
        if isinstance(other, StructType) and issubclass(self.struct_type, other.struct_type):
            return Conversion.safe
        return None


class ElementsType(types.Opaque):
    """The address of the first of several integers or structs: a member of a struct."""

    def __init__(self, owner: type[Struct], member: Field[Any]):
        self.member = member
        self.label = f"{owner.__name__}.{member.name}"
        super().__init__(f"{owner.__module__}.{owner.__qualname__}.{member.name}")


@register_model(StructType)
@register_model(ElementsType)
class _AddressModel(models.OpaqueModel):
    """Passed and kept as one pointer."""


@lower_cast(StructType, StructType)
def _to_base_class(context, builder, subclass, base_class, value):
    return value


def member_type(owner: type[Struct], member: Field[Any]) -> types.Type:
    match member:
        case Integers(shape=()):
            return types.int64
        case Inline() | Pointer():
            return StructType(member.struct_type)
        case _:
            return ElementsType(owner, member)


@infer_getattr
class _StructAttributes(AttributeTemplate):
    key = StructType

    def generic_resolve(self, struct: StructType, name: str) -> types.Type | None:
        member = struct.struct_type.fields.get(name)
        return None if member is None else member_type(struct.struct_type, member)


@type_callable(operator.getitem)
def _type_getitem(context):
    def typer(elements, index):
        if isinstance(elements, ElementsType):
            match elements.member:
                case Integers():
                    return types.int64
                case InlineArray(struct_type=struct_type) | PointerToArray(struct_type=struct_type):
                    return StructType(struct_type)
        return None

    return typer


@type_callable(operator.setitem)
def _type_setitem(context):
    def typer(elements, index, value):
        if isinstance(elements, ElementsType) and isinstance(elements.member, Integers):
            return types.none
        return None

    return typer


# --- Addresses, loads and stores -----------------------------------------------------------


def _moved(builder, address, distance):
    return builder.gep(builder.bitcast(address, ADDRESS), [distance])


def _load(builder, address, field: Integers[Any]):
    width = ir.IntType(field.dtype.itemsize * 8)
    typed = builder.bitcast(address, width.as_pointer())
    if field.is_atomic:
        value = builder.load_atomic(typed, "monotonic", field.dtype.itemsize)
    else:
        value = builder.load(typed)
    return value if width == I64 else builder.sext(value, I64)


def _store(builder, value, address, field: Integers[Any]):
    width = ir.IntType(field.dtype.itemsize * 8)
    typed = builder.bitcast(address, width.as_pointer())
    narrow = value if width == I64 else builder.trunc(value, width)
    if field.is_atomic:
        builder.store_atomic(narrow, typed, "monotonic", field.dtype.itemsize)
    else:
        builder.store(narrow, typed)


def _load_address(builder, place):
    return builder.load(builder.bitcast(place, ADDRESS.as_pointer()))


@lower_getattr_generic(StructType)
def _get_member(context, builder, struct, address, name):
    member = struct.struct_type.fields[name]
    place = _moved(builder, address, I64(member.offset))
    match member:
        case Integers(shape=()):
            return _load(builder, place, member)
        case PointerToArray() if check_bounds:
            return place  # _element loads the address, and the length beside it
        case Pointer() | PointerToArray():
            return _load_address(builder, place)
        case _:
            return place


@lower_setattr_generic(StructType)
def _set_member(context, builder, sig, args, name):
    owner = sig.args[0].struct_type
    member = owner.fields[name]
    if not (isinstance(member, Integers) and member.shape == ()):
        raise LoweringError(f"{owner.__name__}.{name} cannot be assigned to in a kernel")
    value = context.cast(builder, args[1], sig.args[1], types.int64)
    place = _moved(builder, args[0], I64(member.offset))
    _store(builder, value, place, member)


def _element(context, builder, elements: ElementsType, address, index_type, index):
    """The address of `elements[index]`, with one index or a tuple of them."""
    member = elements.member
    index_types = list(index_type) if isinstance(index_type, types.BaseTuple) else [index_type]
    values = cgutils.unpack_tuple(builder, index) if len(index_types) > 1 else [index]
    indices = [
        context.cast(builder, value, value_type, types.int64)
        for value, value_type in zip(values, index_types, strict=True)
    ]

    match member:
        case Integers():
            lengths, size = [I64(length) for length in member.shape], member.dtype.itemsize
        case InlineArray():
            lengths, size = [I64(member.length)], member.struct_type.size
        case PointerToArray():
            lengths, size = [None], member.struct_type.size  # not known here
            if check_bounds:
                beside = _moved(builder, address, I64(8))
                lengths = [builder.load(builder.bitcast(beside, I64.as_pointer()))]
                address = _load_address(builder, address)
    if len(indices) != len(lengths):
        raise LoweringError(f"{elements.label} takes {len(lengths)} indices, not {len(indices)}")

    if check_bounds:
        indices = [
            _checked_index(context, builder, i, length, elements.label)
            for i, length in zip(indices, lengths, strict=True)
        ]
    position = indices[0]
    for i, length in zip(indices[1:], lengths[1:], strict=True):
        position = builder.add(builder.mul(position, length), i)
    return _moved(builder, address, builder.mul(position, I64(size)))


def _checked_index(context, builder, index, length: ir.Value, label: str):
    """`index` if it is in range; otherwise record the first fault and continue with element 0."""
    fine = builder.icmp_unsigned("<", index, length)
    with builder.if_then(builder.not_(fine), likely=False):
        pair = ir.ArrayType(I64, 2)
        fault = builder.module.globals.get(FAULT) or ir.GlobalVariable(builder.module, pair, FAULT)
        known = f" has {length.constant} elements" if isinstance(length, ir.Constant) else ""
        text = context.insert_const_string(builder.module, f"{label}{known} (in {current_kernel})")
        message = builder.gep(fault, [I32(0), I32(0)])
        is_first = builder.icmp_signed("==", builder.load(message), I64(0))
        with builder.if_then(is_first):
            builder.store(builder.ptrtoint(text, I64), message)
            builder.store(index, builder.gep(fault, [I32(0), I32(1)]))
    return builder.select(fine, index, I64(0))


@lower_builtin(operator.getitem, ElementsType, types.Any)
def _get_element(context, builder, sig, args):
    elements, index_type = sig.args
    place = _element(context, builder, elements, args[0], index_type, args[1])
    if isinstance(elements.member, Integers):
        return _load(builder, place, elements.member)
    return place


@lower_builtin(operator.setitem, ElementsType, types.Any, types.Any)
def _set_element(context, builder, sig, args):
    elements, index_type, value_type = sig.args
    value = context.cast(builder, args[2], value_type, types.int64)
    place = _element(context, builder, elements, args[0], index_type, args[1])
    _store(builder, value, place, elements.member)


# --- Bit operations: the compiled versions of bits.py ---------------------------------------


def _trailing_zeros(builder, word):
    return builder.cttz(word, I1(1))  # 1: the result for 0 may be anything


@intrinsic
def popcount(context, word):
    return types.int64(types.int64), lambda ctx, builder, sig, args: builder.ctpop(args[0])


@intrinsic
def lsb(context, word):
    return types.int64(types.int64), lambda ctx, b, sig, args: _trailing_zeros(b, args[0])


@intrinsic
def msb(context, word):
    def generate(ctx, builder, sig, args):
        undefined_for_0 = I1(1)
        return builder.xor(builder.ctlz(args[0], undefined_for_0), I64(63))

    return types.int64(types.int64), generate


@intrinsic
def bit(context, index):
    return types.int64(types.int64), lambda ctx, b, sig, args: b.shl(I64(1), args[0])


@intrinsic
def shl(context, word, count):
    return types.int64(types.int64, types.int64), lambda ctx, b, sig, args: b.shl(*args)


@intrinsic
def shr(context, word, count):
    return types.int64(types.int64, types.int64), lambda ctx, b, sig, args: b.lshr(*args)


@intrinsic
def has_pext(context):
    def generate(ctx, builder, sig, args):
        return builder.call(_level_function(builder, HAS_PEXT, []), [])

    return types.int64(), generate


@intrinsic
def pext(context, word, mask):
    def generate(ctx, builder, sig, args):
        return builder.call(_level_function(builder, PEXT, [I64, I64]), args)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def affine_transform(context, weights, vector, bias, totals):
    groups, rows, group = weights.member.shape
    size = weights.member.dtype.itemsize
    sizes = [each.member.dtype.itemsize for each in (vector, bias, totals)]
    if size * group != 4 or size > 2 or sizes != [size, 4, 4] or groups % 4 or rows % 16:
        raise TypingError(f"affine_transform does not take {weights.label}")
    shapes = [each.member.shape for each in (vector, bias, totals)]
    if shapes != [(groups * group,), (rows,), (rows,)]:
        raise TypingError(
            f"affine_transform: one of {vector.label}, {bias.label}, {totals.label} does not fit"
        )

    def generate(ctx, builder, sig, args):
        name = AFFINE_BYTES if size == 1 else AFFINE_WORDS
        function = _level_function(builder, name, [*[ADDRESS] * 4, I64, I64], ir.VoidType())
        builder.call(function, [*args, I64(rows), I64(groups)])
        return ctx.get_dummy_value()

    return types.none(weights, vector, bias, totals), generate


@intrinsic
def clip_and_square(context, totals, shift, bits, words):
    (count,) = totals.member.shape
    sizes = [totals.member.dtype.itemsize, words.member.dtype.itemsize]
    if count % 16 or words.member.shape != (2 * count,) or sizes != [4, 2]:
        raise TypingError(f"clip_and_square: {words.label} does not fit {totals.label}")

    def generate(ctx, builder, sig, args):
        parameters = [ADDRESS, I64, I64, ADDRESS, I64]
        function = _level_function(builder, CLIP_AND_SQUARE, parameters, ir.VoidType())
        builder.call(function, [*args, I64(count)])
        return ctx.get_dummy_value()

    return types.none(totals, types.int64, types.int64, words), generate


@intrinsic
def dot_product(context, row, vector):
    (columns,) = row.member.shape
    sizes = [row.member.dtype.itemsize, vector.member.dtype.itemsize]
    if columns % 64 or vector.member.shape != (columns,) or sizes != [1, 1]:
        raise TypingError(f"dot_product: {vector.label} does not fit {row.label}")

    def generate(ctx, builder, sig, args):
        function = _level_function(builder, DOT_PRODUCT, [ADDRESS, ADDRESS, I64])
        return builder.call(function, [*args, I64(columns)])

    return types.int64(row, vector), generate


@intrinsic
def add_rows(context, before, rows, added, added_count, removed, removed_count, after):
    columns = rows.member.shape[1]
    size = rows.member.dtype.itemsize
    sizes = [each.member.dtype.itemsize for each in (before, added, removed, after)]
    if columns % 128 or size > 2 or sizes != [2, 8, 8, 2]:
        raise TypingError(f"add_rows does not take {rows.label}")
    if before.member.shape != (columns,) or after.member.shape != (columns,):
        raise TypingError(f"add_rows: {before.label} or {after.label} does not fit {rows.label}")

    def generate(ctx, builder, sig, args):
        parameters = [ADDRESS, ADDRESS, ADDRESS, I64, ADDRESS, I64, ADDRESS, I64]
        name = ADD_BYTES if size == 1 else ADD_WORDS
        function = _level_function(builder, name, parameters, ir.VoidType())
        builder.call(function, [*args, I64(columns)])
        return ctx.get_dummy_value()

    counts = types.int64
    return types.none(before, rows, added, counts, removed, counts, after), generate


@intrinsic
def slide(context, pieces, empty, reached):
    for each in (pieces, reached):
        if each.member.shape != (8,) or each.member.dtype.itemsize != 8:
            raise TypingError(f"slide does not take {each.label}")

    def generate(ctx, builder, sig, args):
        function = _level_function(builder, SLIDE, [ADDRESS, I64, ADDRESS], ir.VoidType())
        builder.call(function, args)
        return ctx.get_dummy_value()

    return types.none(pieces, types.int64, reached), generate


def _level_function(builder, name: str, parameters: list[ir.Type], result: ir.Type = I64):
    """A function that compiler.py defines differently for each processor level."""
    kind = ir.FunctionType(result, parameters)
    return cgutils.get_or_insert_function(builder.module, kind, name)


@intrinsic
def prefetch(context, struct):
    def generate(ctx, builder, sig, args):
        kind = ir.FunctionType(ir.VoidType(), [ADDRESS, I32, I32, I32])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        for_reading, keep_in_all_levels, data = I32(0), I32(3), I32(1)
        builder.call(function, [args[0], for_reading, keep_in_all_levels, data])
        return ctx.get_dummy_value()

    return types.none(struct), generate


@intrinsic
def clock_ticks(context, function):
    def generate(ctx, builder, sig, args):
        time = cgutils.alloca_once(builder, ir.ArrayType(I64, 2))
        first = builder.gep(time, [I32(0), I32(0)])
        arguments = [first] if CLOCK_ID is None else [I32(CLOCK_ID), first]
        kind = ir.FunctionType(I32, [argument.type for argument in arguments])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), arguments)
        ticks = builder.load(first)
        if CLOCK_ID is None:
            return ticks
        nanoseconds = builder.load(builder.gep(time, [I32(0), I32(1)]))
        return builder.add(builder.mul(ticks, I64(TICKS_PER_SECOND)), nanoseconds)

    return types.int64(types.int64), generate


class SquaresIterator(types.SimpleIteratorType):
    """The state of a `for square in squares(word)` loop: the bits not yet visited."""

    def __init__(self):
        super().__init__("SquaresIterator", types.int64)


class Squares(types.SimpleIterableType):
    def __init__(self):
        super().__init__("Squares", SquaresIterator())


@register_model(Squares)
class _SquaresModel(models.PrimitiveModel):
    def __init__(self, manager, squares_type):
        super().__init__(manager, squares_type, I64)


@register_model(SquaresIterator)
class _SquaresIteratorModel(models.PrimitiveModel):
    def __init__(self, manager, iterator_type):
        super().__init__(manager, iterator_type, I64.as_pointer())


@intrinsic
def squares(context, word):
    return Squares()(types.int64), lambda ctx, builder, sig, args: args[0]


@lower_builtin("getiter", Squares)
def _start(context, builder, sig, args):
    return cgutils.alloca_once_value(builder, args[0])


@lower_builtin("iternext", SquaresIterator)
@iternext_impl(RefType.UNTRACKED)
def _next(context, builder, sig, args, result):
    rest = builder.load(args[0])
    more = builder.icmp_signed("!=", rest, I64(0))
    result.set_valid(more)
    with builder.if_then(more):
        result.yield_(_trailing_zeros(builder, rest))
        builder.store(builder.and_(rest, builder.sub(rest, I64(1))), args[0])


OPERATIONS: dict[str, Any] = {
    operation.__name__: operation
    for operation in (
        *(popcount, lsb, msb, bit, shl, shr, has_pext, pext),
        *(clock_ticks, prefetch, squares, slide),
        *(affine_transform, clip_and_square, dot_product, add_rows),
    )
}
