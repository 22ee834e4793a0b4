/* How often each call was made: fakecuda_calls tells it, and FAKECUDA_CALLS names a file that gets "name count" for each, and
   "way bytes" for the ways of copies, when the process ends, behind what other processes have left there. */
#include <fcntl.h>
#include <unistd.h>

#include "driver.h"

enum { CALLS = 512 }; /* more than there are */

static struct { const char *name; uint64_t n; } calls[CALLS];

void called(const char *name) {
	for (int i = 0; i < CALLS; i++)
		if (!calls[i].name || !strcmp(calls[i].name, name)) {
			calls[i].name = name;
			calls[i].n++;
			return;
		}
}

uint64_t fakecuda_calls(const char *name) {
	uint64_t n = 0;
	pthread_mutex_lock(&fake.lock);
	for (int i = 0; i < CALLS && calls[i].name; i++)
		if (!strcmp(calls[i].name, name))
			n = calls[i].n;
	pthread_mutex_unlock(&fake.lock);
	return n;
}

/* ways are what bytes of copies are counted by. */
static const char *const ways[] = {[INTO] = "in", [OUT_OF] = "out", [WITHIN] = "within", [DIRECT] = "direct", [HOSTED] = "hosted"};
enum { WAYS = sizeof ways / sizeof *ways };
static uint64_t bytes[WAYS];

void moved(int way, uint64_t n) { bytes[way] += n; }

/* fakecuda_moved returns how many bytes copies have moved since the library was loaded: "in" to devices, "out" to the host, "within" a
   device, between devices "direct", or "hosted": where the device that copies has no access to the other, the driver takes them through the
   host. */
uint64_t fakecuda_moved(const char *way) {
	uint64_t n = 0;
	pthread_mutex_lock(&fake.lock);
	for (int i = 1; i < WAYS; i++)
		if (!strcmp(ways[i], way))
			n = bytes[i];
	pthread_mutex_unlock(&fake.lock);
	return n;
}

__attribute__((destructor)) static void tell(void) {
	const char *path = getenv("FAKECUDA_CALLS");
	if (fake.forked || !path || !*path)
		return;
	int f = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	for (int i = 0; f >= 0 && i < CALLS && calls[i].name; i++)
		dprintf(f, "%s %llu\n", calls[i].name, (P)calls[i].n);
	for (int i = 1; f >= 0 && i < WAYS; i++)
		dprintf(f, "%s %llu\n", ways[i], (P)bytes[i]);
	if (f >= 0)
		close(f);
}
