package arrays_test

import (
	"fmt"
	"log"

	"weft/arrays"
	"weft/cpu"
	"weft/scheduler"
	"weft/scheduler/driver"
	"weft/tile"
)

// Example shows arrays from Go: a runtime over the CPU, NumPy's functions by name, views
// that share memory, operators, and NumPy's errors.
func Example() {
	rt, err := driver.New(driver.Options{
		Devices: []tile.Device{cpu.New(cpu.Options{})},
		Kinds:   []scheduler.DeviceKind{scheduler.CPU},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() {
		if err := rt.Close(); err != nil {
			log.Fatal(err)
		}
	}()
	c := arrays.New(rt)
	must := func(a *arrays.Array, err error) *arrays.Array {
		if err != nil {
			log.Fatal(err)
		}
		return a
	}

	a := must(c.Call("arange", 12.0))
	m := must(c.Call("reshape", a, []int{3, 4}))
	fmt.Println(m)

	// m[:, 1] is a view: writing into it writes into m.
	column := must(c.GetItem(m, arrays.Tuple(arrays.All(), arrays.Int(1))))
	if err := c.SetItem(column, arrays.All(), arrays.Int(-1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(must(c.Call("sum", m, arrays.Keyword{Name: "axis", Value: 0})))

	// (m * 0.5) @ m.T
	half := must(c.Binary(arrays.Multiply, arrays.Of(m), arrays.Float(0.5)))
	t := must(m.T())
	fmt.Println(must(c.Matmul(arrays.Of(half), arrays.Of(t))))

	_, err = c.Binary(arrays.Add, arrays.Of(m), arrays.Of(must(c.Call("ones", 5))))
	fmt.Println(err)

	for _, x := range []*arrays.Array{a, m, column, half, t} {
		x.Free() // optional: Go's collector would find them later
	}

	// Output:
	// [[ 0.  1.  2.  3.]
	//  [ 4.  5.  6.  7.]
	//  [ 8.  9. 10. 11.]]
	// [12. -3. 18. 21.]
	// [[  7.  17.  27.]
	//  [ 17.  51.  85.]
	//  [ 27.  85. 143.]]
	// operands could not be broadcast together with shapes (3,4) (5,)
}
