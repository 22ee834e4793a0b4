//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"weft/tile"
	"weft/tile/tiletest"
)

// TestSeeds runs the whole kit, and not what depends on queues alone (TestOrders), in as many orders as WEFT_TEST_SEEDS
// says, on one device and on two by turns. An order takes half a minute of a processor.
func TestSeeds(t *testing.T) {
	needFake(t)
	text := os.Getenv("WEFT_TEST_SEEDS")
	if text == "" {
		t.Skip("WEFT_TEST_SEEDS does not say how many orders")
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("WEFT_TEST_SEEDS=%s: %v; want a number of orders", text, err)
	}
	for seed := range n {
		devices, opened := 1+int(seed%2), 0
		fake.Seed(seed)
		t.Run(fmt.Sprintf("seed %d, devices %d", seed, devices), func(t *testing.T) {
			tiletest.Run(t, func() tile.Device {
				opened++
				return open(t, opened%devices)
			})
		})
	}
}
