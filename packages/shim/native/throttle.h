/*
 * How fast output may be journalled: one bucket for all runs that name the same file, whichever processes hold them.
 *
 * The file holds one number, the time at which everything that was written so far is paid for, in nanoseconds of the boot's
 * clock. Who journals moves it on by what the bytes cost at the rate, and then reads no more from its command until the number
 * is no further ahead than a burst. So each of many waits its turn behind those before it, nobody keeps a list, and a shim
 * that is killed owes nothing. The command sees a full pipe, as it would behind any slow reader.
 */
#ifndef CLF_THROTTLE_H
#define CLF_THROTTLE_H

#include "limits.h"
#include "sys.h"

struct throttle {
	/* shared; NULL: as fast as it comes */
	_Atomic u64 *paid_at_ns;
	u64 bytes_per_second;
	u64 burst_ns;
	/* output is read again then; 0: now */
	u64 until_ms;
};

/* Returns 0 or -errno. */
int throttle_open(struct throttle *throttle, const char *file, u64 bytes_per_second, u64 burst_bytes);
/* So much was journalled. */
void throttle_charge(struct throttle *throttle, size_t bytes);

#endif
