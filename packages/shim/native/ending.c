/*
 * How a run ends: the root's exit, the ladder, leftovers, the end of the tree (T1, T2, T4).
 *
 * Root exit and tree end are two facts and two records. The exit record is written once what the root wrote is
 * in the journal; the end record once waitpid says ECHILD, or when survivors could not be killed in killMs.
 * Then the shim stays, goes on trying, and writes a second, final end.
 */
#include "shim.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* E4: out of memory is claimed only when the cgroup counted a kill. */
static void note_out_of_memory(struct shim *shim)
{
	if (shim->has_reason || !WIFSIGNALED(shim->root_status) || !cgroup_ran_out_of_memory(&shim->cgroup))
		return;
	shim->has_reason = true;
	shim->reason = REASON_OUT_OF_MEMORY;
	snprintf(shim->actor, sizeof shim->actor, "kernel");
	snprintf(shim->detail, sizeof shim->detail, "memory.events counts an oom_kill");
}

static void root_exited(struct shim *shim, u64 now)
{
	shim->root_gone = true;
	shim->exited_us = wall_us();
	shim->exited_ms = now;
	shim->drain_until_ms = now + (shim->spawn.pty ? PTY_DRAIN_MS : 0);
	shim->settle_until_ms = now + LEFTOVERS_SETTLE_MS;
	note_out_of_memory(shim);
	if (shim->child.slave_fd >= 0)
		close(shim->child.slave_fd);
	shim->child.slave_fd = -1;
	input_close(shim);
}

/*
 * A child's use has that of whoever it waited for; whoever it did not wait for comes to us. So the sum over all that we reap is
 * that of the tree, whichever of them dies first.
 */
static void add_usage(struct rusage *sum, const struct rusage *one)
{
	timeradd(&sum->ru_utime, &one->ru_utime, &sum->ru_utime);
	timeradd(&sum->ru_stime, &one->ru_stime, &sum->ru_stime);
	sum->ru_maxrss = one->ru_maxrss > sum->ru_maxrss ? one->ru_maxrss : sum->ru_maxrss;
	sum->ru_inblock += one->ru_inblock;
	sum->ru_oublock += one->ru_oublock;
}

/* Takes every dead child. */
void ending_reap(struct shim *shim)
{
	for (;;) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
			shim->tree_empty = errno == ECHILD;
			return;
		}
		if (info.si_pid == 0)
			return;
		int status = 0;
		struct rusage usage = {0};
		if (info.si_pid == shim->root)
			start_settle(shim); /* while its pid is still its own */
		if (wait4(info.si_pid, &status, WNOHANG, &usage) != info.si_pid)
			return;
		add_usage(&shim->usage, &usage);
		if (info.si_pid != shim->root)
			continue;
		shim->root_status = status;
		root_exited(shim, monotonic_ms());
	}
}

/* Members of the last scan who were not warned yet; returns how many. `group` has had its signals as a group. */
static size_t warn_members(struct shim *shim, pid_t group)
{
	size_t fresh = 0;
	for (size_t i = 0; i < shim->tree.count; i++) {
		const struct proc_stat *member = &shim->tree.members[i];
		if (shim->warned_ticks && member->start_ticks >= shim->warned_ticks)
			continue;
		if (!seen_add(&shim->warned, member->pid, member->start_ticks))
			continue;
		fresh++;
		shim->escapees += member->sid != shim->root;
		if (group && member->pgid == group)
			continue;
		(void)tree_signal_one(&shim->tree, i, SIGTERM);
		(void)tree_signal_one(&shim->tree, i, SIGCONT);
	}
	return fresh;
}

/*
 * Whoever was there before the warning and was missed, because it moved in /proc while we looked. What was started
 * since is spared until the kill: it is what a handler of SIGTERM cleans up with.
 */
static void warn_missed(struct shim *shim)
{
	for (int round = 0; round < KILL_ROUNDS_MAX; round++)
		if (tree_scan(&shim->tree) != 0 || warn_members(shim, 0) == 0)
			return;
}

/* Looked at before the group dies of its signal: its orphans move to us then, and a scan in between misses them. */
static void send_term(struct shim *shim)
{
	u64 now_ticks = start_ticks_now();
	bool known = tree_scan(&shim->tree) == 0; /* without /proc the group's signal and ECHILD must do */
	bool group = !shim->root_gone && shim->root > 0 && kill(-shim->root, SIGTERM) == 0;
	if (group) {
		shim->killed_pgid++;
		/* A stopped process acts on SIGTERM only once it is continued. */
		(void)kill(-shim->root, SIGCONT);
	}
	if (known)
		(void)warn_members(shim, group ? shim->root : 0);
	shim->warned_ticks = now_ticks;
	warn_missed(shim);
}

/*
 * Interactive shells ignore SIGTERM; a terminal that goes away is what they heed. It comes a moment later, since the
 * lower number is delivered first and a shell may remember only the last of two, and again after 2, 4, 8 … moments,
 * since a moment may be too short on a busy machine.
 */
static void hang_up(struct shim *shim)
{
	shim->warn_count++;
	if (!shim->spawn.pty || (shim->warn_count & (shim->warn_count - 1)) != 0)
		return;
	bool group = !shim->root_gone && shim->root > 0 && kill(-shim->root, SIGHUP) == 0;
	if (tree_scan(&shim->tree) != 0)
		return;
	for (size_t i = 0; i < shim->tree.count; i++) {
		const struct proc_stat *member = &shim->tree.members[i];
		if ((!group || member->pgid != shim->root) && seen_has(&shim->warned, member->pid, member->start_ticks))
			(void)tree_signal_one(&shim->tree, i, SIGHUP);
	}
}

static void send_kill(struct shim *shim)
{
	if (cgroup_kill(&shim->cgroup))
		shim->killed_cgroup = 1;
	tree_next_signal(&shim->tree);
	for (int round = 0; round < KILL_ROUNDS_MAX && !shim->tree_empty; round++) {
		bool group = !shim->root_gone && shim->root > 0 && kill(-shim->root, SIGKILL) == 0;
		if (tree_scan(&shim->tree) != 0)
			break;
		size_t fresh = tree_signal(&shim->tree, SIGKILL, group ? shim->root : 0);
		ending_reap(shim);
		if (fresh == 0)
			break; /* all dying already; SIGCHLD or the next tick tells */
	}
	ending_reap(shim);
}

/* T1: nobody may wait for a terminal or pipe that only survivors hold. */
static void give_up(struct shim *shim, u64 now)
{
	(void)tree_scan(&shim->tree);
	shim->drain_until_ms = now;
	(void)output_drained(shim, now);
	output_close(shim);
	input_close(shim);
}

static bool ticks(enum ladder ladder)
{
	return ladder == LADDER_TERM || ladder == LADDER_KILL || ladder == LADDER_GAVE_UP;
}

static void step(struct shim *shim, enum ladder_event event, u64 now)
{
	struct ladder_step next = ladder_next(shim->ladder, event);
	shim->ladder = next.next;
	if (next.action == DO_TERM) {
		shim->phase = shim->phase < PHASE_TERMINATING ? PHASE_TERMINATING : shim->phase;
		shim->rung_ends_ms = now + shim->grace_ms;
		shim->tick_ms = now + WARN_REPEAT_MS;
		send_term(shim);
	} else if (next.action == DO_WARN) {
		shim->tick_ms = now + WARN_REPEAT_MS;
		warn_missed(shim);
		hang_up(shim);
	} else if (next.action == DO_KILL) {
		if (event == ON_GRACE_OVER)
			shim->rung_ends_ms = now + shim->spawn.kill_ms;
		shim->tick_ms = now + (shim->ladder == LADDER_GAVE_UP ? SURVIVOR_RETRY_MS : KILL_REPEAT_MS);
		send_kill(shim);
	} else if (next.action == DO_GIVE_UP) {
		shim->tick_ms = now + SURVIVOR_RETRY_MS;
		give_up(shim, now);
	}
}

/*
 * Room comes when somebody makes it, so whoever waits for it waits: nothing is lost that way, and the run can be ended by
 * those who will not wait. A file system that has turned read-only does not turn back while a journal is open on it.
 */
bool ending_gives_up(const struct shim *shim, int error, u64 now)
{
	return (shim->asked || error == EROFS) && now >= shim->drain_until_ms + BLOCKED_DRAIN_MS;
}

/* The reserve makes exit and end fit, so a disk that refuses them fails. Then they are told, and not written. */
static bool is_unrecordable(const struct shim *shim, u64 now)
{
	int error = shim->record_error;
	return (error == EROFS || error == EIO) && ending_gives_up(shim, error, now);
}

void ending_ask(struct shim *shim, enum reason reason, const char *actor, u32 grace_ms)
{
	u64 now = monotonic_ms();
	shim->asked = true;
	/* T3: the first reason wins. Leftovers kept until now: the root's record stands, the end gets the new cause. */
	bool root_lives = !shim->has_reason && !shim->exit_written && !shim->root_gone;
	if (root_lives || (shim->outlived && !shim->end_written && shim->ladder == LADDER_IDLE)) {
		shim->has_reason = true;
		shim->reason = reason;
		snprintf(shim->actor, sizeof shim->actor, "%s", actor);
	}
	u32 grace = grace_ms == KEEP_U32 ? shim->spawn.grace_ms : grace_ms;
	if (shim->ladder == LADDER_IDLE) {
		shim->grace_ms = grace;
		record_note(shim, "terminate", actor, (i64)reason);
		tell_terminating(shim, reason, actor);
	} else if (shim->ladder == LADDER_TERM && now + grace < shim->rung_ends_ms) {
		shim->rung_ends_ms = now + grace; /* asked again, with less patience */
	}
	step(shim, ON_ASK, now);
}

void ending_start_failed(struct shim *shim, enum stage stage, int error)
{
	shim->start_stage = stage;
	shim->start_error = error;
	if (!shim->has_reason) {
		shim->has_reason = true;
		shim->reason = REASON_SPAWN_ERROR;
		shim->actor[0] = '\0';
	}
	snprintf(shim->detail, sizeof shim->detail, "%s: %s", stage_name(stage), strerror(error));
}

/* T4: what the root left behind, once helpers on their way out have had their moment. */
static void decide_leftovers(struct shim *shim, u64 now)
{
	if (shim->ladder != LADDER_IDLE)
		return;
	if (shim->leftovers == LEFTOVERS_KEEP) {
		shim->phase = PHASE_EXITED;
		record_note(shim, "leftovers", NULL, (i64)shim->tree.count);
		return;
	}
	if (shim->leftovers == LEFTOVERS_FAIL) {
		if (!shim->has_reason) {
			shim->has_reason = true;
			shim->reason = REASON_OWNERSHIP_ESCAPE;
			snprintf(shim->actor, sizeof shim->actor, "leftovers-policy");
		}
		snprintf(shim->detail, sizeof shim->detail, "%zu process%s outlived the command", shim->tree.count,
			 shim->tree.count == 1 ? "" : "es");
	}
	shim->grace_ms = shim->spawn.grace_ms;
	step(shim, ON_ASK, now);
}

static void look_again_at(struct shim *shim, u64 at)
{
	if (!shim->look_again_ms || at < shim->look_again_ms)
		shim->look_again_ms = at;
}

/* True when the tree is known: empty, or its living members are listed, or it has had time enough. */
static bool tree_settled(struct shim *shim, u64 now)
{
	shim->tree.count = 0;
	if (shim->tree_empty)
		return true;
	if (shim->ladder == LADDER_IDLE && now < shim->settle_until_ms) {
		look_again_at(shim, shim->settle_until_ms);
		return false;
	}
	(void)tree_scan(&shim->tree);
	if (shim->tree.count > 0)
		return true;
	/* Nobody lives, yet somebody is still to be reaped: a death under way is no leftover. */
	ending_reap(shim);
	if (shim->tree_empty || now >= shim->settle_until_ms + LEFTOVERS_SETTLE_MS)
		return true;
	look_again_at(shim, now + KILL_REPEAT_MS);
	return false;
}

static bool write_exit(struct shim *shim, u64 now)
{
	if (!output_drained(shim, now)) {
		look_again_at(shim, shim->blocked ? shim->blocked_retry_ms : shim->drain_until_ms);
		return false;
	}
	if (!tree_settled(shim, now))
		return false;
	if (!record_exit(shim) && !is_unrecordable(shim, now)) {
		look_again_at(shim, now + BLOCKED_RETRY_MS);
		return false;
	}
	shim->exit_written = true;
	shim->undrained = 0;
	if (shim->tree_empty)
		return true;
	shim->outlived = true;
	tell_end(shim, MSG_EXIT, NULL);
	decide_leftovers(shim, now);
	return true;
}

static void write_end(struct shim *shim, bool final, u64 now)
{
	if (!record_end(shim, final) && !is_unrecordable(shim, now)) {
		look_again_at(shim, now + BLOCKED_RETRY_MS);
		return;
	}
	if (final) {
		cgroup_remove(&shim->cgroup);
		output_close(shim);
		shim->held = 0; /* counted as undrained; nothing follows the final end */
	}
	shim->end_written = true;
	shim->end_final = final;
	shim->phase = PHASE_ENDED;
	shim->flush_until_ms = now + FLUSH_MS;
	tell_end(shim, MSG_END, NULL);
}

/* Nothing of the tree is left. What leftovers wrote after the exit record is taken first. */
static void finish(struct shim *shim, u64 now)
{
	if (shim->ladder != LADDER_DONE) {
		if (shim->outlived)
			shim->drain_until_ms = now;
		step(shim, ON_EMPTY, now);
	}
	if (shim->outlived && !output_drained(shim, now)) {
		look_again_at(shim, shim->blocked_retry_ms);
		return;
	}
	write_end(shim, true, now);
}

void ending_turn(struct shim *shim, u64 now)
{
	shim->look_again_ms = 0;
	if (shim->ladder == LADDER_TERM && now >= shim->rung_ends_ms)
		step(shim, ON_GRACE_OVER, now);
	if (shim->ladder == LADDER_KILL && now >= shim->rung_ends_ms)
		step(shim, ON_KILL_OVER, now);
	if (ticks(shim->ladder) && now >= shim->tick_ms)
		step(shim, ON_TICK, now);
	bool gave_up = shim->ladder == LADDER_GAVE_UP && !shim->end_written;
	if (gave_up && !shim->root_gone && !shim->exit_written) {
		/* The root itself survives: its status is not known. */
		shim->exited_us = wall_us();
		shim->exited_ms = now;
		shim->exit_written = record_exit(shim);
		if (!shim->exit_written)
			look_again_at(shim, now + BLOCKED_RETRY_MS);
	}
	if (shim->root_gone && !shim->exit_written && !write_exit(shim, now))
		return;
	if (shim->tree_empty && shim->exit_written && !shim->end_final)
		finish(shim, now);
	else if (gave_up && shim->exit_written)
		write_end(shim, false, now);
}

/* When ending_turn has something to do again, whatever else happens; 0 for never. */
u64 ending_next(const struct shim *shim)
{
	u64 next = shim->look_again_ms;
	if ((shim->ladder == LADDER_TERM || shim->ladder == LADDER_KILL) && (!next || shim->rung_ends_ms < next))
		next = shim->rung_ends_ms;
	if (ticks(shim->ladder) && (!next || shim->tick_ms < next))
		next = shim->tick_ms;
	return next;
}
