package sim

import (
	"fmt"
	"slices"

	"weft/scheduler"
)

// flight is a task that a device has.
type flight struct {
	task  *scheduler.Task
	queue int   // of an ordered device; copies have queues of their own
	ends  int64 // when; 0 while it waits for what is before it on an ordered device
}

// landed is a task that has ended on its device, which the core does not know yet.
type landed struct {
	task   *scheduler.Task
	failed error
}

// depth is how many tasks a queue of an ordered device has at most.
const depth = 5

// start gives ready tasks, in random order, to devices that have a queue to spare, and sometimes leaves one for later.
// It reports whether one has begun that others may follow.
func (s *simulator) start() (begun bool, err error) {
	s.Shuffle(len(s.ready), func(i, j int) { s.ready[i], s.ready[j] = s.ready[j], s.ready[i] })
	kept := s.ready[:0]
	for _, t := range s.ready {
		queue, free := s.queue(t)
		if !free || len(s.running)+len(s.over) > 0 && s.IntN(5) == 0 {
			kept = append(kept, t)
			continue
		}
		ordered := s.ordered(t)
		if ordered && !s.under(t.Behind) && (s.core.Look.Doomed(t.ID) || s.taints.fails(t) && s.IntN(2) == 0) { // before it can begin
			if failure := s.core.Done(t.ID, errFailed); failure == nil {
				return false, fmt.Errorf("BUG: inv 3: %v has failed, which the core does not say", t)
			}
			begun = true
			continue
		}
		if err := s.checker.Start(t); err != nil {
			return false, err
		}
		if err := s.reserve(t); err != nil {
			return false, err
		}
		s.running = append(s.running, flight{task: t, queue: queue})
		if ordered {
			s.core.Begun(t.ID)
			begun = true
		}
	}
	s.ready = kept
	s.launch()
	return begun, nil
}

func (s *simulator) ordered(t *scheduler.Task) bool {
	return t.Kind != scheduler.Free && s.cfg.Machine.Devices[t.Device].Ordered
}

// queue returns a queue of a task's device, and whether it can take the task now.
func (s *simulator) queue(t *scheduler.Task) (int, bool) {
	queues, same := s.cfg.Machine.Devices[t.Device].Queues, 0
	number := s.IntN(queues)
	if t.Kind != scheduler.Run {
		number += queues
	}
	ordered, behind := s.ordered(t), 0
	for _, f := range s.running {
		if f.task.Device == t.Device && (f.task.Kind == scheduler.Run) == (t.Kind == scheduler.Run) {
			same++
			if f.queue == number {
				behind++
			}
		}
	}
	if ordered {
		return number, behind < depth
	}
	return number, same < queues
}

// under reports whether one of the tasks is not completed.
func (s *simulator) under(tasks []scheduler.TaskID) bool {
	return slices.ContainsFunc(tasks, func(id scheduler.TaskID) bool { return !s.core.Look.Completed(id) })
}

// launch lets tasks run that devices have, those of ordered ones after what is before them on their queue, and after
// what they say that they are behind.
func (s *simulator) launch() {
	for i := range s.running {
		f := &s.running[i]
		if f.ends > 0 || s.ordered(f.task) && slices.ContainsFunc(s.running[:i], func(before flight) bool {
			return before.task.Device == f.task.Device && before.queue == f.queue && s.ordered(before.task) || slices.Contains(f.task.Behind, before.task.ID)
		}) {
			continue
		}
		f.ends = s.now + 1 + s.Int64N(10)
		s.trace.Tasks[s.rows[f.task.ID]].Start = s.now
	}
}

// end ends the task that ends first, or tells the core of one that has ended. Those that come behind others on an
// ordered device are told after them.
func (s *simulator) end() error {
	if len(s.over) > 0 && (len(s.running) == 0 || s.IntN(3) > 0) {
		first := s.IntN(len(s.over))
		for s.under(s.over[first].task.Behind) { // the oldest can be told
			first = s.IntN(first)
		}
		x := s.over[first]
		s.over = slices.Delete(s.over, first, first+1)
		return s.completed(x.task, x.failed)
	}
	if len(s.running) == 0 {
		return nil
	}
	first := 0
	for i := range s.running {
		if ends := s.running[i].ends; ends > 0 && (ends < s.running[first].ends || s.running[first].ends == 0) {
			first = i
		}
	}
	f := s.running[first]
	if f.ends == 0 {
		return fmt.Errorf("BUG: inv 1: %d tasks have begun, but each waits for another", len(s.running))
	}
	s.running = slices.Delete(s.running, first, first+1)
	s.now = f.ends
	s.launch()
	failed, err := s.perform(f.task)
	if err != nil && len(f.task.Behind) > 0 { // it may have run on bytes of no value; else it is told to have failed for no reason
		failed, err = err, nil
	}
	if err != nil {
		return err
	}
	s.trace.Tasks[s.rows[f.task.ID]].End = s.now
	if s.ordered(f.task) {
		s.over = append(s.over, landed{f.task, failed})
		return nil
	}
	return s.completed(f.task, failed)
}

// completed tells the core that a task has ended.
func (s *simulator) completed(t *scheduler.Task, failed error) error {
	doomed := s.core.Look.Doomed(t.ID)
	failure := s.core.Done(t.ID, failed)
	if (failure != nil) != (failed != nil || doomed) {
		return fmt.Errorf("BUG: inv 3: %v is done with error %v, and doomed: %v; the core says that it has failed with %v", t, failed, doomed, failure)
	}
	return s.logged(t, failure)
}

// logged notes how a task went.
func (s *simulator) logged(t *scheduler.Task, failed error) error {
	row := &s.trace.Tasks[s.rows[t.ID]]
	if row.End == 0 {
		row.End = s.now
	}
	row.Failed = failed != nil
	return s.checker.End(t, failed)
}
