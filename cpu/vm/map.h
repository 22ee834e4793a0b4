// map runs the steps on every point. The steps walk along the last axis.
static void map(vm_launch *l) {
	int64_t last = l->axes - 1, length = l->axis[last].extent;
	int64_t chunk = l->chunk > 0 ? l->chunk : length;
	int64_t at[VM_AXES], extent[VM_AXES];
	for (int64_t k = 0; k < l->axes; k++) extent[k] = l->axis[k].extent;
	if (!l->planned)
		for (int64_t k = 0; k < l->steps; k++) plan(l, k, length == 1);
	l->planned = 1;
	for (int64_t k = 0; k < last; k++) at[k] = 0;
	if (l->steps == 1 && is_row(l, least(l->block, chunk))) {
		map_row(l, at, extent);
		return;
	}
	for (int64_t from = 0; from < length; from += chunk) {
		int64_t to = least(from + chunk, length);
		at[last] = from;
		seek(l, at);
		for (;;) {
			while (1) {
				if (!advance(l, least(l->block, to - at[last]))) return;
				if (to - at[last] <= l->block) break;
				at[last] += l->block;
				seek(l, at);
			}
			int64_t axis = next(last, at, extent);
			if (axis < 0) break;
			if (axis == last - 1 && at[last] == from) {
				nudge(l, axis);
				continue;
			}
			at[last] = from;
			seek(l, at);
		}
	}
	stream_end(l);
}
