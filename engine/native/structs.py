"""Structs: named, typed memory shared by Python and the compiled kernels.

A layout is declared once, as a class:

    class SearchState(Struct):
        nodes = int64                        # a scalar
        stop = atomic(int64)                 # never kept in a register
        killers = int64[MAX_PLY, 2]          # [ply, slot]
        position = inline(Position)          # another struct, stored in place
        stack = array_of(Frame, MAX_PLY)     # an array of structs
        tables = pointer_to(AttackTables)    # a struct stored elsewhere
        entries = pointer_to_array(Entry)    # an array whose length is chosen at run time

A subclass adds members behind those of its base class, whose kernels take it too.

`state = SearchState()` allocates one zeroed, aligned block. In Python `state.killers` is a
NumPy view of it. In a kernel the parameter `state: SearchState` is only an address, and the
same expression, `state.killers[ply, 1]`, becomes a single load instruction (see lowering.py).
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Generic, TypeVar, overload

import numpy as np

CACHE_LINE = 64
HUGE_PAGE = 2 << 20  # bytes, on x86-64 and mostly elsewhere
FEWEST_ON_HUGE_PAGES = HUGE_PAGE // 4  # bytes

V = TypeVar("V")  # the type of a member for its reader
S = TypeVar("S", bound="Struct")
Array = np.ndarray[Any, np.dtype[Any]]


class _Widened(np.ndarray[Any, np.dtype[Any]]):
    """A view whose elements are read as int64, as in a kernel, so that arithmetic does not wrap."""

    def __getitem__(self, index: Any) -> Any:
        item = super().__getitem__(index)
        return item if isinstance(item, np.ndarray) else np.int64(item)


class Field(Generic[V]):
    """Base class of all members. `name` and `offset` are set when the struct is laid out."""

    name: str
    offset: int
    size: int
    alignment: int

    def placed(self, name: str, offset: int) -> Field[V]:
        """A copy of this description that knows its place in a struct."""
        member = object.__new__(type(self))
        member.__dict__.update(self.__dict__, name=name, offset=offset)
        return member

    def view(self, struct: Struct) -> Any:
        """The Python side of this member for one struct instance."""
        raise NotImplementedError

    @overload
    def __get__(self, struct: None, owner: type) -> Field[V]: ...
    @overload
    def __get__(self, struct: Struct, owner: type) -> V: ...
    def __get__(self, struct: Struct | None, owner: type) -> Any:
        return self if struct is None else struct._views[self.name]

    def __set__(self, struct: Struct, value: Any) -> None:
        raise AttributeError(f"{self.name} is memory: assign to its elements")


class Integers(Field[V]):
    """A signed integer or an array of them. Scalars and elements are int64 to the reader."""

    def __init__(self, dtype: str, shape: tuple[int, ...] = (), is_atomic: bool = False):
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self.is_atomic = is_atomic
        self.size = self.dtype.itemsize * prod(shape)
        # Larger arrays start on a cache line; scalars that are used together may share one.
        self.alignment = CACHE_LINE if shape and self.size >= CACHE_LINE else self.dtype.itemsize

    def __getitem__(self, shape: int | tuple[int, ...]) -> Integers[Array]:
        shape = shape if isinstance(shape, tuple) else (shape,)
        return Integers(self.dtype.str, shape, self.is_atomic)

    def view(self, struct: Struct) -> Array:
        block = struct._memory[self.offset : self.offset + self.size]
        view = block.view(self.dtype).reshape(self.shape)
        return view if self.dtype.itemsize == 8 else view.view(_Widened)

    @overload
    def __get__(self, struct: None, owner: type) -> Integers[V]: ...
    @overload
    def __get__(self, struct: Struct, owner: type) -> V: ...
    def __get__(self, struct: Struct | None, owner: type) -> Any:
        if struct is None:
            return self
        view = struct._views[self.name]
        return view if self.shape else np.int64(view[()])

    def __set__(self, struct: Struct, value: V) -> None:
        if self.shape:
            super().__set__(struct, value)
        struct._views[self.name][()] = value


class Inline(Field[S]):
    """A struct stored inside another one."""

    def __init__(self, struct_type: type[S]):
        self.struct_type = struct_type
        self.size = struct_type.size
        self.alignment = struct_type.alignment

    def view(self, struct: Struct) -> S:
        return self.struct_type(struct._memory[self.offset : self.offset + self.size])


class InlineArray(Field["StructArray[S]"]):
    """A fixed number of structs, one after the other."""

    def __init__(self, struct_type: type[S], length: int):
        self.struct_type = struct_type
        self.length = length
        self.size = struct_type.size * length
        self.alignment = CACHE_LINE

    def view(self, struct: Struct) -> StructArray[S]:
        block = struct._memory[self.offset : self.offset + self.size]
        return StructArray(self.struct_type, self.length, block)


class Pointer(Field[S]):
    """The address of a struct that lives elsewhere."""

    size = alignment = 8

    def __init__(self, struct_type: type[S]):
        self.struct_type = struct_type

    def view(self, struct: Struct) -> None:
        return None  # nothing to point at yet

    def __set__(self, struct: Struct, target: S) -> None:
        struct._views[self.name] = target  # also keeps the target alive
        struct._memory[self.offset : self.offset + 8].view(np.int64)[0] = target.address


class PointerToArray(Field["StructArray[S]"]):
    """The address of the first struct of an array that lives elsewhere, and the array's length.

    Only the checked build reads the length.
    """

    size = 16
    alignment = 8

    def __init__(self, struct_type: type[S]):
        self.struct_type = struct_type

    def view(self, struct: Struct) -> None:
        return None  # nothing to point at yet

    def __set__(self, struct: Struct, target: StructArray[S]) -> None:
        struct._views[self.name] = target  # also keeps the target alive
        words = struct._memory[self.offset : self.offset + 16].view(np.int64)
        words[:] = target.address, len(target)


class _Layout(type):
    """Gives structs no attributes but their members: a misspelt one is refused."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Layout:
        namespace.setdefault("__slots__", ())
        return super().__new__(cls, name, bases, namespace)


class Struct(metaclass=_Layout):
    """Base class of all layouts."""

    __slots__ = ("_memory", "_views", "address")

    fields: ClassVar[dict[str, Field[Any]]] = {}
    size = 0
    alignment = 8

    def __init_subclass__(cls) -> None:
        cls.fields = dict(cls.fields)  # of the base class
        end = cls.size
        for name, description in list(vars(cls).items()):
            if isinstance(description, Field):
                if name in vars(Struct) or name in cls.fields:
                    raise TypeError(f"{cls.__name__}: every struct already has a `{name}`")
                offset = _round_up(end, description.alignment)
                member = description.placed(name, offset)
                setattr(cls, name, member)
                cls.fields[name] = member
                end = offset + member.size
        cls.alignment = max((f.alignment for f in cls.fields.values()), default=8)
        cls.size = _round_up(end, cls.alignment)

    def __init__(self, memory: Array | None = None):
        self._memory = _allocate(self.size) if memory is None else memory
        self.address: int = self._memory.ctypes.data
        self._views = {name: field.view(self) for name, field in self.fields.items()}

    def copy_from(self, other: Struct) -> None:
        """Copy the memory of another instance, but not its references to what pointers point at."""
        self._memory[:] = other._memory

    @classmethod
    def address_of(cls, argument: Any) -> int:
        """What is passed to an entry.

        Raises TypeError for a struct of another class: the kernel would read and write it as if it
        were one of its own.
        """
        if not isinstance(argument, cls):
            raise TypeError(f"expected {cls.__name__}, not {type(argument).__name__}")
        return argument.address


class StructArray(Generic[S]):
    """Consecutive structs whose number is chosen at run time."""

    def __init__(self, struct_type: type[S], length: int, memory: Array | None = None):
        self.struct_type = struct_type
        self.length = length
        self.memory = _allocate(struct_type.size * length) if memory is None else memory
        self._elements: dict[int, S] = {}

    @cached_property
    def address(self) -> int:
        return self.memory.ctypes.data

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> S:
        index = int(index)
        if not 0 <= index < self.length:
            raise IndexError(f"{self.struct_type.__name__} {index} of {self.length}")
        if index not in self._elements:
            start = index * self.struct_type.size
            block = self.memory[start : start + self.struct_type.size]
            self._elements[index] = self.struct_type(block)
        return self._elements[index]

    def __iter__(self) -> Iterator[S]:
        return (self[i] for i in range(self.length))


def atomic(field: Integers[V]) -> Integers[V]:
    """`field` with relaxed atomic accesses, so that kernels see what other threads write."""
    return Integers(field.dtype.str, field.shape, is_atomic=True)


def inline(struct_type: type[S]) -> Inline[S]:
    """A struct stored in place."""
    return Inline(struct_type)


def array_of(struct_type: type[S], length: int) -> InlineArray[S]:
    """An array of structs stored in place."""
    return InlineArray(struct_type, length)


def pointer_to(struct_type: type[S]) -> Pointer[S]:
    """A struct stored elsewhere: assign it before a kernel reads the member."""
    return Pointer(struct_type)


def pointer_to_array(struct_type: type[S]) -> PointerToArray[S]:
    """A StructArray stored elsewhere: assign it before a kernel reads the member."""
    return PointerToArray(struct_type)


int8: Integers[int] = Integers("int8")
int16: Integers[int] = Integers("int16")
int32: Integers[int] = Integers("int32")
int64: Integers[int] = Integers("int64")


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _allocate(size: int) -> Array:
    """Zeroed bytes. Raises MemoryError."""
    if sys.platform != "linux" or size < FEWEST_ON_HUGE_PAGES:
        return _aligned(np.zeros(size + CACHE_LINE, np.uint8), size, CACHE_LINE)
    # Random access to much memory is faster if the processor needs few addresses of pages.
    whole_pages = _round_up(size, HUGE_PAGE)
    try:
        pages = mmap.mmap(-1, whole_pages + HUGE_PAGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"{size} bytes could not be allocated") from error
    with contextlib.suppress(OSError):  # a system without huge pages
        pages.madvise(mmap.MADV_HUGEPAGE)
    return _aligned(np.frombuffer(pages, np.uint8), size, HUGE_PAGE)


def _aligned(memory: Array, size: int, alignment: int) -> Array:
    start = -memory.ctypes.data % alignment
    return memory[start : start + size]
