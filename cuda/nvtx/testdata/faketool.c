/* A tool's library as NVTX loads it: it writes a line to the file that FAKETOOL_LOG names for each call that it gets.
   FAKETOOL is "nesting" to know only ranges that nest, "deaf" to fill no slot, "broken" to fail. Tests build it, and
   load it into weft and into NVIDIA's own package for Python. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What an event is told with, where it is not just a name. */
struct event {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type; /* 1 is a text, 3 one that was registered */
	const char *message;
};

typedef void (*function)(void);
struct callbacks {
	size_t size;
	int (*table)(int module, function ***table, unsigned *size);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t last;

static void note(const char *format, ...) {
	const char *path = getenv("FAKETOOL_LOG");
	pthread_mutex_lock(&lock);
	FILE *log = path ? fopen(path, "a") : NULL;
	if (log) {
		va_list args;
		va_start(args, format);
		fprintf(log, "%ld ", syscall(SYS_gettid));
		vfprintf(log, format, args);
		fputc('\n', log);
		va_end(args);
		fclose(log);
	}
	pthread_mutex_unlock(&lock);
}

static uint64_t start(const char *name) {
	uint64_t id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	note("start %llu %s", (unsigned long long)id, name);
	return id;
}
static void end(uint64_t id) { note("end %llu", (unsigned long long)id); }
static int push(const char *name) { note("push %s", name); return 0; }
static int pop(void) { note("pop"); return 0; }

static const char *text(const struct event *e) {
	return e->version == 3 && e->size >= 48 && (e->message_type == 1 || e->message_type == 3) ? e->message : "?";
}
static void *create(const char *name) { note("domain %s", name); return strdup(name); }
static const char *enroll(void *domain, const char *name) { (void)domain; return strdup(name); }
static uint64_t domain_start(void *domain, const struct event *e) { (void)domain; return start(text(e)); }
static void domain_end(void *domain, uint64_t id) { (void)domain; end(id); }
static int domain_push(void *domain, const struct event *e) { (void)domain; return push(text(e)); }
static int domain_pop(void *domain) { (void)domain; return pop(); }

static void fill(const struct callbacks *callbacks, int module, unsigned slot, void *with) {
	function **table = NULL;
	unsigned size = 0;
	if (!callbacks->table(module, &table, &size) || slot >= size || !table[slot])
		note("module %d has no slot %u", module, slot);
	else
		*table[slot] = (function)with;
}

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
	const char *mode = getenv("FAKETOOL");
	mode = mode ? mode : "";
	const struct callbacks *callbacks = export_table(1);
	const struct { size_t size; uint32_t version; } *version = export_table(3);
	if (!callbacks || callbacks->size < sizeof *callbacks || !version || export_table(99))
		return 0;
	note("version %u", version->version);
	if (!strcmp(mode, "broken"))
		return 0;
	if (!strcmp(mode, "deaf"))
		return 1;
	if (strcmp(mode, "nesting")) {
		fill(callbacks, 1, 5, start);
		fill(callbacks, 1, 7, end);
		fill(callbacks, 5, 2, domain_start);
		fill(callbacks, 5, 3, domain_end);
	}
	fill(callbacks, 1, 9, push);
	fill(callbacks, 1, 11, pop);
	fill(callbacks, 5, 4, domain_push);
	fill(callbacks, 5, 5, domain_pop);
	fill(callbacks, 5, 10, enroll);
	fill(callbacks, 5, 12, create);
	/* Of each module, the last slot is there and the one behind it is not. */
	static const unsigned sizes[] = {0, 16, 9, 15, 7, 16, 7};
	for (int module = 0; module <= 7; module++) {
		function **table = NULL;
		unsigned size = 0;
		int known = callbacks->table(module, &table, &size);
		if (known != (module >= 1 && module <= 6))
			note("module %d: %d", module, known);
		else if (known && (size < sizes[module] || table[0] || !table[sizes[module] - 1] || table[size]))
			note("module %d has %u slots", module, size);
	}
	return 1;
}
