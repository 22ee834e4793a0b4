"""What IPython's users are used to, over the wire: magics, output in its place, prompts, history."""

import json
import re

import pytest
from conftest import TIMEOUT


def shown(outputs):
    """Outputs as (kind, text), neighbours of a stream put together, in their order."""
    said = []
    for kind, out in outputs:
        if kind == "execute_input":
            continue
        if kind == "stream":
            if said and said[-1][0] == out["name"]:
                said[-1] = (out["name"], said[-1][1] + out["text"])
                continue
            said.append((out["name"], out["text"]))
        elif kind == "error":
            said.append((kind, out["ename"]))
        elif "data" in out:
            said.append((kind, "image" if "image/png" in out["data"] else out["data"].get("text/plain", "")))
        else:
            said.append((kind, out))
    return [(kind, text) for kind, text in said if text != ""]


def converse(kernel, code, answers):
    """Run code that asks; returns the reply's content, the prompts, and what was shown."""
    client, prompts, outputs, answers = kernel.client, [], [], iter(answers)

    def answer(message):
        prompts.append((message["content"]["prompt"], message["content"]["password"]))
        client.input(next(answers))

    reply = client.execute_interactive(
        code, allow_stdin=True, timeout=TIMEOUT, stdin_hook=answer, output_hook=lambda m: outputs.append((m["msg_type"], m["content"]))
    )
    return reply["content"], prompts, shown([out for out in outputs if out[0] != "status"])


def test_inline_figures_come_once_and_in_order(kernel):
    kernel.text("%matplotlib inline\nimport matplotlib.pyplot as plt")
    _, outputs = kernel.run("print('a')\nplt.plot([1, 2]); plt.show()\nprint('b')\nplt.figure(); plt.plot([2, 1])\nplt.figure()\nprint('c')")
    assert shown(outputs) == [
        ("stdout", "a\n"),
        ("display_data", "image"),
        ("stdout", "b\nc\n"),
        ("display_data", "image"),
        ("display_data", "<Figure size 640x480 with 0 Axes>"),
    ]
    assert shown(kernel.run("print('d')")[1]) == [("stdout", "d\n")]
    _, outputs = kernel.run("fig, ax = plt.subplots()\nplt.close(fig)\nfig")
    assert shown(outputs) == [("execute_result", "image")]


def test_figures_of_weft_arrays(kernel):
    _, outputs = kernel.run("import numpy as np\nx = np.linspace(0, 6, 50)\n_ = plt.plot(x, np.sin(x)); plt.imshow(np.outer(x, x));")
    assert shown(outputs) == [("display_data", "image")]


def test_progress_bars(kernel):
    content, outputs = kernel.run("from tqdm import tqdm\nfor i in tqdm(range(3), desc='plain'): pass")
    text = "".join(out["text"] for kind, out in outputs if kind == "stream" and out["name"] == "stderr")
    assert content["status"] == "ok"
    assert re.search(r"\rplain: 100%\|█+\| 3/3", text)
    # Without widgets tqdm.auto says so, and prints.
    content, outputs = kernel.run("from tqdm.auto import tqdm\nfor i in tqdm(range(3)): pass")
    assert content["status"] == "ok"
    assert any(kind == "display_data" or "3/3" in out.get("text", "") for kind, out in outputs)


def test_debugger_after_an_error(kernel):
    kernel.run("def inner(x):\n    y = x * 2\n    return y / 0\ndef outer(x):\n    return inner(x + 1)")
    assert kernel.run("outer(4)")[0]["ename"] == "ZeroDivisionError"
    content, prompts, said = converse(kernel, "%debug", ["p y", "up", "p x", "q"])
    assert content["status"] == "ok"
    assert prompts == [("ipdb> ", False)] * 4
    text = "".join(text for _, text in said)
    assert re.search(r"\n10\n", text) and re.search(r"\n4\n", text)
    assert "ZeroDivisionError" not in "".join(text for kind, text in said if kind == "error")


def test_debugger_in_the_middle(kernel):
    content, prompts, said = converse(kernel, "value = 3\nbreakpoint()\nvalue += 1\nprint('end', value)", ["p value", "c"])
    assert content["status"] == "ok" and len(prompts) == 2
    text = "".join(text for _, text in said)
    assert "3\n" in text and text.endswith("end 4\n")


def test_prompts(kernel):
    content, prompts, said = converse(kernel, "import getpass\na = input('a? '); b = getpass.getpass('b? ')\nprint(a, b)", ["1", "2"])
    assert prompts == [("a? ", False), ("b? ", True)]
    assert said == [("stdout", "1 2\n")]
    content, _ = kernel.run("input('nobody is there')", allow_stdin=False)
    assert content["ename"] == "StdinNotImplementedError"


def test_store_across_kernels(kernel, fresh_kernel):
    kernel.text("import numpy as np\nheld = np.arange(5) * 2; also = {'a': 1}\n%store held also")
    other = fresh_kernel()
    other.text("%store -r")
    assert other.text("print(also, held, type(type(held)).__module__)") == "{'a': 1} [0 2 4 6 8] weft\n"


def test_scripts_see_weft(kernel, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys\nimport numpy as np\nprint(np.__name__, __name__, sys.argv[1:])\nmade = np.arange(4) + before\n")
    kernel.text("before = 10")
    content, outputs = kernel.run(f"%run -i {script} one two\nint(made.sum())")
    assert shown(outputs)[0] == ("stdout", "weft __main__ ['one', 'two']\n")
    assert ("execute_result", "46") in shown(outputs)
    script.write_text("print(before)\n")
    content, outputs = kernel.run(f"%run {script}")
    assert ("error", "NameError") in shown(outputs)


def test_shells(kernel):
    content, outputs = kernel.run("print('before')\n!echo mid; echo error >&2; exit 4\nprint('after', _exit_code)")
    assert [(kind, text.replace("\r\n", "\n")) for kind, text in shown(outputs)] == [("stdout", "before\nmid\nerror\nafter 4\n")]
    content, outputs = kernel.run("%%bash\necho out\necho err >&2")
    assert sorted(shown(outputs)) == [("stderr", "err\n"), ("stdout", "out\n")]
    content, outputs = kernel.run("%%bash\nexit 3")
    assert content["ename"] == "CalledProcessError" and "exit status 3" in content["evalue"]
    assert kernel.text("lines = !printf 'a\\nb\\n'\nprint(lines)") == "['a', 'b']\n"
    assert kernel.text("%%bash --out caught\necho kept") == ""
    assert kernel.text("caught") == "'kept\\n'"


def test_children_print_below_their_cell(kernel):
    code = "import subprocess\nprint('one')\nsubprocess.run(['echo', 'two'])\nprint('three')\nsubprocess.run('echo four >&2', shell=True);"
    assert shown(kernel.run(code)[1]) == [("stdout", "one\ntwo\nthree\n"), ("stderr", "four\n")]


def test_children_print_in_their_place_every_time(kernel):
    """While what a child wrote is on its way, what is printed next must not overtake it."""
    code = "import os\nfor i in range(300):\n    print(i)\n    os.write(1, b'written\\n')\n    print('between')\n    os.system('echo child')"
    assert kernel.text(code) == "".join(f"{i}\nwritten\nbetween\nchild\n" for i in range(300))


def test_capture(kernel):
    _, outputs = kernel.run("%%capture caught\nimport sys\nfrom IPython.display import display\nprint('hidden')\nprint('e', file=sys.stderr)\ndisplay(1)\n2")
    assert shown(outputs) == []
    assert kernel.text("caught.stdout, caught.stderr, len(caught.outputs)") == "('hidden\\n', 'e\\n', 2)"
    assert shown(kernel.run("caught.show()")[1])[:2] == [("stdout", "hidden\n"), ("stderr", "e\n")]
    assert kernel.text("%%capture --no-stderr only\nprint('hidden')") == ""
    assert kernel.text("print('seen again')") == "seen again\n"


def test_await(kernel):
    assert kernel.text("import asyncio\nawait asyncio.sleep(0.01, 'result')") == "'result'"
    assert kernel.text("async with asyncio.timeout(30):\n    print(await asyncio.gather(*(asyncio.sleep(0, i) for i in range(3))))") == "[0, 1, 2]\n"
    assert kernel.text("async def numbers():\n    for i in range(3): yield i\n[i async for i in numbers()]") == "[0, 1, 2]"


def test_threads_print_below_the_cell_that_started_them(kernel):
    """Also when another cell runs by then, and from threads of threads."""
    client = kernel.client
    first = client.execute(
        "import threading\ngo, said = threading.Event(), threading.Event()\n"
        "def child(): print('child'); said.set()\n"
        "def parent():\n    go.wait()\n    print('parent')\n    threading.Thread(target=child).start()\n"
        "threading.Thread(target=parent).start()\nprint('begun')"
    )
    second = client.execute("print('second'); go.set(); said.wait(); print('end')")
    text, idle = {first: "", second: ""}, 0
    while idle < 2 or len(text[first]) < len("begun\nparent\nchild\n"):
        message = client.get_iopub_msg(timeout=TIMEOUT)
        number = message["parent_header"].get("msg_id")
        if message["msg_type"] == "stream":
            text[number] += message["content"]["text"]
        idle += number in text and message["content"].get("execution_state") == "idle"
    assert text == {first: "begun\nparent\nchild\n", second: "second\nend\n"}
    for _ in text:
        assert client.get_shell_msg(timeout=TIMEOUT)["content"]["status"] == "ok"


@pytest.mark.parametrize("code", ["import sys; sys.exit(3)", "raise SystemExit(3)"])
def test_sys_exit_ends_the_cell_only(kernel, code):
    kernel.text("kept = 5")
    content, outputs = kernel.run(code)
    assert (content["ename"], content["evalue"]) == ("SystemExit", "3")
    assert ("error", "SystemExit") in shown(outputs)
    assert kernel.text("print(kept)") == "5\n"


def test_display_updates(kernel):
    def updates(code):
        return [(kind, out["data"]["text/plain"], out["transient"].get("display_id")) for kind, out in kernel.run(code)[1] if "data" in out]

    (first,) = updates("from IPython.display import display, update_display\nhandle = display('one', display_id='mine')")
    assert first == ("display_data", "'one'", "mine")
    assert updates("handle.update('two')") == [("update_display_data", "'two'", "mine")]
    assert updates("update_display('three', display_id='mine')") == [("update_display_data", "'three'", "mine")]
    ((_, _, number),) = updates("handle = display(1, display_id=True)")
    assert number and updates("handle.update(2)") == [("update_display_data", "2", number)]


def test_clear_output(kernel):
    _, outputs = kernel.run("from IPython.display import clear_output\nprint('one')\nclear_output(wait=True)\nprint('two')\nclear_output()")
    assert shown(outputs) == [("stdout", "one\n"), ("clear_output", {"wait": True}), ("stdout", "two\n"), ("clear_output", {"wait": False})]
    assert shown(kernel.run("print('one')\n%clear")[1]) == [("stdout", "one\n"), ("clear_output", {"wait": False})]


def test_results_are_kept(fresh_kernel):
    kernel = fresh_kernel()
    kernel.run("1 + 1")
    kernel.run("'x'")
    assert kernel.text("_, __, _1, Out[2], In[1]") == "('x', 2, 2, 'x', '1 + 1')"
    assert kernel.text("3;") == ""
    assert kernel.text("_") == "('x', 2, 2, 'x', '1 + 1')"
    assert kernel.text("%history -n 1-2") == "   1: 1 + 1\n   2: 'x'\n"
    assert "1 + 1" in kernel.text("%history -o")
    assert kernel.text("%recall 1") == ""
    content, _ = kernel.run("%rerun 1")
    assert content["status"] == "ok"


def test_notebook_of_the_session(fresh_kernel, tmp_path):
    kernel = fresh_kernel()
    kernel.run("print('said')\n6 * 7")
    kernel.text(f"%notebook {tmp_path / 'session.ipynb'}")
    (cell, *_) = json.loads((tmp_path / "session.ipynb").read_text())["cells"]
    assert cell["source"] in ("print('said')\n6 * 7", ["print('said')\n", "6 * 7"])
    assert [out["output_type"] for out in cell["outputs"]] == ["stream", "execute_result"]


def test_autoreload(kernel, tmp_path):
    module = tmp_path / "changing_module.py"
    module.write_text("def f(): return 'old'\n")
    kernel.text(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.dont_write_bytecode = True\n%load_ext autoreload\n%autoreload 2")
    assert kernel.text("import changing_module\nchanging_module.f()") == "'old'"
    module.write_text("def f(): return 'new, and longer'\n")
    assert kernel.text("changing_module.f()") == "'new, and longer'"
    assert kernel.text("%autoreload 0") == ""


def test_timeit_of_arrays_waits_for_them(kernel):
    kernel.text("import numpy as np\nx = np.ones((400, 400))\ndone = []")
    text = kernel.text("%timeit -n 5 -r 3 x @ x")
    assert re.fullmatch(
        r"(The slowest run .*\n)?[\d.]+ \S+ ± [\d.]+ \S+ per loop \(mean ± std\. dev\. of 3 runs, 5 loops each\)\n"
        r"until arrays are complete; until operations are recorded: [\d.]+ \S+ ± [\d.]+ \S+ per loop\n",
        text,
    ), text
    # Turns whose results are dropped are computed all the same, and the setup's work is not counted.
    before = int(kernel.text("import weft\nprint(weft.stats()['tasks'])"))
    assert kernel.text("result = %timeit -q -o -n 20 -r 2 x * 2 + 1") == ""
    assert int(kernel.text("print(weft.stats()['tasks'])")) - before >= 40
    assert kernel.text("result.loops, result.repeat, result.recording.average <= result.average") == "(20, 2, True)"
    assert "until arrays are complete" in kernel.text("%%timeit -n 2 -r 2 y = x + 1\nz = y * 2\nz += 1")
    assert kernel.run("%timeit x + np.ones(7)")[0]["ename"] == "ValueError"


def test_timeit_of_anything_else_is_ipythons(kernel):
    kernel.text("import numpy as np; calls = []")
    text = kernel.text("%timeit -n 3 -r 2 calls.append(1)")
    assert "(mean ± std. dev. of 2 runs, 3 loops each)\n" in text and "arrays" not in text
    assert kernel.text("len(calls)") == "6"
    assert kernel.run("%timeit 1 +")[0]["ename"] == "SyntaxError"


def test_pager(kernel, tmp_path):
    (tmp_path / "text.txt").write_text("words\n")
    for code, want in ((f"%less {tmp_path / 'text.txt'}", "words"), ("len?", "number of items"), ("%pinfo len", "number of items")):
        (payload,) = kernel.run(code)[0]["payload"]
        assert payload["source"] == "page" and want in payload["data"]["text/plain"]
    content, outputs = kernel.run("%less")
    assert content["ename"] == "UsageError"
    assert shown(outputs) == [("stderr", "UsageError: %less: got no file name; want %less FILE\n")]


def test_loaded_text_is_proposed(kernel, tmp_path):
    (tmp_path / "loaded.py").write_text("a = 1\n")
    (payload,) = kernel.run(f"%load {tmp_path / 'loaded.py'}")[0]["payload"]
    assert payload["source"] == "set_next_input" and payload["replace"] and payload["text"].endswith("a = 1\n")


def test_what_cannot_be_shown_is_an_error(kernel):
    content, outputs = kernel.run("class Broken:\n    def __repr__(self): 1 / 0\nBroken()")
    assert content["ename"] == "ZeroDivisionError"
    assert shown(outputs) == [("error", "ZeroDivisionError")]
    content, outputs = kernel.run("try:\n    1 / 0\nexcept ZeroDivisionError:\n    get_ipython().showtraceback()")
    assert content["status"] == "ok"  # the cell has dealt with it


def test_interrupted_printers_end_the_cell(kernel):
    """IPython's printers fail at cleaning up after an interrupt, and its formatters go on after a failure."""
    printer = "class Long:\n    def _repr_pretty_(self, p, cycle):\n        try:\n            raise KeyboardInterrupt\n        finally:\n            [][0]"
    content, outputs = kernel.run(f"{printer}\ndisplay(Long())\nprint('went on')")
    assert content["ename"] == "KeyboardInterrupt"
    assert shown(outputs) == [("error", "KeyboardInterrupt")]


def test_comms_of_older_libraries(kernel):
    """bokeh, for one, takes its comms from ipykernel."""
    _, outputs = kernel.run("from ipykernel.comm import Comm\nold = Comm(target_name='mine', data={'a': 1})\nold.send({'b': 2}, buffers=[b'xyz'])")
    opened, sent = [(kind, out) for kind, out in outputs if kind.startswith("comm_")]
    assert (opened[0], opened[1]["target_name"], opened[1]["data"]) == ("comm_open", "mine", {"a": 1})
    assert (sent[0], sent[1]["comm_id"], sent[1]["data"]) == ("comm_msg", opened[1]["comm_id"], {"b": 2})
    kernel.text("received = []\nold.on_msg(received.append)")
    client = kernel.client
    client.shell_channel.send(client.session.msg("comm_msg", {"comm_id": opened[1]["comm_id"], "data": {"c": 3}}))
    assert kernel.text("received[0]['content']['data']") == "{'c': 3}"


def test_code_finds_its_message(kernel):
    client = kernel.client
    message = client.session.msg("execute_request", {"code": "parent = get_ipython().get_parent()"}, metadata={"cellId": "abc"})
    client.shell_channel.send(message)
    while client.get_shell_msg(timeout=TIMEOUT)["parent_header"].get("msg_id") != message["header"]["msg_id"]:
        pass
    found = kernel.text("print(parent['header']['msg_id'] == parent['msg_id'], parent['msg_id'], parent['msg_type'], parent['metadata']['cellId'])")
    assert found.split() == ["True", message["header"]["msg_id"], "execute_request", "abc"]
    assert kernel.text("get_ipython().parent_header['header'] == get_ipython().kernel.get_parent()['header']") == "True"


PROF = """%%prof
import numpy as np
x = np.arange(1_000_000.0)
for i in range(3):
    x = np.sqrt(x * 2 + i)
print(int(x[0]))
x.sum()"""


def test_prof_says_what_each_line_costs(kernel):
    content, outputs = kernel.run(PROF)
    assert content["status"] == "ok"
    kinds = [kind for kind, _ in outputs if kind not in ("status", "execute_input")]
    assert kinds == ["stream", "execute_result", "display_data"], outputs
    report = next(out["data"] for kind, out in outputs if kind == "display_data")
    lines = report["text/plain"].splitlines()
    assert re.match(rf"In\[{content['execution_count']}\]: .* on \d+ lanes?; .* that this machine copies", lines[0]), lines[0]
    costly = next(line for line in lines if "| 5     x = np.sqrt" in line)  # the magic is line 1
    assert re.match(r" *[\d.]+ [mun]?s +\d+%", costly), costly
    assert any("operations in" in line for line in lines) and any("waited 1 time" in line for line in lines), lines
    assert report["image/svg+xml"].startswith("<svg ") and "<table" in report["text/html"]


def test_lines_count_from_the_first_that_is_not_empty(kernel):
    """IPython cuts off empty lines at the beginning of a cell, and counts without them."""
    kernel.run("\n\n%%prof\nimport numpy as np\nx = np.arange(100_000.0)\nprint(float((x * 2).sum()))")
    _, outputs = kernel.run("\n  \nx = x + 1.0\nprint(float(x.sum()))")
    _, outputs = kernel.run("import weft\nprint(weft.profile.summary(None))")
    assert "line 1 " in shown(outputs)[0][1] and "line 3" not in shown(outputs)[0][1], outputs


def test_prof_of_a_cell_that_fails(kernel):
    content, outputs = kernel.run("%%prof\nimport numpy as np\ny = np.ones(10)\n1 / 0")
    assert content["status"] == "error" and content["ename"] == "ZeroDivisionError"
    assert "----> 4 1 / 0" in re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(content["traceback"]))
    assert any("| 3 y = np.ones(10)" in out.get("data", {}).get("text/plain", "") for _, out in outputs)
    content, _ = kernel.run("%%prof fast\n1")
    assert content["ename"] == "UsageError"
    content, outputs = kernel.run("%%prof\n1 + 1")  # no array at all
    assert content["status"] == "ok"
    (report,) = [out["data"]["text/plain"] for _, out in outputs if "| 2 1 + 1\n" in out.get("data", {}).get("text/plain", "")]
    assert "tasks 0 ns" in report  # what stands out, where anything does, is how busy the machine is


def test_mem_says_who_holds_what(kernel):
    kernel.run("import numpy as np\nbig = np.ones((1000, 500))\npart = big[::2]\nsmall = np.arange(10.0) + 1\nfloat(big.sum() + small.sum())")
    content, outputs = kernel.run("%mem")
    data = next(out["data"] for kind, out in outputs if kind == "execute_result")
    lines = data["text/plain"].splitlines()
    assert lines[0].split() == ["memory", "in", "use", "peak", "of", "buffers"]
    assert re.match(r"host +[\d.]+ MB +[\d.]+ MB", lines[1]), lines
    names = [line.split()[0] for line in lines[lines.index("") + 2 :]]
    assert names.index("big") < names.index("part") < names.index("small")
    part = next(line for line in lines if line.startswith("part"))
    assert "float64 (500, 500), a view" in part and "2 MB" in part
    assert data["image/svg+xml"].startswith("<svg") and 'src="data:image/svg+xml;base64,' in data["text/html"]
    content, _ = kernel.run("%mem 99")
    assert content["status"] == "error" and "In[99] is not among the cells" in content["evalue"]


def test_weft_info_is_a_page(kernel):
    """In words and numbers with units, for a front end as a table; nothing of it is Python's."""
    kernel.text("import numpy as np\nx = (np.arange(1_000_000.0) * 2).sum()\nprint(x)")
    _, outputs = kernel.run("%weft_info")
    (data,) = [out["data"] for kind, out in outputs if kind == "execute_result"]
    assert [line for line in data["text/plain"].splitlines() if line and not line.startswith("  ")] == ["Machine", "Memory", "Work since the start", "Functions"]
    assert re.search(r"^  host +.* at most \d+(\.\d+)? MB; ", data["text/plain"], re.MULTILINE)
    assert re.search(r"^  operations +[\d,]+, [\d,]+ of them in one pass with others$", data["text/plain"], re.MULTILINE)
    assert "{" not in data["text/plain"] and data["text/html"].startswith("<table>") and ">Work since the start</th>" in data["text/html"]
    assert kernel.run("%weft_info now")[0]["ename"] == "UsageError"
