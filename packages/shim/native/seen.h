/*
 * A set of processes, each known by pid and start time: nobody is counted twice (T2).
 */
#ifndef CLF_SEEN_H
#define CLF_SEEN_H

#include "sys.h"

struct seen {
	/* open addressing, a power of two of places, zero is free */
	u64 *places;
	size_t count;
	size_t capacity;
};

bool seen_has(const struct seen *seen, pid_t pid, u64 start_ticks);
/* True when it was not in the set before. Without memory it is not added, and so may be counted again. */
bool seen_add(struct seen *seen, pid_t pid, u64 start_ticks);
void seen_clear(struct seen *seen);
void seen_free(struct seen *seen);

#endif
