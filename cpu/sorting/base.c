// Plain C: what every processor of the architecture has.
#define VECTOR 16
#define MACHINE sorting_base
#define NAME "base"
#include "machine.h"
