"""From LLVM's intermediate form to functions that can be called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

BYTE = ir.IntType(8)
BIT = ir.IntType(1)
LONG = ir.IntType(64)
POINTER = ir.PointerType()
VOID = ir.VoidType()


class Compiled:
    """The functions of a module; they live as long as this object does."""

    def __init__(self, module: ir.Module) -> None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        parsed = llvm.parse_assembly(str(module))
        parsed.verify()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(1))
        builder.getModulePassManager().run(parsed, builder)
        self._engine = llvm.create_mcjit_compiler(parsed, machine)
        self._engine.finalize_object()

    def function(self, name: str, arguments: Sequence[Any], result: Any) -> Callable[..., Any]:
        """One of the functions, with the types of its arguments and its result."""
        address = self._engine.get_function_address(name)
        return ctypes.CFUNCTYPE(result, *arguments)(address)
