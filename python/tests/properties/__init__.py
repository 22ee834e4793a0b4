"""How the arguments of each public function of NumPy are drawn, and what of its answer is compared: for test_properties.py.

scene.py draws, rows.py says what a row of the tables is, outcomes.py runs and compares, the other files are the tables, in families of
functions, and different.py says where weft differs, and why.
"""
