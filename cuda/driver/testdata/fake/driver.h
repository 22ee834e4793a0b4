/* What the files of the driver half share.

   One lock guards all state of the driver: contexts, allocations, queues, graphs. A piece of work runs outside it, on its queue's thread;
   what a lane touches is looked up without it (arena.c says how).

   The fake has two clocks. The virtual clock tells how long work would take on a device: a kernel's time, a copy's, the delay between a
   launch and its start. The vector clocks tell what is ordered before what: each piece of work has one, and two accesses to the same byte
   of which neither is ordered before the other are a race, in whatever order they happened to run this time. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

typedef unsigned int R; /* CUresult */
typedef unsigned long long P; /* CUdeviceptr */

enum { DEVICES = 16, QUEUES = 128, STACK = 64 };

/* ---- objects: what a handle points to ---- */

typedef enum { DEAD, CONTEXT, STREAM, EVENT, MODULE, FUNCTION, POOL, PHYSICAL, GRAPH, NODE, EXEC, LINK } kind;

typedef struct object {
	kind kind;
	struct object *next; /* in its bucket, or in the line of the dead */
} object;

typedef struct context context;
typedef struct queue queue;
typedef struct item item;
typedef struct allocation allocation;

/* alive returns a handle's object where it exists and is of that kind; otherwise NULL, and a line in the ledger that names the call. */
void *alive(const void *handle, kind k, const char *call);
void *object_new(kind k, size_t size);
void object_die(void *o);
object **objects(kind k, int *n); /* all of a kind; the caller frees the array */

struct context {
	object o;
	int device, retained, primary, active;
	unsigned flags;
	R error; /* sticky */
	queue *legacy;
	uint8_t peers[DEVICES]; /* whose memory this context may touch */
	size_t limits[8];
	int capturing; /* streams of it in a capture that forbids unsafe calls */
	/* What streams had done that were destroyed since: of all, and of the blocking ones. A wait for the context is for these, too. */
	struct mark *left, *left_blocking;
	context *next;
};

/* ---- order ---- */

/* A mark says when a piece of work is done, in both clocks. Events, waits and synchronising calls hold marks. */
typedef struct mark {
	int refs, done;
	R rc;
	queue *q;               /* of the work, while it is not done */
	uint64_t when;          /* virtual ns of its end; before, of the latest that it waits for */
	uint32_t clock[QUEUES]; /* of each queue, the last work ordered before this mark, or equal to it */
} mark;

mark *mark_new(void);
void mark_join(mark **into, const mark *m); /* makes a mark that is done say what another one does as well */
mark *mark_keep(mark *m);
void mark_drop(mark *m);

/* Work as shadow memory names it: a number, and who runs it. */
typedef struct work {
	uint32_t id;
	uint16_t queue, node; /* node: of a graph launch, from 1 */
	uint32_t seq;
	int device;
	const char *what;
	const uint32_t *clock;
	const uint8_t *reach; /* nodes x nodes: which node of this graph launch is ordered before which */
	int nodes;
	uint8_t *acquired; /* a bit per block that has executed an atomic operation */
	uint64_t blocks;
	const fake_kernel *kernel;
	struct work *next;
} work;

/* begin gives work its number; end takes it out of the table of what runs. Both want the lock. */
void work_begin(work *w);
void work_end(work *w);
const char *work_name(uint32_t id, char *into, size_t room);

/* ---- pieces of work ---- */

typedef struct {
	uint64_t src, dst;                              /* addresses */
	size_t spitch, dpitch, sslice, dslice;          /* bytes from row to row, from plane to plane */
	size_t width, rows, planes;
	int from, to; /* places: */
	int spread; /* across devices: DIRECT, or HOSTED: through the host */
} copy;
enum { PAGEABLE = 1, PINNED, ONDEVICE };
enum { DIRECT = 1, HOSTED, INTO, OUT_OF, WITHIN };

typedef struct {
	uint64_t dst;
	size_t pitch, width, rows; /* width in elements */
	uint32_t value;
	int size; /* of an element */
} fill;

typedef struct function function;

typedef struct {
	function *f;
	uint32_t grid[3], block[3], shared;
	void *params; /* owned */
	int cooperative;
} kernel_launch;

typedef struct exec exec;

typedef enum { DO_NOTHING, DO_KERNEL, DO_COPY, DO_FILL, DO_HOST, DO_CALLBACK, DO_WRITE, DO_WAIT, DO_GRAPH, DO_FREE, DO_BORN } action;

/* task is what a piece of work does, in a queue or in a node of a graph. */
typedef struct {
	action action;
	union {
		kernel_launch kernel;
		copy copy;
		fill fill;
		struct { void (*host)(void *); void (*callback)(void *, R, void *); void *data; } call;
		struct { uint64_t at; uint32_t value; unsigned flags; } word;
		exec *exec;
		allocation *freed;
	} as;
	void *staged;      /* bytes of pageable memory, copied when the call was made; owned */
	uint64_t was;      /* what pinned bytes hashed to when the call was made */
	int watch;         /* compare it when the copy runs */
	int quiet;         /* memory may be freed without waiting for it: a synchronous call made it */
	const char *what;
} task;

struct item {
	item *next;
	context *ctx;
	queue *q;
	mark *mark;
	mark **deps;
	int ndeps;
	task task;
	uint64_t order, enqueued, hold;
};

struct queue {
	object o;
	context *ctx;
	unsigned flags;
	int priority, index, legacy;
	item *first, *last;
	int running, closing, own; /* running: 1 told to, 2 at it */
	pthread_t thread;
	pthread_cond_t wake;
	mark *latest;           /* of what was appended last */
	uint32_t clock[QUEUES]; /* after what ran last */
	uint64_t when;          /* virtual ns of the end of what ran last */
	uint64_t busy_from, gaps, works;
	struct capture *capture;
	struct node **frontier; /* of a capture: what the next node depends on */
	int nfrontier;
	uint64_t id;
	queue *next;
};

typedef struct event {
	object o;
	context *ctx;
	unsigned flags;
	mark *mark;              /* of the last record; NULL before the first */
	struct capture *capture; /* it was recorded in a stream that is captured */
	struct node **frontier;
	int nfrontier;
} event;

struct module;

struct function {
	object o;
	struct module *module;
	const fake_kernel *k;
	int dynamic; /* bytes of dynamic shared memory it may have */
	int carveout;
	char *name;
};

/* ---- the state ---- */

typedef struct { uint32_t queue_node, seq; const char *what; } past;

typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t changed, tick;
	int loaded, initialised, forked;
	int devices, sms, cc, shadow;
	int physical[DEVICES]; /* which GPU a device is: CUDA_VISIBLE_DEVICES chooses */
	int hidden; /* it hides all that there are */
	size_t memory; /* bytes of each device */
	int64_t launch_ns, kernel_ns, call_ns, turns;
	uint64_t seed, rng, ticks, orders, calls;
	size_t used[DEVICES], peak[DEVICES];
	context *contexts, *primary[DEVICES];
	int gone[DEVICES];
	R lost[DEVICES]; /* the error with which a primary context was released: the device fails with it until it is reset */
	queue *queues;
	int dirty;         /* something has changed since advance looked */
	int waiting, held; /* host threads in a synchronising call; pieces of work that a seed or a value holds back */
	uint64_t now;      /* the host's virtual clock */
	uint32_t clock[QUEUES]; /* the host's vector clock: what it has seen the end of */
	uint32_t seqs[QUEUES], users[QUEUES]; /* of each index of a queue: the last work's number, how many queues share it */
	int compute[DEVICES], copying[DEVICES], hosting;
	uint64_t runs, run_ends; /* how many pieces of work have begun and ended: for grace periods */
	volatile int stop[DEVICES];
} state;

extern state fake;
extern __thread context *contexts_of_thread[STACK];
extern __thread int context_top; /* how many */
extern __thread int in_callback;

/* ---- entering a call ---- */

/* enter begins each call: counts it, makes it fail where a fault says so, and takes the lock; flags say what the call needs. leave lets the
   lock go. */
enum { NEED_INIT = 1, NEED_CONTEXT = 2, LOST_OK = 4 };
R enter(const char *call, int needs);
R leave(R rc);
context *current(void);
#define ENTER(needs)                          \
	do {                                      \
		R rc_ = enter(__func__, needs);       \
		if (rc_)                              \
			return rc_;                       \
	} while (0)
#define BASIC ENTER(NEED_INIT)
#define HERE ENTER(NEED_INIT | NEED_CONTEXT)

/* ---- ledger.c ---- */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* first_of says whether these three numbers come for the first time since the ledger was taken. */
int first_of(uint64_t a, uint64_t b, uint64_t c);
void timeline(int device, uint64_t stream, const char *what, uint64_t start, uint64_t end);

/* ---- calls.c ---- */
void called(const char *name); /* counts a call; the caller holds the lock */
void moved(int way, uint64_t n); /* likewise the bytes of a copy: DIRECT, HOSTED, INTO, OUT_OF or WITHIN */

/* ---- faults.c ---- */
void faults_load(const char *text);
R fault_of(const char *call);  /* what this call has to fail with, or 0 */
R fault_of_launch(void);       /* the sticky error of this launch */
size_t fault_memory(void);     /* bytes that may be allocated on a device */
int64_t number(const char *variable, int64_t otherwise);

/* ---- arena.c ---- */
typedef enum { OF_DEVICE, OF_POOL, OF_HOST, OF_REGISTER, OF_MAP, OF_MANAGED, OF_MODULE } origin;

struct allocation {
	uint64_t base, size;
	origin origin;
	int device, live;
	context *ctx;
	unsigned flags;
	uint8_t access[DEVICES]; /* FAKE_READ | FAKE_WRITE, by device */
	uint32_t id, born;       /* born: the work that allocates it in a queue's order, or 0 */
	struct { queue *q; mark *m; int writes; } *uses; /* the last work of each queue that was told of it */
	int nuses;
	uint64_t va, va_size;    /* pages it took */
	struct physical *physical;
	uint64_t offset;
	struct pool *pool;
	int unborn, freeing; /* cuMemAllocAsync, cuMemFreeAsync were called and have not come up in their queue */
	size_t charged;
	allocation *next;
};

allocation *allocation_new(origin o, int device, context *ctx, uint64_t size, size_t charge);
allocation *allocation_outside(origin o, int device, context *ctx, uint64_t base, uint64_t size); /* that the driver did not give out */
int allocation_meets(uint64_t at, uint64_t n);
void allocation_free(allocation *a); /* makes it dead and waits until nothing that runs can still be inside it */
allocation *allocation_at(uint64_t address); /* live or dead; NULL where nothing ever was */
int device_may(const allocation *a, int device, int how); /* whether its kernels may touch it */
int range_ok(uint64_t address, size_t n, int device, int how); /* inside live memory that the device may touch (-1: any) */
void describe_address(uint64_t address, char *into, size_t room);
void use(allocation *a, queue *q, mark *m, int writes);
int in_use(allocation *a, char *by, size_t room); /* by work that the host has not seen the end of */
void grace(void);
uint64_t va_take(uint64_t bytes, uint64_t align);
void va_give(uint64_t at, uint64_t bytes);
void pages_set(uint64_t at, uint64_t bytes, uint32_t id);
uint32_t allocation_register(allocation *a);
void context_leaks(context *c, int tell);
extern uint64_t generation;
int place_of(uint64_t address); /* PAGEABLE, PINNED or ONDEVICE */

/* ---- shadow.c ---- */
/* A byte's cell: who wrote it last, who has read it since. */
typedef struct { uint64_t writer, reader; } cell;
cell *shadow_of(uint64_t address);
int shadow_prepare(uint64_t at, uint64_t bytes);
void shadow_reset(uint64_t at, uint64_t bytes);
void shadow_fill(uint64_t at, uint64_t bytes, uint64_t writer);
enum { WRITTEN_BY_HOST = 1 };
void touch_range(const work *w, uint64_t at, size_t n, int how, int note_unwritten);
void touch_copy(const work *w, uint64_t dst, uint64_t src, size_t n);
void touch_lane(work *w, const fake_who *who, uint64_t at, uint32_t n, int how, const allocation *a);
work *work_of_launch(uint64_t launch); /* that runs */
int ordered_before(uint32_t id, const work *w);
uint32_t unseen(uint64_t at, uint64_t bytes, int file);
void check_birth(const allocation *a, const work *w);

/* ---- queue.c, turns.c ---- */
void join_clock(uint32_t *into, const uint32_t *from);
int lend_a_hand(mark *m);
void *serve(void *queue);     /* a queue's thread */
void *ticking(void *nothing); /* lets time go by where the host makes no calls */
queue *queue_new(context *c, unsigned flags, int priority);
void queue_close(queue *q);
queue *stream_of(void *handle, const char *call); /* resolves 0, 1 and 2 as well; NULL where there is none */
R append(queue *q, task *t, mark **out);          /* captures where the stream is captured; takes over what the task owns */
R wait_for(mark *m);                              /* lets the lock go while it waits */
void wait_done(mark *m);
R wait_for_context(context *c);
void observe(mark *m);
void advance(void);
void task_free(task *t);
R perform(task *t, context *c, work *w, uint64_t *ns); /* without the lock */
enum { INLINE, COMPUTE, COPYING, HOSTING }; /* engines: at once, kernels, copies, functions of the host */
int engine_of(const task *t);
void order_after(queue *q, mark *m); /* what is appended from now on waits for the mark */
uint64_t random_below(uint64_t n);
int begin_work(void);

/* ---- copies.c ---- */
R run_copy(task *t, work *w, uint64_t *ns);
R run_fill(task *t, work *w, uint64_t *ns);

/* ---- launch.c ---- */
R run_kernel(task *t, context *c, work *w, uint64_t *ns);
R launch_task(task *t, const char *call, function *f, const uint32_t grid[3], const uint32_t block[3], uint32_t shared, void **params,
              void **extra, int cooperative);
void use_task(const task *t, queue *q, mark *m);
int registers_of(const function *f);
int resident_blocks(const function *f, int threads, size_t dynamic);

/* ---- capture.c, graph.c ---- */
R capture_task(queue *q, task *t);
R capture_record(queue *q, event *e);
R capture_wait(queue *q, event *e);
R unsafe_in_capture(context *c, const char *call); /* 900 where a capture forbids it, which it ends */
R capture_break(struct capture *c, const char *call); /* 900, always */
R run_graph(task *t, context *c, work *w, uint64_t *ns, uint64_t start, uint64_t stream);
void exec_keep(exec *e);
void exec_drop(exec *e);
const char *exec_launches(const exec *e, const struct module *m);

void modules_of(context *c, int *count, int unload);
void objects_of(context *c, int take, int *streams, int *events);
void pages_leaks(int device);
void pool_returns(allocation *a, size_t charge);

#endif
