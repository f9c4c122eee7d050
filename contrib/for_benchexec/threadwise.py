"""The tool-info module for BenchExec: how threadwise is called, and what its answer means.

Put this folder on PYTHONPATH and name the module in the benchmark definition:

    PYTHONPATH=contrib benchexec contrib/for_benchexec/threadwise.xml
"""

from __future__ import annotations

import benchexec.result as result
from benchexec.tools.sv_benchmarks_util import ILP32, LP64, get_data_model_from_task
from benchexec.tools.template import BaseTool2

_REJECTED = 2


class Tool(BaseTool2):
    """Calls `threadwise check` with a property file, and reads its exit code."""

    def executable(self, tool_locator):
        """Find the tool."""
        return tool_locator.find_executable("threadwise")

    def name(self):
        """How tables call it."""
        return "threadwise"

    def version(self, executable):
        """The version that it tells of itself."""
        return self._version_from_tool(executable, line_prefix="threadwise ")

    def cmdline(self, executable, options, task, rlimits):
        """One program with one property, within the limits."""
        command = [executable, "check", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "ILP32", LP64: "LP64"})
        if model:
            command += ["--data-model", model]
        if rlimits.walltime and "--time-limit" not in options:
            command += ["--time-limit", str(rlimits.walltime)]
        return [*command, *task.input_files]

    def determine_result(self, run):
        """The verdict stands in the last line, and in the exit code."""
        answers = {0: result.RESULT_TRUE_PROP, 3: result.RESULT_UNKNOWN}
        if run.exit_code.value in answers:
            return answers[run.exit_code.value]
        if run.exit_code.value == 1:
            is_race = any("races" in line and "UNSAFE" in line for line in run.output)
            return result.RESULT_FALSE_DATARACE if is_race else result.RESULT_FALSE_REACH
        if run.exit_code.value == _REJECTED:
            return f"{result.RESULT_ERROR} (rejected)"
        return f"{result.RESULT_ERROR} (internal)"
