/* A libcublas.so.12 for tests: the functions that weft calls, computed by kernels of one thread for each result, which are launched on the
   handle's stream by the driver that WEFT_LIBCUDA names. STANDIN_CUBLAS=status=N makes products fail with N, and create=N handles.
   Products are counted by standin_products. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_INITIALIZED = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7, EXECUTION_FAILED = 13 };
enum { S, D, C, Z, TYPES };

typedef struct {
	void *stream, *module, *function[TYPES];
} handle;

static struct {
	unsigned (*load)(void **, const void *);
	unsigned (*unload)(void *);
	unsigned (*get)(void **, void *, const char *);
	unsigned (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
} cuda;

static int products;
int standin_products(void) { return __atomic_load_n(&products, __ATOMIC_ACQUIRE); }

static int told(const char *key)
{
	const char *said = getenv("STANDIN_CUBLAS"), *at = said ? strstr(said, key) : NULL;
	return at ? atoi(at + strlen(key)) : 0;
}

/* One result: c[i,j] = sum over l of a[i,l]*b[l,j], from bytes apart. Complex numbers have a second part behind the first. */
static const char head[] =
	".version 7.0\n.target sm_70\n.address_size 64\n";
static const char text[] =
	".visible .entry gemm_%s(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 ai, .param .u64 al, .param .u64 bl, .param .u64 bj,"
	" .param .u64 ci, .param .u64 cj, .param .u32 m, .param .u32 n, .param .u32 k)\n{\n"
	"\t.reg .pred %%p<4>;\n\t.reg .b32 %%r<12>;\n\t.reg .b64 %%l<24>;\n\t.reg .%s %%f<12>;\n"
	"\tmov.u32 %%r1, %%ctaid.x;\n\tmov.u32 %%r2, %%ntid.x;\n\tmov.u32 %%r3, %%tid.x;\n\tmad.lo.u32 %%r4, %%r1, %%r2, %%r3;\n"
	"\tld.param.u32 %%r5, [m];\n\tld.param.u32 %%r6, [n];\n\tld.param.u32 %%r7, [k];\n"
	"\tmul.lo.u32 %%r8, %%r5, %%r6;\n\tsetp.ge.u32 %%p1, %%r4, %%r8;\n\t@%%p1 bra $done;\n"
	"\trem.u32 %%r9, %%r4, %%r5;\n\tdiv.u32 %%r10, %%r4, %%r5;\n\tcvt.u64.u32 %%l1, %%r9;\n\tcvt.u64.u32 %%l2, %%r10;\n"
	"\tld.param.u64 %%l3, [pa];\n\tld.param.u64 %%l4, [pb];\n\tld.param.u64 %%l5, [pc];\n\tld.param.u64 %%l6, [ai];\n\tld.param.u64 %%l7, [al];\n"
	"\tld.param.u64 %%l8, [bl];\n\tld.param.u64 %%l9, [bj];\n\tld.param.u64 %%l10, [ci];\n\tld.param.u64 %%l11, [cj];\n"
	"\tmad.lo.s64 %%l12, %%l1, %%l6, %%l3;\n\tmad.lo.s64 %%l13, %%l2, %%l9, %%l4;\n\tmad.lo.s64 %%l14, %%l1, %%l10, %%l5;\n\tmad.lo.s64 %%l14, %%l2, %%l11, %%l14;\n"
	"\tmov.%s %%f1, %s;\n\tmov.%s %%f2, %s;\n\tmov.u32 %%r11, 0;\n"
	"$again:\n\tsetp.ge.u32 %%p2, %%r11, %%r7;\n\t@%%p2 bra $sum;\n"
	"%s"
	"\tadd.s64 %%l12, %%l12, %%l7;\n\tadd.s64 %%l13, %%l13, %%l8;\n\tadd.u32 %%r11, %%r11, 1;\n\tbra $again;\n"
	"$sum:\n%s$done:\n\tret;\n}\n";

static const char real_step[] = "\tld.global.%1$s %%f3, [%%l12];\n\tld.global.%1$s %%f4, [%%l13];\n\tfma.rn.%1$s %%f1, %%f3, %%f4, %%f1;\n";
static const char complex_step[] =
	"\tld.global.%1$s %%f3, [%%l12];\n\tld.global.%1$s %%f5, [%%l12+%2$d];\n\tld.global.%1$s %%f4, [%%l13];\n\tld.global.%1$s %%f6, [%%l13+%2$d];\n"
	"\tneg.%1$s %%f7, %%f5;\n\tfma.rn.%1$s %%f1, %%f3, %%f4, %%f1;\n\tfma.rn.%1$s %%f1, %%f7, %%f6, %%f1;\n"
	"\tfma.rn.%1$s %%f2, %%f3, %%f6, %%f2;\n\tfma.rn.%1$s %%f2, %%f5, %%f4, %%f2;\n";
static const char real_end[] = "\tst.global.%1$s [%%l14], %%f1;\n";
static const char complex_end[] = "\tst.global.%1$s [%%l14], %%f1;\n\tst.global.%1$s [%%l14+%2$d], %%f2;\n";

static void *module_text(void)
{
	static const char *const names[TYPES] = {"s", "d", "c", "z"};
	char *all = malloc(1 << 16), *at = all + sprintf(all, "%s", head);
	for (int t = 0; t < TYPES; t++) {
		const char *type = t & 1 ? "f64" : "f32", *zero = t & 1 ? "0d0000000000000000" : "0f00000000";
		char step[1024], end[256];
		snprintf(step, sizeof step, t < C ? real_step : complex_step, type, t & 1 ? 8 : 4);
		snprintf(end, sizeof end, t < C ? real_end : complex_end, type, t & 1 ? 8 : 4);
		at += sprintf(at, text, names[t], type, type, zero, type, zero, step, end);
	}
	return all;
}

static int open_driver(void)
{
	void *lib = dlopen(getenv("WEFT_LIBCUDA"), RTLD_NOW);
	if (!lib)
		return NOT_INITIALIZED;
	*(void **)&cuda.load = dlsym(lib, "cuModuleLoadData");
	*(void **)&cuda.unload = dlsym(lib, "cuModuleUnload");
	*(void **)&cuda.get = dlsym(lib, "cuModuleGetFunction");
	*(void **)&cuda.launch = dlsym(lib, "cuLaunchKernel");
	return cuda.load && cuda.unload && cuda.get && cuda.launch ? 0 : NOT_INITIALIZED;
}

int cublasGetProperty(int part, int *value) { return part < 0 || part > 2 ? INVALID_VALUE : (*value = (int[]){12, 0, 7}[part], 0); }

int cublasDestroy_v2(handle *h)
{
	int rc = cuda.unload(h->module) ? EXECUTION_FAILED : 0;
	free(h);
	return rc;
}

int cublasCreate_v2(handle **made)
{
	static const char *const names[TYPES] = {"gemm_s", "gemm_d", "gemm_c", "gemm_z"};
	if (told("create="))
		return told("create=");
	int rc = open_driver();
	if (rc)
		return rc;
	handle *h = calloc(1, sizeof *h);
	void *all = module_text();
	if (cuda.load(&h->module, all))
		rc = NOT_INITIALIZED;
	for (int t = 0; t < TYPES && !rc; t++)
		if (cuda.get(&h->function[t], h->module, names[t]))
			rc = NOT_INITIALIZED;
	free(all);
	*made = h;
	return rc;
}

int cublasSetStream_v2(handle *h, void *stream) { return h->stream = stream, 0; }

static int gemm(handle *h, int t, int ta, int tb, int m, int n, int k, uint64_t a, int lda, long long sa, uint64_t b, int ldb, long long sb,
                uint64_t c, int ldc, long long sc, int batch)
{
	int64_t size = (int64_t[]){4, 8, 8, 16}[t];
	if (told("status="))
		return told("status=");
	if (m < 0 || n < 0 || k < 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || a % size || b % size || c % size)
		return INVALID_VALUE;
	__atomic_fetch_add(&products, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < batch; i++) {
		uint64_t pa = a + i * sa * size, pb = b + i * sb * size, pc = c + i * sc * size;
		int64_t ai = ta ? lda * size : size, al = ta ? size : lda * size, bl = tb ? ldb * size : size, bj = tb ? size : ldb * size, ci = size, cj = ldc * size;
		void *params[] = {&pa, &pb, &pc, &ai, &al, &bl, &bj, &ci, &cj, &m, &n, &k};
		if (cuda.launch(h->function[t], ((unsigned)m * (unsigned)n + 63) / 64, 1, 1, 64, 1, 1, 0, h->stream, params, NULL))
			return EXECUTION_FAILED;
	}
	return 0;
}

/* As 1 and 0, which are all that is asked for: anything else is refused. */
static int unit(const void *alpha, const void *beta, int t)
{
	return t & 1 ? *(const double *)alpha == 1 && *(const double *)beta == 0 : *(const float *)alpha == 1 && *(const float *)beta == 0;
}

#define PRODUCTS(T, NAME) \
	int cublas##NAME##gemm_v2(handle *h, int ta, int tb, int m, int n, int k, const void *alpha, uint64_t a, int lda, uint64_t b, int ldb, const void *beta, uint64_t c, int ldc) \
	{ \
		return unit(alpha, beta, T) ? gemm(h, T, ta, tb, m, n, k, a, lda, 0, b, ldb, 0, c, ldc, 0, 1) : INVALID_VALUE; \
	} \
	int cublas##NAME##gemmStridedBatched(handle *h, int ta, int tb, int m, int n, int k, const void *alpha, uint64_t a, int lda, long long sa, uint64_t b, int ldb, long long sb, \
	                                     const void *beta, uint64_t c, int ldc, long long sc, int batch) \
	{ \
		return unit(alpha, beta, T) ? gemm(h, T, ta, tb, m, n, k, a, lda, sa, b, ldb, sb, c, ldc, sc, batch) : INVALID_VALUE; \
	}

PRODUCTS(S, S)
PRODUCTS(D, D)
PRODUCTS(C, C)
PRODUCTS(Z, Z)
