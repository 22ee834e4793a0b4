// Powers. Elements are looked at in runs, as GUARDED does: a run of short exponents is multiplied, one of other plain powers goes through logarithms, and where both
// occur both are computed. Each way has the same bits for the same numbers.

enum { POWER_RUN = 128 };

#define POWER_LOOP(name, T, function) \
	static void name(int64_t n, T *d, const T *a, const T *b, int64_t step) { \
		if (step) { \
			EACH d[i] = function(a[i], b[i]); \
		} else { \
			const T y = *b; \
			EACH d[i] = function(a[i], y); \
		} \
	}

#define POWER_KNOWN(t, twice) \
	case twice: EACH d[i] = w_short_known_##t(a[i], twice, 0); return 1; \
	case -twice: EACH d[i] = w_short_known_##t(a[i], twice, 1); return 1;

// power_known has loops for the exponents that are written most; it is 0 where there is none.
#define POWERS(T, t) \
	POWER_LOOP(power_shortly_##t, T, w_shortly_##t) \
	POWER_LOOP(power_plainly_##t, T, w_plain_pow_##t) \
	POWER_LOOP(power_any_##t, T, w_pow_any_##t) \
	static int power_known_##t(int64_t n, T *d, const T *a, T y) { \
		switch ((int)(y * 2)) { \
			POWER_KNOWN(t, 1) POWER_KNOWN(t, 2) POWER_KNOWN(t, 3) POWER_KNOWN(t, 4) POWER_KNOWN(t, 5) POWER_KNOWN(t, 6) \
			POWER_KNOWN(t, 7) POWER_KNOWN(t, 8) POWER_KNOWN(t, 10) POWER_KNOWN(t, 12) POWER_KNOWN(t, 16) POWER_KNOWN(t, 24) \
		} \
		return 0; \
	} \
	static void powers_##t(int64_t n, char *const *p, int64_t step) { \
		const T *b = (const T *)p[2]; \
		for (int64_t at = 0; at < n; at += POWER_RUN) { \
			T *d = (T *)p[0] + at; \
			const T *a = (const T *)p[1] + at, *y = b + at * step; \
			int64_t some = n - at < POWER_RUN ? n - at : POWER_RUN; \
			int others = 0, shorts = 0, longs = 0; \
			for (int64_t i = 0; i < some; i++) { \
				int is = w_short_power_##t(a[i], y[i * step]); \
				shorts |= is; \
				longs |= !is; \
				others |= !w_plain_power_##t(a[i], y[i * step]); \
			} \
			if (!longs && !step && power_known_##t(some, d, a, *y)) continue; \
			if (!longs) power_shortly_##t(some, d, a, y, step); \
			else if (!shorts && !others) power_plainly_##t(some, d, a, y, step); \
			else power_any_##t(some, d, a, y, step); \
		} \
	} \
	static void pow_##t##_vv(int64_t n, char *const *p) { powers_##t(n, p, 1); } \
	static void pow_##t##_vs(int64_t n, char *const *p) { powers_##t(n, p, 0); } \
	PRIMITIVE(pow_##t, 2, {sizeof(T), sizeof(T), sizeof(T)}, {{0, pow_##t##_vv, 0}, {2, pow_##t##_vs, 0}}, 0)

POWERS(float, f32)
POWERS(double, f64)
