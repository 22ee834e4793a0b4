// The table: a row for every opcode and dtype of the operands, named as package tile names them. An
// operation that does not look at the sign of integers has one loop for both signs. float16 is
// lowered to float32 where it has no row; gt and ge are lt and le with the operands exchanged.
// A new opcode is a row here, and a loop.
//
// Rows "cast" are named by "from to"; move and select by the size of elements in bits.

#define ROW(opcode, dtype, primitive) {#opcode, dtype, &primitive},

#define WHOLE_ROWS(dtype, t, u) \
	ROW(add, dtype, add_##u) ROW(sub, dtype, sub_##u) ROW(mul, dtype, mul_##u) ROW(neg, dtype, neg_##u) \
	ROW(floordiv, dtype, floordiv_##t) ROW(rem, dtype, rem_##t) ROW(pow, dtype, pow_##t) ROW(sign, dtype, sign_##t) \
	ROW(min, dtype, min_##t) ROW(max, dtype, max_##t) ROW(eq, dtype, eq_##u) ROW(ne, dtype, ne_##u) \
	ROW(lt, dtype, lt_##t) ROW(le, dtype, le_##t) ROW(and, dtype, and_##u) ROW(or, dtype, or_##u) \
	ROW(xor, dtype, xor_##u) ROW(not, dtype, not_##u) ROW(shl, dtype, shl_##u) ROW(shr, dtype, shr_##t)

#define FLOAT_ROWS(dtype, t) \
	ROW(add, dtype, add_##t) ROW(sub, dtype, sub_##t) ROW(mul, dtype, mul_##t) ROW(div, dtype, div_##t) \
	ROW(floordiv, dtype, floordiv_##t) ROW(rem, dtype, rem_##t) ROW(pow, dtype, pow_##t) ROW(neg, dtype, neg_##t) \
	ROW(abs, dtype, abs_##t) ROW(sign, dtype, sign_##t) ROW(min, dtype, min_##t) ROW(max, dtype, max_##t) \
	ROW(copysign, dtype, copysign_##t) \
	ROW(eq, dtype, eq_##t) ROW(ne, dtype, ne_##t) ROW(lt, dtype, lt_##t) ROW(le, dtype, le_##t) \
	ROW(sqrt, dtype, sqrt_##t) ROW(exp, dtype, exp_##t) ROW(log, dtype, log_##t) ROW(sin, dtype, sin_##t) \
	ROW(cos, dtype, cos_##t) ROW(tanh, dtype, tanh_##t) ROW(floor, dtype, floor_##t) ROW(ceil, dtype, ceil_##t) \
	ROW(trunc, dtype, trunc_##t) ROW(rint, dtype, rint_##t) ROW(isnan, dtype, isnan_##t) ROW(isinf, dtype, isinf_##t) \
	ROW(isfinite, dtype, isfinite_##t) ROW(complex, dtype, complex_##t)

#define ELEMENTARY_ROWS(dtype, t) \
	ROW(exp2, dtype, exp2_##t) ROW(expm1, dtype, expm1_##t) ROW(log2, dtype, log2_##t) ROW(log10, dtype, log10_##t) \
	ROW(log1p, dtype, log1p_##t) ROW(asin, dtype, asin_##t) ROW(acos, dtype, acos_##t) ROW(atan, dtype, atan_##t) \
	ROW(sinh, dtype, sinh_##t) ROW(cosh, dtype, cosh_##t) ROW(asinh, dtype, asinh_##t) ROW(acosh, dtype, acosh_##t) \
	ROW(atanh, dtype, atanh_##t) ROW(cbrt, dtype, cbrt_##t) ROW(erf, dtype, erf_##t) ROW(erfc, dtype, erfc_##t) \
	ROW(gamma, dtype, gamma_##t) ROW(lgamma, dtype, lgamma_##t) ROW(tan, dtype, tan_##t) ROW(atan2, dtype, atan2_##t) \
	ROW(hypot, dtype, hypot_##t)

#define PAIR_ROWS(dtype, t) \
	ROW(add, dtype, add_##t) ROW(sub, dtype, sub_##t) ROW(mul, dtype, mul_##t) ROW(div, dtype, div_##t) \
	ROW(pow, dtype, pow_##t) ROW(neg, dtype, neg_##t) ROW(abs, dtype, abs_##t) ROW(min, dtype, min_##t) \
	ROW(max, dtype, max_##t) ROW(eq, dtype, eq_##t) ROW(ne, dtype, ne_##t) ROW(lt, dtype, lt_##t) \
	ROW(le, dtype, le_##t) ROW(sqrt, dtype, sqrt_##t) ROW(exp, dtype, exp_##t) ROW(log, dtype, log_##t) \
	ROW(sin, dtype, sin_##t) ROW(cos, dtype, cos_##t) ROW(isnan, dtype, isnan_##t) ROW(isinf, dtype, isinf_##t) \
	ROW(isfinite, dtype, isfinite_##t) ROW(conj, dtype, conj_##t) ROW(real, dtype, real_##t) ROW(imag, dtype, imag_##t)

static const vm_row rows[] = {
	ROW(min, "bool", and_bool) ROW(max, "bool", or_bool) ROW(eq, "bool", eq_u8) ROW(ne, "bool", ne_u8)
	ROW(lt, "bool", lt_u8) ROW(le, "bool", le_u8) ROW(and, "bool", and_bool) ROW(or, "bool", or_bool)
	ROW(xor, "bool", xor_u8) ROW(not, "bool", not_bool)
	WHOLE_ROWS("int8", i8, u8)
	WHOLE_ROWS("int16", i16, u16)
	WHOLE_ROWS("int32", i32, u32)
	WHOLE_ROWS("int64", i64, u64)
	WHOLE_ROWS("uint8", u8, u8)
	WHOLE_ROWS("uint16", u16, u16)
	WHOLE_ROWS("uint32", u32, u32)
	WHOLE_ROWS("uint64", u64, u64)
	ROW(abs, "int8", abs_i8) ROW(abs, "int16", abs_i16) ROW(abs, "int32", abs_i32) ROW(abs, "int64", abs_i64)
	ROW(abs, "uint8", move_8) ROW(abs, "uint16", move_16) ROW(abs, "uint32", move_32) ROW(abs, "uint64", move_64)
	ROW(index, "int64", index_i64) ROW(pcg64, "uint64", pcg64_u64) ROW(philox, "uint64", philox_u64)
	ROW(add, "float16", add_f16) ROW(mul, "float16", mul_f16) ROW(neg, "float16", neg_f16) ROW(abs, "float16", abs_f16)
	ROW(min, "float16", min_f16) ROW(max, "float16", max_f16)
	FLOAT_ROWS("float32", f32)
	FLOAT_ROWS("float64", f64)
	ELEMENTARY_ROWS("float32", f32)
	ELEMENTARY_ROWS("float64", f64)
	PAIR_ROWS("complex64", c64)
	PAIR_ROWS("complex128", c128)
	ROW(move, "8", move_8) ROW(move, "16", move_16) ROW(move, "32", move_32) ROW(move, "64", move_64) ROW(move, "128", move_128)
	ROW(select, "8", select_8) ROW(select, "16", select_16) ROW(select, "32", select_32) ROW(select, "64", select_64) ROW(select, "128", select_128)

	// cast
	ROW(cast, "bool int8", move_8) ROW(cast, "bool int16", w16_u8) ROW(cast, "bool int32", w32_u8) ROW(cast, "bool int64", w64_u8)
	ROW(cast, "bool uint8", move_8) ROW(cast, "bool uint16", w16_u8) ROW(cast, "bool uint32", w32_u8) ROW(cast, "bool uint64", w64_u8)
	ROW(cast, "bool float32", f32_u8) ROW(cast, "bool float64", f64_u8)
	ROW(cast, "int8 bool", bool_u8) ROW(cast, "int8 int16", w16_i8) ROW(cast, "int8 int32", w32_i8) ROW(cast, "int8 int64", w64_i8)
	ROW(cast, "int8 uint8", move_8) ROW(cast, "int8 uint16", w16_i8) ROW(cast, "int8 uint32", w32_i8) ROW(cast, "int8 uint64", w64_i8)
	ROW(cast, "int8 float32", f32_i8) ROW(cast, "int8 float64", f64_i8)
	ROW(cast, "int16 bool", bool_u16) ROW(cast, "int16 int8", n8_u16) ROW(cast, "int16 int32", w32_i16) ROW(cast, "int16 int64", w64_i16)
	ROW(cast, "int16 uint8", n8_u16) ROW(cast, "int16 uint16", move_16) ROW(cast, "int16 uint32", w32_i16) ROW(cast, "int16 uint64", w64_i16)
	ROW(cast, "int16 float32", f32_i16) ROW(cast, "int16 float64", f64_i16)
	ROW(cast, "int32 bool", bool_u32) ROW(cast, "int32 int8", n8_u32) ROW(cast, "int32 int16", n16_u32) ROW(cast, "int32 int64", w64_i32)
	ROW(cast, "int32 uint8", n8_u32) ROW(cast, "int32 uint16", n16_u32) ROW(cast, "int32 uint32", move_32) ROW(cast, "int32 uint64", w64_i32)
	ROW(cast, "int32 float32", f32_i32) ROW(cast, "int32 float64", f64_i32)
	ROW(cast, "int64 bool", bool_u64) ROW(cast, "int64 int8", n8_u64) ROW(cast, "int64 int16", n16_u64) ROW(cast, "int64 int32", n32_u64)
	ROW(cast, "int64 uint8", n8_u64) ROW(cast, "int64 uint16", n16_u64) ROW(cast, "int64 uint32", n32_u64) ROW(cast, "int64 uint64", move_64)
	ROW(cast, "int64 float32", f32_i64) ROW(cast, "int64 float64", f64_i64)
	ROW(cast, "uint8 bool", bool_u8) ROW(cast, "uint8 int8", move_8) ROW(cast, "uint8 int16", w16_u8) ROW(cast, "uint8 int32", w32_u8)
	ROW(cast, "uint8 int64", w64_u8) ROW(cast, "uint8 uint16", w16_u8) ROW(cast, "uint8 uint32", w32_u8) ROW(cast, "uint8 uint64", w64_u8)
	ROW(cast, "uint8 float32", f32_u8) ROW(cast, "uint8 float64", f64_u8)
	ROW(cast, "uint16 bool", bool_u16) ROW(cast, "uint16 int8", n8_u16) ROW(cast, "uint16 int16", move_16) ROW(cast, "uint16 int32", w32_u16)
	ROW(cast, "uint16 int64", w64_u16) ROW(cast, "uint16 uint8", n8_u16) ROW(cast, "uint16 uint32", w32_u16) ROW(cast, "uint16 uint64", w64_u16)
	ROW(cast, "uint16 float32", f32_u16) ROW(cast, "uint16 float64", f64_u16)
	ROW(cast, "uint32 bool", bool_u32) ROW(cast, "uint32 int8", n8_u32) ROW(cast, "uint32 int16", n16_u32) ROW(cast, "uint32 int32", move_32)
	ROW(cast, "uint32 int64", w64_u32) ROW(cast, "uint32 uint8", n8_u32) ROW(cast, "uint32 uint16", n16_u32) ROW(cast, "uint32 uint64", w64_u32)
	ROW(cast, "uint32 float32", f32_u32) ROW(cast, "uint32 float64", f64_u32)
	ROW(cast, "uint64 bool", bool_u64) ROW(cast, "uint64 int8", n8_u64) ROW(cast, "uint64 int16", n16_u64) ROW(cast, "uint64 int32", n32_u64)
	ROW(cast, "uint64 int64", move_64) ROW(cast, "uint64 uint8", n8_u64) ROW(cast, "uint64 uint16", n16_u64) ROW(cast, "uint64 uint32", n32_u64)
	ROW(cast, "uint64 float32", f32_u64) ROW(cast, "uint64 float64", f64_u64)
	ROW(cast, "float32 bool", bool_f32) ROW(cast, "float32 int8", i8_f32) ROW(cast, "float32 int16", i16_f32) ROW(cast, "float32 int32", i32_f32)
	ROW(cast, "float32 int64", i64_f32) ROW(cast, "float32 uint8", u8_f32) ROW(cast, "float32 uint16", u16_f32) ROW(cast, "float32 uint32", u32_f32)
	ROW(cast, "float32 uint64", u64_f32) ROW(cast, "float32 float64", f64_f32) ROW(cast, "float32 float16", f16_f32) ROW(cast, "float32 complex64", c64_f32)
	ROW(cast, "float64 bool", bool_f64) ROW(cast, "float64 int8", i8_f64) ROW(cast, "float64 int16", i16_f64) ROW(cast, "float64 int32", i32_f64)
	ROW(cast, "float64 int64", i64_f64) ROW(cast, "float64 uint8", u8_f64) ROW(cast, "float64 uint16", u16_f64) ROW(cast, "float64 uint32", u32_f64)
	ROW(cast, "float64 uint64", u64_f64) ROW(cast, "float64 float32", f32_f64) ROW(cast, "float64 float16", f16_f64) ROW(cast, "float64 complex128", c128_f64)
	ROW(cast, "float16 float32", f32_f16) ROW(cast, "complex64 bool", bool_c64) ROW(cast, "complex128 bool", bool_c128)
	ROW(cast, "complex64 complex128", c128_c64) ROW(cast, "complex128 complex64", c64_c128)
};
