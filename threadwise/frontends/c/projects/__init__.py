"""Projects: which C files are a program, and how each of them is compiled.

    compile_commands.json ─ entries ─▶ commands ─▶ options of each file
    link_commands.json ────────────────▶ programs: which files belong together

- `entries`      what stands in these files
- `invocations`  what the words of one command say: sources, objects, output
- `programs`     the programs that the commands make
- `commands`     the options that concern reading a file
"""
