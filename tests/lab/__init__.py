"""JupyterLab as a user has it: a real server, a real browser, and the weft kernel below both."""
