"""From registered kernels to one object file. Imported only to compile.

Numba translates each kernel separately: a call to another kernel, or to itself, is a call to an
external C function of a known signature. So recursion needs no type inference, a literal argument
creates no second version, and the order of definitions does not matter. Then all modules are linked
into one, in which LLVM inlines at will and only the entries stay visible.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import llvmlite.binding as llvm
import llvmlite.ir as ir
from numba.core import types
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import Flags, compile_extra
from numba.core.registry import cpu_target

from engine.native import bits, lowering, processor, registry, sources, vectors
from engine.native.registry import Kernel, KernelError, signature, symbol
from engine.native.structs import Struct

# Loops over int16 that add up in int32 then fill whole registers with int16. For the whole process,
# because LLVM has no such option for one compilation.
llvm.set_option("", "-vectorizer-maximize-bandwidth")


Modules = dict[Kernel, list[str]]  # the LLVM modules of each kernel, as text


def compile_object(name: str, cpus: Sequence[str]) -> dict[str, bytes]:
    """Machine code of an object (engine/kernels.py) for each processor level."""
    return compile_kernels(entries_of(name), cpus)


def entries_of(name: str) -> list[Kernel]:
    """The kernels that Python calls in an object."""
    for module in sources.roots_of(name):
        importlib.import_module(module)  # and so registers its kernels
    return [entry.function for entry in registry.ENTRIES.values() if entry.object == name]


def compile_kernels(entries: Sequence[Kernel], cpus: Sequence[str]) -> dict[str, bytes]:
    """Machine code of these entries, and of the kernels they call, for each processor level."""
    modules = translate(registry.reachable(entries))
    visible = {symbol(function) for function in entries}
    return {cpu: emit(modules, visible, cpu) for cpu in cpus}


def translate(functions: Sequence[Kernel]) -> Modules:
    """The LLVM modules of kernels that call only each other."""
    typing_context, target_context = cpu_target.typing_context, cpu_target.target_context
    typing_context.refresh()
    target_context.refresh()

    for name, operation in lowering.OPERATIONS.items():
        operation_type = typing_context.resolve_value_type(operation)
        getattr(bits, name)._numba_type_ = operation_type
    for function in functions:
        external = _external(function)
        callee: Any
        for callee in (function, registry.ENTRIES.get(symbol(function), function)):
            callee._numba_type_ = external
    return {f: _translate(f, typing_context, target_context) for f in functions}


def _external(function: Kernel) -> Any:
    """Make Numba compile a call to a kernel as one to a C function of a known signature."""
    return types.ExternalFunction(symbol(function), _numba_signature(function))


def _numba_signature(function: Kernel) -> Any:
    parameters, result = signature(function)
    return _numba_type(result)(*map(_numba_type, parameters))


def _numba_type(annotation: type) -> types.Type:
    if annotation is type(None):
        return types.none
    return lowering.StructType(annotation) if issubclass(annotation, Struct) else types.int64


# --- From one kernel to LLVM's language -----------------------------------------------------------


class _Collector(CPUCodeLibrary):
    """Receives the LLVM modules of a kernel from Numba and keeps them as text, not optimised."""

    def __init__(self, codegen: Any, name: str):
        super().__init__(codegen, name)
        self.modules: list[str] = []

    def add_ir_module(self, ir_module: ir.Module) -> None:
        self.modules.append(str(ir_module))


def _translate(function: Kernel, typing_context: Any, target_context: Any) -> list[str]:
    """The LLVM modules of one kernel: Numba's own, and a C function around it."""
    name = symbol(function)
    _check_constants(function)
    numba_signature = _numba_signature(function)
    lowering.current_kernel = name
    flags = Flags()
    flags.error_model = "numpy"  # no ZeroDivisionError
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    library = _Collector(target_context.codegen(), name)
    try:
        compiled = compile_extra(
            typing_context,
            target_context,
            function,
            numba_signature.args,
            numba_signature.return_type,
            flags,
            locals={},
            library=library,
        )
    except Exception as error:  # of many classes, from the depths of Numba
        raise _explained(function, error) from error
    _check_types(function, compiled)
    library.add_ir_module(_c_function(name, compiled.fndesc, target_context))
    # What Numba adds by itself, such as `max`.
    built_ins = [str(used._get_module_for_linking()) for used in library._linking_libraries]
    return library.modules + built_ins


def _c_function(name: str, description: Any, context: Any) -> ir.Module:
    """Numba's functions return a status and write the result through a pointer; C's do not."""
    module = context.create_module(f"{name} as a C function")
    convention = context.call_conv
    inner_type = convention.get_function_type(description.restype, description.argtypes)
    inner = ir.Function(module, inner_type, description.llvm_func_name)
    outer_type = ir.FunctionType(
        context.get_value_type(description.restype),
        [context.get_value_type(t) for t in description.argtypes],
    )
    outer = ir.Function(module, outer_type, name)
    builder = ir.IRBuilder(outer.append_basic_block())
    status, result = convention.call_function(
        builder, inner, description.restype, description.argtypes, outer.args
    )
    # Kernels must not raise: nothing would catch it. LLVM removes this call to a function that
    # does not exist unless the kernel can raise, and then emit finds its name.
    with builder.if_then(status.is_error, likely=False):
        raises = ir.Function(module, ir.FunctionType(ir.VoidType(), []), _raises(name))
        builder.call(raises, [])
    builder.ret(result)
    return module


def _raises(name: str) -> str:
    """The name of a function that is needed only if the kernel of this name can raise."""
    return f"{name} raises"


# --- What a kernel must not contain --------------------------------------------------------


def _explained(function: Kernel, error: Exception) -> KernelError:
    """Numba's message, cut down to what is wrong and where. The full message stays the cause."""
    text = str(error)
    places = re.findall(re.escape(function.__code__.co_filename) + r" \((\d+)\)", text)
    first_line, _, rest = text.strip().partition("\n")
    reason = rest if rest and first_line.startswith("Failed in") else text
    reason = " ".join(re.split(r"\n *(?:There are|During:|File )", reason)[0].split())
    if "NRT required" in reason:  # Numba's run-time library, which manages memory
        reason = "lists, strings, sets and arrays allocate memory, which kernels cannot do"
    return KernelError(function, reason, int(places[-1]) if places else None)


def _check_constants(function: Kernel) -> None:
    """Refuse constants beyond int64: Numba would make them unsigned and mix signs silently."""
    code = function.__code__
    named = ((name, function.__globals__.get(name)) for name in code.co_names)
    literal = (("a number", constant) for constant in code.co_consts)
    for name, value in (*named, *literal):
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, int) and not -(1 << 63) <= number < 1 << 63:
                reason = f"{name} = {number:#x} is beyond int64; write signed(...) where it is set"
                raise KernelError(function, reason)


def _check_types(function: Kernel, compiled: Any) -> None:
    """Refuse kernels in which type inference found an unsigned or a floating-point number."""
    typemap = compiled.fndesc.typemap
    for block in compiled.type_annotation.blocks.values():
        for statement in block.body:
            target: Any = getattr(statement, "target", None)
            found = typemap.get(getattr(target, "name", None))
            if any(_is_foreign(part) for part in _parts(found)):
                name = target.name.partition(".")[0]
                what = "an intermediate result" if name.startswith("$") else name
                hint = "a division is written //, constants from 1 << 63 on through signed()"
                reason = f"{what} is {found}, but all numbers are int64 ({hint})"
                raise KernelError(function, reason, statement.loc.line)


def _parts(numba_type: Any) -> Iterator[Any]:
    if isinstance(numba_type, types.BaseTuple):
        for part in numba_type:
            yield from _parts(part)
    else:
        yield types.unliteral(numba_type) if isinstance(numba_type, types.Literal) else numba_type


def _is_foreign(numba_type: Any) -> bool:
    if isinstance(numba_type, types.Integer):
        return not numba_type.signed
    return isinstance(numba_type, types.Float)


# --- From all kernels to machine code -------------------------------------------------------------


_FAULT_MODULE = f"@{lowering.FAULT} = global [2 x i64] zeroinitializer"
_PEXT_MODULE = f"""
define i64 @{lowering.HAS_PEXT}() {{
  ret i64 1
}}
define i64 @{lowering.PEXT}(i64 %word, i64 %mask) {{
  %result = call i64 @llvm.x86.bmi.pext.64(i64 %word, i64 %mask)
  ret i64 %result
}}
declare i64 @llvm.x86.bmi.pext.64(i64, i64)
"""
_NO_PEXT_MODULE = f"""
define i64 @{lowering.HAS_PEXT}() {{
  ret i64 0
}}
"""


def emit(modules: Modules, visible: set[str], cpu: str) -> bytes:
    """Machine code for one processor level, of all kernels together; `visible`: the symbols of
    those that Python calls."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple = processor.triple()
    name, features = processor.cpu_and_features(cpu)
    machine = llvm.Target.from_triple(triple).create_target_machine(
        cpu=name,
        features=features,
        opt=3,
        reloc="static" if processor.is_x86_64() else "default",
        codemodel="jitdefault",
        jit=True,
    )
    program = llvm.parse_assembly("")
    program.triple = triple
    program.data_layout = str(machine.target_data)
    texts = [text for texts in modules.values() for text in texts]
    texts.append(vectors.vectors_module(cpu))
    texts.append(_PEXT_MODULE if cpu.endswith(processor.PEXT) else _NO_PEXT_MODULE)
    for text in [_FAULT_MODULE, *texts] if lowering.check_bounds else texts:
        module = llvm.parse_assembly(text)
        module.data_layout = program.data_layout
        program.link_in(module)
    for function in program.functions:
        if not function.is_declaration and function.name not in visible:
            function.linkage = "internal"  # LLVM may inline all calls and drop the function

    options = llvm.create_pipeline_tuning_options(speed_level=3)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(program, passes)

    for function in program.functions:
        if function.is_declaration and not function.name.startswith("llvm."):
            _raise_missing(modules, function.name)
    return bytes(machine.emit_object(program))


def _raise_missing(modules: Modules, missing: str) -> None:
    """Raise an error that names the kernel that needs a function missing from the object."""
    for function in modules:
        if missing == _raises(symbol(function)):
            raise KernelError(
                function,
                "it could raise an exception, and nothing would catch it. Look for raise, assert, "
                "a range() whose step is not constant, a tuple indexed by a variable",
            )
    for function, texts in modules.items():
        if any(missing in text for text in texts):
            raise KernelError(
                function,
                f"it needs {missing}, which the object does not have. Kernels call only kernels "
                "and the operations of bits.py, and never allocate",
            )
    raise TypeError(f"the kernels need {missing}, which the object does not have")
