package layered

// placeRounds is how often the layers are placed by their neighbors above, then below.
const placeRounds = 6

// place gives every vertex its x, and layers and the level their measures.
func (v *level) place() {
	lanes := 0
	if v.index == 0 {
		lanes = v.l.g.Lanes
	}
	v.lanes = make([]span, lanes)
	left := 0.0
	padding := margin
	if v.index > 0 {
		padding = boxPadding
	}
	for lane := 0; lane <= lanes; lane++ { // 0 is what lies in no lane
		rows := make([][]int, len(v.layers))
		any := false
		for r, layer := range v.layers {
			for _, i := range layer {
				if v.vertices[i].lane == lane || lanes == 0 {
					rows[r] = append(rows[r], i)
					any = true
				}
			}
		}
		if !any {
			continue
		}
		v.relax(rows)
		low, high := v.extent(rows)
		if lane > 0 && lane <= lanes {
			left += laneGap / 2
		}
		for _, row := range rows {
			for _, i := range row {
				v.vertices[i].x += left + padding - low
			}
		}
		if lane > 0 {
			v.lanes[lane-1] = span{left + padding - boxPadding, high - low + 2*boxPadding}
		}
		left += high - low
		if lanes > 0 {
			left += laneGap
		}
	}
	if lanes > 0 {
		left -= laneGap
	}
	v.width = left + 2*padding
	if len(v.lanes) > 0 {
		v.width += boxPadding
	}
	v.stack(padding)
	v.title()
}

// title makes room for the text of a box.
func (v *level) title() {
	if v.index == 0 {
		return
	}
	if wide := v.l.g.Boxes[v.index-1].Title + 2*boxPadding; wide > v.width {
		shift := (wide - v.width) / 2
		for i := range v.vertices {
			v.vertices[i].x += shift
		}
		v.width = wide
	}
}

// stack gives the layers their heights, one below the other.
func (v *level) stack(padding float64) {
	y := padding
	if v.index > 0 {
		y = titleHeight + 4
	} else if len(v.lanes) > 0 {
		y += titleHeight
	}
	v.top, v.bottom = make([]float64, len(v.layers)), make([]float64, len(v.layers))
	for r, layer := range v.layers {
		height, port := 0.0, len(layer) > 0
		for _, i := range layer {
			height = max(height, v.vertices[i].height)
			port = port && (v.vertices[i].dummy || i < len(v.items) && v.items[i].port)
		}
		first, last := r == 0, r == len(v.layers)-1
		switch {
		case port && first && v.index > 0:
			v.top[r], v.bottom[r] = 0, 0
			y = titleHeight + 4
			continue
		case port && last && v.index > 0:
			y += -betweenLayers + portGap + 6
		}
		v.top[r], v.bottom[r] = y, y+height
		y += height + betweenLayers
	}
	y -= betweenLayers
	if n := len(v.layers); n > 0 && v.isExit(n-1) {
		v.height = y
	} else {
		v.height = y + padding
	}
	if v.index == 0 && len(v.lanes) > 0 {
		v.height += boxPadding
	}
}

// isExit says whether a layer is that of the ports of the lower border.
func (v *level) isExit(r int) bool {
	for _, i := range v.layers[r] {
		if i < len(v.items) && v.items[i].port && v.items[i].down {
			return true
		}
	}
	return false
}

// extent returns the leftmost and the rightmost border.
func (v *level) extent(rows [][]int) (low, high float64) {
	first := true
	for _, row := range rows {
		for _, i := range row {
			a, b := v.vertices[i].x-v.vertices[i].width/2, v.vertices[i].x+v.vertices[i].width/2
			if i < len(v.items) && v.items[i].loops {
				b += loopReach
			}
			if first {
				low, high, first = a, b, false
			}
			low, high = min(low, a), max(high, b)
		}
	}
	return low, high
}

// apart is the least distance between the middles of two neighbors.
func (v *level) apart(a, b int) float64 {
	x, y := &v.vertices[a], &v.vertices[b]
	gap := besideNodes
	if x.dummy || y.dummy {
		gap = besideLines
	}
	if a < len(v.items) && v.items[a].loops {
		gap += loopReach
	}
	return x.width/2 + y.width/2 + gap
}

// relax places each row where its neighbors would have it, from above and from below in turn, and both at last.
func (v *level) relax(rows [][]int) {
	inside := make([]bool, len(v.vertices))
	for _, row := range rows {
		x := 0.0
		for k, i := range row {
			if k > 0 {
				x += v.apart(row[k-1], i)
			}
			v.vertices[i].x = x
			inside[i] = true
		}
		for _, i := range row {
			v.vertices[i].x -= x / 2
		}
	}
	for round := range placeRounds {
		both := round >= placeRounds/2
		for r := range rows {
			v.settle(rows[r], inside, true, both)
		}
		for r := len(rows) - 1; r >= 0; r-- {
			v.settle(rows[r], inside, both, true)
		}
	}
}

// settle places a row: each vertex at the weighted mean of where its neighbors pull it, as far as the distances in
// the row allow, so that the sum of the squared deviations is least. Neighbors that pull against one another form a
// block, which moves as one (the method of pooling adjacent violators).
func (v *level) settle(row []int, inside []bool, up, down bool) {
	type block struct {
		sum, weight float64 // of the wishes, for the block's first vertex
		n           int
	}
	var blocks []block
	shift := make([]float64, len(row)) // from the row's first vertex, where all are as close as they may be
	for k, i := range row {
		w := &v.vertices[i]
		if k > 0 {
			shift[k] = shift[k-1] + v.apart(row[k-1], i)
		}
		sum, weight := 0.0, 0.0
		pull := func(links []link) {
			for n := range links {
				if d := &links[n]; inside[d.to] {
					// The conversions keep a compiler from fusing the operations, which would round differently
					// elsewhere.
					sum += float64(d.weight * (v.vertices[d.to].x + d.there - d.here))
					weight += d.weight
				}
			}
		}
		if up {
			pull(w.up)
		}
		if down {
			pull(w.down)
		}
		if weight == 0 {
			weight = 0.01
			sum = float64(weight * w.x)
		}
		b := block{sum - float64(weight*shift[k]), weight, 1}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if float64(last.sum*b.weight) <= float64(b.sum*last.weight) {
				break
			}
			b = block{last.sum + b.sum, last.weight + b.weight, last.n + b.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	k := 0
	for _, b := range blocks {
		x := b.sum / b.weight
		for range b.n {
			v.vertices[row[k]].x = x + shift[k]
			k++
		}
	}
}
