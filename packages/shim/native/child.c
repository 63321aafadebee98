/* See child.h. */
#include "child.h"

#include "confine.h"
#include "rawcall.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* Everything the child needs, made before the clone. */
struct plan {
	const struct spawn *spawn;
	int in_fd, out_fd, err_fd, tell_fd, cgroup_fd, parent;
	struct shield shield;
	/* the priority, for the session */
	char nice_text[12];
	/* candidates for exec: absolute, or one per directory of PATH */
	char **paths;
};

const char *stage_name(enum stage stage)
{
	static const char *const names[] = {"none",  "claim", "journal", "socket", "pipes", "pty",  "cgroup", "fork",
					    "session", "stdio", "limits",  "shield", "user",   "cwd",   "confine", "exec", "timeout"};
	return names[stage];
}

static _Noreturn void child_fail(const struct plan *plan, enum stage stage, long error)
{
	struct start_failure failure = {.stage = (i32)stage, .error = (i32)-error};
	(void)rawcall(SYS_write, plan->tell_fd, raw_arg(&failure), sizeof failure, 0);
	for (;;)
		(void)rawcall(SYS_exit_group, 127, 0, 0, 0);
}

/* T8: should the shim be killed, the root goes with it. If it is gone already, so are we. */
static void die_with_parent(const struct plan *plan)
{
	long result = rawcall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	if (result < 0)
		child_fail(plan, STAGE_SESSION, result);
	if (rawcall(SYS_getppid, 0, 0, 0, 0) != plan->parent)
		child_fail(plan, STAGE_SESSION, -ESRCH);
}

static void child_session(const struct plan *plan)
{
	long result = rawcall(SYS_setsid, 0, 0, 0, 0);
	if (result < 0)
		child_fail(plan, STAGE_SESSION, result);
	die_with_parent(plan);
	if (plan->spawn->pty && (result = rawcall(SYS_ioctl, plan->in_fd, TIOCSCTTY, 0, 0)) < 0)
		child_fail(plan, STAGE_SESSION, result);
}

static void child_stdio(const struct plan *plan)
{
	const int from[3] = {plan->in_fd, plan->out_fd, plan->err_fd};
	for (int fd = 0; fd < 3; fd++) {
		/* Ours are all above 2 (detach_stdio), so dup3 never meets an equal pair. */
		long result = rawcall(SYS_dup3, from[fd], fd, 0, 0);
		if (result < 0)
			child_fail(plan, STAGE_STDIO, result);
	}
}

/* Where the kernel schedules by sessions, a priority counts only within one. Elsewhere there is no such file. */
static void child_stand_back(const struct plan *plan)
{
	size_t length = 0;
	while (plan->nice_text[length])
		length++;
	if (length == 0)
		return;
	long fd = rawcall(SYS_openat, AT_FDCWD, raw_arg("/proc/self/autogroup"), O_WRONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)rawcall(SYS_write, fd, raw_arg(plan->nice_text), (long)length, 0);
	(void)rawcall(SYS_close, fd, 0, 0, 0);
}

/* Without it the command has the priority all the same. */
static void child_idle(void)
{
	const int priority = 0;
	(void)rawcall(SYS_sched_setscheduler, 0, SCHED_IDLE, raw_arg(&priority), 0);
}

static void child_limits(const struct plan *plan)
{
	const struct spawn *spawn = plan->spawn;
	long result;
	if (plan->cgroup_fd >= 0 && (result = rawcall(SYS_write, plan->cgroup_fd, raw_arg("0"), 1, 0)) < 0)
		child_fail(plan, STAGE_CGROUP, result);
	for (size_t i = 0; i < spawn->rlimit_count; i++) {
		struct {
			u64 soft, hard;
		} limit = {spawn->rlimits[i].soft, spawn->rlimits[i].hard};
		result = rawcall(SYS_prlimit64, 0, spawn->rlimits[i].resource, raw_arg(&limit), 0);
		if (result < 0)
			child_fail(plan, STAGE_LIMITS, result);
	}
	if (spawn->has_nice &&
	    (result = rawcall(SYS_setpriority, PRIO_PROCESS, 0, spawn->nice_value, 0)) < 0)
		child_fail(plan, STAGE_LIMITS, result);
	if (spawn->has_nice && spawn->nice_value == NICE_IDLE)
		child_idle();
	child_stand_back(plan);
	if (spawn->has_umask)
		(void)rawcall(SYS_umask, (long)spawn->umask_bits, 0, 0, 0);
}

static void child_shield(const struct plan *plan)
{
	if (plan->shield.mount_fd < 0)
		return;
	long result = shield_enter(&plan->shield);
	if (result < 0)
		child_fail(plan, STAGE_SHIELD, result);
	die_with_parent(plan); /* So may a change of namespaces. */
}

static void child_user(const struct plan *plan)
{
	const struct spawn *spawn = plan->spawn;
	if (!spawn->has_user)
		return;
	long result = rawcall(SYS_setgroups, (long)spawn->group_count, raw_arg(spawn->groups), 0, 0);
	if (result == 0)
		result = rawcall(SYS_setresgid, (long)spawn->gid, (long)spawn->gid, (long)spawn->gid, 0);
	if (result == 0)
		result = rawcall(SYS_setresuid, (long)spawn->uid, (long)spawn->uid, (long)spawn->uid, 0);
	if (result < 0)
		child_fail(plan, STAGE_USER, result);
	die_with_parent(plan); /* A change of credentials clears the parent-death signal. */
}

static long stat_here(struct stat *here)
{
#if defined(__x86_64__) || defined(__aarch64__)
	/* libc's struct is the kernel's there. */
	return rawcall(SYS_newfstatat, AT_FDCWD, raw_arg("."), raw_arg(here), 0);
#else
	return stat(".", here) == 0 ? 0 : -errno;
#endif
}

/* A name may lead elsewhere by now, so the directory is looked at from inside: nothing can replace it any more. */
static void child_directory(const struct plan *plan)
{
	const struct spawn *spawn = plan->spawn;
	long result = rawcall(SYS_chdir, raw_arg(spawn->cwd), 0, 0, 0);
	if (result < 0)
		child_fail(plan, STAGE_CWD, result);
	if (!spawn->has_cwd_id)
		return;
	struct stat here = {0};
	result = stat_here(&here);
	if (result == 0 && ((u64)here.st_dev != spawn->cwd_device || (u64)here.st_ino != spawn->cwd_inode))
		result = -ESTALE;
	if (result < 0)
		child_fail(plan, STAGE_CWD, result);
}

static int child_main(void *argument)
{
	const struct plan *plan = argument;
	child_session(plan);
	child_stdio(plan);
	child_limits(plan);
	child_shield(plan);
	child_user(plan);
	child_directory(plan);
	/* S4: whatever else is open closes at exec, checked by the flag on each descriptor and again here. */
	long result = rawcall(SYS_close_range, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */, 0);
	if (result < 0 && result != -ENOSYS && result != -EINVAL)
		child_fail(plan, STAGE_STDIO, result);
	/* Last: what comes before it needs what it takes away. */
	if ((plan->spawn->confined || plan->spawn->shield_asked) && (result = confine_self(plan->spawn)) < 0)
		child_fail(plan, STAGE_CONFINE, result);
	u64 none = 0;
	(void)rawcall(SYS_rt_sigprocmask, SIG_SETMASK, raw_arg(&none), 0, sizeof none);
	long failed = -ENOENT;
	for (char **path = plan->paths; *path; path++) {
		result = rawcall(SYS_execve, raw_arg(*path), raw_arg(plan->spawn->argv), raw_arg(plan->spawn->envp), 0);
		/* As execvp: a file that may not be run is remembered, a directory that is not there is not; both are passed. */
		bool absent = result == -ENOENT || result == -ENOTDIR || result == -ESTALE || result == -ENODEV ||
			      result == -ETIMEDOUT;
		if (!absent)
			failed = result;
		if (!absent && result != -EACCES)
			break;
	}
	child_fail(plan, STAGE_EXEC, failed);
}

static const char *path_of(char **envp)
{
	for (; *envp; envp++)
		if (strncmp(*envp, "PATH=", 5) == 0)
			return *envp + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

/* One candidate per directory of PATH; one block of memory for pointers and text. */
static char **exec_paths(const struct spawn *spawn)
{
	const char *name = spawn->file ? spawn->file : spawn->argv[0];
	const char *search = strchr(name, '/') || !*name ? NULL : path_of(spawn->envp);
	size_t count = 1;
	for (const char *p = search; p && *p; p++)
		count += *p == ':';
	size_t pointers = (count + 1) * sizeof(char *);
	size_t text = search ? strlen(search) + count * (strlen(name) + 3) : strlen(name) + 1;
	char **paths = malloc(pointers + text);
	if (!paths)
		return NULL;
	char *at = (char *)paths + pointers;
	size_t filled = 0;
	if (!search) {
		paths[filled++] = strcpy(at, name);
	} else {
		for (const char *from = search;; from++) {
			size_t length = strcspn(from, ":");
			paths[filled++] = at;
			at += sprintf(at, "%.*s/%s", (int)(length ? length : 1), length ? from : ".", name) + 1;
			from += length;
			if (!*from)
				break;
		}
	}
	paths[filled] = NULL;
	return paths;
}

static int open_pty(const struct spawn *spawn, struct child *child, struct plan *plan)
{
	const int flags = O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, shielded = child->shield.terminals_fd;
	int master = shielded >= 0 ? openat(shielded, "ptmx", flags) : posix_openpt(flags);
	if (master < 0)
		return -errno;
	child->in_fd = child->out_fd = master;
	int locked = 0;
	if (ioctl(master, TIOCSPTLCK, &locked) != 0)
		return -errno;
	child->slave_fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (child->slave_fd < 0)
		return -errno;
	struct winsize size = {.ws_col = spawn->cols, .ws_row = spawn->rows};
	struct termios mode;
	if (ioctl(master, TIOCSWINSZ, &size) != 0 || tcgetattr(child->slave_fd, &mode) != 0)
		return -errno;
	mode.c_iflag |= IUTF8; /* or the erase key takes away half a character */
	if (tcsetattr(child->slave_fd, TCSANOW, &mode) != 0)
		return -errno;
	if (spawn->has_user && fchown(child->slave_fd, spawn->uid, (gid_t)-1) != 0)
		return -errno;
	plan->in_fd = plan->out_fd = plan->err_fd = child->slave_fd;
	return 0;
}

/* The flag is the file description's, and each end of a pipe has its own: only ours does not block. */
static int open_pipe(int *ours, int *childs, bool child_reads)
{
	int pair[2];
	if (pipe2(pair, O_CLOEXEC) != 0)
		return -errno;
	*ours = pair[child_reads ? 1 : 0];
	*childs = pair[child_reads ? 0 : 1];
	return set_nonblocking(*ours);
}

static int open_pipes(const struct spawn *spawn, struct child *child, struct plan *plan)
{
	int failed = 0;
	if (!spawn->stdin_null)
		failed = open_pipe(&child->in_fd, &plan->in_fd, true);
	else if ((plan->in_fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
		failed = -errno;
	if (failed || (failed = open_pipe(&child->out_fd, &plan->out_fd, false)) ||
	    (failed = open_pipe(&child->err_fd, &plan->err_fd, false)))
		return failed;
	/* So that another user's /dev/stdout can be opened by that user. */
	const int ends[3] = {spawn->stdin_null ? -1 : plan->in_fd, plan->out_fd, plan->err_fd};
	for (int i = 0; spawn->has_user && i < 3; i++)
		if (ends[i] >= 0 && fchown(ends[i], spawn->uid, spawn->gid) != 0)
			return -errno;
	return 0;
}

static int clone_child(struct plan *plan)
{
#ifndef CLF_FORKS
	/*
	 * No mapping of its own: that would have to go after exec, and taking memory away has the kernel interrupt every
	 * processor on which the child may have run.
	 */
	static _Alignas(16) u8 stack[CHILD_STACK_BYTES];
	int pid = clone(child_main, stack + sizeof stack, CLONE_VM | SIGCHLD, plan);
	return pid < 0 ? -errno : pid;
#else
	pid_t pid = fork();
	if (pid == 0)
		_exit(child_main(plan));
	return pid < 0 ? -errno : pid;
#endif
}

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* The plan is read by the child until exec, so it cannot live on our stack. */
static struct plan plan;

static int prepare(const struct spawn *spawn, struct child *child, enum stage *stage)
{
	*stage = spawn->pty ? STAGE_PTY : STAGE_PIPES;
	int failed = spawn->pty ? open_pty(spawn, child, &plan) : open_pipes(spawn, child, &plan);
	if (failed)
		return failed;
	*stage = STAGE_FORK;
	plan.paths = exec_paths(spawn);
	if (!plan.paths)
		return -ENOMEM;
	int tell[2];
	if (pipe2(tell, O_CLOEXEC | O_NONBLOCK) != 0)
		return -errno;
	child->exec_fd = tell[0];
	plan.tell_fd = tell[1];
	child->pid = clone_child(&plan);
	return child->pid < 0 ? child->pid : 0;
}

int child_start(const struct spawn *spawn, struct child *child, enum stage *stage)
{
	plan = (struct plan){.spawn = spawn, .in_fd = -1, .out_fd = -1, .err_fd = -1, .tell_fd = -1,
			     .cgroup_fd = child->cgroup_fd, .parent = getpid(), .shield = child->shield};
	if (spawn->has_nice && spawn->nice_value > 0)
		snprintf(plan.nice_text, sizeof plan.nice_text, "%d", (int)spawn->nice_value);
	int failed = prepare(spawn, child, stage);
	/* The child has copies of the descriptors and reads the plan's numbers: ours are closed, the plan stays as it is. */
	const int childs[4] = {plan.tell_fd, plan.in_fd, plan.out_fd, plan.err_fd};
	for (int i = 0; i < (spawn->pty ? 1 : 4); i++)
		if (childs[i] >= 0)
			close(childs[i]);
	return failed;
}

void child_started(struct child *child)
{
	close_if_open(&child->exec_fd);
	close_if_open(&child->cgroup_fd);
	shield_close(&child->shield);
	free(plan.paths);
	plan.paths = NULL;
}
