"""What f? and Shift+Tab say about a function, where that is more than IPython can find out."""

import re
import sys

from IPython.core.oinspect import Inspector


class KernelInspector(Inspector):
    """Shows of weft's functions NumPy's documentation, which is also theirs, their parameters as it has them, and where they run."""

    def _getdef(self, obj, oname=""):
        """The signature. The functions' own defaults only mark what was not given, which tells a user nothing."""
        found = None
        if _runs(obj):
            first, _, _ = (obj.__doc__ or "").lstrip().partition("\n")
            found = re.fullmatch(r"\w+(\(.*\))", first.rstrip())
        return oname + found[1].replace("_NoValue", "<no value>") if found else super()._getdef(obj, oname)

    def _make_info_unformatted(self, obj, info, formatter, detail_level, omit_sections):
        where = _runs(obj)
        if not where:
            return super()._make_info_unformatted(obj, info, formatter, detail_level, omit_sections)
        # What stands in weft's own text is a line for readers of its source.
        info = {**info, "docstring": sys.modules["weft._mirror"].documentation(obj) or info["docstring"], "runs": where}
        bundle = super()._make_info_unformatted(obj, info, formatter, detail_level, omit_sections)
        self._append_info_field(bundle, "Runs", "runs", info, omit_sections, None)
        return bundle


def _runs(obj):
    """Where a function runs, if it is weft's. Before the package is loaded nothing can be."""
    mirror = sys.modules.get("weft._mirror")
    return mirror.runs(obj) if mirror else ""
