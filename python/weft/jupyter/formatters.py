"""IPython's formatter of values, faster.

It asks a dozen formatters, one for each MIME type, and each goes through the ancestors of the value's type
to find out that it has nothing for it. Here that is remembered by type.
"""

from IPython.core.formatters import DisplayFormatter

MANY = 1000  # types; a program that shows values of more types than that makes them as it goes


class KernelDisplayFormatter(DisplayFormatter):
    """DisplayFormatter that does not ask those that were asked in vain."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self._methods = {kind: f.print_method for kind, f in self.formatters.items() if kind != "text/plain"}
        every = [self.mimebundle_formatter, *(self.formatters[kind] for kind in self._methods)]
        self._singletons = [f.singleton_printers for f in every]
        self._printers = [printers for f in every for printers in (f.type_printers, f.deferred_printers)]
        self._without = {}  # by type: the MIME types that have no printer for it; None where it has bundles
        self._held = None  # how many printers there were then
        for f in every:
            for name in ("for_type", "for_type_by_name", "pop"):
                setattr(f, name, self._forgetting(getattr(f, name)))

    def _forgetting(self, change):
        def changed(*args, **kwargs):
            self._without.clear()
            return change(*args, **kwargs)

        return changed

    def format(self, obj, include=None, exclude=None):
        if not include and not exclude:
            exclude = self._barren(obj)
        return super().format(obj, include=include, exclude=exclude)

    def _barren(self, obj):
        """MIME types that need not be asked about a value, or None."""
        if isinstance(obj, type) or any(self._singletons) or hasattr(obj, "_repr_mimebundle_"):
            return None
        held = sum(map(len, self._printers))
        if held != self._held or len(self._without) > MANY:
            self._without.clear()
            self._held = held
        kind = type(obj)
        without = self._without.get(kind, ())
        if without == ():
            without = None
            if kind not in self.mimebundle_formatter:
                without = [mime for mime in self._methods if kind not in self.formatters[mime]]
            self._without[kind] = without
        if not without:
            return None
        methods = self._methods
        return {mime for mime in without if not hasattr(obj, methods[mime])}
