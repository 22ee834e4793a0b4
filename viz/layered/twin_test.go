package layered

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/pictures.json anew")

// The pictures of some graphs, which the layout in TypeScript must give as well: see
// viz/graph/page/test/layered.test.ts.
func TestPictures(t *testing.T) {
	type drawn struct {
		Graph   Graph
		Picture *Picture
	}
	var all []drawn
	for seed := range uint64(9) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := random(r, 6+r.IntN(22), int(seed%4), int(seed%3))
		all = append(all, drawn{g, lay(t, g)})
	}
	got, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	got = append(bytes.ReplaceAll(got, []byte("},{\"Graph\""), []byte("},\n{\"Graph\"")), '\n')
	const file = "testdata/pictures.json"
	if *rewrite {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the pictures are not those of %s. When they are right, run go test ./viz/layered -run TestPictures -rewrite, and look that npm test passes in viz/graph/page", file)
	}
}
