/* Faults on demand. FAKECUDA_FAIL, or fakecuda_faults while the process runs, names them, separated by commas:

     cuMemAlloc_v2=2       each call fails with 2
     cuMemAlloc_v2=2@3     the third call does
     cuMemAlloc_v2=2@3+    the third and all later ones do
     launch=700@5          the fifth kernel that runs fails with 700, which its context keeps
     memory=1048576        a device has no more than that many bytes to give
     gone=1@20             device 1 falls off the bus at the 20th call

   A new list replaces the old one and counts from 1; devices that were gone, or that a context's error was left on, are whole again. */
#include "driver.h"

typedef struct { char name[64]; int64_t value, from, seen; int onwards; } fault;

static fault faults[32];
static int count;

int64_t number(const char *variable, int64_t otherwise) {
	const char *s = getenv(variable);
	return s && *s ? strtoll(s, NULL, 0) : otherwise;
}

void faults_load(const char *text) {
	count = 0;
	memset(fake.gone, 0, sizeof fake.gone);
	memset(fake.lost, 0, sizeof fake.lost);
	while (text && *text && count < (int)(sizeof faults / sizeof *faults)) {
		size_t n = strcspn(text, ",");
		char one[128];
		snprintf(one, sizeof one, "%.*s", (int)n, text);
		text += n + (text[n] == ',');
		char *equals = strchr(one, '=');
		if (!equals) {
			if (*one)
				note("FAKECUDA_FAIL: \"%s\" is not NAME=VALUE, NAME=VALUE@N or NAME=VALUE@N+", one);
			continue;
		}
		*equals = 0;
		fault *f = &faults[count++];
		char *at = strchr(equals + 1, '@');
		*f = (fault){.value = strtoll(equals + 1, NULL, 0), .from = at ? strtoll(at + 1, NULL, 0) : 1, .onwards = !at || strchr(at, '+')};
		snprintf(f->name, sizeof f->name, "%.63s", one);
	}
}

void fakecuda_faults(const char *text) {
	pthread_mutex_lock(&fake.lock);
	fake.loaded = 1; /* what the environment says no longer matters */
	faults_load(text);
	pthread_mutex_unlock(&fake.lock);
}

/* due counts what happened to a fault and says whether it is due. */
static int due(fault *f) {
	f->seen++;
	return f->onwards ? f->seen >= f->from : f->seen == f->from;
}

R fault_of(const char *call) {
	R rc = 0;
	for (int i = 0; i < count; i++) {
		if (!strcmp(faults[i].name, "gone") && due(&faults[i]) && faults[i].value >= 0 && faults[i].value < DEVICES) {
			fake.gone[faults[i].value] = 1;
			if (fake.primary[faults[i].value])
				fake.primary[faults[i].value]->error = 999;
			fake.dirty = 1;
		}
		if (!strcmp(faults[i].name, call) && due(&faults[i]))
			rc = (R)faults[i].value;
	}
	return rc;
}

R fault_of_launch(void) {
	R rc = 0;
	for (int i = 0; i < count; i++)
		if (!strcmp(faults[i].name, "launch") && due(&faults[i]))
			rc = (R)faults[i].value;
	return rc;
}

size_t fault_memory(void) {
	size_t n = fake.memory;
	for (int i = 0; i < count; i++)
		if (!strcmp(faults[i].name, "memory") && (size_t)faults[i].value < n)
			n = (size_t)faults[i].value;
	return n;
}
