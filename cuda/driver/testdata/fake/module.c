/* Modules: PTX that the machine half has parsed, and "cubins", which are PTX in a container that names what it was made for. */
#include "driver.h"

typedef struct module {
	object o;
	context *ctx;
	fake_module *m;
	function **functions;
	int nfunctions;
	struct { char *name; allocation *a; } *globals;
	int nglobals;
	struct module *next;
} module;

static module *modules;

context *context_of(const function *f) { return f->module->ctx; }

/* ---- the container ---- */

enum { HEAD = 128 };
static const char magic[] = "\177FAKECUBIN";

static uint64_t hash_of(const char *text, size_t n) {
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	return h;
}

static char *pack(const char *text, int cc, size_t *size) {
	size_t n = strlen(text);
	char *image = calloc(1, HEAD + n + 1);
	int head = snprintf(image, HEAD, "%s 1 cc=%d driver=%d bytes=%zu hash=%016llx", magic, cc, 13000, n, (P)hash_of(text, n));
	memset(image + head, ' ', (size_t)(HEAD - head)); /* no zero before the end: a piece of an image shows by its own */
	memcpy(image + HEAD, text, n);
	*size = HEAD + n + 1;
	return image;
}

/* unpack returns the PTX in an image: 200 for a damaged container, 209 for one of another device or a binary that is none of ours. */
static R unpack(const char *image, const char **text) {
	int cc, driver;
	size_t n;
	P hash;
	if (strncmp(image, magic, sizeof magic - 1)) {
		unsigned first = 0;
		memcpy(&first, image, strnlen(image, sizeof first));
		if (first == 0x464c457f || first == 0xba55ed50 || first == 0x466243b1)
			return 209;
		*text = image;
		return 0;
	}
	if (strnlen(image, HEAD) < HEAD || sscanf(image + sizeof magic - 1, " 1 cc=%d driver=%d bytes=%zu hash=%llx", &cc, &driver, &n, &hash) != 4)
		return 200;
	if (cc / 10 != fake.cc / 10 || cc > fake.cc || driver > 13000)
		return 209;
	if (n > 1 << 26 || strnlen(image + HEAD, n + 1) != n || hash_of(image + HEAD, n) != hash)
		return 200;
	*text = image + HEAD;
	return 0;
}

/* is_ptx says whether a text begins, after comments and space, as PTX does. */
static int is_ptx(const char *s) {
	for (;;) {
		s += strspn(s, " \t\r\n");
		if (!strncmp(s, "//", 2))
			s += strcspn(s, "\n");
		else if (!strncmp(s, "/*", 2) && strstr(s + 2, "*/"))
			s = strstr(s + 2, "*/") + 2;
		else
			return !strncmp(s, ".version", 8);
	}
}

/* ---- options of the compiler ---- */

typedef struct { fake_logs logs; int target, registers; void **error_size, **info_size, **time; } options;

static R read_options(unsigned n, const unsigned *names, void **values, options *o) {
	*o = (options){.target = fake.cc};
	if (n && (!names || !values))
		return 1;
	for (unsigned i = 0; i < n; i++) {
		size_t v = (size_t)(uintptr_t)values[i];
		switch (names[i]) {
		case 0: o->registers = (int)v; break;
		case 2: o->time = &values[i]; break;
		case 3: o->logs.infos = values[i]; break;
		case 4: o->logs.info_room = (uint32_t)v; o->info_size = &values[i]; break;
		case 5: o->logs.errors = values[i]; break;
		case 6: o->logs.error_room = (uint32_t)v; o->error_size = &values[i]; break;
		case 7:
			if ((uint32_t)v > 4)
				return 1;
			break;
		case 9: o->target = (int)(uint32_t)v; break;
		default:
			if (names[i] > 40)
				return 1;
		}
	}
	if (!o->logs.errors)
		o->logs.error_room = 0;
	if (!o->logs.infos)
		o->logs.info_room = 0;
	if (o->logs.error_room)
		o->logs.errors[0] = 0;
	if (o->logs.info_room)
		o->logs.infos[0] = 0;
	return o->target > fake.cc ? 209 : 0;
}

/* tell_sizes writes how much of each log was filled where its size was asked for. */
static void tell_sizes(options *o) {
	if (o->error_size && o->logs.errors)
		*o->error_size = (void *)(uintptr_t)strnlen(o->logs.errors, o->logs.error_room);
	if (o->info_size && o->logs.infos)
		*o->info_size = (void *)(uintptr_t)strnlen(o->logs.infos, o->logs.info_room);
	if (o->time) {
		float ms = 1;
		*o->time = NULL;
		memcpy(o->time, &ms, sizeof ms);
	}
}

/* ---- calls ---- */

static R load(module **out, const void *image, unsigned n, const unsigned *names, void **values) {
	const char *text;
	options o;
	if (!out || !image)
		return 1;
	R rc = unsafe_in_capture(current(), "cuModuleLoadData");
	rc = rc ? rc : read_options(n, names, values, &o);
	rc = rc ? rc : unpack(image, &text);
	if (rc)
		return rc;
	fake_module *m = NULL;
	if (is_ptx(text))
		rc = (R)fake_module_load(&m, text, fake.cc, o.logs);
	else {
		rc = 200;
		if (o.logs.error_room)
			snprintf(o.logs.errors, o.logs.error_room, "error   : Binary format for key='0', ident='' is not recognized");
	}
	if (!rc && o.logs.info_room && !o.logs.infos[0])
		snprintf(o.logs.infos, o.logs.info_room, "ptxas info    : compiled for sm_%d", fake.cc);
	tell_sizes(&o);
	if (rc)
		return rc;
	module *made = object_new(MODULE, sizeof *made);
	made->ctx = current();
	made->m = m;
	made->next = modules;
	modules = made;
	*out = made;
	return 0;
}
R cuModuleLoadDataEx(module **m, const void *image, unsigned n, const unsigned *names, void **values) { HERE; return leave(load(m, image, n, names, values)); }
R cuModuleLoadData(module **m, const void *image) { HERE; return leave(load(m, image, 0, NULL, NULL)); }
R cuModuleLoadFatBinary(module **m, const void *image) { HERE; return leave(load(m, image, 0, NULL, NULL)); }

static char *contents(const char *path, size_t *size) {
	FILE *f = path ? fopen(path, "rb") : NULL;
	if (!f)
		return NULL;
	char *text = NULL;
	size_t n = 0, got;
	do {
		text = realloc(text, n + 65537);
		got = fread(text + n, 1, 65536, f);
		n += got;
	} while (got);
	text[n] = 0;
	fclose(f);
	*size = n;
	return text;
}
R cuModuleLoad(module **m, const char *path) {
	HERE;
	size_t n;
	char *text = contents(path, &n);
	R rc = text ? load(m, text, 0, NULL, NULL) : 301;
	free(text);
	return leave(rc);
}

static void unload(module *m) {
	for (module **at = &modules; *at; at = &(*at)->next)
		if (*at == m) {
			*at = m->next;
			break;
		}
	for (int i = 0; i < m->nfunctions; i++)
		object_die(m->functions[i]);
	for (int i = 0; i < m->nglobals; i++) {
		allocation_free(m->globals[i].a);
		free(m->globals[i].name);
	}
	free(m->functions);
	free(m->globals);
	fake_module_free(m->m);
	object_die(m);
}

/* pending names a kernel of the module that has not ended. */
static const char *pending(const module *m) {
	for (queue *q = fake.queues; q; q = q->next)
		for (item *i = q->first; i; i = i->next) {
			const char *what = i->task.action == DO_GRAPH ? exec_launches(i->task.as.exec, m) : NULL;
			if (i->task.action == DO_KERNEL && i->task.as.kernel.f->module == m)
				what = i->task.what;
			if (what)
				return what;
		}
	return NULL;
}

R cuModuleUnload(module *m) {
	HERE;
	if (!alive(m, MODULE, "cuModuleUnload"))
		return leave(400);
	const char *still = pending(m);
	if (still) {
		note("cuModuleUnload: %s, a kernel of it, has still to run", still);
		wait_for_context(m->ctx);
	}
	unload(m);
	return leave(0);
}

/* modules_of counts the modules of a context, or unloads them. */
void modules_of(context *c, int *count, int take) {
	*count = 0;
	for (module *m = modules, *next; m; m = next) {
		next = m->next;
		if (m->ctx != c)
			continue;
		++*count;
		if (take)
			unload(m);
	}
}

R cuModuleGetFunction(function **out, module *m, const char *name) {
	HERE;
	if (!alive(m, MODULE, "cuModuleGetFunction"))
		return leave(400);
	if (!out || !name)
		return leave(1);
	for (int i = 0; i < m->nfunctions; i++)
		if (!strcmp(m->functions[i]->name, name)) {
			*out = m->functions[i];
			return leave(0);
		}
	const fake_kernel *k = fake_entry(m->m, name);
	if (!k)
		return leave(500);
	function *f = object_new(FUNCTION, sizeof *f);
	f->module = m;
	f->k = k;
	uint32_t fixed = fake_shared_bytes(k);
	f->dynamic = fixed < 49152 ? (int)(49152 - fixed) : 0;
	f->carveout = -1;
	f->name = strdup(name); /* stays: the ledger may name a kernel long after its module */
	m->functions = realloc(m->functions, (size_t)(m->nfunctions + 1) * sizeof *m->functions);
	m->functions[m->nfunctions++] = f;
	*out = f;
	return leave(0);
}

R cuModuleGetGlobal_v2(P *p, size_t *bytes, module *m, const char *name) {
	HERE;
	void *at;
	size_t n;
	if (!alive(m, MODULE, "cuModuleGetGlobal"))
		return leave(400);
	if (!name)
		return leave(1);
	if (fake_global(m->m, name, &at, &n))
		return leave(500);
	int known = 0;
	for (int i = 0; i < m->nglobals; i++)
		known |= !strcmp(m->globals[i].name, name);
	if (!known) {
		m->globals = realloc(m->globals, (size_t)(m->nglobals + 1) * sizeof *m->globals);
		m->globals[m->nglobals].name = strdup(name);
		m->globals[m->nglobals++].a = allocation_outside(OF_MODULE, m->ctx->device, m->ctx, (uint64_t)(uintptr_t)at, n);
	}
	if (p)
		*p = (P)(uintptr_t)at;
	if (bytes)
		*bytes = n;
	return leave(0);
}

/* ---- linking ---- */

typedef struct { object o; options with; char *text, *image; } linking;

R cuLinkCreate_v2(unsigned n, unsigned *names, void **values, linking **out) {
	HERE;
	options o;
	R rc = out ? read_options(n, names, values, &o) : 1;
	if (rc)
		return leave(rc);
	*out = object_new(LINK, sizeof **out);
	(*out)->with = o;
	return leave(0);
}

static R add(linking *l, unsigned type, const void *data, size_t size) {
	const char *text;
	if (!data || !size || type > 6)
		return 1;
	if (type > 1)
		return 801;
	char *copied = calloc(1, size + HEAD + 1);
	memcpy(copied, data, size);
	R rc = unpack(copied, &text);
	if (!rc && type == 0 && text == copied)
		rc = 200;
	fake_module *m = NULL;
	if (!rc)
		rc = (R)fake_module_load(&m, text, l->with.target, l->with.logs);
	tell_sizes(&l->with);
	if (!rc) {
		fake_module_free(m);
		if (l->text) {
			note("cuLinkAddData: the fake links one text of PTX, and this is the second");
			rc = 801;
		} else
			l->text = strdup(text);
	}
	free(copied);
	return rc;
}
R cuLinkAddData_v2(linking *l, unsigned type, void *data, size_t size, const char *name, unsigned n, unsigned *names, void **values) {
	HERE;
	(void)name, (void)n, (void)names, (void)values;
	return leave(alive(l, LINK, "cuLinkAddData") ? add(l, type, data, size) : 400);
}
R cuLinkAddFile_v2(linking *l, unsigned type, const char *path, unsigned n, unsigned *names, void **values) {
	HERE;
	(void)n, (void)names, (void)values;
	if (!alive(l, LINK, "cuLinkAddFile"))
		return leave(400);
	size_t size;
	char *text = contents(path, &size);
	R rc = text ? add(l, type, text, size) : 301;
	free(text);
	return leave(rc);
}
R cuLinkComplete(linking *l, void **image, size_t *size) {
	HERE;
	size_t n;
	if (!alive(l, LINK, "cuLinkComplete"))
		return leave(400);
	if (!image || !l->text)
		return leave(1);
	free(l->image);
	*image = l->image = pack(l->text, l->with.target, &n);
	if (size)
		*size = n;
	return leave(0);
}
R cuLinkDestroy(linking *l) {
	HERE;
	if (!alive(l, LINK, "cuLinkDestroy"))
		return leave(400);
	free(l->text);
	free(l->image);
	object_die(l);
	return leave(0);
}
