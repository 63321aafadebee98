/*
 * From the request to exec, in this order, so that a crash at any point leaves something a reconciler can judge:
 *   1 enter the run directory        2 create the journal: the claim (S1)    3 meta recorded
 *   4 socket listens                 5 shield made, if spawnd has none      6 cgroup made
 *   7 clone, exec                    8 the request is wiped (S4)            9 start recorded and told
 *
 * Up to the claim a failure leaves nothing; from there on it is a record. Between 7 and 8 the child may take its
 * time (S2): the loop runs, clients are heard, and the child uses our memory until its end of the pipe is closed.
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell_spawn_error(struct shim *shim, enum stage stage, int error)
{
	char text[256];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_string(&json, "stage", stage_name(stage));
	json_i64(&json, "errno", error);
	json_string(&json, "message", strerror(error));
	json_close(&json, '}');
	shim_tell(shim, MSG_SPAWN_ERROR, text, json.length, NULL, 0);
}

/* The last word of a shim that never became one: nothing was claimed, so nothing is journalled. */
static _Noreturn void refuse_start(struct shim *shim, int error)
{
	tell_spawn_error(shim, STAGE_CLAIM, error);
	_exit(1);
}

static int enter_run_dir(struct shim *shim)
{
	shim->dir_fd = open(shim->spawn.run_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (shim->dir_fd < 0)
		return -errno;
	struct stat dir;
	if (fstat(shim->dir_fd, &dir) != 0 || fchdir(shim->dir_fd) != 0)
		return -errno;
	if (dir.st_uid != geteuid() || (dir.st_mode & 077) != 0)
		return -EPERM;
	shim->dir_dev = (u64)dir.st_dev;
	shim->dir_ino = (u64)dir.st_ino;
	return 0;
}

static void claim(struct shim *shim)
{
	int failed = enter_run_dir(shim);
	if (failed)
		refuse_start(shim, -failed);
	const struct spawn *spawn = &shim->spawn;
	struct journal_identity identity = {
		.boot_id = shim->host.boot_id, .cookie = spawn->cookie, .run_id = spawn->run_id, .pid_ns = shim->host.pid_ns};
	shim->journal.dir_fd = shim->dir_fd;
	shim->journal.hold = spawn->hold;
	shim->journal.bytes_max = spawn->journal_bytes_max;
	shim->journal.segment_bytes = spawn->segment_bytes;
	failed = journal_create(&shim->journal, &identity);
	if (failed)
		refuse_start(shim, -failed);
}

/* Steps 3 to 6. */
static int prepare(struct shim *shim, enum stage *stage)
{
	const struct spawn *spawn = &shim->spawn;
	*stage = STAGE_JOURNAL;
	int failed = record_meta(shim);
	if (failed || (failed = output_prepare(shim)))
		return failed;
	if (spawn->rate_file && (failed = throttle_open(&shim->throttle, spawn->rate_file, spawn->rate_bytes_per_second,
							spawn->rate_burst_bytes)))
		return failed;
	*stage = STAGE_SOCKET;
	if ((failed = control_open(shim)))
		return failed;
	*stage = STAGE_SHIELD;
	/* Made by spawnd, as a rule. */
	if ((spawn->shield_asked & SHIELD_NAMESPACE) && shim->child.shield.mount_fd < 0 &&
	    (failed = shield_make(spawn->shield, spawn->shield_length, SHIELD_MAKE_MS, &shim->child.shield)))
		return failed;
	*stage = STAGE_CGROUP;
	if (!spawn->cgroup)
		return 0;
	if ((failed = cgroup_make(&shim->cgroup, spawn->cgroup, spawn->memory_max, spawn->pids_max)))
		return failed;
	shim->child.cgroup_fd = cgroup_open_procs(&shim->cgroup);
	return shim->child.cgroup_fd < 0 ? shim->child.cgroup_fd : 0;
}

/*
 * E3: the kernel takes the command before it takes the shim. The child inherits our score, so ours is raised, never lowered,
 * until the child has a memory of its own. A write in the child would change ours too, and has the kernel look through all
 * processes for others who share the memory. Where /proc cannot be written it stays as it is.
 */
static void set_oom_score(const struct shim *shim, i32 score)
{
	char text[12];
	if (!shim->spawn.has_oom_score_adj || shim->spawn.oom_score_adj <= shim->host.oom_score_adj)
		return;
	snprintf(text, sizeof text, "%d", (int)score);
	(void)write_small(AT_FDCWD, "/proc/self/oom_score_adj", text);
}

/* Nobody else is in our memory any more. */
static void start_over(struct shim *shim)
{
	child_started(&shim->child);
	set_oom_score(shim, shim->host.oom_score_adj);
	spawn_free(&shim->spawn);
	/* S4: what is left of the request holds secrets of the run. The strings in `spawn` are gone with it. */
	wipe_pages(shim->request, shim->request_length);
	(void)prctl(PR_SET_DUMPABLE, 0);
}

static void start_failed(struct shim *shim, enum stage stage, int error)
{
	tell_spawn_error(shim, stage, error);
	ending_start_failed(shim, stage, error);
	input_close(shim); /* nobody will read it, and whoever waits to send is told so */
}

void start_run(struct shim *shim)
{
	claim(shim);
	size_begin(shim);
	enum stage stage = STAGE_NONE;
	int failed = prepare(shim, &stage);
	shim->started_us = wall_us();
	shim->started_ms = monotonic_ms();
	if (!failed) {
		set_oom_score(shim, shim->spawn.oom_score_adj);
		failed = child_start(&shim->spawn, &shim->child, &stage);
	}
	if (failed) {
		start_failed(shim, stage, -failed);
		shim->root_gone = shim->tree_empty = true;
		shim->exited_us = shim->started_us;
		shim->exited_ms = shim->started_ms;
		start_over(shim);
		return;
	}
	shim->root = shim->child.pid;
	output_start(shim);
	owner_watch(shim);
}

/* The end of the pipe: exec has succeeded, or the child is dead. It was not reaped, so the pid is still its own. */
static void settle(struct shim *shim)
{
	struct proc_stat root;
	bool known = proc_stat_read(shim->root, &root) == 0;
	start_over(shim); /* before anybody is told: who hears of a start finds everything in its place */
	if (shim->start_stage != STAGE_NONE) {
		/* Told already that it took too long. */
	} else if (shim->said.stage != STAGE_NONE) {
		start_failed(shim, (enum stage)shim->said.stage, shim->said.error);
	} else if (known && !root.did_exec) {
		start_failed(shim, STAGE_EXEC, ECANCELED); /* killed on its way */
	} else {
		shim->root_ticks = known ? root.start_ticks : 0;
		if (shim->phase == PHASE_STARTING)
			shim->phase = PHASE_RUNNING;
		record_start(shim);
	}
}

void start_ready(struct shim *shim)
{
	struct start_failure said;
	ssize_t n = read(shim->child.exec_fd, &said, sizeof said);
	if (n == (ssize_t)sizeof said)
		shim->said = said; /* it is still in our memory, on its way out: its end is awaited */
	else if (n >= 0 || (errno != EAGAIN && errno != EINTR))
		settle(shim);
}

void start_settle(struct shim *shim)
{
	/* Twice: what it said, then the end. */
	for (int i = 0; i < 2 && shim->child.exec_fd >= 0; i++)
		start_ready(shim);
}

void start_late(struct shim *shim)
{
	shim->start_by_ms = 0;
	start_failed(shim, STAGE_TIMEOUT, ETIMEDOUT);
	ending_ask(shim, REASON_SPAWN_ERROR, "deadline", 0);
}
