package flags

import "strings"

// The flags of Legate, of its driver and of its profiler that mean nothing here: switches,
// and those with a value.
var (
	legateSwitches = words(`auto-config show-config show-memory-usage show-progress warmup-nccl disable-mpi consensus
		inline-task-launch single-controller-execution nsys log-to-file freeze-on-error use-empty-task
		io-use-vfd-gds experimental-copy-path cprofile nvprof gdb cuda-gdb memcheck valgrind gasnet-trace
		verbose bind-detail timing dry-run color provenance`)
	legateValues = words(`omps ompthreads utility numamem zcmem regmem max-exception-size min-cpu-chunk min-gpu-chunk
		min-omp-chunk window-size field-reuse-fraction field-reuse-frequency profile-name logging logdir
		cuda-driver-path run-mode launcher-extra cpu-bind mem-bind gpu-bind nic-bind nsys-extra
		benchmark-to-file wrapper wrapper-inner eager-alloc-percentage`)
	// Legion and Realm read words such as -ll:csize 1024 themselves.
	legionPrefixes = []string{"-ll:", "-lg:", "-cuda:", "-dm:", "-numa:", "-ucp:"}
)

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// ofLegate returns how many of the words the flag at their beginning takes when it is one
// of Legate's; else 0.
func ofLegate(words []string) int {
	word := words[0]
	for _, prefix := range legionPrefixes {
		if strings.HasPrefix(word, prefix) {
			return withValue(words)
		}
	}
	name, dashed := strings.CutPrefix(word, "--")
	name, _, joined := strings.Cut(name, "=")
	switch {
	case dashed && (legateSwitches[name] || legateValues[name] && joined):
		return 1
	case dashed && legateValues[name]:
		return withValue(words)
	}
	return 0
}

// withValue is 2 where a value follows, and 1 at the end or before the next flag.
func withValue(words []string) int {
	if len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		return 2
	}
	return 1
}
