/* What a kernel may do wrong: the code, and what the sentence says. */
#include "check.h"

static const struct { const char *what, *text; uint32_t block; int rc; const char *why; } rows[] = {
	{"outside every allocation", HEAD ENTRY "setp.eq.u32 %p1, %r1, 37; mov.u64 %l5, 0x1000; @%p1 st.global.u32 [%l5], 5;\nret;\n}\n", 64, 700,
		"kernel k, line 16 of the PTX, block (0,0,0), thread (37,0,0): a write of 4 bytes at address 0x1000"},
	{"misaligned", HEAD ENTRY "ld.global.u32 %r2, [%l1+2];\nret;\n}\n", 1, 716, "is not a multiple of 4"},
	{"misaligned vector", HEAD ENTRY "ld.global.v4.u32 {%r2,%r3,%r4,%r5}, [%l1+8];\nret;\n}\n", 1, 716, "is not a multiple of 16"},
	{"beyond shared memory", HEAD ENTRY ".shared .u32 s[4];\nst.shared.u32 [s+16], 1;\nret;\n}\n", 1, 700, "at byte 16 of shared memory, which has 16"},
	{"beyond local memory", HEAD ENTRY ".local .u32 s[4];\nst.local.u32 [s+16], 1;\nret;\n}\n", 1, 700, "local memory"},
	{"beyond parameters", HEAD ENTRY "ld.param.u64 %l4, [p+8];\nret;\n}\n", 1, 700, "parameter memory"},
	{"trap", HEAD ENTRY "trap;\n}\n", 1, 719, "trap"},
	{"unwritten value stored", HEAD ENTRY "add.u32 %r9, %r8, 1;\nst.global.u32 [%l3], %r9;\nret;\n}\n", 1, 719, "never written"},
	{"unwritten predicate", HEAD ENTRY "@%p7 bra L; L: ret;\n}\n", 1, 719, "never written"},
	{"unwritten address", HEAD ENTRY "ld.global.u32 %r9, [%l9];\nret;\n}\n", 1, 719, "the address comes from"},
	{"unwritten shared memory", HEAD ENTRY ".shared .u32 s[4];\nld.shared.u32 %r9, [s];\nst.global.u32 [%l3], %r9;\nret;\n}\n", 1, 719, "never written"},
	{"value of a lane that does not take part", HEAD ENTRY "shfl.sync.down.b32 %r9, %r1, 1, 31, -1; st.global.u32 [%l3], %r9; ret;\n}\n", 3, 719, "thread (2,0,0): the value stored comes from"},
	{"race on shared memory", HEAD ENTRY ".shared .u32 s[64];\nmov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.u32 [%r3], %r1; xor.b32 %r4, %r1, 32; mad.lo.u32 %r4, %r4, 4, %r2;\n"
		"ld.shared.u32 %r9, [%r4];\nst.global.u32 [%l3], %r9;\nret;\n}\n", 64, 719, ""},
	{"writes that race", HEAD ENTRY ".shared .u32 s;\nst.shared.u32 [s], %r1;\nret;\n}\n", 64, 719, "is written by warp"},
	{"barrier that not all reach", HEAD ENTRY "setp.lt.u32 %p1, %r1, 32; @%p1 bra A; bar.sync 1; ret;\nA: bar.sync 2;\nret;\n}\n", 64, 719, "not all threads reach barrier"},
	{"barrier in a part of a warp", HEAD ENTRY "setp.lt.u32 %p1, %r1, 16; @%p1 bra A; bar.sync 0; bra D;\nA: bar.sync 0;\nD: ret;\n}\n", 32, 719, "lanes of one warp wait at different barriers"},
	{"shuffle that not all reach", HEAD ENTRY "setp.lt.u32 %p1, %r1, 16; @%p1 bra D; shfl.sync.idx.b32 %r9, %r1, 0, 31, -1; ret;\nD: bar.sync 0; ret;\n}\n", 32, 719, "names lane 0, which does not come here"},
	{"value of a lane that has ended", HEAD ENTRY "setp.lt.u32 %p1, %r1, 16; @%p1 exit; shfl.sync.idx.b32 %r9, %r1, 0, 31, -1; st.global.u32 [%l3], %r9; ret;\n}\n", 32, 719, "the value stored comes from"},
	{"shuffle without itself", HEAD ENTRY "shfl.sync.idx.b32 %r9, %r1, 0, 31, 1; ret;\n}\n", 2, 719, "is not in the member mask"},
	{"recursion", HEAD ".func f ();\n.func f ()\n{\ncall f;\nret;\n}\n" ENTRY "call f;\nret;\n}\n", 1, 719, "calls itself"},
	{"endless loop", HEAD ENTRY "L: bra L;\n}\n", 1, 702, "turns"},
	{"write to a constant", HEAD ".const .u32 c = 5;\n" ENTRY "mov.u64 %l4, c; cvta.const.u64 %l4, %l4; st.u32 [%l4], 1;\nret;\n}\n", 1, 700, "a write of 4 bytes"},
	{"shared memory by a global access", HEAD ENTRY ".shared .u32 s;\nmov.u64 %l4, s; cvta.shared.u64 %l4, %l4; st.global.u32 [%l4], 1;\nret;\n}\n", 1, 700, "no allocation holds"},
};

void test_faults(void) {
	setenv("FAKECUDA_TURNS", "300000", 1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint64_t seed = 0; seed < 5; seed++) {
			outcome o = run_text(rows[i].text, 1, rows[i].block, 0, seed);
			if (o.rc != rows[i].rc || !strstr(o.why, rows[i].why)) {
				fail(rows[i].what, "got %d %s%s, want %d %s", o.rc, o.log, o.why, rows[i].rc, rows[i].why);
				break;
			}
		}
	unsetenv("FAKECUDA_TURNS");
}
