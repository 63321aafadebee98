/*
 * A run's own cgroup v2 directory: memory and pid limits, and a kill that nobody escapes (E4, T2).
 * It is made by the shim and must not have been there before: what is killed in it is surely the run's.
 */
#ifndef CLF_CGROUP_H
#define CLF_CGROUP_H

#include "sys.h"

struct cgroup {
	/* -1 when the run has none */
	int dir_fd;
	char *path;
};

/* Makes the directory and sets its limits (0: none). 0, or -errno and nothing is left. */
int cgroup_make(struct cgroup *cgroup, const char *path, u64 memory_max, u64 pids_max);
/* What a child writes "0" to. A descriptor, or -errno. */
int cgroup_open_procs(const struct cgroup *cgroup);
bool cgroup_kill(const struct cgroup *cgroup);
/* True only when the kernel counted a kill for want of memory here. */
bool cgroup_ran_out_of_memory(const struct cgroup *cgroup);
void cgroup_remove(struct cgroup *cgroup);

#endif
