"""What array programs written for Legate import besides cuPyNumeric: legate.timing, and the runtime of legate.core.

Where Legate itself is installed, this package stands behind it.
"""
