// Package fakecuda builds and questions the fake CUDA driver of cuda/driver/testdata/fake, for tests: a libcuda.so.1
// that has devices in host memory, runs PTX, does what is appended to queues later and in an order that a seed chooses,
// and keeps a ledger of the rules that a program broke. It must not know what is tested with it.
//
//	lib, err := fakecuda.Build()         // compiled once, kept in the user's cache
//	os.Setenv("WEFT_LIBCUDA", lib)       // before the driver is opened
//	fake, err := fakecuda.Open(lib)      // the same library, in this process (needs the tag cuda)
//	fake.Seed(7)                         // another order of queues
//	fake.Faults("cuMemAlloc_v2=2@3")     // the third allocation fails
//	if lines := fake.Ledger(); ...       // what was wrong; takes it out of the ledger
//
// What a child process did wrong is in the file that FAKECUDA_LEDGER names; without such a file, nothing was. "make
// fakecuda" puts the library into out/ for use by hand. All variables:
//
//	FAKECUDA_LIBRARY=PATH         the library of make fakecuda, which Build returns then
//	FAKECUDA_DEVICES=2            devices
//	CUDA_VISIBLE_DEVICES=1,0      which of them there are, as for a real driver
//	FAKECUDA_SMS=132              multiprocessors of each
//	FAKECUDA_MEMORY=1073741824    bytes of each
//	FAKECUDA_CC=90                compute capability
//	FAKECUDA_INIT=100             what cuInit fails with
//	FAKECUDA_FAIL=LIST            faults: see testdata/fake/faults.c
//	FAKECUDA_SEED=0               the order in which queues go on; 0 is the order of the calls
//	FAKECUDA_TURNS=N              after how many turns a kernel is taken to hang
//	FAKECUDA_SHADOW=0             no search for races and unwritten bytes: 16 bytes less for each byte
//	FAKECUDA_LAUNCH_NS=3000       virtual time from a call to the start of its work
//	FAKECUDA_KERNEL_NS=0          virtual time of a kernel; 0 goes by its instructions
//	FAKECUDA_CALL_NS=0            virtual time of a call
//	FAKECUDA_LEDGER=PATH          where each line of the ledger goes
//	FAKECUDA_TIMELINE=PATH        where each piece of work goes: device, stream, what, virtual start and end
//	FAKECUDA_CALLS=PATH           where it goes how often each call was made, when the process ends
package fakecuda
