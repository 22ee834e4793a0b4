// Package install makes weft known to Jupyter, by writing a kernelspec: a folder
// with a kernel.json and three logos in one of the places where Jupyter looks.
//
//	spec := install.Spec{Name: "weft", DisplayName: "Python (weft)", Python: python}
//	dir, changed, err := install.Write(spec, install.Place{Kind: install.User})
//
// It writes those files and nothing else, and it writes them only when they
// differ, so that installing twice is the same as installing once. It reads of the
// environment only where Jupyter keeps its data, it starts no process but Python
// when that is asked for its sys.prefix, and it knows nothing of messages, arrays or devices: the flags that a
// kernelspec carries are checked by the process that reads them.
//
// The folder also holds bootstrap.sh, which checks the machine before a build.
package install
