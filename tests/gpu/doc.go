// Gpu looks at weft on a machine with an NVIDIA GPU that has neither Go nor a network.
//
//	make gpu-pack     packs programs, tests, a Python and check.sh into one archive (pack.sh)
//	make gpu-check    runs check.sh here, on a GPU or on the fake driver of cuda/driver
//	make gpu-check-brief    the same on the fake driver, without what other tests run as well
//	make gpu-results FROM=folder    takes what check.sh left into CHECKED.md and transcript.txt
//
// The program is what check.sh runs where Python is not needed:
//
//	gpu transcript    what the driver answers to right and wrong calls, and the bits of arithmetic at its edges
//	gpu load FOLDER   whether the driver's compiler takes each PTX text in the folder, and how long that takes
//	gpu measure       latencies and bandwidths
//	gpu fault         what is left after a program touched memory that is not there
//
// # Transcript
//
// transcript.txt is the answer of a real GPU. The test of this package runs the same program over the fake driver and
// compares, so that each look at a real GPU makes the fake truer.
package main
