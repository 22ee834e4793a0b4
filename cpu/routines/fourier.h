// Calls of the Fourier engine: transforms of n points of complex doubles. See fourier.c.
#include <stdint.h>

enum {
	WEFT_LANES = 8,
	WEFT_MAX_PRIME = 101, // the largest factor
	WEFT_MOST_FACTORS = 64,
};

// weft_fourier_plan is what all transforms of n points need: n's factors, and the n powers of exp(-2 pi i/n).
typedef struct {
	int64_t n;
	int32_t count, factor[WEFT_MOST_FACTORS];
} weft_fourier_plan;

// weft_fourier_side says where the points of sequences lie, in complex elements: point i of sequence l is at i*point + l*lane.
typedef struct {
	int64_t point, lane;
} weft_fourier_side;

int weft_fourier_width(void); // of this processor's vectors

// weft_fourier transforms lanes <= WEFT_LANES sequences of n points, side by side. work has room for 4*n*WEFT_LANES doubles. swap
// exchanges real and imaginary parts on the way in and out, which makes it the inverse. Results are multiplied by scale.
//
// Where turns is given, point i of sequence l is also multiplied by power i of a root that is base to the power first, times
// turns[i][l]; high and low are base's powers k<<shift and k. turns has n points of WEFT_LANES real and then imaginary parts.
//
// width is how many doubles the vectors have, one of 2, 4 and 8 up to that of weft_fourier_width: the bits are the same.
void weft_fourier(int width, const weft_fourier_plan *p, const double *roots, double *work, const double *src, weft_fourier_side from,
	double *dst, weft_fourier_side to, int lanes, int swap, double scale,
	const double *turns, int64_t first, const double *high, const double *low, int shift);

// weft_fourier_row transforms one sequence of lanes*n points that lie side by side, lanes 2, 3, 4, 5, 7 or 8: the plan is that of n
// points, and turns has for point i the powers i*l of exp(-2 pi i/(lanes*n)), as above, of eight points at least. across are the lanes powers of
// exp(-2 pi i/lanes). work has room for 4*(n+8)*WEFT_LANES doubles. dst and src may be the same.
void weft_fourier_row(int width, const weft_fourier_plan *p, const double *roots, const double *turns, const double *across, int lanes, double *work,
	const double *src, double *dst, int swap, double scale);

// weft_fourier_unfold makes elements from <= k < to, 1 <= k <= (m-1)/2, and those at m-k, of the transform of 2*m real numbers from half of
// the transform of m pairs of them, and weft_fourier_fold makes the latter from the former. roots are powers of exp(-2 pi i/(2*m)),
// those from from on but for a factor. whole and half may be the same memory. The former does so for rows that begin so many elements apart.
void weft_fourier_unfold(int64_t rows, int64_t m, int64_t from, int64_t to, const double *half, int64_t half_step, double *whole, int64_t whole_step,
	const double *roots, double re, double im);
void weft_fourier_fold(int64_t m, int64_t from, int64_t to, const double *whole, double *half, const double *roots, double re, double im);

// weft_fourier_mirror completes transforms of n real numbers, of which the first n/2+1 elements are there.
void weft_fourier_mirror(int64_t rows, int64_t n, double *x);
