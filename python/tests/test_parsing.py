"""Long cells that are parsed in pieces: the tree and the errors of the whole."""

import ast
import contextlib
import random

import pytest
from weft.jupyter import parsing

STATEMENTS = """
x = 1
if x:
    y = 2
elif y:

    y = 3
else:
    pass
# if
@f
def g(a, *,
b=1):
    '''
text
def no(:
    '''
    return a
t = \"\"\"
else:
x = (
\"\"\" + '''
y'''
try:
    pass
except* E:
    pass
finally: pass
for i in x:
    pass
else: pass
z = [1,
2,
x
]
w = 1 + \\
a
async def h(): await z
await z
match = 1
match x:
    case 1: pass
    case _:
        q

class C: pass
ä = f'{x!r:>{w}}' 'b'
x; y ;z
from __future__ import annotations
""".strip()
BROKEN = ["x = (", "  y", "t = '''", "else:", "x = 1 +", "a b", "@f", "if x:", "1 = x", "f(a=1, a=2)", "\tif x:\n        y", "'\\N{no}'", "\0", "x = 0777"]


def told(parse, source):
    try:
        return ast.dump(parse(source), include_attributes=True)
    except (SyntaxError, ValueError) as error:
        return type(error), error.args


def compiled(source):
    return compile(source, "cell", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, 1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::SyntaxWarning")
def test_trees_and_errors_are_those_of_the_whole():
    blocks = [block for block in STATEMENTS.split("\n")]
    seen = set()
    for seed in range(120):
        r = random.Random(seed)
        lines = blocks * r.randint(1, 3)
        for _ in range(r.choice((0, 0, 1, 1, 3))):  # lines that go, come or break
            at = r.randrange(len(lines))
            lines[at : at + r.randint(0, 1)] = r.choice((BROKEN, blocks, [""]))[:][0:1] if r.random() < 0.3 else [r.choice(BROKEN + blocks)]
        source = r.choice(("\n", "\n", "\r\n", "\r")).join(lines) + r.choice(("", "\n", "\n\n  "))
        want = told(compiled, source)
        for size in (1, 20, 100):
            assert told(lambda text, size=size: parsing.parse(text, compiled, size=size), source) == want, (seed, size)
        seen.add(want[0] if isinstance(want, tuple) else "tree")
    assert {"tree", SyntaxError, IndentationError} <= seen


def test_there_is_an_interrupt_between_any_two_pieces():
    source = "x = 1\n" * 10_000
    entered = []

    @contextlib.contextmanager
    def between():
        entered.append(1)
        if len(entered) == 3:
            raise KeyboardInterrupt
        yield

    with pytest.raises(KeyboardInterrupt):
        parsing.parse(source, compiled, between, size=1000)
    lengths = []
    parsing.parse(source, lambda text: lengths.append(len(text.lstrip("\n"))) or compiled(text), size=1000)
    assert max(lengths) < 1100 and len(lengths) == 60


def test_a_piece_that_is_long_is_told():
    told_of = []
    source = "x = 1\n" * 40_000 + "y = '''" + "\nword" * 500_000 + "'''\n" + "z = 1\n" * 100
    tree = parsing.parse(source, compiled, tell=told_of.append)
    assert len(tree.body) == 40_101 and told_of and max(told_of) <= len(source)
