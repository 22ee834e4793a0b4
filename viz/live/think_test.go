package live

import (
	"errors"
	"testing"
	"time"

	"weft/profiler"
)

func longFeed() *feed {
	t := wideTrace(900_000, 4)
	for i := range t.Records {
		if id := t.Records[i].Task; id%2 == 0 {
			t.Tasks = append(t.Tasks, profiler.Task{ID: id, After: []uint32{id - 1}})
		}
	}
	return fixedFeed(t, "long", nil)
}

// What takes a while tells how far it is, and ends when the answer is not wanted.
func TestLongAnswers(t *testing.T) {
	f := longFeed()
	task, all := uint32(7), timeSpan{0, 1e12}
	for name, r := range map[string]*request{
		"search": {Search: &textRequest{"op7 >60us"}}, "next": {Next: &nextRequest{Text: "o999", Start: 1}}, "task": {Task: &task}, "path": {Path: &all},
		"marks": {Marks: &markRequest{window: window{all, 100}, Text: ">60us", Lanes: []int{0, 1, 2, 3}}},
	} {
		told, last := 0, 0.0
		value, err := f.ask(r, func(part float64, _ any) bool {
			if told++; part < last || part > 1 {
				t.Errorf("%s: %v done, before that %v", name, part, last)
			}
			last = part
			return true
		})
		if err != nil || value == nil || told == 0 {
			t.Errorf("%s: %v, %v, told %d times", name, value, err, told)
		}
		if value, err := f.ask(r, func(float64, any) bool { return false }); !errors.Is(err, errNotWanted) {
			t.Errorf("%s: nobody wants it, but it is %v, %v", name, value, err)
		}
	}
}

// A newer question takes the place of an older one of its kind, whether that is worked on or not.
func TestNewerQuestion(t *testing.T) {
	v := &viewerConn{wake: make(chan struct{}, 1), more: make(chan struct{}, 1)}
	first, second, third := &request{ID: 1, Search: &textRequest{"a"}}, &request{ID: 2, Search: &textRequest{"b"}}, &request{ID: 3, Search: &textRequest{"c"}}
	bar := &request{ID: 4, Bar: &barRef{}}
	put := func(r *request) {
		t.Helper()
		if err := v.put(r); err != nil {
			t.Fatal(err)
		}
	}
	put(first)
	if r, open := v.next(); r != first || !open {
		t.Fatalf("the next question is %+v", r)
	}
	put(bar)
	put(bar)
	put(second)
	put(third)
	v.answer(first, "late", nil)
	if len(v.answers) != 0 || len(v.queue) != 3 {
		t.Fatalf("%d answers, %d questions", len(v.answers), len(v.queue))
	}
	for _, want := range []*request{bar, bar, third} {
		r, _ := v.next()
		if r != want {
			t.Fatalf("the next question is %+v, wanted %+v", r, want)
		}
		v.answer(r, "value", nil)
	}
	if len(v.answers) != 3 {
		t.Errorf("%d answers", len(v.answers))
	}
	for range maxQueue {
		put(bar)
	}
	if v.put(bar) == nil {
		t.Error("any number of questions may wait")
	}
	v.answers = make([]answerMessage, maxQueue)
	if r, _ := v.next(); r != nil {
		t.Error("a viewer that reads no answers is asked for more")
	}
	long := &request{ID: 9, Path: &timeSpan{0, 1}}
	v.asked = long
	told := time.Now()
	if !v.tell(long, &told, 0.1, nil) || v.progress != nil {
		t.Errorf("progress %+v is told at once", v.progress)
	}
	told = told.Add(-time.Hour)
	if !v.tell(long, &told, 0.5, "half") || v.progress == nil || *v.progress != (progressMessage{"progress", 9, 0.5, "half"}) || time.Since(told) > time.Minute {
		t.Errorf("progress %+v is told late", v.progress)
	}
	if v.tell(first, &told, 0.5, nil) {
		t.Error("an old question is still wanted")
	}
	v.end(nil)
	if v.tell(long, &told, 0.6, nil) {
		t.Error("a question is still wanted of a viewer that has gone")
	}
	if r, open := v.next(); r != nil || open {
		t.Error("the viewer has gone, but is answered")
	}
}
