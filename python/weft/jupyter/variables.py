"""What a variables panel shows: names, types, short values, and what is inside of them.

It works without a debugger, and while a cell runs. A value is described by what can be had for
nothing: of arrays the corners, of objects their own attributes, never properties, which may run
anything.
"""

import itertools
import reprlib
import types
from collections.abc import Mapping, Sequence, Set

FIRST = 1 << 30  # of the numbers that stand for values with something inside; the debugger's are small
LONGEST = 300  # characters of a value's text
MOST = 500  # entries that are listed of one value
ROWS = 50  # of an array: each has to be fetched from where it is
SCALARS = (str, bytes, bytearray, int, float, complex, type(None), range, slice)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)


def is_array(value):
    """Whether a value has the shape and the dtype of an array, of any library's."""
    kind = type(value)
    if not all(hasattr(kind, name) for name in ("dtype", "shape", "ndim")):
        return False
    return value.ndim > 0 or kind.__name__ == "ndarray"  # and not NumPy's scalars


class _Brief(reprlib.Repr):
    """repr() of containers that stops early."""

    def __init__(self):
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = self.maxarray = 30
        self.maxstring = self.maxother = self.maxlong = LONGEST

    def repr_instance(self, value, level):
        if isinstance(value, (bytes, bytearray)):
            value = value[:LONGEST]
        elif is_array(value):
            return f"<{describe_type(value)}>"
        return super().repr_instance(value, level)


_brief = _Brief().repr


def describe_type(value):
    """What front ends show of values that have something inside."""
    name = type(value).__name__
    try:
        return f"{name} {value.dtype} {tuple(value.shape)}" if is_array(value) else name
    except Exception:  # of the value's own methods
        return name


def describe(value):
    """One line that says what a value is."""
    try:
        if is_array(value):
            text = " ".join(str(value).split())
        elif isinstance(value, types.ModuleType):
            text = f"<module {value.__name__!r}>"
        else:
            text = _brief(value)
    except Exception as error:  # of the value's own methods
        text = f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def contents(value):
    """What is inside of a value: triples of name, value, and what leads to it from the value's own expression."""
    try:
        yield from itertools.islice(_inside(value), MOST)
    except Exception:  # of the value's own methods, or a cell that changes it meanwhile
        return


def _inside(value):
    if isinstance(value, (*SCALARS, *FUNCTIONS)):
        return
    if is_array(value):
        for name in ("dtype", "shape", "size", "nbytes"):
            if hasattr(value, name):
                yield name, getattr(value, name), "." + name
        if value.ndim:
            yield from ((str(i), value[i], f"[{i}]") for i in range(min(len(value), ROWS)))
    elif isinstance(value, Mapping):
        for key in list(itertools.islice(value, MOST)):
            yield _brief(key), value[key], f"[{key!r}]" if isinstance(key, SCALARS) else None
    elif isinstance(value, Sequence):
        yield from ((str(i), value[i], f"[{i}]") for i in range(min(len(value), MOST)))
    elif isinstance(value, Set):
        yield from ((str(i), item, None) for i, item in enumerate(list(itertools.islice(value, MOST))))
    for name, item in sorted(_attributes(value).items()):
        if not (name.startswith("__") and name.endswith("__")):
            yield name, item, "." + name


def _attributes(value):
    """An object's own attributes, without running a property."""
    found = {}
    for kind in type(value).__mro__:
        for name, slot in vars(kind).items():
            if isinstance(slot, types.MemberDescriptorType) and slot.__objclass__ is kind:
                try:
                    found[name] = slot.__get__(value)
                except AttributeError:  # it has not been set
                    continue
    own = getattr(value, "__dict__", None)
    if isinstance(own, (dict, types.MappingProxyType)):
        found.update((name, item) for name, item in list(own.items()) if isinstance(name, str))
    return found


class Group:
    """Variables that are shown as one, to be opened."""

    def __init__(self, entries):
        self.entries = entries


class Explorer:
    """Lists variables; each that has something inside gets a number by which that is asked for."""

    def __init__(self):
        self._held = {}  # by number: the value and its expression
        self._numbers = itertools.count(FIRST)

    def list(self, namespace):
        """The variables of a namespace. What was listed before is let go."""
        self._held = {}
        plain, functions, classes = [], [], []
        for name, value in sorted(namespace.items(), key=lambda item: item[0]):
            group = functions if isinstance(value, FUNCTIONS) else classes if isinstance(value, type) else plain
            group.append((name, value, name))
        groups = [("function variables", functions), ("class variables", classes)]
        groups = [(name, Group(entries), None) for name, entries in groups if entries]
        return [self._entry(*entry) for entry in groups + plain]

    def children(self, number):
        """What is inside of the value that has the number; None if there is none."""
        if number not in self._held:
            return None
        value, expression = self._held[number]
        if isinstance(value, Group):
            return [self._entry(*entry) for entry in value.entries]
        return [
            self._entry(name, item, expression + way if expression and way else None) for name, item, way in contents(value)
        ]

    def _entry(self, name, value, expression):
        if isinstance(value, Group):
            return {"name": name, "value": "", "type": "", "variablesReference": self._hold(value, None)}
        entry = {"name": name, "value": describe(value), "type": describe_type(value), "variablesReference": 0}
        if expression:
            entry["evaluateName"] = expression
        if isinstance(value, (str, bytes, bytearray)):
            entry["presentationHint"] = {"attributes": ["rawString"]}
        if next(contents(value), None) is not None:
            entry["variablesReference"] = self._hold(value, expression)
        return entry

    def _hold(self, value, expression):
        number = next(self._numbers)
        self._held[number] = value, expression
        return number
