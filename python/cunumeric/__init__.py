"""weft under the name cunumeric, so that programs written for it run unchanged."""

import sys

import weft
from weft._mirror import Aliases, adopt

__getattr__, __dir__ = adopt(globals(), weft)
sys.meta_path.append(Aliases(__name__))  # behind what finds this package's own modules
