/* The state of the driver, what every call does first and last, and which handles there are. */
#include "driver.h"

state fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .tick = PTHREAD_COND_INITIALIZER};
__thread context *contexts_of_thread[STACK];
__thread int context_top;
__thread int in_callback;

static void child(void) { fake.forked = 1; }

/* see gives the GPUs that CUDA_VISIBLE_DEVICES lists their numbers, in its order: numbers or beginnings of UUIDs, up to the first that is
   none, or is there twice. */
static void see(const char *list, int there) {
	int n = 0;
	if (!list)
		for (; n < there; n++)
			fake.physical[n] = n;
	while (list && *list) {
		size_t length = strcspn(list, ",");
		char *end;
		long d = strtol(list, &end, 10);
		int known = end != list && end == list + length && d >= 0 && d < there;
		for (int i = 0; !known && length > 4 && i < there; i++) {
			char id[48] = "GPU-";
			for (int k = 0; k < 16; k++)
				snprintf(id + strlen(id), 4, "%s%02x", k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", i + k);
			if (!strncmp(id, list, length))
				d = i, known = 1;
		}
		for (int i = 0; i < n; i++)
			known &= fake.physical[i] != d;
		if (!known)
			break;
		fake.physical[n++] = (int)d;
		list += length + (list[length] == ',');
	}
	fake.devices = n;
	fake.hidden = there > 0 && n == 0;
}

/* load reads the environment, once. */
static void load(void) {
	static int done;
	if (done)
		return;
	done = 1;
	pthread_atfork(NULL, NULL, child);
	int there = (int)number("FAKECUDA_DEVICES", 2);
	see(getenv("CUDA_VISIBLE_DEVICES"), there > DEVICES ? DEVICES : there);
	fake.sms = (int)number("FAKECUDA_SMS", 132);
	fake.cc = (int)number("FAKECUDA_CC", 90);
	fake.memory = (size_t)number("FAKECUDA_MEMORY", 1 << 30);
	fake.shadow = (int)number("FAKECUDA_SHADOW", 1);
	fake.launch_ns = number("FAKECUDA_LAUNCH_NS", 3000);
	fake.kernel_ns = number("FAKECUDA_KERNEL_NS", 0);
	fake.call_ns = number("FAKECUDA_CALL_NS", 0);
	fake.seed = (uint64_t)number("FAKECUDA_SEED", 0);
	fake.rng = fake.seed;
	if (!fake.loaded)
		faults_load(getenv("FAKECUDA_FAIL"));
	fake.loaded = 1;
}

/* fakecuda_seed starts the order of queues anew, so that a test may try many. */
void fakecuda_seed(uint64_t seed) {
	pthread_mutex_lock(&fake.lock);
	load();
	fake.seed = fake.rng = seed;
	pthread_mutex_unlock(&fake.lock);
}

uint64_t random_below(uint64_t n) {
	uint64_t z = fake.rng += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return n ? (z ^ z >> 31) % n : 0;
}

context *current(void) { return context_top ? contexts_of_thread[context_top - 1] : NULL; }

R enter(const char *call, int needs) {
	if (fake.forked)
		return 3; /* CUDA does not survive fork */
	pthread_mutex_lock(&fake.lock);
	load();
	fake.calls++;
	called(call);
	fake.ticks++;
	fake.now += (uint64_t)fake.call_ns;
	R rc = fault_of(call);
	if (!rc && in_callback) {
		note("%s: called by a function that a queue called; such functions must not call the driver", call);
		rc = 800;
	}
	if (!rc && needs & NEED_INIT && !fake.initialised) {
		note("%s: called before cuInit", call);
		rc = 3;
	}
	if (!rc && needs & NEED_CONTEXT) {
		context *c = current();
		if (!c) {
			note("%s: no context is current on this thread", call);
			rc = 201;
		} else if (!alive(c, CONTEXT, call) || !c->active)
			rc = c->o.kind == CONTEXT ? 201 : 709;
		else if (c->error && !(needs & LOST_OK))
			rc = c->error;
	}
	if (rc)
		pthread_mutex_unlock(&fake.lock);
	return rc;
}

R leave(R rc) {
	advance();
	pthread_mutex_unlock(&fake.lock);
	return rc;
}

/* ---- handles ---- */

enum { BUCKETS = 4096, LINE = 4096 };
static object *buckets[BUCKETS];
static object *dead[LINE]; /* destroyed objects whose addresses are not given out again for a while */
static unsigned dead_at;

static const char *const kinds[] = {"dead object", "context", "stream", "event", "module", "function", "memory pool", "memory handle",
                                    "graph", "graph node", "executable graph", "link state"};

static object **bucket(const void *p) { return &buckets[((uintptr_t)p >> 4) * 0x9e3779b1u >> 7 & (BUCKETS - 1)]; }

void *object_new(kind k, size_t size) {
	object *o = calloc(1, size);
	o->kind = k;
	object **b = bucket(o);
	o->next = *b;
	*b = o;
	return o;
}

void object_die(void *p) {
	object *o = p;
	object **at = bucket(o);
	while (*at && *at != o)
		at = &(*at)->next;
	if (*at)
		*at = o->next;
	o->kind = DEAD;
	free(dead[dead_at % LINE]);
	dead[dead_at++ % LINE] = o;
}

object **objects(kind k, int *n) {
	object **found = NULL;
	*n = 0;
	for (int b = 0; b < BUCKETS; b++)
		for (object *o = buckets[b]; o; o = o->next)
			if (o->kind == k) {
				found = realloc(found, (size_t)(*n + 1) * sizeof *found);
				found[(*n)++] = o;
			}
	return found;
}

void *alive(const void *handle, kind k, const char *call) {
	for (object *o = *bucket(handle); o; o = o->next)
		if (o == handle) {
			if (o->kind == k)
				return o;
			note("%s: the handle is of a %s where a %s is wanted", call, kinds[o->kind], kinds[k]);
			return NULL;
		}
	for (int i = 0; i < LINE; i++)
		if (dead[i] && dead[i] == handle) {
			note("%s: the %s was destroyed", call, kinds[k]);
			return NULL;
		}
	if (handle)
		note("%s: %p is no %s", call, handle, kinds[k]);
	return NULL;
}
