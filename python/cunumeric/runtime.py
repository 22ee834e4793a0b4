"""What programs ask cuNumeric's runtime; see cupynumeric.runtime."""

from cupynumeric.runtime import runtime as runtime
