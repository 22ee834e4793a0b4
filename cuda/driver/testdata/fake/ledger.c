/* The ledger holds a line for each rule of the driver API or of memory that a caller or a kernel broke. It is kept in memory, where a test
   of the same process takes it (fakecuda_ledger), and appended to the file that FAKECUDA_LEDGER names. FAKECUDA_TIMELINE names a file that
   gets a line per piece of work: device, stream, what, virtual start, virtual end. */
#include <fcntl.h>
#include <unistd.h>

#include "driver.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *text;
static size_t length, room;

/* What was noted already: a race of two kernels is one line, not one for each byte. */
enum { KNOWN = 1 << 14 };
static uint64_t known[KNOWN];

static void append_to(const char *variable, const char *line, size_t n) {
	const char *path = getenv(variable);
	if (!path || !*path)
		return;
	int f = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (f < 0)
		return;
	if (write(f, line, n) != (ssize_t)n)
		fprintf(stderr, "fakecuda: %s: a line could not be written\n", path);
	close(f);
}

void note(const char *format, ...) {
	char line[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line - 1, format, args);
	va_end(args);
	size_t n = strlen(line);
	line[n++] = '\n';
	pthread_mutex_lock(&lock);
	if (length + n > room) {
		room = 2 * room + n;
		text = realloc(text, room);
	}
	memcpy(text + length, line, n);
	length += n;
	append_to("FAKECUDA_LEDGER", line, n);
	pthread_mutex_unlock(&lock);
}

/* fakecuda_ledger returns the length of the text. Where there is room for it and a final zero, it is written and taken out of the ledger. */
size_t fakecuda_ledger(char *out, size_t bytes) {
	pthread_mutex_lock(&lock);
	size_t n = length;
	if (out && bytes > n) {
		if (n)
			memcpy(out, text, n);
		out[n] = 0;
		length = 0;
		memset(known, 0, sizeof known); /* what was told is told again, to the next who asks */
	}
	pthread_mutex_unlock(&lock);
	return n;
}

int first_of(uint64_t a, uint64_t b, uint64_t c) {
	uint64_t h = (a * 0x9e3779b97f4a7c15u ^ b) * 0xbf58476d1ce4e5b9u ^ c;
	h = (h ^ h >> 29) * 0x94d049bb133111ebu;
	h |= 1;
	int fresh = 1;
	pthread_mutex_lock(&lock);
	uint64_t *slot = &known[h >> 40 & (KNOWN - 1)];
	if (*slot == h)
		fresh = 0;
	*slot = h;
	pthread_mutex_unlock(&lock);
	return fresh;
}

void timeline(int device, uint64_t stream, const char *what, uint64_t start, uint64_t end) {
	char line[256];
	const char *path = getenv("FAKECUDA_TIMELINE");
	if (!path || !*path)
		return;
	int n = snprintf(line, sizeof line, "%d %llu %s %llu %llu\n", device, (P)stream, what, (P)start, (P)end);
	pthread_mutex_lock(&lock);
	append_to("FAKECUDA_TIMELINE", line, (size_t)n);
	pthread_mutex_unlock(&lock);
}
