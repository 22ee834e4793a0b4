// map runs the steps on every point. The steps walk along the last axis.
static void map(vm_launch *l) {
	int64_t last = l->axes - 1, length = l->axis[last].extent;
	int64_t chunk = l->chunk > 0 ? l->chunk : length;
	int64_t at[VM_AXES], extent[VM_AXES];
	for (int64_t k = 0; k < l->axes; k++) extent[k] = l->axis[k].extent;
	for (int64_t k = 0; k < l->steps; k++) plan(l, k, length == 1);
	for (int64_t from = 0; from < length; from += chunk) {
		int64_t to = least(from + chunk, length);
		for (int64_t k = 0; k < last; k++) at[k] = 0;
		do {
			for (int64_t i = from; i < to; i += l->block) {
				at[last] = i;
				seek(l, at);
				if (!advance(l, least(l->block, to - i))) return;
			}
		} while (next(last, at, extent));
	}
	stream_end(l);
}
