"""What is kept of earlier cells' outputs stays within bounds."""

from sys import getsizeof
from types import SimpleNamespace

from weft.jupyter.output_history import OutputHistory, measure


def test_the_oldest_outputs_go():
    history = SimpleNamespace(outputs={}, exceptions={})
    outputs = [SimpleNamespace(bundle={"stream": ["x" * 20]}), SimpleNamespace(bundle={"text/plain": "y" * 10})]
    kept = OutputHistory(history, limit=3 * (measure([vars(one) for one in outputs]) + measure(None)))
    for number in range(1, 8):
        history.outputs[number] = outputs
        kept.add(number)
    assert list(history.outputs) == [5, 6, 7]
    history.exceptions[8] = {"ename": "E", "traceback": ["z" * 50_000]}  # too large by itself: only it is kept
    kept.add(8)
    assert (list(history.outputs), list(history.exceptions)) == ([], [8])
    kept.add(9)  # a cell that showed nothing
    assert list(history.exceptions) == [8]
    history.outputs[10] = [SimpleNamespace(bundle={"image/png": b"p" * 60})]
    kept.add(10)
    assert (list(history.outputs), list(history.exceptions)) == ([10], [])


def test_measure():
    what = {"a": "12", "b": [b"3", {"c": ("45", 7, None)}]}
    inner = what["b"][1]
    parts = [what, "12", what["b"], b"3", inner, inner["c"], "45", 7, None]
    assert measure(what) == sum(map(getsizeof, parts))
