/* A libcusolver.so.11 for tests: the functions that weft calls. Each waits for the handle's stream, brings the operands to the host, computes there
   by the schoolbook, and brings the results back, by the driver that WEFT_LIBCUDA names. STANDIN_CUSOLVER=status=N makes decompositions fail
   with N, create=N handles, diverge=1 has eigenvalues and singular ones not converge, and refuse=-N
   has second steps say that of their argument N. What is asked for as the work area, 3 numbers a row, is written.
   Calls are counted by standin_decompositions. */
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_INITIALIZED = 1, INVALID_VALUE = 3, EXECUTION_FAILED = 6 };

typedef double complex number;
typedef struct {
	void *stream;
} handle;

static struct {
	unsigned (*wait)(void *);
	unsigned (*out)(void *, uint64_t, size_t, void *);
	unsigned (*in)(uint64_t, const void *, size_t, void *);
} cuda;

static int decompositions;
int standin_decompositions(void) { return __atomic_load_n(&decompositions, __ATOMIC_ACQUIRE); }

static int told(const char *key)
{
	const char *said = getenv("STANDIN_CUSOLVER"), *at = said ? strstr(said, key) : NULL;
	return at ? atoi(at + strlen(key)) : 0;
}

int cusolverGetProperty(int part, int *value) { return part < 0 || part > 2 ? INVALID_VALUE : (*value = (int[]){11, 0, 9}[part], 0); }

int cusolverDnCreate(handle **made)
{
	if (told("create="))
		return told("create=");
	void *lib = dlopen(getenv("WEFT_LIBCUDA"), RTLD_NOW);
	if (!lib)
		return NOT_INITIALIZED;
	*(void **)&cuda.wait = dlsym(lib, "cuStreamSynchronize");
	*(void **)&cuda.out = dlsym(lib, "cuMemcpyDtoHAsync_v2");
	*(void **)&cuda.in = dlsym(lib, "cuMemcpyHtoDAsync_v2");
	if (!cuda.wait || !cuda.out || !cuda.in)
		return NOT_INITIALIZED;
	*made = calloc(1, sizeof **made);
	return 0;
}

int cusolverDnDestroy(handle *h) { return free(h), 0; }
int cusolverDnSetStream(handle *h, void *stream) { return h->stream = stream, 0; }

/* Numbers on the host are complex; on the device they are so where `parts` is 2. */
static int fetch(handle *h, number *to, uint64_t from, size_t n, int parts)
{
	double *raw = malloc(8 * n * parts + 1);
	int rc = cuda.wait(h->stream) || cuda.out(raw, from, 8 * n * parts, h->stream) || cuda.wait(h->stream) ? EXECUTION_FAILED : 0;
	for (size_t i = 0; i < n && !rc; i++)
		to[i] = parts == 2 ? raw[2 * i] + I * raw[2 * i + 1] : raw[i];
	free(raw);
	return rc;
}

static int put(handle *h, uint64_t to, const void *from, size_t bytes)
{
	return cuda.in(to, from, bytes, h->stream) || cuda.wait(h->stream) ? EXECUTION_FAILED : 0;
}

static int bring(handle *h, uint64_t to, const number *from, size_t n, int parts)
{
	double *raw = malloc(8 * n * parts + 1);
	for (size_t i = 0; i < n * parts; i++)
		raw[i] = parts == 1 ? creal(from[i]) : i % 2 ? cimag(from[i / 2]) : creal(from[i / 2]);
	int rc = put(h, to, raw, 8 * n * parts);
	free(raw);
	return rc;
}

static int spoil(handle *h, uint64_t work, int n, int parts)
{
	number *junk = calloc(n + 1, sizeof *junk);
	int rc = bring(h, work, junk, n, parts);
	free(junk);
	return rc;
}

static int work_size(int n) { return 3 * n; }

static int cholesky(handle *h, int upper, int n, uint64_t a, int lda, uint64_t work, int size, uint64_t info, int parts)
{
	if (told("status="))
		return told("status=");
	if (lda != n || n < 1 || size < work_size(n) || a % (8 * parts))
		return INVALID_VALUE;
	__atomic_fetch_add(&decompositions, 1, __ATOMIC_RELEASE);
	number *m = malloc(sizeof *m * n * n);
	int bad = 0, rc = fetch(h, m, a, (size_t)n * n, parts);
	/* l[i][j], j <= i, of m = l l^H, is at m[i + j*n], or of the upper factor l^H its conjugate at m[j + i*n] */
	for (int j = 0; j < n && !rc && !bad; j++)
		for (int i = j; i < n && !bad; i++) {
			number s = upper ? conj(m[j + i * n]) : m[i + j * n];
			for (int k = 0; k < j; k++)
				s -= upper ? conj(m[k + i * n]) * m[k + j * n] : m[i + k * n] * conj(m[j + k * n]);
			if (i == j && !(creal(s) > 0))
				bad = j + 1;
			number l = i == j ? sqrt(creal(s)) : s / (upper ? creal(m[j + j * n]) : creal(m[j + j * n]));
			*(upper ? &m[j + i * n] : &m[i + j * n]) = upper ? conj(l) : l;
		}
	rc = rc ? rc : bring(h, a, m, (size_t)n * n, parts);
	rc = rc ? rc : spoil(h, work, size, parts);
	free(m);
	return rc ? rc : put(h, info, &bad, sizeof bad);
}

static int factors(handle *h, int rows, int n, uint64_t a, int lda, uint64_t work, uint64_t pivots, uint64_t info, int parts)
{
	if (told("status="))
		return told("status=");
	if (rows != n || lda != n || n < 1 || a % (8 * parts))
		return INVALID_VALUE;
	__atomic_fetch_add(&decompositions, 1, __ATOMIC_RELEASE);
	number *m = malloc(sizeof *m * n * n);
	int *of = calloc(n, sizeof *of), bad = 0, rc = fetch(h, m, a, (size_t)n * n, parts);
	for (int k = 0; k < n && !rc; k++) {
		int p = k;
		for (int i = k; i < n; i++)
			if (cabs(m[i + k * n]) > cabs(m[p + k * n]))
				p = i;
		of[k] = p + 1;
		for (int j = 0; j < n; j++) {
			number t = m[k + j * n];
			m[k + j * n] = m[p + j * n];
			m[p + j * n] = t;
		}
		if (m[k + k * n] == 0) {
			bad = bad ? bad : k + 1;
			continue;
		}
		for (int i = k + 1; i < n; i++) {
			m[i + k * n] /= m[k + k * n];
			for (int j = k + 1; j < n; j++)
				m[i + j * n] -= m[i + k * n] * m[k + j * n];
		}
	}
	rc = rc ? rc : bring(h, a, m, (size_t)n * n, parts);
	rc = rc ? rc : put(h, pivots, of, n * sizeof *of);
	rc = rc ? rc : spoil(h, work, work_size(n), parts);
	free(m);
	free(of);
	return rc ? rc : put(h, info, &bad, sizeof bad);
}

/* Of the transpose, which is all that is asked for: p l u = m, so that first u^T y = b, then l^T z = y, and then the rows go back. */
static int solve(handle *h, int op, int n, int sides, uint64_t a, int lda, uint64_t pivots, uint64_t b, int ldb, uint64_t info, int parts)
{
	if (op != 1 || lda != n || ldb != n || sides < 1)
		return INVALID_VALUE;
	number *m = malloc(sizeof *m * n * n), *x = malloc(sizeof *x * n * sides);
	int *of = malloc(n * sizeof *of), good = told("refuse=");
	int rc = fetch(h, m, a, (size_t)n * n, parts);
	rc = rc ? rc : fetch(h, x, b, (size_t)n * sides, parts);
	if (!rc && (cuda.out(of, pivots, n * sizeof *of, h->stream) || cuda.wait(h->stream)))
		rc = EXECUTION_FAILED;
	for (int s = 0; s < sides && !rc; s++) {
		number *y = x + (size_t)s * n;
		for (int i = 0; i < n; i++) {
			for (int k = 0; k < i; k++)
				y[i] -= m[k + i * n] * y[k];
			y[i] /= m[i + i * n];
		}
		for (int i = n - 1; i >= 0; i--)
			for (int k = i + 1; k < n; k++)
				y[i] -= m[k + i * n] * y[k];
		for (int i = n - 1; i >= 0; i--) {
			number t = y[i];
			y[i] = y[of[i] - 1];
			y[of[i] - 1] = t;
		}
	}
	rc = rc ? rc : bring(h, b, x, (size_t)n * sides, parts);
	free(m);
	free(x);
	free(of);
	return rc ? rc : put(h, info, &good, sizeof good);
}

/* Jacobi's rotations. */
static int eigen(handle *h, int vectors, int upper, int n, uint64_t a, int lda, uint64_t values, uint64_t work, int size, uint64_t info, int parts)
{
	if (told("status="))
		return told("status=");
	if (lda != n || n < 1 || size < work_size(n) || a % (8 * parts) || values % 8)
		return INVALID_VALUE;
	__atomic_fetch_add(&decompositions, 1, __ATOMIC_RELEASE);
	number *m = malloc(sizeof *m * n * n), *v = calloc((size_t)n * n, sizeof *v), *sorted = malloc(sizeof *sorted * n * n);
	double *w = malloc(n * sizeof *w);
	int bad = told("diverge="), rc = fetch(h, m, a, (size_t)n * n, parts);
	for (int j = 0; j < n && !rc; j++) {
		v[j + j * n] = 1;
		for (int i = 0; i < n; i++) /* the other triangle is not looked at */
			if (upper ? i > j : i < j)
				m[i + j * n] = conj(m[j + i * n]);
		m[j + j * n] = creal(m[j + j * n]);
	}
	for (int sweep = 0; sweep < 60 && !rc; sweep++)
		for (int p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++) {
				number x = m[p + q * n];
				double size = cabs(x);
				if (size < 1e-300)
					continue;
				number phase = x / size;
				double t = 0.5 * atan2(2 * size, creal(m[q + q * n]) - creal(m[p + p * n])), c = cos(t), s = sin(t);
				for (int i = 0; i < n; i++) { /* columns p and q of m and of v */
					number mp = m[i + p * n], mq = m[i + q * n], vp = v[i + p * n], vq = v[i + q * n];
					m[i + p * n] = c * mp - s * conj(phase) * mq;
					m[i + q * n] = s * phase * mp + c * mq;
					v[i + p * n] = c * vp - s * conj(phase) * vq;
					v[i + q * n] = s * phase * vp + c * vq;
				}
				for (int j = 0; j < n; j++) {
					number mp = m[p + j * n], mq = m[q + j * n];
					m[p + j * n] = c * mp - s * phase * mq;
					m[q + j * n] = s * conj(phase) * mp + c * mq;
				}
			}
	for (int k = 0; k < n && !rc; k++) {
		int least = -1;
		for (int j = 0; j < n; j++)
			if (!isnan(creal(m[j + j * n])) && (least < 0 || creal(m[j + j * n]) < creal(m[least + least * n])))
				least = j;
		if (least < 0) {
			bad = 1;
			break;
		}
		w[k] = creal(m[least + least * n]);
		memcpy(sorted + (size_t)k * n, v + (size_t)least * n, n * sizeof *v);
		m[least + least * n] = NAN;
	}
	rc = rc ? rc : bring(h, a, vectors ? sorted : m, (size_t)n * n, parts);
	rc = rc ? rc : put(h, values, w, n * sizeof *w);
	rc = rc ? rc : spoil(h, work, size, parts);
	free(m);
	free(v);
	free(sorted);
	free(w);
	return rc ? rc : put(h, info, &bad, sizeof bad);
}

/* Householder's reflectors: column i has what is behind the first, 1, of the i-th. */
static int reflect(handle *h, int rows, int n, uint64_t a, int lda, uint64_t scales, uint64_t work, int size, uint64_t info, int parts)
{
	if (told("status="))
		return told("status=");
	if (lda != rows || n < 1 || rows < 1 || size < work_size(n) || a % (8 * parts) || scales % (8 * parts))
		return INVALID_VALUE;
	__atomic_fetch_add(&decompositions, 1, __ATOMIC_RELEASE);
	int k = rows < n ? rows : n, good = 0;
	number *m = malloc(sizeof *m * rows * n), *tau = calloc(k, sizeof *tau);
	int rc = fetch(h, m, a, (size_t)rows * n, parts);
	for (int i = 0; i < k && !rc; i++) {
		number *v = m + (size_t)i * rows, alpha = v[i];
		double behind = 0;
		for (int r = i + 1; r < rows; r++)
			behind += creal(v[r] * conj(v[r]));
		if (behind == 0 && cimag(alpha) == 0)
			continue;
		double beta = -copysign(sqrt(behind + creal(alpha * conj(alpha))), creal(alpha));
		tau[i] = (beta - alpha) / beta;
		for (int r = i + 1; r < rows; r++)
			v[r] /= alpha - beta;
		v[i] = beta;
		for (int j = i + 1; j < n; j++) {
			number *x = m + (size_t)j * rows, sum = x[i];
			for (int r = i + 1; r < rows; r++)
				sum += conj(v[r]) * x[r];
			sum *= conj(tau[i]);
			x[i] -= sum;
			for (int r = i + 1; r < rows; r++)
				x[r] -= sum * v[r];
		}
	}
	rc = rc ? rc : bring(h, a, m, (size_t)rows * n, parts);
	rc = rc ? rc : bring(h, scales, tau, k, parts);
	rc = rc ? rc : spoil(h, work, size, parts);
	free(m);
	free(tau);
	return rc ? rc : put(h, info, &good, sizeof good);
}

static int orthogonal(handle *h, int rows, int n, int k, uint64_t q, int ldq, uint64_t scales, uint64_t work, int size, uint64_t info, int parts)
{
	if (ldq != rows || k < 1 || k > n || n > rows || size < work_size(n) || q % (8 * parts) || scales % (8 * parts))
		return INVALID_VALUE;
	number *m = malloc(sizeof *m * rows * k), *made = calloc((size_t)rows * n, sizeof *made), *tau = malloc(k * sizeof *tau);
	int rc = fetch(h, m, q, (size_t)rows * k, parts), good = told("refuse=");
	rc = rc ? rc : fetch(h, tau, scales, k, parts);
	for (int j = 0; j < n; j++)
		made[j + (size_t)j * rows] = 1;
	for (int i = k - 1; i >= 0 && !rc; i--)
		for (int j = 0; j < n; j++) {
			number *v = m + (size_t)i * rows, *x = made + (size_t)j * rows, sum = x[i];
			for (int r = i + 1; r < rows; r++)
				sum += conj(v[r]) * x[r];
			x[i] -= tau[i] * sum;
			for (int r = i + 1; r < rows; r++)
				x[r] -= tau[i] * sum * v[r];
		}
	rc = rc ? rc : bring(h, q, made, (size_t)rows * n, parts);
	rc = rc ? rc : spoil(h, work, size, parts);
	free(m);
	free(made);
	free(tau);
	return rc ? rc : put(h, info, &good, sizeof good);
}

static double length(const number *x, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += creal(x[i] * conj(x[i]));
	return sqrt(sum);
}

/* complete makes column k one that is at right angles to those before it: what is left of the unit vector of which most is. */
static void complete(number *u, int rows, int k)
{
	number *x = malloc(sizeof *x * rows), *to = u + (size_t)k * rows;
	double most = 0;
	for (int unit = 0; unit < rows; unit++) {
		memset(x, 0, sizeof *x * rows);
		x[unit] = 1;
		for (int twice = 0; twice < 2; twice++)
			for (int j = 0; j < k; j++) {
				number sum = 0, *v = u + (size_t)j * rows;
				for (int r = 0; r < rows; r++)
					sum += conj(v[r]) * x[r];
				for (int r = 0; r < rows; r++)
					x[r] -= sum * v[r];
			}
		double size = length(x, rows);
		if (size > most) {
			most = size;
			for (int r = 0; r < rows; r++)
				to[r] = x[r] / size;
		}
	}
	free(x);
}

/* Jacobi's rotations of the columns, until they are at right angles: their lengths are the singular values. */
static int singular(handle *h, signed char left, signed char right, int rows, int n, uint64_t a, int lda, uint64_t values, uint64_t pu, int ldu, uint64_t pvt,
                    int ldvt, uint64_t work, int size, uint64_t rest, uint64_t info, int parts)
{
	if (told("status="))
		return told("status=");
	if (rows < n || n < 1 || lda != rows || ldu != rows || ldvt != n || left != right || !strchr("ASN", left) || size < work_size(n) || a % (8 * parts) || values % 8)
		return INVALID_VALUE;
	__atomic_fetch_add(&decompositions, 1, __ATOMIC_RELEASE);
	number *m = malloc(sizeof *m * rows * n), *v = calloc((size_t)n * n, sizeof *v), *u = calloc((size_t)rows * rows, sizeof *u), *vt = malloc(sizeof *vt * n * n);
	double *s = malloc(n * sizeof *s), *sizes = malloc(n * sizeof *sizes);
	int bad = told("diverge="), rc = fetch(h, m, a, (size_t)rows * n, parts);
	for (int j = 0; j < n; j++)
		v[j + (size_t)j * n] = 1;
	for (int sweep = 0; sweep < 60 && !rc; sweep++)
		for (int p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++) {
				number *mp = m + (size_t)p * rows, *mq = m + (size_t)q * rows, *vp = v + (size_t)p * n, *vq = v + (size_t)q * n, x = 0;
				for (int r = 0; r < rows; r++)
					x += conj(mp[r]) * mq[r];
				double of = cabs(x), lp = length(mp, rows), lq = length(mq, rows);
				if (of < 1e-300 || of < 1e-17 * lp * lq)
					continue;
				number phase = x / of;
				double t = 0.5 * atan2(2 * of, lq * lq - lp * lp), c = cos(t), sine = sin(t);
				for (int r = 0; r < rows; r++) {
					number one = mp[r], other = mq[r];
					mp[r] = c * one - sine * conj(phase) * other;
					mq[r] = sine * phase * one + c * other;
				}
				for (int r = 0; r < n; r++) {
					number one = vp[r], other = vq[r];
					vp[r] = c * one - sine * conj(phase) * other;
					vq[r] = sine * phase * one + c * other;
				}
			}
	for (int j = 0; j < n; j++)
		sizes[j] = length(m + (size_t)j * rows, rows);
	for (int k = 0; k < n && !rc; k++) {
		int most = 0;
		for (int j = 0; j < n; j++)
			if (sizes[j] > sizes[most])
				most = j;
		s[k] = sizes[most] < 0 ? 0 : sizes[most];
		sizes[most] = -1;
		for (int r = 0; r < rows; r++)
			u[r + (size_t)k * rows] = m[r + (size_t)most * rows] / s[k];
		if (s[k] <= 1e-13 * s[0])
			complete(u, rows, k);
		for (int j = 0; j < n; j++)
			vt[k + (size_t)j * n] = conj(v[j + (size_t)most * n]);
	}
	for (int k = n; k < rows; k++)
		complete(u, rows, k);
	rc = rc ? rc : put(h, values, s, n * sizeof *s);
	if (left != 'N') {
		rc = rc ? rc : bring(h, pu, u, (size_t)rows * (left == 'A' ? rows : n), parts);
		rc = rc ? rc : bring(h, pvt, vt, (size_t)n * n, parts);
	}
	rc = rc ? rc : spoil(h, work, size, parts);
	rc = rc || n < 2 ? rc : put(h, rest, s, (n - 1) * sizeof *s);
	rc = rc ? rc : spoil(h, a, rows * n, parts);
	free(m);
	free(v);
	free(u);
	free(vt);
	free(s);
	free(sizes);
	return rc ? rc : put(h, info, &bad, sizeof bad);
}

#define OF(T, EIGEN, Q, PARTS) \
	int cusolverDn##T##potrf_bufferSize(handle *h, int upper, int n, uint64_t a, int lda, int *size) \
	{ \
		return (void)h, (void)upper, (void)a, (void)lda, *size = work_size(n), 0; \
	} \
	int cusolverDn##T##potrf(handle *h, int upper, int n, uint64_t a, int lda, uint64_t work, int size, uint64_t info) \
	{ \
		return cholesky(h, upper, n, a, lda, work, size, info, PARTS); \
	} \
	int cusolverDn##T##getrf_bufferSize(handle *h, int rows, int n, uint64_t a, int lda, int *size) \
	{ \
		return (void)h, (void)rows, (void)a, (void)lda, *size = work_size(n), 0; \
	} \
	int cusolverDn##T##getrf(handle *h, int rows, int n, uint64_t a, int lda, uint64_t work, uint64_t pivots, uint64_t info) \
	{ \
		return factors(h, rows, n, a, lda, work, pivots, info, PARTS); \
	} \
	int cusolverDn##T##getrs(handle *h, int op, int n, int sides, uint64_t a, int lda, uint64_t pivots, uint64_t b, int ldb, uint64_t info) \
	{ \
		return solve(h, op, n, sides, a, lda, pivots, b, ldb, info, PARTS); \
	} \
	int cusolverDn##T##EIGEN##_bufferSize(handle *h, int vectors, int upper, int n, uint64_t a, int lda, uint64_t w, int *size) \
	{ \
		return (void)h, (void)vectors, (void)upper, (void)a, (void)lda, (void)w, *size = work_size(n), 0; \
	} \
	int cusolverDn##T##EIGEN(handle *h, int vectors, int upper, int n, uint64_t a, int lda, uint64_t w, uint64_t work, int size, uint64_t info) \
	{ \
		return eigen(h, vectors, upper, n, a, lda, w, work, size, info, PARTS); \
	} \
	int cusolverDn##T##geqrf_bufferSize(handle *h, int rows, int n, uint64_t a, int lda, int *size) \
	{ \
		return (void)h, (void)rows, (void)a, (void)lda, *size = work_size(n), 0; \
	} \
	int cusolverDn##T##geqrf(handle *h, int rows, int n, uint64_t a, int lda, uint64_t tau, uint64_t work, int size, uint64_t info) \
	{ \
		return reflect(h, rows, n, a, lda, tau, work, size, info, PARTS); \
	} \
	int cusolverDn##T##Q##_bufferSize(handle *h, int rows, int n, int k, uint64_t q, int ldq, uint64_t tau, int *size) \
	{ \
		return (void)h, (void)rows, (void)k, (void)q, (void)ldq, (void)tau, *size = work_size(n), 0; \
	} \
	int cusolverDn##T##Q(handle *h, int rows, int n, int k, uint64_t q, int ldq, uint64_t tau, uint64_t work, int size, uint64_t info) \
	{ \
		return orthogonal(h, rows, n, k, q, ldq, tau, work, size, info, PARTS); \
	} \
	int cusolverDn##T##gesvd_bufferSize(handle *h, int rows, int n, int *size) { return (void)h, (void)rows, *size = work_size(n), 0; } \
	int cusolverDn##T##gesvd(handle *h, signed char left, signed char right, int rows, int n, uint64_t a, int lda, uint64_t s, uint64_t u, int ldu, uint64_t vt, \
	                         int ldvt, uint64_t work, int size, uint64_t rest, uint64_t info) \
	{ \
		return singular(h, left, right, rows, n, a, lda, s, u, ldu, vt, ldvt, work, size, rest, info, PARTS); \
	}

OF(D, syevd, orgqr, 1)
OF(Z, heevd, ungqr, 2)
