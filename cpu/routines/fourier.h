// One call of the Fourier engine: up to LANES transforms of n points side by side. See fourier.c.
#include <stdint.h>

enum {
	WEFT_LANES = 8,
	WEFT_MAX_PRIME = 101, // the largest factor
};

// weft_fourier transforms lanes <= WEFT_LANES sequences of n points of complex doubles. Point i
// of sequence l is at src[2*(i*src_point + l*src_lane)], and goes to dst in the same way with
// dst_point and dst_lane. work has room for 4*n*WEFT_LANES doubles. factors are those of n;
// roots are the n powers of exp(-2 pi i/n).
//
// swap exchanges real and imaginary parts on the way in and out, which makes it the inverse.
// Results are multiplied by scale, and, where coarse is given, by
// coarse[e/low] * fine[e%low] with e = (first+l)*i.
void weft_fourier(int64_t n, const int32_t *factors, int count, const double *roots, double *work,
	const double *src, int64_t src_point, int64_t src_lane, double *dst, int64_t dst_point, int64_t dst_lane,
	int lanes, int swap, double scale, const double *coarse, const double *fine, int64_t low, int64_t first);
