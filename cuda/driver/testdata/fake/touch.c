/* What the machine half asks of each access of a lane: may it, and does it keep the rules. */
#include "driver.h"

/* What the thread's launch touched last, by page: a kernel goes back and forth between a few allocations. */
enum { KEPT = 16 };
static __thread struct { uint64_t launch; work *w; struct { uint64_t generation; allocation *a; int how; } kept[KEPT]; } last;

int fake_touch(const fake_who *who, uint64_t address, uint32_t n, int how) {
	if (last.launch != who->launch) {
		memset(&last, 0, sizeof last);
		last.launch = who->launch;
		last.w = work_of_launch(who->launch);
	}
	int slot = address / 4096 % KEPT;
	allocation *a = last.kept[slot].a;
	uint64_t now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
	if (!a || last.kept[slot].generation != now || address - a->base >= a->size || address + n > a->base + a->size || (how & ~last.kept[slot].how)) {
		a = allocation_at(address);
		int inside = a && a->live && address - a->base < a->size && address + n <= a->base + a->size;
		if (!inside || !device_may(a, who->device, how)) {
			char where[200];
			describe_address(address, where, sizeof where);
			if (first_of(who->launch, 700, 0))
				note("%s: %s of %u bytes at %s%s (line %u, block %u, thread %u, device %d)", who->kernel ? fake_entry_name(who->kernel) : "kernel",
				     how & FAKE_WRITE ? "write" : "read", n, where, inside ? ", which this device has no access to" : "", who->line, who->block,
				     who->thread, who->device);
			return 700;
		}
		last.kept[slot].generation = now;
		last.kept[slot].a = a;
		last.kept[slot].how = how;
		if (last.w)
			check_birth(a, last.w);
	}
	if (fake.shadow && last.w)
		touch_lane(last.w, who, address, n, how, a);
	return 0;
}
