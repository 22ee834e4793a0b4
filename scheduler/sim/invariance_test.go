package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/scheduler"
	"weft/scheduler/core"
)

// planned returns the text of all plans of a stream, and what was fused. Nothing runs: what is planned must not depend
// on what has ended in the meantime.
func planned(stream scheduler.Stream, cfg Config) (string, core.Fusion, error) {
	planner, err := core.New(cfg.Machine, cfg.options())
	if err != nil {
		return "", core.Fusion{}, err
	}
	var text strings.Builder
	add := func(p *scheduler.Plan) {
		text.WriteString(p.String())
		for i := range p.Tasks { // those that run in order must have run before the next plan
			if p.InOrder && planner.InOrder.Turn(i) {
				planner.InOrder.Ended(i, nil)
			}
		}
	}
	for _, step := range stream {
		switch step.Verb {
		case "store":
			planner.NewStore(step.Bytes)
		case "host":
			_, err = planner.Host.Written(step.Store)
		case "op":
			op := *step.Op
			full := false
			if full, err = planner.Submit(&op); full {
				add(planner.Flush(true))
			}
		case "release":
			planner.Release(step.Store)
		case "flush":
			add(planner.Flush(false))
		case "read", "claim":
			add(planner.Flush(false))
			_, _, err = planner.Host.Need(step.Store, step.Lo, step.Hi, step.Verb == "claim")
			add(planner.Look.Planned())
		}
		if full := new(scheduler.NoRoom); errors.As(err, &full) { // for what the host fills
			fmt.Fprintf(&text, "%v\n", full)
			err = nil
		}
		if err != nil {
			return "", core.Fusion{}, err
		}
	}
	return text.String(), planner.Look.Fusion(), nil
}

// declaredFirst returns the stream with its stores declared at the front, in an order that chance
// draws, behind some that no op uses; and the name of each store before that.
func declaredFirst(r *rand.Rand, stream scheduler.Stream) (scheduler.Stream, map[scheduler.StoreID]scheduler.StoreID) {
	var declared, rest scheduler.Stream
	for _, step := range stream {
		if step.Verb == "store" {
			declared = append(declared, step)
		} else {
			rest = append(rest, step)
		}
	}
	r.Shuffle(len(declared), func(i, k int) { declared[i], declared[k] = declared[k], declared[i] })
	var out scheduler.Stream
	old, fresh := map[scheduler.StoreID]scheduler.StoreID{}, map[scheduler.StoreID]scheduler.StoreID{}
	id := scheduler.StoreID(0)
	for _, step := range declared {
		for range r.IntN(3) {
			id++
			out = append(out, scheduler.Step{Verb: "store", Store: id, Bytes: 8})
		}
		id++
		old[id], fresh[step.Store] = step.Store, id
		step.Store = id
		out = append(out, step)
	}
	for _, step := range rest {
		if step.Op != nil {
			op := *step.Op
			op.Uses = slices.Clone(op.Uses)
			for i := range op.Uses {
				op.Uses[i].View.Store = fresh[op.Uses[i].View.Store]
			}
			step.Op = &op
		} else if step.Verb != "flush" {
			step.Store = fresh[step.Store]
		}
		out = append(out, step)
	}
	return out, old
}

// withNames returns a plan's text with the names that its stores had.
func withNames(text string, old map[scheduler.StoreID]scheduler.StoreID) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := i + 1
		for end < len(text) && isWord(text[i]) && isWord(text[end]) {
			end++
		}
		word := text[i:end]
		if word[0] == 's' { // ParseUint's error costs more than all other words
			if n, err := strconv.ParseUint(word[1:], 10, 32); err == nil {
				word = old[scheduler.StoreID(n)].String()
			}
		}
		b.WriteString(word)
		i = end
	}
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// The same stream gives the same plans, text for text: planned again in the same process, from other
// programs of the same text, and with stores of other numbers that were declared in another order.
func TestPlansDependOnTheStreamAlone(t *testing.T) {
	for sd := range uint64(12) {
		for i, cfg := range configs { // and so many orders of the stores
			cfg := roomy(cfg, generate(sd, 40))
			want, _, err := planned(generate(sd, 40), cfg)
			if err != nil || !strings.Contains(want, "task t") {
				t.Fatalf("seed %d on %s: error %v, plans\n%s", sd, cfg.Name, err, want)
			}
			stream, old := declaredFirst(rand.New(rand.NewPCG(sd, uint64(i))), generate(sd, 40))
			got, _, err := planned(stream, cfg)
			if err != nil {
				t.Fatal(err)
			}
			got = withNames(got, old)
			if got != want {
				t.Fatalf("seed %d on %s, with other stores: %s", sd, cfg.Name, firstLine(got, want))
			}
			if again, _, err := planned(generate(sd, 40), cfg); err != nil || again != want {
				t.Fatalf("seed %d on %s, planned again: error %v, %s", sd, cfg.Name, err, firstLine(again, want))
			}
		}
	}
}

// firstLine says where two texts differ.
func firstLine(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is\n%s\nwanted\n%s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines, wanted %d", len(a), len(b))
}
