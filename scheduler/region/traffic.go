package region

// Traffic is what is moved of one store in one direction: the elements that views name, but no
// more than lies in the rows around them, for the views of a stencil overlap.
//
//	u[1:-1] + u[:-2] + u[2:]      elements: three times n; around: n + 2: moved n + 2
//	u[::2]                        elements: half; around: all, where it is an interval: moved half
type Traffic struct {
	elements int64 // their bytes, view by view
	around   Comb
}

// Add counts one view more: the bytes of its elements, and those that it lies in.
func (x *Traffic) Add(elements int64, bytes Comb) {
	x.elements += elements
	x.around = x.around.Around(bytes)
}

// Bytes returns how much is moved.
func (x *Traffic) Bytes() int64 { return min(x.elements, x.around.Len()) }
