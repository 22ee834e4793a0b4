// Package tiletest is the conformance kit of devices: Run compares any tile.Device with the
// reference device, over every opcode, dtype and combiner, and over shapes and strides that
// break clever loops.
//
// It must not know how a device works, nor anything above package tile. It reads and writes
// device memory through Device.Copy alone, so that it also tests devices whose memory is not
// the host's.
//
// A test that runs the kit on several devices asks the reference once, by way of Answers.
//
// Random and RandomFlow make up one launch from a seed, for fuzz tests.
//
// Results are compared bit for bit, all NaNs being equal, except for the opcodes of the
// tolerance table. Bytes that a launch should leave alone are compared, too.
package tiletest
