package tiletest

import (
	"slices"

	"weft/tile"
)

// drawUnique looks for distinct elements, among them zeros of both signs and NaNs.
func drawUnique(d *routineDraw) {
	if d.t.Is(tile.KindComplex) {
		return
	}
	apart := tile.IntAttr("apart", int64(d.IntN(4)/3))
	wanted := []tile.Attr{d.flip("index"), d.flip("inverse"), d.flip("counts")}
	d.begin(append([]tile.Attr{apart}, wanted...)...)
	n := d.length()
	d.in(d.t, d.drawn(d.t, n), n)
	d.out(d.t, n)
	d.out(tile.Int64, 1)
	d.tr.counted = []int{1}
	for _, a := range wanted {
		if a.Value.Int() == 0 {
			continue
		}
		if a.Name != "inverse" {
			d.tr.counted = append(d.tr.counted, len(d.tr.args))
		}
		d.out(tile.Int64, n)
	}
}

// finite are so many numbers: of few that come often, or any.
func (d *routineDraw) finite(t tile.DType, n int) []tile.Scalar {
	values := make([]tile.Scalar, n)
	whole := d.IntN(2) == 0
	for i := range values {
		if values[i] = tile.FloatScalar(t, float64(d.IntN(40))/4-3); !whole {
			values[i] = ordinary(d.Rand, t)
		}
	}
	return values
}

// drawHistogram counts what lies between edges, of which some are equal, or which are as far apart as each other.
func drawHistogram(d *routineDraw) {
	if d.t != tile.Float32 && d.t != tile.Float64 {
		return
	}
	d.begin()
	n, bins := d.length(), d.length()
	if d.IntN(6) == 0 {
		bins += 4096
	}
	edges, width := d.finite(d.t, bins+1), 0.0
	ascending(edges)
	if d.IntN(2) == 0 {
		least := float64(d.IntN(9)) / 3
		width = 1 + d.Float64()*9
		for i := range edges {
			edges[i] = tile.FloatScalar(d.t, least+width*float64(i)/float64(bins))
		}
		edges[bins] = tile.FloatScalar(d.t, least+width)
		width = edges[bins].Float() - edges[0].Float()
	}
	values := append(d.finite(d.t, n), edges[:d.IntN(bins+1)]...)
	if d.IntN(2) == 0 {
		values = append(values, d.drawn(d.t, 10)...)
	}
	d.in(d.t, values, len(values))
	d.in(d.t, edges, len(edges))
	result := tile.Int64
	if d.IntN(8) == 0 {
		d.in(tile.Float64, d.finite(tile.Float64, len(values)), len(values))
		result = tile.Float64
	}
	d.out(result, bins)
	d.b.Uniform(tile.Float64)
	d.tr.uniforms = append(d.tr.uniforms, tile.FloatScalar(tile.Float64, width))
}

// drawInterp asks for values between points, of which some are at the same place, or infinite.
func drawInterp(d *routineDraw) {
	if d.t != tile.Float64 {
		return
	}
	d.begin(d.flip("left"), d.flip("right"))
	n := d.length()
	x, y := d.finite(d.t, n), d.finite(d.t, n)
	ascending(x)
	if d.IntN(3) == 0 {
		y = d.drawn(d.t, n)
	}
	at := append(d.finite(d.t, d.length()), x[:d.IntN(n+1)]...)
	if d.IntN(2) == 0 {
		at = append(at, d.drawn(d.t, 10)...)
	}
	if d.IntN(3) == 0 {
		slices.SortFunc(at, func(x, y tile.Scalar) int { return int(x.Float() - y.Float()) })
	}
	d.in(d.t, at, len(at))
	d.in(d.t, x, n)
	d.in(d.t, y, n)
	d.out(d.t, len(at))
	for range 2 {
		d.b.Uniform(tile.Float64)
		d.tr.uniforms = append(d.tr.uniforms, ordinary(d.Rand, tile.Float64))
	}
}

// drawExpand writes rows where a mask says, as many as there are or around.
func drawExpand(d *routineDraw) {
	repeat := d.flip("repeat")
	d.begin(repeat)
	n, row := d.length(), 1
	if d.IntN(2) == 0 {
		row = 1 + d.IntN(9)
	}
	mask, count := d.nonzeros(tile.Bool, n)
	if repeat.Value.Int() != 0 {
		count = d.length()
	}
	d.operand(tile.Update, d.t, d.drawn(d.t, n*row), n, row)
	d.in(tile.Bool, mask, n)
	d.in(d.t, d.drawn(d.t, count*row), count, row)
}
