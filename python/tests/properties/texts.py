"""Strings: the functions of np.strings and np.char. Arrays of them are NumPy's; what numbers a call gives is weft's."""

from . import rows
from .rows import Undrawn, const, family

POOLS = ["['b', 'aa', ' a ', 'Ab1', '']", "['12', '-3', ' 0x', '7']", "['one two', 'ä b', 'x\\ty\\n', 'b,a']"]
BYTES = ["[b'b', b'aa', b' a ', b'', b'Ab1']", "[b'12', b'-3', b'7']"]


def kind_of(scene):
    """What all strings of an example are made of, most often."""
    if scene.chance(12) or not hasattr(scene, "strings"):
        scene.strings = scene.pick("U", "U", "S", "T")
    return scene.strings


def words(scene, kinds=""):
    """An array of strings: of Unicode, of either byte order, of bytes, or of variable length; in one of the layouts; or a list, or one string."""
    kind = scene.strings = scene.pick(*kinds) if kinds else kind_of(scene)
    which = scene.choose(10)
    elements = scene.pick(*(BYTES if kind == "S" else POOLS))
    if which == 8:
        return elements
    if which == 9:
        return scene.pick(*(("b'ab'", "b''") if kind == "S" else ("'ab'", "np.str_('a b')", "np.array('ab')", "''")))
    dtype = {"U": scene.pick("'U7'", "'U9'", "'>U7'"), "S": "'S7'", "T": "np.dtypes.StringDType()"}[kind]
    layout = scene.pick("", "", "[::-1]", "[::2]", "[:0]", ".reshape(1, -1).T", ".reshape(-1, 1)", "[1:]")
    return scene.state(chr(ord("a") + len(scene.arrays)), f"np.array({elements}, {dtype}){layout}")


def characters(scene):
    return words(scene, "UT")


def octets(scene):
    return words(scene, "S")


def word(scene):
    """A string, or an array of them."""
    if scene.chance(6):
        return words(scene)
    return ("b" if kind_of(scene) == "S" else "") + scene.pick("'a'", "''", "'aa'", "'b'", "'1'", "' '")


def fill(scene):
    return ("b" if kind_of(scene) == "S" else "") + scene.pick("'*'", "' '", "'*'", "'ab'", "''")


where = const("0", "1", "-2", "np.array([0, 1])", "99", "None", "'x'")
width = const("9", "0", "3", "-1", "[4, 9]", "np.int8(12)", "2.5")
UFUNC = {"out": None, "where": rows.masked, "dtype": const("bool", "object", "None"), "order": rows.order, "subok": rows.flag}
ONE = "isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle isupper str_len"
TWO = "equal not_equal less less_equal greater greater_equal"


def both(names, *arguments, **more):
    return {**family(" ".join("strings." + n for n in names.split()), *arguments, **more), **family(" ".join("char." + n for n in names.split()), *arguments, **more)}


ROWS = {
    **both(ONE, words, keywords=UFUNC),
    **both("add", words, word, keywords=UFUNC),
    **family(" ".join("strings." + n for n in TWO.split()), words, word, keywords=UFUNC),
    **family(" ".join("char." + n for n in TWO.split()), words, word),
    **both("capitalize lower upper swapcase title", words),
    **both("center ljust rjust", words, width, rows.maybe(fill)),
    **both("zfill", words, width),
    **both("count find rfind index rindex endswith startswith", words, word, rows.maybe(where), rows.maybe(where)),
    **both("encode", characters, rows.maybe(const("'utf8'", "'ascii'", "'x'", "None")), rows.maybe(const("'ignore'", "'strict'"))),
    **both("decode", octets, rows.maybe(const("'utf8'", "'ascii'", "'x'", "None")), rows.maybe(const("'ignore'", "'strict'"))),
    **both("expandtabs", words, rows.maybe(const("4", "0", "[1, 2]", "-1"))),
    **both("strip lstrip rstrip", words, rows.maybe(word)),
    **both("mod", const("np.array(['%d', 'a%d'])", "'%s!'", "np.array([b'%d'])"), const("3", "(1,)", "[1, 2]", "np.arange(2)", "'x'")),
    **both("multiply", words, const("2", "0", "-1", "[1, 2]", "1.5", "np.arange(3)")),
    **both("partition rpartition", words, word),
    **both("replace", words, word, word, keywords={"count": const("1", "0", "-1", "[1, 0]")}),
    **both("translate", octets, const("bytes(range(256))", "bytes(range(255, -1, -1))", "None"), rows.maybe(const("b'a'", "None"))),
    **family("strings.slice", words, where, rows.maybe(where), rows.maybe(const("2", "-1", "0"))),
    **family("char.join", const("'-'", "b'-'", "np.array(['-', '+'])"), words),
    **family("char.split char.rsplit", words, rows.maybe(word), rows.maybe(const("1", "0", "-1"))),
    **family("char.splitlines", words, rows.maybe(rows.flag)),
    **family("char.compare_chararrays", words, word, const("'=='", "'<'", "'>='", "'!='", "'x'"), rows.flag),
    **family("char.array char.asarray", words, keywords={"itemsize": const("3", "0", "None"), "unicode": rows.flag, "order": rows.order}),
    "char.chararray": Undrawn("a class: test_classes.py; char.array makes one"),
}  # fmt: skip
