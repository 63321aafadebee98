/*
 * A shim's start, loop and timers. See shim.h for the parts.
 *
 * Start, in this order, so that a crash at any point leaves something a reconciler can judge:
 *   1 detach, become subreaper        2 enter the run directory        3 create the journal: the claim (S1)
 *   4 meta and first claim recorded   5 socket listens                 6 clone, exec
 *   7 start recorded and told         8 the request and its environment are wiped (S4)
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* Descriptors polled besides clients: signals, listen, link, owner, exec, in, out, err. */
enum slot { SLOT_SIGNAL, SLOT_LISTEN, SLOT_LINK, SLOT_OWNER, SLOT_EXEC, SLOT_IN, SLOT_OUT, SLOT_ERR, SLOT_CLIENTS };

static struct shim shim;
static u8 *request;
static size_t request_length;

void shim_tell(struct shim *s, u8 type, const void *first, size_t first_length, const void *second, size_t second_length)
{
	peer_send2(&s->link, type, s->handle, first, first_length, second, second_length);
	for (size_t i = 0; i < s->client_count; i++)
		if (s->clients[i].watching)
			peer_send2(&s->clients[i].peer, type, 0, first, first_length, second, second_length);
}

static void tell_spawn_error(enum stage stage, int error)
{
	char text[256];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_string(&json, "stage", stage_name(stage));
	json_i64(&json, "errno", error);
	json_string(&json, "message", strerror(error));
	json_close(&json, '}');
	shim_tell(&shim, MSG_SPAWN_ERROR, text, json.length, NULL, 0);
}

/* The last word of a shim that never became one: nothing was claimed, so nothing is journalled. */
static _Noreturn void refuse_start(enum stage stage, int error)
{
	tell_spawn_error(stage, error);
	_exit(1);
}

static int enter_run_dir(void)
{
	shim.dir_fd = open(shim.spawn.run_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (shim.dir_fd < 0)
		return -errno;
	struct stat dir;
	if (fstat(shim.dir_fd, &dir) != 0 || fchdir(shim.dir_fd) != 0)
		return -errno;
	if (dir.st_uid != geteuid() || (dir.st_mode & 077) != 0)
		return -EPERM;
	shim.dir_dev = (u64)dir.st_dev;
	shim.dir_ino = (u64)dir.st_ino;
	return 0;
}

static int enter_cgroup(void)
{
	char path[4096];
	const char *dir = shim.spawn.cgroup;
	if (!dir)
		return 0;
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return -errno;
	const struct {
		const char *name;
		u64 limit;
	} limits[2] = {{"memory.max", shim.spawn.memory_max}, {"pids.max", shim.spawn.pids_max}};
	for (int i = 0; i < 2; i++) {
		char value[24];
		if (!limits[i].limit)
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, limits[i].name);
		snprintf(value, sizeof value, "%llu", (unsigned long long)limits[i].limit);
		int failed = write_small(AT_FDCWD, path, value);
		if (failed)
			return failed;
	}
	snprintf(path, sizeof path, "%s/cgroup.procs", dir);
	shim.child.cgroup_fd = open(path, O_WRONLY | O_CLOEXEC);
	return shim.child.cgroup_fd < 0 ? -errno : 0;
}

static void take_settings(u64 now)
{
	const struct spawn *spawn = &shim.spawn;
	shim.epoch = spawn->epoch;
	shim.owner = spawn->owner;
	shim.owner_loss = spawn->owner_loss;
	shim.leftovers = spawn->leftovers;
	shim.overall_at_ms = spawn->overall_ms ? now + spawn->overall_ms : 0;
	shim.no_output_ms = spawn->no_output_ms;
	shim.start_by_ms = now + spawn->start_ms;
	shim.socket_check_ms = now + SOCKET_CHECK_MS;
	shim.input_open = !spawn->stdin_null || spawn->pty;
	shim.journal.hold = spawn->hold;
	shim.journal.bytes_max = spawn->journal_bytes_max;
	shim.journal.segment_bytes = spawn->segment_bytes;
}

/* Steps 2 to 5. Up to the claim a failure leaves nothing; from there on it is a record. */
static int claim_run(enum stage *stage)
{
	*stage = STAGE_CLAIM;
	int failed = enter_run_dir();
	if (failed)
		refuse_start(STAGE_CLAIM, -failed);
	struct journal_identity identity = {
		.boot_id = shim.host.boot_id, .cookie = shim.spawn.cookie, .run_id = shim.spawn.run_id, .pid_ns = shim.host.pid_ns};
	shim.journal.dir_fd = shim.dir_fd;
	failed = journal_create(&shim.journal, &identity);
	if (failed)
		refuse_start(STAGE_CLAIM, -failed);
	record_meta(&shim);
	*stage = STAGE_SOCKET;
	failed = control_open(&shim);
	if (failed)
		return failed;
	*stage = STAGE_CGROUP;
	return enter_cgroup();
}

static void start_over(void)
{
	child_started(&shim.child);
	spawn_free(&shim.spawn);
	/* S4: what a hostile child of the same user could read from us does not hold secrets of its siblings. */
	if (shim.spawn.cgroup)
		shim.spawn.cgroup = strdup(shim.spawn.cgroup);
	memset(request, 0, request_length);
	__asm__ volatile("" : : "r"(request) : "memory");
	(void)prctl(PR_SET_DUMPABLE, 0);
}

static void begin(void)
{
	enum stage stage = STAGE_NONE;
	shim.start_stage = STAGE_NONE;
	int failed = claim_run(&stage);
	u64 now = monotonic_ms();
	shim.started_us = wall_us();
	if (!failed)
		failed = child_start(&shim.spawn, &shim.child, &stage);
	if (failed) {
		tell_spawn_error(stage, -failed);
		ending_start_failed(&shim, stage, -failed);
		shim.root_gone = shim.tree_empty = true;
		shim.exited_us = wall_us();
		start_over();
		return;
	}
	shim.root = shim.child.pid;
	output_start(&shim);
	owner_watch(&shim);
	(void)now;
}

/* The child tells a failure, or closes the pipe by exec. */
static void exec_ready(void)
{
	struct start_failure failure;
	ssize_t n = read(shim.child.exec_fd, &failure, sizeof failure);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	struct proc_stat root;
	if (n == (ssize_t)sizeof failure) {
		tell_spawn_error((enum stage)failure.stage, failure.error);
		ending_start_failed(&shim, (enum stage)failure.stage, failure.error);
	} else if (proc_stat_read(shim.root, &root) == 0) {
		/* Not reaped yet, so this is the root, a zombie at worst. */
		shim.root_ticks = root.start_ticks;
		if (shim.phase == PHASE_STARTING)
			shim.phase = PHASE_RUNNING;
		(void)record_start(&shim);
	}
	start_over();
	control_resume(&shim);
}

static void start_timed_out(void)
{
	tell_spawn_error(STAGE_TIMEOUT, ETIMEDOUT);
	ending_start_failed(&shim, STAGE_TIMEOUT, ETIMEDOUT);
	ending_ask(&shim, REASON_SPAWN_ERROR, "deadline", 0);
	shim.start_by_ms = 0;
}

static void signals_ready(void)
{
	struct signalfd_siginfo info;
	while (read(shim.signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		char actor[64];
		snprintf(actor, sizeof actor, "signal from pid:%u uid:%u", info.ssi_pid, info.ssi_uid);
		ending_ask(&shim, REASON_MANUAL_CANCEL, actor, KEEP_U32); /* T7 */
	}
	if (shim.root > 0)
		ending_reap(&shim);
}

static void link_ready(short events)
{
	u8 nothing[64];
	if (events & POLLOUT)
		peer_flush(&shim.link);
	if (shim.link.doorbell_due && !peer_waiting(&shim.link))
		peer_doorbell(&shim.link, shim.handle, journal_end(&shim.journal));
	/* Nothing is said to a shim here; the end of the link means nothing to the run (T7). */
	if ((events & (POLLIN | POLLHUP | POLLERR)) && read(shim.link.fd, nothing, sizeof nothing) <= 0)
		shim.link.dead = true;
	if (shim.link.dead)
		peer_close(&shim.link);
}

static void sooner(u64 *next, u64 at)
{
	if (at && at < *next)
		*next = at;
}

static u64 no_output_at(void)
{
	bool counts = shim.no_output_ms && !shim.blocked && shim.root > 0 && !shim.root_gone && shim.ladder == LADDER_IDLE;
	return counts ? shim.output_ms + shim.no_output_ms : 0;
}

static u64 next_timer(void)
{
	u64 next = UINT64_MAX;
	bool starting = shim.child.exec_fd >= 0;
	sooner(&next, shim.socket_check_ms);
	if (shim.ladder == LADDER_IDLE)
		sooner(&next, shim.overall_at_ms);
	sooner(&next, no_output_at());
	sooner(&next, starting ? shim.start_by_ms : 0);
	sooner(&next, shim.ladder == LADDER_IDLE ? shim.owner_lost_at_ms : 0);
	sooner(&next, shim.held ? shim.blocked_retry_ms : 0);
	sooner(&next, shim.doorbell_pending ? shim.doorbell_at_ms : 0);
	sooner(&next, shim.ladder == LADDER_TERM || shim.ladder == LADDER_KILL ? shim.rung_ends_ms : 0);
	sooner(&next, shim.ladder == LADDER_KILL || shim.ladder == LADDER_GAVE_UP ? shim.tick_ms : 0);
	if (shim.root_gone && !shim.exit_written) {
		sooner(&next, shim.blocked ? shim.blocked_retry_ms : shim.drain_until_ms);
		sooner(&next, shim.tree_empty ? 0 : shim.settle_until_ms);
	}
	sooner(&next, shim.end_final ? shim.flush_until_ms : 0);
	for (size_t i = 0; i < shim.client_count; i++)
		if (!shim.clients[i].authenticated)
			sooner(&next, shim.clients[i].connected_ms + AUTH_WAIT_MS);
	return next;
}

static void run_timers(u64 now)
{
	if (shim.child.exec_fd >= 0 && shim.start_by_ms && now >= shim.start_by_ms)
		start_timed_out();
	if (shim.overall_at_ms && now >= shim.overall_at_ms && shim.ladder == LADDER_IDLE && !shim.end_written) {
		shim.overall_at_ms = 0;
		ending_ask(&shim, REASON_OVERALL_TIMEOUT, "deadline", KEEP_U32);
	}
	u64 silent_at = no_output_at();
	if (silent_at && now >= silent_at)
		ending_ask(&shim, REASON_NO_OUTPUT_TIMEOUT, "deadline", KEEP_U32);
	if (shim.owner_lost_at_ms && now >= shim.owner_lost_at_ms && shim.ladder == LADDER_IDLE) {
		shim.owner_lost_at_ms = 0;
		ending_ask(&shim, REASON_OWNER_LOST, "owner-loss-policy", KEEP_U32);
	}
	if (shim.held && now >= shim.blocked_retry_ms)
		(void)output_retry(&shim);
	if (now >= shim.socket_check_ms) {
		shim.socket_check_ms = now + SOCKET_CHECK_MS;
		control_check(&shim);
	}
	doorbell_due(&shim);
	control_expire(&shim, now);
}

static void fill_slots(struct pollfd *slots)
{
	const struct child *child = &shim.child;
	bool may_read = shim.held == 0;
	bool input_waits = shim.input_length > shim.input_done;
	slots[SLOT_SIGNAL] = (struct pollfd){shim.signal_fd, POLLIN, 0};
	slots[SLOT_LISTEN] = (struct pollfd){shim.listen_fd, POLLIN, 0};
	slots[SLOT_LINK] = (struct pollfd){shim.link.fd, (short)(POLLIN | (peer_waiting(&shim.link) ? POLLOUT : 0)), 0};
	slots[SLOT_OWNER] = (struct pollfd){shim.owner_pidfd, POLLIN, 0};
	slots[SLOT_EXEC] = (struct pollfd){child->exec_fd, POLLIN, 0};
	slots[SLOT_IN] = (struct pollfd){input_waits ? child->in_fd : -1, POLLOUT, 0};
	slots[SLOT_OUT] = (struct pollfd){may_read ? shim.outputs[STREAM_OUT].fd : -1, POLLIN, 0};
	slots[SLOT_ERR] = (struct pollfd){may_read ? shim.outputs[STREAM_ERR].fd : -1, POLLIN, 0};
	for (size_t i = 0; i < shim.client_count; i++) {
		const struct client *client = &shim.clients[i];
		short events = (short)((client->paused ? 0 : POLLIN) | (peer_waiting(&client->peer) ? POLLOUT : 0));
		slots[SLOT_CLIENTS + i] = (struct pollfd){client->paused && client->hung_up ? -1 : client->peer.fd, events, 0};
	}
}

static void run_slots(const struct pollfd *slots, size_t clients)
{
	if (slots[SLOT_EXEC].revents)
		exec_ready();
	if (slots[SLOT_OUT].revents)
		output_ready(&shim, STREAM_OUT);
	if (slots[SLOT_ERR].revents)
		output_ready(&shim, STREAM_ERR);
	if (slots[SLOT_SIGNAL].revents)
		signals_ready();
	if (slots[SLOT_IN].revents && shim.child.in_fd >= 0) {
		input_ready(&shim);
		control_resume(&shim);
	}
	if (slots[SLOT_LINK].revents)
		link_ready(slots[SLOT_LINK].revents);
	if (slots[SLOT_OWNER].revents && shim.owner_pidfd >= 0) {
		close(shim.owner_pidfd);
		shim.owner_pidfd = -1;
		shim.owner_lost_at_ms = monotonic_ms() + shim.spawn.lease_ms;
	}
	/* From the last to the first: a dropped client's place is filled by one already served. */
	for (size_t i = clients; i-- > 0;)
		if (slots[SLOT_CLIENTS + i].revents && i < shim.client_count &&
		    shim.clients[i].peer.fd == slots[SLOT_CLIENTS + i].fd)
			(void)control_ready(&shim, i, slots[SLOT_CLIENTS + i].revents);
	if (slots[SLOT_LISTEN].revents)
		control_accept(&shim);
}

static bool all_told(void)
{
	bool waiting = shim.link.fd >= 0 && !shim.link.dead && peer_waiting(&shim.link);
	for (size_t i = 0; i < shim.client_count; i++)
		waiting |= !shim.clients[i].peer.dead && peer_waiting(&shim.clients[i].peer);
	return !waiting;
}

static _Noreturn void loop(void)
{
	static struct pollfd slots[SLOT_CLIENTS + CONTROL_CLIENTS_MAX];
	for (;;) {
		u64 now = monotonic_ms();
		ending_turn(&shim, now);
		input_journal(&shim);
		if (shim.end_final && (all_told() || now >= shim.flush_until_ms)) {
			(void)unlinkat(shim.dir_fd, "s", 0);
			_exit(0);
		}
		u64 next = next_timer();
		fill_slots(slots);
		size_t clients = shim.client_count;
		int wait = next == UINT64_MAX ? -1 : next <= now ? 0 : next - now > 60000 ? 60000 : (int)(next - now);
		int ready = poll(slots, SLOT_CLIENTS + clients, sleep_cap_ms(wait));
		if (ready > 0)
			run_slots(slots, clients);
		run_timers(monotonic_ms());
	}
}

_Noreturn void shim_main(u8 *message, size_t length, u32 handle, int link_fd, const struct host *host)
{
	request = message;
	request_length = length;
	shim.host = *host;
	shim.handle = handle;
	shim.link = (struct peer){.fd = link_fd, .out_max = CONTROL_OUT_BYTES_MAX};
	shim.listen_fd = shim.owner_pidfd = shim.dir_fd = -1;
	shim.child = (struct child){.in_fd = -1, .out_fd = -1, .err_fd = -1, .slave_fd = -1, .exec_fd = -1, .cgroup_fd = -1};
	shim.outputs[STREAM_OUT].fd = shim.outputs[STREAM_ERR].fd = -1;
	shim.signal_fd = open_signals();
	(void)set_nonblocking(link_fd);
	if (shim.signal_fd < 0)
		refuse_start(STAGE_CLAIM, -shim.signal_fd);
	const char *wrong = spawn_parse(message, length, &shim.spawn);
	if (wrong) {
		char text[256];
		int n = snprintf(text, sizeof text, "{\"stage\":\"request\",\"errno\":%d,\"message\":\"%s\"}", EINVAL, wrong);
		shim_tell(&shim, MSG_SPAWN_ERROR, text, (size_t)n, NULL, 0);
		_exit(1);
	}
	(void)prctl(PR_SET_NAME, "clf-shim");
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || proc_stat_read(getpid(), &shim.self) != 0)
		refuse_start(STAGE_CLAIM, errno ? errno : EIO);
	mode_t before = umask(077);
	if (!shim.spawn.has_umask) {
		shim.spawn.has_umask = true;
		shim.spawn.umask_bits = (u32)before;
	}
	take_settings(monotonic_ms());
	begin();
	loop();
}
