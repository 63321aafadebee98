/*
 * A shim's loop and timers. See shim.h for the parts.
 *
 * One turn: what ending wants done, one poll over everything, what became ready, what became due, clients whose
 * input waited. No timer is ever left in the past without being acted on: that would be a busy loop.
 */
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors polled besides clients: signals, listen, link, owner, exec, in, out, err. */
enum slot { SLOT_SIGNAL, SLOT_LISTEN, SLOT_LINK, SLOT_OWNER, SLOT_EXEC, SLOT_IN, SLOT_OUT, SLOT_ERR, SLOT_CLIENTS };

static struct shim shim;

void shim_tell(struct shim *s, u8 type, const void *first, size_t first_length, const void *second, size_t second_length)
{
	peer_send2(&s->link, type, s->handle, first, first_length, second, second_length);
	for (size_t i = 0; i < s->client_count; i++)
		if (s->clients[i].watching)
			peer_send2(&s->clients[i].peer, type, 0, first, first_length, second, second_length);
}

static void take_settings(u64 now)
{
	const struct spawn *spawn = &shim.spawn;
	shim.epoch = spawn->epoch;
	shim.owner = spawn->owner;
	shim.owner_loss = spawn->owner_loss;
	shim.leftovers = spawn->leftovers;
	shim.overall_at_ms = spawn->overall_ms ? after_ms(now, spawn->overall_ms) : 0;
	shim.no_output_ms = spawn->no_output_ms;
	shim.start_by_ms = now + spawn->start_ms;
	shim.socket_check_ms = now + SOCKET_CHECK_MS;
	shim.input_open = !spawn->stdin_null || spawn->pty;
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

/* J4: while the journal cannot take output, or not yet, silence is not the command's. */
static u64 no_output_at(void)
{
	bool waits = shim.blocked || shim.throttle.until_ms;
	bool counts = shim.no_output_ms && !waits && shim.root > 0 && !shim.root_gone && shim.ladder == LADDER_IDLE;
	return counts ? after_ms(shim.output_ms, shim.no_output_ms) : 0;
}

static bool records_wait(void)
{
	return shim.start_due || shim.claim_due || shim.input_due;
}

static u64 next_timer(void)
{
	u64 next = UINT64_MAX;
	bool idle = shim.ladder == LADDER_IDLE;
	sooner(&next, shim.socket_check_ms);
	sooner(&next, idle ? shim.overall_at_ms : 0);
	sooner(&next, idle ? shim.owner_lost_at_ms : 0);
	sooner(&next, no_output_at());
	sooner(&next, shim.child.exec_fd >= 0 ? shim.start_by_ms : 0);
	sooner(&next, shim.held ? shim.blocked_retry_ms : 0);
	sooner(&next, shim.throttle.until_ms);
	sooner(&next, records_wait() ? shim.records_retry_ms : 0);
	sooner(&next, shim.typed_record_ms);
	sooner(&next, shim.doorbell_pending ? shim.doorbell_at_ms : 0);
	sooner(&next, shim.accept_at_ms);
	sooner(&next, ending_next(&shim));
	sooner(&next, shim.end_final ? shim.flush_until_ms : 0);
	for (size_t i = 0; i < shim.client_count; i++) {
		const struct client *client = &shim.clients[i];
		sooner(&next, client->authenticated ? 0 : client->connected_ms + AUTH_WAIT_MS);
		sooner(&next, client->peer.lingering ? shim.linger_until_ms : 0);
	}
	return next;
}

static void run_deadlines(u64 now)
{
	if (shim.child.exec_fd >= 0 && shim.start_by_ms && now >= shim.start_by_ms)
		start_late(&shim);
	if (shim.overall_at_ms && now >= shim.overall_at_ms && shim.ladder == LADDER_IDLE) {
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
}

static void run_timers(u64 now)
{
	run_deadlines(now);
	if (shim.held && now >= shim.blocked_retry_ms)
		(void)output_retry(&shim);
	if (shim.throttle.until_ms && now >= shim.throttle.until_ms) {
		shim.throttle.until_ms = 0;
		shim.output_ms = now; /* the no-output clock was paused */
	}
	if (now >= shim.socket_check_ms) {
		shim.socket_check_ms = now + SOCKET_CHECK_MS;
		control_check(&shim);
		output_release(&shim);
	}
	if (now >= shim.accept_at_ms)
		shim.accept_at_ms = 0;
	if (shim.typed_record_ms && now >= shim.typed_record_ms) {
		shim.typed_record_ms = 0;
		shim.input_due = true;
	}
	if (now >= shim.linger_until_ms)
		control_flush(&shim);
	doorbell_due(&shim);
	control_expire(&shim, now);
}

static void fill_slots(struct pollfd *slots)
{
	const struct child *child = &shim.child;
	bool may_read = shim.held == 0 && !shim.throttle.until_ms;
	bool input_waits = shim.input_length > shim.input_done;
	slots[SLOT_SIGNAL] = (struct pollfd){shim.signal_fd, POLLIN, 0};
	slots[SLOT_LISTEN] = (struct pollfd){shim.accept_at_ms ? -1 : shim.listen_fd, POLLIN, 0};
	slots[SLOT_LINK] = (struct pollfd){shim.link.fd, (short)(POLLIN | (peer_waiting(&shim.link) ? POLLOUT : 0)), 0};
	slots[SLOT_OWNER] = (struct pollfd){shim.owner_pidfd, POLLIN, 0};
	slots[SLOT_EXEC] = (struct pollfd){child->exec_fd, POLLIN, 0};
	slots[SLOT_IN] = (struct pollfd){input_waits ? child->in_fd : -1, POLLOUT, 0};
	slots[SLOT_OUT] = (struct pollfd){may_read ? shim.outputs[STREAM_OUT].fd : -1, POLLIN, 0};
	slots[SLOT_ERR] = (struct pollfd){may_read ? shim.outputs[STREAM_ERR].fd : -1, POLLIN, 0};
	for (size_t i = 0; i < shim.client_count; i++) {
		const struct client *client = &shim.clients[i];
		short events = (short)((client->paused ? 0 : POLLIN) | (peer_blocked(&client->peer) ? POLLOUT : 0));
		slots[SLOT_CLIENTS + i] = (struct pollfd){client->paused && client->hung_up ? -1 : client->peer.fd, events, 0};
	}
}

static void run_slots(const struct pollfd *slots, size_t clients)
{
	if (slots[SLOT_EXEC].revents)
		start_ready(&shim);
	if (slots[SLOT_OUT].revents)
		output_ready(&shim, STREAM_OUT);
	if (slots[SLOT_ERR].revents)
		output_ready(&shim, STREAM_ERR);
	if (slots[SLOT_SIGNAL].revents)
		signals_ready();
	if (slots[SLOT_IN].revents && shim.child.in_fd >= 0)
		input_ready(&shim);
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
		if (records_wait() && now >= shim.records_retry_ms)
			(void)records_due(&shim);
		ending_turn(&shim, now);
		/* `s` stays: a refused connection is evidence (O5), and ext4 makes creating slow after a removal. */
		if (shim.end_final && (all_told() || now >= shim.flush_until_ms))
			_exit(0);
		u64 next = next_timer();
		fill_slots(slots);
		size_t clients = shim.client_count;
		int wait = next == UINT64_MAX ? -1 : next <= now ? 0 : next - now > 60000 ? 60000 : (int)(next - now);
		int ready = poll(slots, SLOT_CLIENTS + clients, sleep_cap_ms(wait));
		if (ready > 0)
			run_slots(slots, clients);
		run_timers(monotonic_ms());
		control_resume(&shim);
	}
}

/*
 * What a run that stands back says is journalled with its own priority. On a kernel that schedules by sessions, a priority counts
 * only within one, and the session has a number of its own; where there is none of that, nothing is lost. A higher priority is
 * the command's alone.
 */
static void stand_back(void)
{
	char text[12];
	if (!shim.spawn.has_nice || shim.spawn.nice_value <= 0)
		return;
	(void)setpriority(PRIO_PROCESS, 0, shim.spawn.nice_value);
	const int priority = 0;
	if (shim.spawn.nice_value == NICE_IDLE)
		(void)syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &priority); /* musl's function does nothing */
	snprintf(text, sizeof text, "%d", (int)shim.spawn.nice_value);
	(void)write_small(AT_FDCWD, "/proc/self/autogroup", text);
}

/* A request that makes no sense is told and forgotten: nothing was claimed. */
static _Noreturn void refuse_request(const char *wrong, int error)
{
	char text[256];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_string(&json, "stage", "request");
	json_i64(&json, "errno", error);
	json_string(&json, "message", wrong);
	json_close(&json, '}');
	shim_tell(&shim, MSG_SPAWN_ERROR, text, json.length, NULL, 0);
	_exit(1);
}

_Noreturn void shim_main(const struct request *request, const struct host *host)
{
	shim.request = request->message;
	shim.request_length = request->length;
	shim.host = *host;
	shim.handle = request->handle;
	shim.link = (struct peer){.fd = request->link_fd, .out_max = CONTROL_OUT_BYTES_MAX};
	shim.listen_fd = shim.owner_pidfd = shim.dir_fd = shim.cgroup.dir_fd = -1;
	shim.child = (struct child){.in_fd = -1, .out_fd = -1, .err_fd = -1, .slave_fd = -1, .exec_fd = -1, .cgroup_fd = -1,
				    .shield = request->shield};
	shim.outputs[STREAM_OUT].fd = shim.outputs[STREAM_ERR].fd = -1;
	(void)set_nonblocking(request->link_fd);
	shim.signal_fd = open_signals();
	if (shim.signal_fd < 0)
		refuse_request("no descriptor for signals", -shim.signal_fd);
	const char *wrong = spawn_parse(shim.request, shim.request_length, &shim.spawn);
	if (wrong)
		refuse_request(wrong, EINVAL);
	(void)prctl(PR_SET_NAME, "clf-shim");
	if (sys_adopt_orphans() != 0 || proc_stat_read(getpid(), &shim.self) != 0)
		refuse_request("no subreaper, or no /proc", ENOSYS);
	mode_t before = umask(077);
	if (!shim.spawn.has_umask) {
		shim.spawn.has_umask = true;
		shim.spawn.umask_bits = (u32)before;
	}
	take_settings(monotonic_ms());
	stand_back();
	start_run(&shim);
	loop();
}
