"""Importing this makes "import numpy" in the program give weft, as it gives cuPyNumeric there."""

from weft import _redirection

_redirection.install()
