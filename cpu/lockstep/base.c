// What every processor runs.
#define RUN lockstep_run_base
#include "run.h"
