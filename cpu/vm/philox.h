// Numbers of Philox 4x64 with ten rounds by their places in the stream: a block of four is a function of
// its own number, of two further words of the counter, and of the key.

enum { PHILOX_ROUNDS = 10 };

typedef struct { uint64_t word[2][PHILOX_ROUNDS]; } philox_keys;

static inline philox_keys philox_schedule(uint64_t k0, uint64_t k1) {
	philox_keys k;
	for (int i = 0; i < PHILOX_ROUNDS; i++) {
		k.word[0][i] = k0 + (uint64_t)i * 0x9e3779b97f4a7c15u;
		k.word[1][i] = k1 + (uint64_t)i * 0xbb67ae8584caa73bu;
	}
	return k;
}

// philox_block writes the four numbers of a block.
static inline void philox_block(uint64_t *d, uint64_t block, uint64_t c2, uint64_t c3, const philox_keys *k) {
	uint64_t x0 = block, x1 = 0, x2 = c2, x3 = c3;
	for (int i = 0; i < PHILOX_ROUNDS; i++) {
		unsigned __int128 a = (unsigned __int128)x0 * 0xd2e7470ee14c6c93u, b = (unsigned __int128)x2 * 0xca5a826395121157u;
		x0 = (uint64_t)(b >> 64) ^ x1 ^ k->word[0][i];
		x2 = (uint64_t)(a >> 64) ^ x3 ^ k->word[1][i];
		x1 = (uint64_t)b;
		x3 = (uint64_t)a;
	}
	d[0] = x0, d[1] = x1, d[2] = x2, d[3] = x3;
}

// philox_vssss draws numbers of one generator.
static void philox_vssss(int64_t n, char *const *p) {
	uint64_t *d = (uint64_t *)p[0];
	const uint64_t *place = (const uint64_t *)p[1];
	const uint64_t c2 = *(const uint64_t *)p[2], c3 = *(const uint64_t *)p[3];
	const philox_keys k = philox_schedule(*(const uint64_t *)p[4], *(const uint64_t *)p[5]);
	uint64_t room[4], had = ~(uint64_t)0; // the numbers of block had, of which there is none yet
	for (int64_t i = 0; i < n;) {
		uint64_t at = place[i];
		if ((at & 3) == 0) {
			int64_t run = places_side(place + i, n - i, 0) & ~(int64_t)3;
			for (int64_t end = i + run; i < end; i += 4, at += 4) philox_block(d + i, at >> 2, c2, c3, &k);
			if (run) continue;
			run = places_side(place + i, n - i, 1) & ~(int64_t)7;
			for (int64_t end = i + run; i < end; i += 8, at += 4) {
				philox_block(room, at >> 2, c2, c3, &k);
				for (int j = 0; j < 8; j++) d[i + j] = room[j >> 1];
			}
			if (run) {
				had = (at >> 2) - 1;
				continue;
			}
		}
		if (at >> 2 != had) philox_block(room, had = at >> 2, c2, c3, &k);
		d[i++] = room[at & 3];
	}
}

// philox_vvvvv draws each number from a generator of its own.
static void philox_vvvvv(int64_t n, char *const *p) {
	uint64_t *d = (uint64_t *)p[0], room[4];
	const uint64_t *place = (const uint64_t *)p[1], *c2 = (const uint64_t *)p[2], *c3 = (const uint64_t *)p[3];
	const uint64_t *k0 = (const uint64_t *)p[4], *k1 = (const uint64_t *)p[5];
	for (int64_t i = 0; i < n; i++) {
		const philox_keys k = philox_schedule(k0[i], k1[i]);
		philox_block(room, place[i] >> 2, c2[i], c3[i], &k);
		d[i] = room[place[i] & 3];
	}
}

PRIMITIVE(philox_u64, 5, {8, 8, 8, 8, 8, 8}, {{0, philox_vvvvv, 0}, {30, philox_vssss, 0}}, 0)
