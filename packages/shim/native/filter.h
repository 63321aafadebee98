/*
 * A filter of system calls for shielded commands of root: they make no cgroup namespace. With one, in a user namespace of its own, a command
 * could mount the control groups, whose files are root's, and end by them processes that no signal reaches. An ordinary user's shield
 * has a user namespace, in which a limit says the same (shield-make.c).
 */
#ifndef CLF_FILTER_H
#define CLF_FILTER_H

/* 0 or -errno. Nothing may be gained any more (no_new_privs). Safe in a clone that shares our memory. */
long filter_self(void);

#endif
