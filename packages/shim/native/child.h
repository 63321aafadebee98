/*
 * Starting the command: its terminal or pipes, its limits, its exec.
 *
 * The child is cloned with our memory but without suspending us (CLONE_VM, no CLONE_VFORK): as cheap as vfork,
 * yet a working directory on a dead mount hangs only the child, and the start limit holds (S2). Between clone
 * and exec the child makes raw system calls only, so not even errno is shared. A failed step is told through a
 * close-on-exec pipe; the pipe's end means that exec succeeded.
 */
#ifndef CLF_CHILD_H
#define CLF_CHILD_H

#include "shield.h"
#include "wire.h"

enum stage {
	STAGE_NONE = 0,
	STAGE_CLAIM,
	STAGE_JOURNAL,
	STAGE_SOCKET,
	STAGE_PIPES,
	STAGE_PTY,
	STAGE_CGROUP,
	STAGE_FORK,
	STAGE_SESSION,
	STAGE_STDIO,
	STAGE_LIMITS,
	STAGE_SHIELD,
	STAGE_USER,
	STAGE_CWD,
	STAGE_CONFINE,
	STAGE_EXEC,
	STAGE_TIMEOUT,
};
const char *stage_name(enum stage stage);

struct child {
	pid_t pid;
	/* our ends; -1 when absent. With a terminal, in and out are the same descriptor. */
	int in_fd;
	int out_fd;
	int err_fd;
	/* E8: the terminal's other side is held open until the root exits. */
	int slave_fd;
	/* readable: a failure, then end of file; only the end of file when exec succeeded. Open while starting. */
	int exec_fd;
	/* the run's cgroup.procs */
	int cgroup_fd;
	/* the namespace that it enters, if it is shielded; ours while starting */
	struct shield shield;
};

/* What the child says when a step fails. */
struct start_failure {
	i32 stage;
	i32 error;
};

/* Returns 0, or -errno with *stage set and no process left. */
int child_start(const struct spawn *spawn, struct child *child, enum stage *stage);
/*
 * To be called once exec_fd is at its end. The kernel takes a process's memory away before its descriptors, both at
 * exec and at exit, so from then on nobody else is in ours. A failure that was read is no such proof.
 */
void child_started(struct child *child);

#endif
