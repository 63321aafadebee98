/* The last resort for a tree whose shim and spawnd are both gone (T8): see sweep.c. */
#ifndef CLF_SWEEP_H
#define CLF_SWEEP_H

int sweep_main(const char *lease_id, const char *uid, const char *not_before_ticks);

#endif
