"""Numba's names for what is below kernels, as far as programs name it: errors to catch, and the class of arrays on devices."""

from . import devicearray as devicearray
from . import devices as devices
from . import driver as driver
from . import error as error
