/* A libcufft.so.11 for tests: the functions that weft calls, computed by the sums that define them in kernels of one thread for each result,
   which are launched on the plan's stream by the driver that WEFT_LIBCUDA names. STANDIN_CUFFT=status=N makes executions fail with N, and
   plan=N plans. Plans that read half of a spectrum destroy it, as cuFFT may. What a plan needs as its work area, 64 bytes a row, is written. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVALID_PLAN = 1, ALLOC_FAILED = 2, INVALID_TYPE = 3, INVALID_VALUE = 4, EXEC_FAILED = 6, SETUP_FAILED = 7, INVALID_SIZE = 8, UNALIGNED = 9, NO_WORKSPACE = 13 };
enum { Z2Z, D2Z, Z2D, KINDS };
enum { PLANS = 64 };

typedef struct {
	int used, kind, own;
	uint64_t points, rows, row, roots, work; /* row: of results, from one to the next */
	void *stream;
} plan;

static plan plans[PLANS];
static int executed;
int standin_transforms(void) { return __atomic_load_n(&executed, __ATOMIC_ACQUIRE); }

static struct {
	unsigned (*load)(void **, const void *);
	unsigned (*get)(void **, void *, const char *);
	unsigned (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
	unsigned (*alloc)(uint64_t *, size_t);
	unsigned (*release)(uint64_t);
	unsigned (*copy)(uint64_t, const void *, size_t);
	unsigned (*synchronize)(void);
	unsigned (*unload)(void *);
	void *module, *sum, *spoil; /* while there are plans */
	int plans;
} cuda;

static int told(const char *key)
{
	const char *said = getenv("STANDIN_CUFFT"), *at = said ? strstr(said, key) : NULL;
	return at ? atoi(at + strlen(key)) : 0;
}

/* Result k of a row is the sum over j of x[j] times the root j*k mod n, or its conjugate where sign is -1. x has `has` numbers of `size`
   bytes in a row; those of a half spectrum behind the middle are the conjugates of the ones before it. A result of 8 bytes is the real part.
   spoil overwrites numbers. */
static const char text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry transform(.param .u64 px, .param .u64 py, .param .u64 pw, .param .u64 n, .param .u64 has, .param .u64 gives, .param .u64 row, .param .u64 all,"
	" .param .u32 size, .param .u32 out, .param .f64 sign)\n{\n"
	"\t.reg .pred %p<8>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %l<32>;\n\t.reg .f64 %f<16>;\n"
	"\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n\tmov.u32 %r3, %tid.x;\n\tmad.lo.u32 %r4, %r1, %r2, %r3;\n\tcvt.u64.u32 %l1, %r4;\n"
	"\tld.param.u64 %l2, [all];\n\tsetp.ge.u64 %p1, %l1, %l2;\n\t@%p1 bra $done;\n"
	"\tld.param.u64 %l3, [gives];\n\tdiv.u64 %l4, %l1, %l3;\n\trem.u64 %l5, %l1, %l3;\n"
	"\tld.param.u64 %l6, [px];\n\tld.param.u64 %l7, [pw];\n\tld.param.u64 %l8, [n];\n\tld.param.u64 %l9, [has];\n"
	"\tld.param.u32 %r5, [size];\n\tcvt.u64.u32 %l10, %r5;\n\tmul.lo.u64 %l11, %l9, %l10;\n\tmad.lo.u64 %l6, %l4, %l11, %l6;\n"
	"\tld.param.f64 %f1, [sign];\n\tmov.f64 %f2, 0d0000000000000000;\n\tmov.f64 %f3, 0d0000000000000000;\n\tmov.u64 %l12, 0;\n\tmov.u64 %l13, 0;\n"
	"\tsetp.eq.u32 %p2, %r5, 8;\n"
	"$again:\n\tsetp.ge.u64 %p3, %l12, %l8;\n\t@%p3 bra $sum;\n"
	"\tmov.u64 %l14, %l12;\n\tmov.f64 %f8, 0d3ff0000000000000;\n\tsetp.lt.u64 %p4, %l12, %l9;\n\t@%p4 bra $near;\n"
	"\tsub.u64 %l14, %l8, %l12;\n\tmov.f64 %f8, 0dbff0000000000000;\n"
	"$near:\n\tmad.lo.u64 %l15, %l14, %l10, %l6;\n\tld.global.f64 %f4, [%l15];\n\tmov.f64 %f5, 0d0000000000000000;\n\t@%p2 bra $real;\n"
	"\tld.global.f64 %f5, [%l15+8];\n\tmul.rn.f64 %f5, %f5, %f8;\n"
	"$real:\n\tshl.b64 %l16, %l13, 4;\n\tadd.u64 %l16, %l7, %l16;\n\tld.global.f64 %f6, [%l16];\n\tld.global.f64 %f7, [%l16+8];\n\tmul.rn.f64 %f7, %f7, %f1;\n"
	"\tfma.rn.f64 %f2, %f4, %f6, %f2;\n\tneg.f64 %f9, %f5;\n\tfma.rn.f64 %f2, %f9, %f7, %f2;\n"
	"\tfma.rn.f64 %f3, %f4, %f7, %f3;\n\tfma.rn.f64 %f3, %f5, %f6, %f3;\n"
	"\tadd.u64 %l12, %l12, 1;\n\tadd.u64 %l13, %l13, %l5;\n\trem.u64 %l13, %l13, %l8;\n\tbra $again;\n"
	"$sum:\n\tld.param.u32 %r6, [out];\n\tcvt.u64.u32 %l17, %r6;\n\tld.param.u64 %l18, [py];\n\tld.param.u64 %l19, [row];\n"
	"\tmad.lo.u64 %l19, %l4, %l19, %l5;\n\tmad.lo.u64 %l18, %l19, %l17, %l18;\n"
	"\tst.global.f64 [%l18], %f2;\n\tsetp.eq.u32 %p5, %r6, 8;\n\t@%p5 bra $done;\n\tst.global.f64 [%l18+8], %f3;\n$done:\n\tret;\n}\n"
	".visible .entry spoil(.param .u64 px, .param .u64 all)\n{\n"
	"\t.reg .pred %p<2>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %l<8>;\n"
	"\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r2, %ntid.x;\n\tmov.u32 %r3, %tid.x;\n\tmad.lo.u32 %r4, %r1, %r2, %r3;\n\tcvt.u64.u32 %l1, %r4;\n"
	"\tld.param.u64 %l2, [all];\n\tsetp.ge.u64 %p1, %l1, %l2;\n\t@%p1 bra $done;\n"
	"\tld.param.u64 %l3, [px];\n\tshl.b64 %l4, %l1, 3;\n\tadd.u64 %l3, %l3, %l4;\n\tmov.u64 %l5, 9221120237041090560;\n\tst.global.u64 [%l3], %l5;\n$done:\n\tret;\n}\n";

static int open_driver(void)
{
	if (cuda.plans)
		return 0;
	void *lib = dlopen(getenv("WEFT_LIBCUDA"), RTLD_NOW);
	if (!lib)
		return SETUP_FAILED;
	*(void **)&cuda.load = dlsym(lib, "cuModuleLoadData");
	*(void **)&cuda.unload = dlsym(lib, "cuModuleUnload");
	*(void **)&cuda.get = dlsym(lib, "cuModuleGetFunction");
	*(void **)&cuda.launch = dlsym(lib, "cuLaunchKernel");
	*(void **)&cuda.alloc = dlsym(lib, "cuMemAlloc_v2");
	*(void **)&cuda.release = dlsym(lib, "cuMemFree_v2");
	*(void **)&cuda.copy = dlsym(lib, "cuMemcpyHtoD_v2");
	*(void **)&cuda.synchronize = dlsym(lib, "cuCtxSynchronize");
	if (!cuda.load || !cuda.unload || !cuda.get || !cuda.launch || !cuda.alloc || !cuda.release || !cuda.copy || !cuda.synchronize)
		return SETUP_FAILED;
	if (cuda.load(&cuda.module, text) || cuda.get(&cuda.sum, cuda.module, "transform") || cuda.get(&cuda.spoil, cuda.module, "spoil"))
		return SETUP_FAILED;
	return 0;
}

static plan *find(int number) { return number >= 0 && number < PLANS && plans[number].used ? &plans[number] : NULL; }

int cufftGetProperty(int part, int *value) { return part < 0 || part > 2 ? INVALID_VALUE : (*value = (int[]){11, 3, 1}[part], 0); }

int cufftCreate(int *made)
{
	int rc = open_driver();
	for (int i = 0; !rc && i < PLANS; i++)
		if (!plans[i].used)
			return plans[i] = (plan){.used = 1, .own = 1}, *made = i, cuda.plans++, 0;
	return rc ? rc : ALLOC_FAILED;
}

int cufftSetAutoAllocation(int number, int on)
{
	plan *p = find(number);
	return p ? p->own = on, 0 : INVALID_PLAN;
}

int cufftSetStream(int number, void *stream)
{
	plan *p = find(number);
	return p ? p->stream = stream, 0 : INVALID_PLAN;
}

int cufftSetWorkArea(int number, uint64_t at)
{
	plan *p = find(number);
	return p ? p->work = at, 0 : INVALID_PLAN;
}

int cufftMakePlanMany64(int number, int axes, long long *points, long long *in, long long in_step, long long in_row, long long *out, long long out_step,
                        long long out_row, int type, long long rows, size_t *work)
{
	plan *p = find(number);
	if (!p || p->points)
		return INVALID_PLAN;
	if (told("plan="))
		return told("plan=");
	if (axes != 1 || !in || !out || in_step != 1 || out_step != 1 || p->own)
		return INVALID_VALUE;
	if (points[0] < 1 || rows < 1)
		return INVALID_SIZE;
	p->kind = type == 0x69 ? Z2Z : type == 0x6a ? D2Z : type == 0x6c ? Z2D : KINDS;
	if (p->kind == KINDS)
		return INVALID_TYPE;
	p->points = (uint64_t)points[0], p->rows = (uint64_t)rows, p->row = (uint64_t)out_row;
	if (in_row != (p->kind == Z2D ? points[0] / 2 + 1 : points[0]) || out_row < (p->kind == D2Z ? points[0] / 2 + 1 : points[0]))
		return INVALID_VALUE;
	double *roots = malloc(16 * p->points);
	for (uint64_t i = 0; i < p->points; i++) {
		double angle = 2 * M_PI * (double)i / (double)p->points;
		roots[2 * i] = cos(angle), roots[2 * i + 1] = sin(angle);
	}
	int rc = cuda.alloc(&p->roots, 16 * p->points) || cuda.copy(p->roots, roots, 16 * p->points) || cuda.synchronize() ? ALLOC_FAILED : 0;
	free(roots);
	*work = 64 * p->rows;
	return rc;
}

int cufftDestroy(int number)
{
	plan *p = find(number);
	if (!p)
		return INVALID_PLAN;
	p->used = 0;
	int rc = p->roots && cuda.release(p->roots) ? EXEC_FAILED : 0;
	return --cuda.plans == 0 && cuda.unload(cuda.module) ? EXEC_FAILED : rc;
}

static int spoil(plan *p, uint64_t at, uint64_t words)
{
	void *params[] = {&at, &words};
	return cuda.launch(cuda.spoil, (unsigned)((words + 63) / 64), 1, 1, 64, 1, 1, 0, p->stream, params, NULL);
}

static int execute(int number, int kind, uint64_t in, uint64_t out, double sign)
{
	plan *p = find(number);
	if (!p || p->kind != kind)
		return INVALID_PLAN;
	if (told("status="))
		return told("status=");
	if (!p->work)
		return NO_WORKSPACE;
	uint64_t n = p->points, half = n / 2 + 1, has = kind == Z2D ? half : n, gives = kind == D2Z ? half : n, all = p->rows * gives;
	unsigned size = kind == D2Z ? 8 : 16, to = kind == Z2D ? 8 : 16;
	if (in == out)
		return INVALID_VALUE;
	if (in % 16 || out % 16) /* a GPU's threads fault, and take the context with them */
		return UNALIGNED;
	__atomic_fetch_add(&executed, 1, __ATOMIC_RELEASE);
	void *params[] = {&in, &out, &p->roots, &n, &has, &gives, &p->row, &all, &size, &to, &sign};
	if (spoil(p, p->work, 8 * p->rows) || cuda.launch(cuda.sum, (unsigned)((all + 63) / 64), 1, 1, 64, 1, 1, 0, p->stream, params, NULL))
		return EXEC_FAILED;
	return kind == Z2D && spoil(p, in, 2 * half * p->rows) ? EXEC_FAILED : 0;
}

int cufftExecZ2Z(int number, uint64_t in, uint64_t out, int direction) { return execute(number, Z2Z, in, out, direction == -1 ? -1 : 1); }
int cufftExecD2Z(int number, uint64_t in, uint64_t out) { return execute(number, D2Z, in, out, -1); }
int cufftExecZ2D(int number, uint64_t in, uint64_t out) { return execute(number, Z2D, in, out, 1); }
