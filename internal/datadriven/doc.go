// Package datadriven runs golden tests that are kept in text files.
//
// A file is a list of cases. A case is one command line, the input below it, a
// line of four dashes, and the output that is expected:
//
//	# Lines that start with "#" before a command are remarks.
//	partition tile=4 shape=(10, 3)
//	o1 = map v1 -> v2
//	----
//	t1 o1 [0:4, 0:3]
//	t2 o1 [4:8, 0:3]
//
// A blank line ends the expected output. Output that itself holds blank lines
// stands between doubled separators:
//
//	print
//	----
//	----
//	first paragraph
//
//	second paragraph
//	----
//	----
//
// The test supplies a function from a Case to text. It runs once for each case,
// in the order of the file, so that a file can tell a story ("submit", "submit",
// "flush") against state that the test keeps. With -rewrite the expected outputs
// are replaced by what the function returned; commands, inputs and remarks stay
// as they are. Read the diff before you keep it: the diff is the review.
//
// The package knows nothing of weft. It may be imported by tests only.
package datadriven
