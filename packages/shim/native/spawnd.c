/*
 * spawnd: forks a shim per run on request, relays what shims say, sweeps after a killed shim.
 *
 * It is small and static so that forking it costs the same whatever the gateway's size. It owns nothing: when it
 * dies, shims go on and a new one is started. When its gateway goes away it stays as long as it has shims, because
 * it is their subreaper: a shim killed with SIGKILL leaves its tree to us, and we end it (T8).
 * SIGTERM ends only spawnd (T7).
 *
 * It never blocks on the gateway (S2): above MUX_OUT_BYTES_MAX of waiting output shims are not read from, and
 * their own links coalesce. Descriptors leave epoll before they are closed: a fork may hold a copy.
 */
#include "spawnd.h"

#include "json.h"
#include "peer.h"
#include "shim.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct run {
	pid_t shim;
	u32 handle;
	int link;
	bool ended;
	/* the shim died without END: its tree is being swept */
	bool lost;
	int signal_number;
	u8 *in;
	size_t in_length;
};

struct spawnd {
	struct host host;
	int epoll_fd;
	int signal_fd;
	struct peer mux;
	u8 *in;
	size_t in_length;
	size_t in_capacity;
	struct run **runs;
	size_t run_count;
	size_t run_capacity;
	bool sweeping;
	u64 sweep_until_ms;
	u64 swept;
	struct tree orphans;
	bool throttled;
	bool mux_writable_watched;
};

static struct spawnd spawnd;

/* epoll's data: the two fixed ones, else a run. */
static const int mux_mark, signal_mark;

static int watch_fd(int fd, u32 events, const void *mark, int operation)
{
	struct epoll_event event = {.events = events, .data.ptr = (void *)(uintptr_t)mark};
	return epoll_ctl(spawnd.epoll_fd, operation, fd, &event) == 0 ? 0 : -errno;
}

static void unwatch_and_close(int *fd)
{
	if (*fd < 0)
		return;
	(void)epoll_ctl(spawnd.epoll_fd, EPOLL_CTL_DEL, *fd, NULL);
	close(*fd);
	*fd = -1;
}

static void drop_mux(void)
{
	unwatch_and_close(&spawnd.mux.fd);
	peer_close(&spawnd.mux);
	if (spawnd.in) {
		memset(spawnd.in, 0, spawnd.in_capacity);
		free(spawnd.in);
	}
	spawnd.in = NULL;
	spawnd.in_length = spawnd.in_capacity = 0;
}

static void tell_error(u32 handle, const char *stage, int error)
{
	char text[256];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_string(&json, "stage", stage);
	json_i64(&json, "errno", error);
	json_string(&json, "message", strerror(error));
	json_close(&json, '}');
	peer_send(&spawnd.mux, MSG_SPAWN_ERROR, handle, text, json.length);
}

static bool add_run(struct run *run)
{
	if (spawnd.run_count == spawnd.run_capacity) {
		size_t grown = spawnd.run_capacity ? spawnd.run_capacity * 2 : 64;
		struct run **moved = realloc(spawnd.runs, grown * sizeof *moved);
		if (!moved)
			return false;
		spawnd.runs = moved;
		spawnd.run_capacity = grown;
	}
	spawnd.runs[spawnd.run_count++] = run;
	return true;
}

static void remove_run(struct run *run)
{
	unwatch_and_close(&run->link);
	for (size_t i = 0; i < spawnd.run_count; i++)
		if (spawnd.runs[i] == run)
			spawnd.runs[i] = spawnd.runs[--spawnd.run_count];
	free(run->in);
	free(run);
}

/* In the new shim: only the request and the link of this run stay; everything of others is wiped or closed (S4). */
static _Noreturn void become_shim(size_t offset, const struct frame *frame, int link)
{
	size_t payload = offset + FRAME_HEADER_BYTES;
	memset(spawnd.in, 0, payload);
	memset(spawnd.in + payload + frame->length, 0, spawnd.in_capacity - payload - frame->length);
	if (setsid() < 0 || dup2(link, 3) < 0 || fcntl(3, F_SETFD, FD_CLOEXEC) < 0 || sys_close_from(4) != 0)
		_exit(1);
	shim_main(spawnd.in + payload, frame->length, frame->id, 3, &spawnd.host);
}

static void spawn_run(size_t offset, const struct frame *frame)
{
	int pair[2];
	struct run *run = calloc(1, sizeof *run);
	if (!run || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
		tell_error(frame->id, "spawnd", run ? errno : ENOMEM);
		free(run);
		return;
	}
	pid_t pid = fork();
	if (pid == 0)
		become_shim(offset, frame, pair[1]);
	int failed = pid < 0 ? errno : 0;
	close(pair[1]);
	*run = (struct run){.shim = pid, .handle = frame->id, .link = pair[0]};
	if (failed) {
		close(pair[0]);
		free(run);
		tell_error(frame->id, "spawnd", failed);
		return;
	}
	if (!add_run(run) || watch_fd(run->link, spawnd.throttled ? 0 : EPOLLIN, run, EPOLL_CTL_ADD) != 0)
		tell_error(frame->id, "relay", ENOMEM); /* the run is alive: its socket still works */
}

/* The frame's bytes held an environment: they are wiped once the shim has its copy. */
static void take_requests(void)
{
	size_t done = 0;
	for (;;) {
		struct frame frame;
		enum frame_state state = frame_parse(spawnd.in + done, spawnd.in_length - done, FRAME_LENGTH_MAX, &frame);
		if (state == FRAME_PARTIAL)
			break;
		if (state == FRAME_BAD) {
			drop_mux();
			return;
		}
		if (frame.type == MSG_SPAWN)
			spawn_run(done, &frame);
		else
			tell_error(frame.id, "request", EPROTO);
		memset(spawnd.in + done, 0, frame.bytes);
		done += frame.bytes;
	}
	spawnd.in_length -= done;
	memmove(spawnd.in, spawnd.in + done, spawnd.in_length);
	memset(spawnd.in + spawnd.in_length, 0, done);
}

static void read_mux(void)
{
	for (;;) {
		/* One byte to spare: a request is terminated in place. */
		if (spawnd.in_capacity - spawnd.in_length < 65536 + 1) {
			size_t grown = spawnd.in_capacity + (256u << 10);
			u8 *moved = grown > FRAME_LENGTH_MAX + (512u << 10) ? NULL : calloc(1, grown);
			if (!moved) {
				drop_mux();
				return;
			}
			if (spawnd.in) {
				memcpy(moved, spawnd.in, spawnd.in_length);
				memset(spawnd.in, 0, spawnd.in_capacity);
				free(spawnd.in);
			}
			spawnd.in = moved;
			spawnd.in_capacity = grown;
		}
		ssize_t n = read(spawnd.mux.fd, spawnd.in + spawnd.in_length, spawnd.in_capacity - spawnd.in_length - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			drop_mux();
			return;
		}
		spawnd.in_length += (size_t)n;
		take_requests();
		if (spawnd.mux.fd < 0)
			return;
	}
}

static void throttle(bool on)
{
	if (spawnd.throttled == on)
		return;
	spawnd.throttled = on;
	for (size_t i = 0; i < spawnd.run_count; i++)
		if (spawnd.runs[i]->link >= 0)
			(void)watch_fd(spawnd.runs[i]->link, on ? 0 : EPOLLIN, spawnd.runs[i], EPOLL_CTL_MOD);
}

static void watch_mux(void)
{
	bool waiting = spawnd.mux.fd >= 0 && peer_waiting(&spawnd.mux);
	if (spawnd.mux.dead && spawnd.mux.fd >= 0)
		drop_mux();
	if (spawnd.mux.fd >= 0 && waiting != spawnd.mux_writable_watched) {
		(void)watch_fd(spawnd.mux.fd, EPOLLIN | (waiting ? EPOLLOUT : 0), &mux_mark, EPOLL_CTL_MOD);
		spawnd.mux_writable_watched = waiting;
	}
	throttle(waiting && spawnd.mux.out_length - spawnd.mux.out_done > MUX_OUT_BYTES_MAX / 2);
}

/* Whole frames only are passed on, so that two shims' messages never mix. */
static void relay(struct run *run)
{
	static u8 buffer[65536];
	size_t kept = run->in_length;
	u8 *bytes = buffer;
	size_t capacity = sizeof buffer;
	if (kept > 0) {
		bytes = realloc(run->in, kept + sizeof buffer);
		if (!bytes)
			return;
		run->in = bytes;
		capacity = kept + sizeof buffer;
	}
	ssize_t n = recv(run->link, bytes + kept, capacity - kept, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		unwatch_and_close(&run->link);
		return;
	}
	size_t length = kept + (size_t)n, whole = 0;
	struct frame frame;
	while (frame_parse(bytes + whole, length - whole, FRAME_LENGTH_MAX, &frame) == FRAME_WHOLE) {
		run->ended |= frame.type == MSG_END || frame.type == MSG_SPAWN_ERROR;
		whole += frame.bytes;
	}
	if (spawnd.mux.fd >= 0 && whole > 0)
		peer_forward(&spawnd.mux, bytes, whole);
	run->in_length = length - whole;
	if (run->in_length == 0) {
		free(run->in);
		run->in = NULL;
		return;
	}
	u8 *rest = malloc(run->in_length);
	if (rest)
		memcpy(rest, bytes + whole, run->in_length);
	else
		run->in_length = 0;
	free(run->in);
	run->in = rest;
}

static bool is_shim(pid_t pid, void *context)
{
	(void)context;
	for (size_t i = 0; i < spawnd.run_count; i++)
		if (spawnd.runs[i]->shim == pid && !spawnd.runs[i]->lost)
			return true;
	return false;
}

static void tell_lost(const struct run *run)
{
	char text[128];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_u64(&json, "shimPid", (u64)run->shim);
	json_u64(&json, "signal", (u64)run->signal_number);
	json_u64(&json, "swept", spawnd.swept);
	json_close(&json, '}');
	peer_send(&spawnd.mux, MSG_SHIM_LOST, run->handle, text, json.length);
}

/* T8: every child of ours that is no shim came from a shim that was killed. Told once nothing of it is left. */
static void sweep(void)
{
	if (!spawnd.sweeping)
		return;
	spawnd.orphans.signalled_count = 0;
	int failed = tree_scan_except(&spawnd.orphans, is_shim, NULL);
	if (!failed && spawnd.orphans.count > 0 && monotonic_ms() < spawnd.sweep_until_ms) {
		spawnd.swept += tree_signal(&spawnd.orphans, SIGKILL, 0);
		return;
	}
	spawnd.sweeping = false;
	for (size_t i = spawnd.run_count; i-- > 0;) {
		struct run *run = spawnd.runs[i];
		if (!run->lost)
			continue;
		tell_lost(run);
		remove_run(run);
	}
	tree_free(&spawnd.orphans);
	spawnd.swept = 0;
}

static void shim_died(struct run *run, int status)
{
	while (run->link >= 0) {
		size_t before = run->in_length;
		relay(run); /* its last words */
		if (run->link >= 0 && run->in_length == before && !run->ended)
			break;
		if (run->ended)
			break;
	}
	if (run->ended) {
		remove_run(run);
		return;
	}
	run->lost = true;
	run->signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	unwatch_and_close(&run->link);
	spawnd.sweeping = true;
	spawnd.sweep_until_ms = monotonic_ms() + SWEEP_MS;
}

static void reap(void)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < spawnd.run_count; i++)
			if (spawnd.runs[i]->shim == pid && !spawnd.runs[i]->lost) {
				shim_died(spawnd.runs[i], status);
				break;
			}
}

/* False: somebody asked spawnd to go. */
static bool read_signals(void)
{
	struct signalfd_siginfo info;
	bool stay = true;
	while (read(spawnd.signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
		stay &= info.ssi_signo != SIGTERM;
	reap();
	return stay;
}

static void say_hello(void)
{
	struct proc_stat self;
	char text[256];
	struct json json;
	if (proc_stat_read(getpid(), &self) != 0)
		return;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_u64(&json, "version", PROTOCOL_VERSION);
	json_u64(&json, "pid", (u64)self.pid);
	json_u64(&json, "startTicks", self.start_ticks);
	json_string(&json, "bootId", spawnd.host.boot_id_text);
	json_u64(&json, "pidNs", spawnd.host.pid_ns);
	json_close(&json, '}');
	peer_send(&spawnd.mux, MSG_SPAWND_HELLO, 0, text, json.length);
}

int spawnd_main(int mux_fd)
{
	spawnd.mux = (struct peer){.fd = mux_fd, .out_max = MUX_OUT_BYTES_MAX};
	if (host_read(&spawnd.host) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || set_nonblocking(mux_fd) != 0)
		return 1;
	(void)prctl(PR_SET_NAME, "clf-spawnd");
	spawnd.signal_fd = open_signals();
	spawnd.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (spawnd.signal_fd < 0 || spawnd.epoll_fd < 0 ||
	    watch_fd(spawnd.signal_fd, EPOLLIN, &signal_mark, EPOLL_CTL_ADD) != 0 ||
	    watch_fd(mux_fd, EPOLLIN, &mux_mark, EPOLL_CTL_ADD) != 0)
		return 1;
	say_hello();
	bool stay = true;
	while (stay && (spawnd.mux.fd >= 0 || spawnd.run_count > 0)) {
		struct epoll_event events[64];
		int count = epoll_wait(spawnd.epoll_fd, events, 64, spawnd.sweeping ? KILL_REPEAT_MS : -1);
		bool children = false;
		for (int i = 0; i < count; i++) {
			if (events[i].data.ptr == &signal_mark)
				children = true;
			else if (events[i].data.ptr != &mux_mark)
				relay(events[i].data.ptr);
			else if (events[i].events & EPOLLOUT)
				peer_flush(&spawnd.mux);
			if (events[i].data.ptr == &mux_mark && spawnd.mux.fd >= 0 && (events[i].events & ~(u32)EPOLLOUT))
				read_mux();
		}
		/* Last, since it frees runs that events of this turn may name. */
		if (children)
			stay = read_signals();
		sweep();
		watch_mux();
	}
	return 0;
}
