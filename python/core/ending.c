//go:build extension

// What is left in the file system when a signal ends the kernel: nothing that was the kernel's to remove.

#include "kernelmod.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A handler may call few functions, unlink and stat among them: so the paths are written down before.
enum { MOST_PATHS = 8 };
static char *paths[MOST_PATHS];
static int npaths;
static char *when_empty;  // the file for the trace of a crash
static pid_t owner;       // children that were forked have the handler, and not the files

void weft_at_end(const char *path) {
	if (npaths < MOST_PATHS) paths[npaths++] = strdup(path);
}

static void end(int number) {
	struct stat found;
	if (getpid() == owner) {
		for (int i = 0; i < npaths; i++) unlink(paths[i]);
		if (when_empty && stat(when_empty, &found) == 0 && found.st_size == 0) unlink(when_empty);
	}
	signal(number, SIG_DFL);
	raise(number);  // delivered when the handler returns
}

// weft_end_cleanly has signals that end a process remove the files first. One that is ignored, or has a handler, is left
// alone; so a cell may do with it what it likes.
void weft_end_cleanly(const char *crash) {
	const int signals[] = {SIGTERM, SIGHUP};
	owner = getpid();
	if (*crash) when_empty = strdup(crash);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction now, action = {.sa_handler = end, .sa_flags = SA_ONSTACK};  // Go asks for its own stacks
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) sigaction(signals[i], &action, NULL);
	}
}
