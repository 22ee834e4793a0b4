"""weft under the name cupynumeric, so that programs written for it run unchanged."""

import sys

import weft
from weft._mirror import Aliases

sys.meta_path.insert(0, Aliases(__name__))
sys.modules[__name__] = weft
