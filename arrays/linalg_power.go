package arrays

// linalgPower multiplies by squaring; negative powers are those of the inverse.
func linalgPower(s *scope, v []Value) (Value, error) {
	a, err := s.array(v[0])
	if err != nil {
		return Value{}, err
	}
	if a.Ndim() < 2 {
		return Value{}, linalgError("%d-dimensional array given. Array must be at least two-dimensional", a.Ndim())
	}
	if err := mustBeSquare(a); err != nil {
		return Value{}, err
	}
	if v[1].Kind != IntValue && v[1].Kind != BoolValue && v[1].Kind != ArrayValue {
		return Value{}, errorf("TypeError", "exponent must be an integer")
	}
	n, err := s.integer(v[1], 0)
	if err != nil {
		return Value{}, err
	}
	switch {
	case n == 0:
		one, err := s.identity(a.view.Shape[a.Ndim()-1], a.view.Type)
		if err != nil {
			return Value{}, err
		}
		x, err := s.own(s.c.allocIn(a.view.Type, a.view.Shape, copyOrder(a.view)))
		if err != nil {
			return Value{}, err
		}
		if err := s.c.move(x, one, "matrix_power"); err != nil {
			return Value{}, err
		}
		return s.give(x), nil
	case n == 1:
		return v[0], nil
	case n < 0:
		if a, err = s.inverse(Of(a)); err != nil {
			return Value{}, err
		}
		if n = -n; n == 1 {
			return result(s.c.copyOf(a))
		}
	}
	var x *Array
	for square := a; ; {
		if n&1 != 0 {
			if x == nil {
				x = square
			} else if x, err = s.own(s.c.Matmul(Of(x), Of(square))); err != nil {
				return Value{}, err
			}
		}
		if n >>= 1; n == 0 {
			return s.give(x), nil
		}
		if square, err = s.own(s.c.Matmul(Of(square), Of(square))); err != nil {
			return Value{}, err
		}
	}
}

// multiDot multiplies a chain of matrices in the order of the fewest multiplications. The
// first and the last may be vectors.
func multiDot(s *scope, v []Value) (Value, error) {
	list, err := s.arrays(v[0])
	if err != nil {
		return Value{}, err
	}
	n := len(list)
	if n < 2 {
		return Value{}, errorf("ValueError", "Expecting at least two arrays.")
	}
	if v[1].given() {
		return Value{}, &Fallback{"out= of multi_dot"}
	}
	sizes := make([]int, n+1)
	for i, a := range list {
		if a.Ndim() != 2 && !(a.Ndim() == 1 && (i == 0 || i == n-1) && n > 2) {
			if n == 2 {
				return dot(s, []Value{Of(list[0]), Of(list[1]), {}})
			}
			return Value{}, linalgError("%d-dimensional array given. Array must be two-dimensional", a.Ndim())
		}
		switch {
		case a.Ndim() == 2:
			sizes[i], sizes[i+1] = a.view.Shape[0], a.view.Shape[1]
		case i == 0:
			sizes[0], sizes[1] = 1, a.size
		default:
			sizes[i+1] = 1
		}
	}
	split := chain(sizes)
	var multiply func(i, j int) (*Array, error)
	multiply = func(i, j int) (*Array, error) {
		if i == j {
			return list[i], nil
		}
		left, err := multiply(i, split[i][j])
		if err != nil {
			return nil, err
		}
		right, err := multiply(split[i][j]+1, j)
		if err != nil {
			return nil, err
		}
		x, err := dot(s, []Value{Of(left), Of(right), {}})
		if err != nil {
			return nil, err
		}
		return s.own(x.Array, nil)
	}
	x, err := multiply(0, n-1)
	if err != nil {
		return Value{}, err
	}
	return s.give(x), nil
}

// chain returns where to split the products of matrices i to j, matrix i being of
// sizes[i] by sizes[i+1]: the classic dynamic program.
func chain(sizes []int) [][]int {
	n := len(sizes) - 1
	cost, split := make([][]int, n), make([][]int, n)
	for i := range n {
		cost[i], split[i] = make([]int, n), make([]int, n)
	}
	for length := 1; length < n; length++ {
		for i := 0; i+length < n; i++ {
			j := i + length
			cost[i][j] = -1
			for k := i; k < j; k++ {
				c := cost[i][k] + cost[k+1][j] + sizes[i]*sizes[k+1]*sizes[j+1]
				if cost[i][j] < 0 || c < cost[i][j] {
					cost[i][j], split[i][j] = c, k
				}
			}
		}
	}
	return split
}
