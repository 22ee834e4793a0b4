/* Lanes, warps and blocks together: divergence, functions, shared memory, barriers, shuffles, votes, atomics. */
#include "check.h"

typedef struct {
	const char *what, *text;
	uint32_t grid, block, shared;
	uint32_t words[8]; /* what the first words of the array are afterwards */
	int count;
} row;

#define STORE "st.global.u32 [%l3], %r9;\nret;\n}\n"

static const row rows[] = {
	{"divergence", HEAD ENTRY "mov.u32 %r9, 0; mov.u32 %r2, 0;\nL: add.u32 %r9, %r9, 10; add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %r1; @%p1 bra L;\n"
		"activemask.b32 %r3; popc.b32 %r3, %r3; add.u32 %r9, %r9, %r3;\n" STORE, 1, 8, 0, {18, 28, 38, 48, 58, 68, 78, 88}, 8},
	{"if and else", HEAD ENTRY "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra E; mov.u32 %r9, 100; bra.uni D;\nE: mov.u32 %r9, 200;\nD: add.u32 %r9, %r9, %r1;\n" STORE,
		1, 4, 0, {200, 101, 202, 103}, 4},
	{"predicated", HEAD ENTRY "setp.gt.u32 %p1, %r1, 1; mov.u32 %r9, 1; @%p1 mov.u32 %r9, 2; @!%p1 add.u32 %r9, %r9, 5;\n" STORE, 1, 4, 0, {6, 6, 2, 2}, 4},
	{"function in registers", HEAD ".func (.reg .b32 %y) twice (.reg .b32 %x)\n{\nadd.u32 %y, %x, %x;\nret;\n}\n" ENTRY
		"call (%r9), twice, (%r1); call.uni (%r9), twice, (%r9);\n" STORE, 1, 4, 0, {0, 4, 8, 12}, 4},
	{"function in .param", HEAD ".func (.param .b32 y) add (.param .b32 x, .param .align 8 .b8 pair[8])\n{\n.reg .b32 %r<9>;\n"
		"ld.param.u32 %r1, [x]; ld.param.v2.u32 {%r2, %r3}, [pair]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.param.b32 [y+0], %r1;\nret;\n}\n" ENTRY
		"{\n.param .b32 a; .param .align 8 .b8 b[8]; .param .b32 r;\nst.param.b32 [a+0], %r1; st.param.b32 [b+0], 10; st.param.b32 [b+4], 20;\n"
		"call.uni (r), add, (a, b);\nld.param.b32 %r9, [r+0];\n}\n" STORE, 1, 4, 0, {30, 31, 32, 33}, 4},
	{"function that diverges", HEAD ".func (.reg .b32 %y) f (.reg .b32 %x)\n{\n.reg .pred %p<2>;\nmov.b32 %y, 7;\nsetp.lt.u32 %p1, %x, 2;\n@%p1 ret;\nadd.u32 %y, %x, 100;\nret;\n}\n" ENTRY
		"setp.ne.u32 %p1, %r1, 3; mov.u32 %r9, 1; @%p1 call (%r9), f, (%r1); activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r9, %r2, 1000, %r9;\n" STORE,
		1, 4, 0, {4007, 4007, 4102, 4001}, 4},
	{"local memory", HEAD ENTRY ".local .align 8 .b8 a[32];\nmov.u64 %l4, a; cvta.local.u64 %l5, %l4; st.local.u32 [a+4], %r1; ld.u32 %r9, [%l5+4]; isspacep.local %p1, %l5;\n"
		"@%p1 add.u32 %r9, %r9, 100; isspacep.global %p2, %l5; @%p2 add.u32 %r9, %r9, 1000;\n" STORE, 1, 3, 0, {100, 101, 102}, 3},
	{"constants and globals", HEAD ".const .u32 c[4] = {1, 2, 3, 4};\n.global .align 8 .u64 g = 40;\n.global .u64 where = g;\n" ENTRY
		"mov.u64 %l4, c; add.u64 %l4, %l4, %l2; ld.const.u32 %r2, [%l4]; cvta.const.u64 %l5, %l4; ld.u32 %r3, [%l5]; ld.global.u64 %l6, [where]; ld.global.u32 %r4, [%l6];\n"
		"add.u32 %r9, %r2, %r3; add.u32 %r9, %r9, %r4;\n" STORE, 1, 4, 0, {42, 44, 46, 48}, 4},
	{"shared memory", HEAD ENTRY ".shared .u32 s[64];\nmov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2; st.shared.u32 [%r2], %r1; bar.sync 0; xor.b32 %r3, %r1, 63;\n"
		"mov.u32 %r4, s; mad.lo.u32 %r4, %r3, 4, %r4; ld.shared.u32 %r9, [%r4];\n" STORE, 1, 64, 0, {63, 62, 61}, 3},
	{"dynamic shared memory", HEAD ".extern .shared .align 16 .b8 dyn[];\n" ENTRY ".shared .u32 s[3];\n.reg .b64 %x; st.shared.u32 [s], 1; mov.u64 %x, dyn; cvt.u32.u64 %r5, %x;\n"
		"mad.lo.u32 %r2, %r1, 4, %r5; st.shared.u32 [%r2], %r1; barrier.sync 0; cvta.shared.u64 %l4, %x; ld.u32 %r9, [%l4+8]; add.u32 %r9, %r9, %r5;\n" STORE, 1, 32, 128, {1042, 1042}, 2},
	{"barrier reductions", HEAD ENTRY "setp.lt.u32 %p1, %r1, 5; bar.red.popc.u32 %r9, 0, %p1; bar.red.or.pred %p2, 1, !%p1; bar.red.and.pred %p3, 1, %p1;\n"
		"@%p2 add.u32 %r9, %r9, 100; @%p3 add.u32 %r9, %r9, 1000;\n" STORE, 1, 64, 0, {105, 105}, 2},
	{"producer and consumer", HEAD ENTRY ".shared .u32 s;\nsetp.ge.u32 %p1, %r1, 32; mov.u32 %r9, 0; @%p1 bra P; bar.sync 3, 64; ld.shared.u32 %r9, [s]; bra.uni D;\n"
		"P: st.shared.u32 [s], 77; bar.arrive 3, 64;\nD:\n" STORE, 1, 64, 0, {77, 77}, 2},
	{"barrier at two places", HEAD ENTRY ".shared .u32 s;\nmov.u32 %r9, 0; setp.lt.u32 %p1, %r1, 16; @%p1 bra A; barrier.sync 0; ld.shared.u32 %r9, [s]; bra.uni D;\n"
		"A: setp.eq.u32 %p2, %r1, 3; @%p2 st.shared.u32 [s], 9; barrier.sync 0; mov.u32 %r9, 4;\nD: shr.u32 %r2, %r1, 4; mul.wide.u32 %l4, %r2, 4; add.u64 %l3, %l1, %l4;\n" STORE, 1, 32, 0, {4, 9}, 2},
	{"threads that have left", HEAD ENTRY "mov.u32 %r9, 5; setp.ge.u32 %p1, %r1, 32; @%p1 exit; bar.sync 0;\n" STORE, 1, 64, 0, {5, 5}, 2},
	{"shfl down", HEAD ENTRY "shfl.sync.down.b32 %r9|%p1, %r1, 2, 31, -1; @!%p1 add.u32 %r9, %r9, 1000; sub.u32 %r3, 31, %r1; mul.wide.u32 %l4, %r3, 4; add.u64 %l3, %l1, %l4;\n" STORE,
		1, 32, 0, {1031, 1030, 31, 30}, 4},
	{"shfl up in eights", HEAD ENTRY "shfl.sync.up.b32 %r9|%p1, %r1, 1, 0x1800, -1; @!%p1 add.u32 %r9, %r9, 1000;\n" STORE, 1, 32, 0, {1000, 0, 1, 2, 3, 4, 5, 6}, 8},
	{"shfl bfly", HEAD ENTRY "shfl.sync.bfly.b32 %r9, %r1, 3, 31, -1;\n" STORE, 1, 32, 0, {3, 2, 1, 0, 7}, 5},
	{"shfl idx in fours", HEAD ENTRY "shfl.sync.idx.b32 %r9, %r1, 1, 0x1c1f, -1;\n" STORE, 1, 32, 0, {1, 1, 1, 1, 5}, 5},
	{"shfl by part of a warp", HEAD ENTRY "mov.u32 %r9, 9; setp.lt.u32 %p1, %r1, 4; @%p1 shfl.sync.bfly.b32 %r9, %r1, 1, 31, 0xf;\n" STORE, 1, 32, 0, {1, 0, 3, 2, 9}, 5},
	{"lanes that come to a shuffle by two ways", HEAD ENTRY "and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; mov.u32 %r3, %r1; @%p1 bra L; add.u32 %r3, %r3, 100;\nL: shfl.sync.bfly.b32 %r9, %r3, 1, 31, -1;\n" STORE,
		1, 32, 0, {101, 0, 103, 2}, 4},
	{"votes", HEAD ENTRY "setp.lt.u32 %p1, %r1, 3; vote.sync.ballot.b32 %r9, %p1, -1; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, !%p1, -1; vote.sync.uni.pred %p4, %p1, -1;\n"
		"@%p2 add.u32 %r9, %r9, 100; @%p3 add.u32 %r9, %r9, 1000; @%p4 add.u32 %r9, %r9, 10000;\n" STORE, 1, 32, 0, {107, 107}, 2},
	{"match", HEAD ENTRY "shr.u32 %r2, %r1, 1; match.any.sync.b32 %r9, %r2, -1; match.all.sync.b32 %r3|%p1, %r2, -1; @%p1 add.u32 %r9, %r9, 100; add.u32 %r9, %r9, %r3;\n" STORE, 1, 32, 0, {3, 3, 12, 12}, 4},
	{"redux", HEAD ENTRY "redux.sync.add.u32 %r9, %r1, -1; sub.u32 %r2, 0, %r1; redux.sync.min.s32 %r3, %r2, -1; sub.u32 %r9, %r9, %r3;\n" STORE, 1, 32, 0, {527}, 1},
	{"lane masks", HEAD ENTRY "mov.u32 %r2, %lanemask_lt; mov.u32 %r3, %lanemask_ge; mov.u32 %r4, %laneid; add.u32 %r9, %r2, %r3; add.u32 %r9, %r9, %r4; add.u32 %r9, %r9, 1;\n" STORE, 1, 33, 0, {0, 1, 2}, 3},
	{"block without whole warps", HEAD ENTRY "shfl.sync.down.b32 %r9, %r1, 1, 31, -1; setp.eq.u32 %p1, %r1, 2; @%p1 mov.u32 %r9, 50;\n" STORE, 1, 3, 0, {1, 2, 50}, 3},
	{"spin lock between lanes", HEAD ENTRY "L: atom.global.cas.b32 %r2, [%l1+64], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"
		"ld.volatile.global.u32 %r3, [%l1+68]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%l1+68], %r3; membar.gl; atom.global.exch.b32 %r2, [%l1+64], 0;\n"
		"bar.sync 0; ld.volatile.global.u32 %r9, [%l1+68]; ret;\n}\n", 1, 64, 0, {0}, 0},
	{"blocks that wait for each other", HEAD ENTRY "mov.u32 %r9, 7; setp.ne.u32 %p1, %r1, 0; @%p1 bra D; atom.global.add.u32 %r2, [%l1+128], 1;\n"
		"L: ld.volatile.global.u32 %r2, [%l1+128]; setp.lt.u32 %p1, %r2, 5; @%p1 bra L;\nD:\n" STORE, 5, 4, 0, {7, 7, 7, 7}, 4},
	{"blocks before functions", HEAD ENTRY "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; atom.global.add.u32 _, [%l1+4], %r2; red.global.max.u32 [%l1+8], %r2; red.global.inc.u32 [%l1+12], 3; ret;\n}\n",
		6, 1, 0, {0, 15, 5, 2}, 4},
	{"atomics", HEAD ENTRY "atom.global.add.u32 %r2, [%l1], 1; atom.global.and.b32 %r2, [%l1+4], 0xfffffff0; atom.global.or.b32 %r2, [%l1+8], %r1; atom.global.min.s32 %r2, [%l1+12], -3;\n"
		"atom.global.dec.u32 %r2, [%l1+16], 4; mov.f32 %f1, 0f3f000000; red.global.add.f32 [%l1+20], %f1; atom.global.xor.b32 %r2, [%l1+24], 1; ret;\n}\n",
		1, 6, 0, {6, 0, 7, 0xfffffffd, 4, 0x40400000, 0}, 7},
	{"atomics on shared memory", HEAD ENTRY ".shared .align 8 .u64 s;\nsetp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u64 [s], 0; bar.sync 0; cvt.u64.u32 %l4, %r1; atom.shared.add.u64 %l5, [s], %l4; bar.sync 0; ld.shared.u32 %r9, [s];\n" STORE,
		1, 64, 0, {2016, 2016}, 2},
	{"bytes and vectors", HEAD ENTRY "st.global.v4.u8 [%l3], {1, 2, 3, 255}; ld.global.s8 %r2, [%l3+3]; ld.global.u8 %r3, [%l3+3]; ld.global.v2.s16 {%r4, %r5}, [%l3]; add.u32 %r9, %r2, %r3; add.u32 %r9, %r9, %r4;\n" STORE,
		1, 1, 0, {767}, 1},
	{"labels of blocks", HEAD ENTRY "mov.u32 %r9, 1;\n{ .reg .b32 %t; bra X; add.u32 %r9, %r9, 10; X: mov.u32 %t, 3; add.u32 %r9, %r9, %t; }\n{ bra X; add.u32 %r9, %r9, 10; X: add.u32 %r9, %r9, 100; }\n" STORE, 1, 1, 0, {104}, 1},
	{"clock", HEAD ENTRY "mov.u64 %l4, %clock64; nanosleep.u32 5; mov.u64 %l5, %clock64; setp.gt.u64 %p1, %l5, %l4; selp.u32 %r9, 1, 0, %p1;\n" STORE, 1, 1, 0, {1}, 1},
	{"bar.warp.sync orders shared memory", HEAD ENTRY ".shared .u32 s[32];\nmov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1; bar.warp.sync -1; xor.b32 %r4, %r1, 1; mad.lo.u32 %r4, %r4, 4, %r2; ld.shared.u32 %r9, [%r4];\n" STORE,
		1, 32, 0, {1, 0, 3, 2}, 4},
};

void test_together(void) {
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint64_t seed = 0; seed < 5; seed++) {
			const row *w = &rows[i];
			memset(touchable, 0, sizeof touchable);
			outcome o = run_text(w->text, w->grid, w->block, w->shared, seed);
			const uint32_t *at = (const uint32_t *)(const void *)touchable;
			if (o.rc) {
				fail(w->what, "%d %s%s", o.rc, o.log, o.why);
				break;
			}
			for (int k = 0; k < w->count; k++)
				if (at[k] != w->words[k])
					fail(w->what, "seed %llu word %d: got %u (%#x), want %u", (unsigned long long)seed, k, at[k], at[k], w->words[k]);
			if (!strcmp(w->what, "spin lock between lanes") && at[17] != 64)
				fail(w->what, "got %u, want 64", at[17]);
		}
}
