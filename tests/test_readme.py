"""README.md says what is so: its commands, options, targets and magics are there. Its paths are looked at by internal/lint."""

import re
import subprocess

import nbformat
import pytest
from conftest import ROOT, TIMEOUT

TEXT = (ROOT / "README.md").read_text()
QUOTED = re.findall(r"`([^`\n]+)`", TEXT)


def test_commands_have_the_options_that_are_shown():
    lines = re.findall(r"(?<!\w)bin/weft (\w+)([^`\n]*)", TEXT)
    assert {"install", "run", "exec", "export", "view", "info"} <= {command for command, _ in lines}
    for command in {command for command, _ in lines}:
        done = subprocess.run([ROOT / "bin" / "weft", command, "--help"], capture_output=True, text=True, timeout=TIMEOUT)
        flags = subprocess.run([ROOT / "bin" / "weft", "help"], capture_output=True, text=True, timeout=TIMEOUT).stdout
        assert done.returncode == 0, (command, done.stderr)
        for asked in [rest.split("  ")[0] for name, rest in lines if name == command]:
            for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", asked):
                assert option == "--help" or re.search(rf"(^|[\s\[,]){option}\b", done.stdout + flags, re.MULTILINE), (command, option)


def test_make_has_the_targets():
    rules = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"(?:^    |`)make ([a-z-]+)", TEXT, re.MULTILINE))
    assert {"run", "lab", "test", "bench"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:.*##", rules, re.MULTILINE)] == []


def test_the_kernel_has_the_magics(kernel):
    magics = {word for word in QUOTED for word in re.findall(r"^%%?(\w+)", word)}
    assert {"prof", "timeline", "weft_config", "weft_info"} <= magics
    known = kernel.text("print(sorted({*get_ipython().magics_manager.magics['line'], *get_ipython().magics_manager.magics['cell']}))")
    assert [name for name in magics if f"'{name}'" not in known] == []


def test_several_gpus_are_only_promised_as_emulated():
    """Until several real ones have been tried."""
    for line in TEXT.splitlines():
        if re.search(r"--gpus [2-9]", line):
            assert "--emulate" in line, line


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_shipped_with_their_outputs(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert cells and all(cell.execution_count for cell in cells)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs and not [output for output in outputs if output.output_type == "error"]
    assert path.stat().st_size < 1_000_000
    assert str(ROOT.parent) not in path.read_text()
