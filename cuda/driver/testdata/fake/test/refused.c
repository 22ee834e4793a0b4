/* Texts that NVIDIA's assembler refuses, and the line that the error names. The statement stands on line 18 of its module. */
#include "check.h"

static const char *const statements[] = {
	"add.f32 %f1, %f2, 1;", "add.u32 %f1, %r2, %r3;", "add.u32 %r1, %r2, 0f3F800000;", "mov.u32 %r1, 0f3F800000;", "mov.u32 %f1, %r1;",
	"mov.f32 %f1, 1;", "mov.b64 %d1, 0f3F800000;", "add.u32 %r1, %l2, %r3;", "add.f16 %us1, %h2, %h3;", "setp.eq.f32 %p1, %f1, 0;",
	"setp.lo.s32 %p1, %r1, 0;", "setp.lt.b32 %p1, %r1, 0;", "setp.ltu.u32 %p1, %r1, 0;", "selp.f16 %h1, %h2, %h3, %p1;",
	"ld.global.f32 %d1, [%l2];", "ld.global.u8 %f1, [%l2];", "ld.global.f16 %h1, [%l2];", "ld.global.u32 %f1, [%l2];", "ld.global.u64 %r1, [%l2];",
	"ld.global.u32 %r1, [%r2];", "ld.global.u32 %r1, [%f2];", "ld.global.u32 %r1, [%l2-4];", "ld.global.u32 %r1, [sv+4];",
	"st.global.u8 [%l1], %f1;", "st.global.u32 [%l1], %f1;", "st.global.f32 [%l1], 0;", "st.const.u32 [cv], 7;", "st.u32 [cv], %r1;", "st.param.u32 [n], %r1;",
	"cvt.f32.f64 %f1, %d1;", "cvt.rn.f64.f32 %d1, %f1;", "cvt.f32.s32 %f1, %r1;", "cvt.s32.f32 %r1, %f1;", "cvt.rz.s32.f32 %r1, %f1;",
	"cvt.rn.f32.f32 %f1, %f2;", "cvt.f16.f32 %h1, %f1;", "cvt.rni.s32.s32 %r1, %r2;", "cvt.u32.u32 %f1, %r2;", "shl.b32 %r1, %r2, %l1;",
	"shl.b32 %r1, %r2, %h1;", "shl.b64 %l1, %l2, %l1;", "shl.u32 %r1, %r2, 1;", "mul.u32 %r1, %r2, %r3;", "mul.wide.u32 %r1, %r2, %r3;",
	"mul.wide.u64 %l1, %l2, %l3;", "fma.f32 %f1, %f2, %f3, %f4;", "div.f32 %f1, %f2, %f3;", "div.f64 %d1, %d2, %d3;", "sqrt.f32 %f1, %f2;",
	"rcp.f64 %d1, %d2;", "mad.f32 %f1, %f2, %f3, %f4;", "and.u32 %r1, %r2, %r3;", "mov.u64 %l1, {%r1, %r2};", "mov.u64 %l1, nothing;",
	"mov.u64 %l1, %tid.x;", "mov.u32 %f1, %tid.x;", "add.u32 %r1, %tid.x, %ntid.x;", "mov.u32 %r1, %clock64;", "mov.u32 %r1, {%h1,%h2};",
	"mov.u32 %r1, sv+%r2;", "mov.u32 %r1, gv;", "mov.u16 %h1, %r1;", "ld.global.v2.u32 {%r1,%l2}, [%l1];", "atom.global.add.s64 %l1, [%l1], %l2;",
	"atom.global.cas.u32 %r1, [%l1], %r2, %r3;", "atom.local.add.u32 %r1, [%l1], %r2;", "bar.sync 16;", "bar.sync 0, 33;", "bar.sync;", "bar.arrive 1;",
	"shfl.sync.down.b64 %l1, %l2, 1, 31, -1;", "shfl.down.b32 %r1, %r2, 1, 31;", "vote.ballot.b32 %r1, %p1;", "neg.u32 %r1, %r2;", "abs.u32 %r1, %r2;",
	"bra.uni nowhere;", "@%r1 bra X; X:", "bra X; X: X:", "foo.u32 %r1, %r2;", "add.u32 %r1, %r2;", "add.u32 %r1, %r2, %r3, %r4;",
	"add.u32 %r1, %r2, %nope;", "add.u32 5, %r2, %r3;", ".reg .b32 %r<3>;", "lop3.b32 %r1, %r2, %r3, %r4, %r5;", "popc.b64 %l2, %l1;",
	"ex2.f32 %f1, %f2;", "add.u32 %r1 %r2, %r3;", "mov.u32 %r1, 08;", "mov.f32 %f1, -0f3F800000;", "set.eq.u32.f32 %f1, %f1, %f2;",
	"@%p1 { mov.u32 %r1, 0; }", "call foo, (%r1);", "bra %p1;", "ld.relaxed.global.u32 %r1, [%l1];", "add.sat.u32 %r1, %r2, %r3;",
	"add.ftz.f64 %d1, %d2, %d3;", "add.s8 %h1, %h2, %h3;", "and.pred %p1, %p2, %r1;", "popc.b32 %f1, %r1;", "bra L2; { L2: mov.u32 %r1, 1; }",
	"cvt.sat.u32.u8 %r1, %r2;", "cvt.sat.s32.s32 %r1, %r2;", "isspacep.global %p1, gv;", "call (%r1), callee, (%l1);", "call callee, (%r1);", "call (%r1), callee, (%r1, %r2);",
};

/* Whole modules, the code that loading gives, and what the log says. */
static const struct { const char *text; int rc; const char *log; } modules[] = {
	{".target sm_90\n", 218, "line 1; error   : Missing .version"},
	{".version 99.0\n.target sm_90\n", 222, "line 1; error   : Unsupported .version 99.0"},
	{".version 8.0\n.target sm_100\n", 209, "line 2; error   : SM version"},
	{".version 8.0\n.target sm_70\n.visible .entry k()\n{\n.reg .b32 %r<3>;\nredux.sync.add.u32 %r1, %r2, -1;\n}\n", 218, "line 6; error   : Feature 'redux'"},
	{".version 8.0\n.target sm_90\n.visible .entry k()\n{\nret;\n}\n.visible .entry k()\n{\nret;\n}\n", 218, "line 7; error   : Duplicate definition"},
	{".version 8.0\n.target sm_90\n.visible .entry k()\n{\nret;\n", 218, "error   : Parsing error"},
	{".version 8.0\n.target sm_90\n.global .u32 x;\n.global .u32 x;\n", 218, "line 4; error   : Duplicate definition"},
	{".version 8.0\n.target sm_90\n.extern .func f();\n.visible .entry k()\n{\ncall f;\n}\n", 218, "Unresolved extern"},
	{".version 8.0\n.target sm_90\n.global .u32 x[2] = {1, 2, 3};\n", 218, "line 3; error   : more initial values"},
};

void test_refused(void) {
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
		char text[4096];
		snprintf(text, sizeof text, HEAD ".global .align 8 .b8 gv[64];\n.const .align 8 .b8 cv[64];\n.shared .align 8 .b8 sv[64];\n"
			".func (.reg .b32 %%y) callee (.reg .b32 %%x) { mov.b32 %%y, %%x; ret; }\n"
			".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<9>;\n.reg .b64 %%l<9>;\n"
			".reg .u16 %%us<9>;\n.reg .u32 %%u<9>;\n.reg .f32 %%f<9>;\n.reg .f64 %%d<9>;\n%s\nret;\n}\n", statements[i]);
		outcome o = run_text(text, 1, 1, 0, i);
		if (o.rc != 218)
			fail(statements[i], "was accepted: %d %s", o.rc, o.why);
		else if (strncmp(o.log, "ptxas application ptx input, line 18; error   : ", 48))
			fail(statements[i], "%s", o.log);
	}
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		fake_module *m;
		char log[1000];
		int rc = fake_module_load(&m, modules[i].text, 90, (fake_logs){log, NULL, sizeof log, 0});
		if (rc != modules[i].rc || !strstr(log, modules[i].log))
			fail("module", "%zu: got %d %s, want %d %s", i, rc, log, modules[i].rc, modules[i].log);
		fake_module_free(m);
	}
}
