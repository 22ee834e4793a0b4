package profiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// tracks says where the viewers of other programs draw the records of a trace. They nest the bars of a track by their
// times, so those of one track must lie in each other or beside each other: a lane whose bars overlap otherwise has
// several tracks.
type tracks struct {
	of   []uint16 // by record: which track of its lane; noTrack where maxTracks were not enough
	rank []int    // by lane: its place from the top
	from []int    // by lane: how many tracks the lanes above it have
	name []string // by lane
}

// number counts the tracks from top to bottom, from 1.
func (l *tracks) number(rec *Record, i int) int { return l.from[rec.Lane] + int(l.of[i]) + 1 }

// maxTracks bounds the tracks of one lane, because each record looks at them in turn.
const (
	maxTracks = 1 << 10
	noTrack   = maxTracks
)

func layOut(t *Trace) *tracks {
	lanes := len(t.Lanes)
	l := &tracks{of: make([]uint16, len(t.Records)), rank: make([]int, lanes), from: make([]int, lanes), name: make([]string, lanes)}
	have := make([]int, lanes) // tracks
	var open [][]int64         // by track of the current lane: the ends of the bars that the next one may lie in
	for i := range t.Records {
		rec := &t.Records[i]
		if i == 0 || t.Records[i-1].Lane != rec.Lane {
			open = open[:0]
		}
		track := 0
		for track < len(open) && !fits(&open[track], rec) {
			track++
		}
		if track == len(open) && track < maxTracks {
			open = append(open, nil)
		}
		if track < maxTracks {
			open[track] = append(open[track], rec.End)
		}
		l.of[i] = uint16(track)
		have[rec.Lane] = max(have[rec.Lane], track+1)
	}
	before := 0
	for place, lane := range lanesInOrder(t) {
		l.rank[lane], l.from[lane] = place, before
		before += have[lane]
		l.name[lane] = t.Lanes[lane].Name
		if lost := t.Lost[lane]; lost > 0 {
			l.name[lane] += fmt.Sprintf(" (%d records lost)", lost)
		}
	}
	return l
}

// fits closes the bars that have ended when a record starts, and reports whether it lies in the innermost of the
// others.
func fits(open *[]int64, rec *Record) bool {
	n := len(*open)
	for n > 0 && (*open)[n-1] <= rec.Start {
		n--
	}
	*open = (*open)[:n]
	return n == 0 || (*open)[n-1] >= rec.End
}

// lanesInOrder returns the lanes from top to bottom: the program's first, then those of each device together.
func lanesInOrder(t *Trace) []int {
	first := map[string]int{} // by device: its first lane
	order := make([]int, len(t.Lanes))
	for i, lane := range t.Lanes {
		order[i] = i
		if _, known := first[lane.Device]; !known {
			first[lane.Device] = i
		}
		if lane.Device == "" {
			first[lane.Device] = -1
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(first[t.Lanes[a].Device], first[t.Lanes[b].Device]) })
	return order
}

// arrow is a dependence between two tasks that ran, by their records.
type arrow struct{ from, to int }

// arrows returns the dependences, at most maxArrows, and how many there are in all. Those that contradict the records'
// times are left out: viewers refuse an arrow that ends before it begins.
func arrows(t *Trace) (list []arrow, all int) {
	at := map[uint32]int{}
	for i := range t.Records {
		if works(&t.Records[i]) {
			at[t.Records[i].Task] = i
		}
	}
	for i := range t.Tasks {
		to, ran := at[t.Tasks[i].ID]
		if !ran {
			continue
		}
		for _, id := range t.Tasks[i].After {
			from, ran := at[id]
			if !ran || !follows(&t.Records[to], &t.Records[from], to > from) {
				continue
			}
			if all++; all <= maxArrows {
				list = append(list, arrow{from, to})
			}
		}
	}
	return list, all
}

const maxArrows = 1 << 20

// follows reports whether a record begins when the one before has ended. Of two at one time, the one that is written
// later does.
func follows(rec, before *Record, later bool) bool {
	return before.End <= rec.Start && (before.Start < rec.Start || later)
}

// about describes a trace in a few lines.
func about(t *Trace) string {
	var b strings.Builder
	fmt.Fprintf(&b, "recorded %s", time.Unix(0, t.Epoch).UTC().Format(time.RFC3339))
	for _, field := range t.Machine {
		fmt.Fprintf(&b, "\n%s: %s", field.Key, field.Value)
	}
	if t.Cut {
		b.WriteString("\nthe file ended early: the run crashed or was still going on")
	}
	return b.String()
}
