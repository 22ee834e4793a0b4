package ptx

import "weft/tile"

// philox is the number's whole block: lanes side by side compute the same one, which costs less than to
// hand it on.
func philox(c *code, t tile.DType, v []value) value {
	n, k0, k1 := v[0].r[0], v[3].r[0], v[4].r[0]
	x := [4]string{c.long("shr.u64", n, "2"), "0", v[1].r[0], v[2].r[0]}
	for round := range 10 {
		if round > 0 {
			k0 = c.long("add.u64", k0, "0x9E3779B97F4A7C15")
			k1 = c.long("add.u64", k1, "0xBB67AE8584CAA73B")
		}
		const m0, m1 = "0xD2E7470EE14C6C93", "0xCA5A826395121157"
		x = [4]string{
			c.long("xor.b64", c.long("xor.b64", c.long("mul.hi.u64", x[2], m1), x[1]), k0), c.long("mul.lo.u64", x[2], m1),
			c.long("xor.b64", c.long("xor.b64", c.long("mul.hi.u64", x[0], m0), x[3]), k1), c.long("mul.lo.u64", x[0], m0),
		}
	}
	odd := c.pred("setp.ne.u64", c.long("and.b64", n, "1"), "0")
	late := c.pred("setp.ne.u64", c.long("and.b64", n, "2"), "0")
	return one(t, c.long("selp.b64", c.long("selp.b64", x[3], x[2], odd), c.long("selp.b64", x[1], x[0], odd), late))
}
