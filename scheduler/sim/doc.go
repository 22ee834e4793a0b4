// Package sim runs random op streams through the core under random conditions, and compares
// every value that the program reads with a sequential oracle, bit for bit.
//
// A run is a function of its seed. The generator makes an op stream: maps and reductions
// and calls, some of which update, over overlapping, stepped, reversed and transposed views, releases, host reads and
// writes. The simulator plays the driver: it has a clock of its own, starts ready tasks in random order, lets them take
// random times, and makes some tasks and allocations fail. Queues of ordered devices have several tasks, of which each
// waits for those before it on its queue and those that the core says it is behind, and for nothing else; the core is
// told of their ends late. Its devices have real bytes in separate memories, so that a copy that is missing shows. The
// oracle runs every op whole, in order, on the reference device.
//
// A failure is shrunk: to fewer devices, fewer steps, smaller shapes. It prints what is left, writes it
// to a file, and says how to run it again, with this command or, from the seed, with the other:
//
//	go test ./scheduler/sim -run TestReplay -stream /tmp/weft-sim-4711.txt
//	go test ./scheduler/sim -run TestRandom -seed 4711
//
// It must not import the driver or a real device: it tests the core alone.
package sim
