/*
 * spawnd: forks a shim per run on request, relays what shims say, sweeps after a killed shim.
 *
 * It is small and static so that forking it costs the same whatever the gateway's size. It owns nothing: when it
 * dies, shims go on and a new one is started. When its gateway goes away it stays as long as it has shims, because
 * it is their subreaper: a shim killed with SIGKILL leaves its tree to us, and we end it (T8).
 * SIGTERM ends only spawnd (T7).
 */
#include "spawnd.h"

#include "json.h"
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct spawnd spawnd;

/* epoll's data: the two fixed ones, else a run. */
static int mux_mark, signal_mark;

static void drop_mux(void)
{
	unwatch_and_close(&spawnd, &spawnd.mux.fd);
	peer_close(&spawnd.mux);
	if (spawnd.in)
		wipe(spawnd.in, spawnd.in_length);
	free(spawnd.in);
	spawnd.in = NULL;
	spawnd.in_length = spawnd.in_capacity = 0;
}

/* These stages are before the claim: nothing was begun, and no END follows. */
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
	unwatch_and_close(&spawnd, &run->link);
	for (size_t i = 0; i < spawnd.run_count; i++)
		if (spawnd.runs[i] == run)
			spawnd.runs[i] = spawnd.runs[--spawnd.run_count];
	spawnd.gone_count -= run->gone;
	free(run->in);
	free(run);
}

/*
 * Moves what a shim keeps to the lowest descriptors after the standard ones, so that the rest is one range. The lowest first: its
 * place is at most its own number, so none is overwritten, and no descriptor more is needed than there are.
 */
static bool keep_only(int **fds, size_t count)
{
	int next = 3;
	for (size_t i = 0; i < count; i++) {
		size_t lowest = i;
		for (size_t j = i + 1; j < count; j++)
			if (*fds[j] < *fds[lowest])
				lowest = j;
		int *fd = fds[lowest];
		fds[lowest] = fds[i];
		if (*fd < 0)
			continue;
		if (*fd != next && dup3(*fd, next, O_CLOEXEC) < 0)
			return false;
		*fd = next++;
	}
	return sys_close_from((unsigned)next) == 0;
}

/*
 * In the new shim: only the request, its shield and the link of this run stay (S4). The request is copied, with its byte to
 * spare, and the buffer it came in goes back to the kernel with the requests beside it.
 */
static _Noreturn void become_shim(const struct frame *frame, int link, struct shield shield)
{
	struct request request = {.length = frame->length, .handle = frame->id, .link_fd = link, .shield = shield};
	request.message = malloc(frame->length + 1);
	if (!request.message)
		_exit(1);
	memcpy(request.message, frame->payload, frame->length);
	wipe_pages(spawnd.in, spawnd.in_length);
	int *kept[] = {&request.link_fd, &request.shield.mount_fd, &request.shield.terminals_fd, &request.shield.user_fd};
	if (setsid() < 0 || !keep_only(kept, sizeof kept / sizeof kept[0]))
		_exit(1);
	shim_main(&request, &spawnd.host);
}

/* Everything that can fail comes before the fork: a run that lives is never called failed. */
static int fork_run(const struct frame *frame, struct run *run)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0)
		return errno;
	run->link = pair[0];
	size_t spec_length = 0;
	const u8 *spec = shield_find(frame->payload, frame->length, &spec_length);
	const struct shield shield = spec ? shield_cached(spec, spec_length) : NO_SHIELD;
	int failed = spawnd.throttled ? 0 : -watch_fd(&spawnd, run->link, EPOLLIN, run);
	if (!failed) {
		run->shim = fork();
		if (run->shim == 0)
			become_shim(frame, pair[1], shield);
		failed = run->shim < 0 ? errno : 0;
	}
	close(pair[1]);
	return failed;
}

static void spawn_run(const struct frame *frame)
{
	struct run *run = calloc(1, sizeof *run);
	if (!run || !add_run(run)) {
		free(run);
		tell_error(frame->id, "spawnd", ENOMEM);
		return;
	}
	*run = (struct run){.handle = frame->id, .link = -1};
	int failed = fork_run(frame, run);
	if (!failed)
		return;
	remove_run(run);
	tell_error(frame->id, "spawnd", failed);
}

/* A frame's bytes held an environment: they are wiped once the shim has its copy. */
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
			spawn_run(&frame);
		else
			tell_error(frame.id, "request", EPROTO);
		wipe(spawnd.in + done, frame.bytes);
		done += frame.bytes;
	}
	if (done == 0)
		return;
	spawnd.in_length -= done;
	memmove(spawnd.in, spawnd.in + done, spawnd.in_length);
	wipe(spawnd.in + spawnd.in_length, done);
}

/* No request is larger than FRAME_LENGTH_MAX + 4, so neither is what is kept of one. */
static bool grow_in(void)
{
	if (spawnd.in_capacity - spawnd.in_length >= MUX_IN_STEP_BYTES / 4)
		return true;
	size_t grown = spawnd.in_capacity + MUX_IN_STEP_BYTES;
	u8 *moved = malloc(grown);
	if (!moved)
		return false;
	if (spawnd.in) {
		memcpy(moved, spawnd.in, spawnd.in_length);
		wipe(spawnd.in, spawnd.in_length);
		free(spawnd.in);
	}
	spawnd.in = moved;
	spawnd.in_capacity = grown;
	return true;
}

/* One read a turn: a burst of a thousand requests does not keep a thousand shims waiting to be heard. */
static void read_mux(void)
{
	if (!grow_in()) {
		drop_mux();
		return;
	}
	ssize_t n = read(spawnd.mux.fd, spawnd.in + spawnd.in_length, MUX_IN_STEP_BYTES / 4);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop_mux();
		return;
	}
	spawnd.in_length += (size_t)n;
	take_requests();
}

static void watch_mux(void)
{
	if (spawnd.mux.dead && spawnd.mux.fd >= 0)
		drop_mux();
	bool waiting = peer_waiting(&spawnd.mux);
	if (spawnd.mux.fd < 0 || waiting == spawnd.mux_writable_watched)
		return;
	struct epoll_event event = {.events = EPOLLIN | (waiting ? EPOLLOUT : 0u), .data.ptr = &mux_mark};
	if (epoll_ctl(spawnd.epoll_fd, EPOLL_CTL_MOD, spawnd.mux.fd, &event) == 0)
		spawnd.mux_writable_watched = waiting;
}

static void tell_lost(const struct run *run)
{
	char text[128];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_u64(&json, "shimPid", (u64)run->shim);
	json_u64(&json, "signal", WIFSIGNALED(run->status) ? (u64)WTERMSIG(run->status) : 0);
	json_u64(&json, "swept", orphans_swept());
	json_u64(&json, "left", orphans_left());
	json_close(&json, '}');
	peer_send(&spawnd.mux, MSG_SHIM_LOST, run->handle, text, json.length);
}

static void reap(void)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < spawnd.run_count; i++) {
			struct run *run = spawnd.runs[i];
			if (run->shim != pid || run->gone)
				continue;
			run->gone = true;
			run->status = status;
			spawnd.gone_count++;
			/* A shim leaves of its own will only when its tree is empty. */
			if (WIFSIGNALED(status))
				orphans_begin();
			break;
		}
}

/* What the dead shims had to say comes first, then what became of their trees. */
static void bury(bool sweeping)
{
	for (size_t i = spawnd.run_count; spawnd.gone_count > 0 && i-- > 0;) {
		struct run *run = spawnd.runs[i];
		if (!run->gone)
			continue;
		while (relay(&spawnd, run))
			continue;
		if (run->link >= 0 && mux_is_full(&spawnd))
			continue;
		bool by_itself = WIFEXITED(run->status) && run->told_end;
		if (!by_itself && sweeping)
			continue;
		if (!by_itself)
			tell_lost(run);
		remove_run(run);
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

/* One turn of the loop. False: somebody asked spawnd to go. */
static bool turn(bool sweeping)
{
	struct epoll_event events[64];
	int count = epoll_wait(spawnd.epoll_fd, events, 64, sweeping ? KILL_REPEAT_MS : -1);
	bool children = false;
	for (int i = 0; i < count; i++) {
		void *mark = events[i].data.ptr;
		if (mark == &signal_mark) {
			children = true;
		} else if (mark == &mux_mark) {
			if (events[i].events & EPOLLOUT)
				peer_flush(&spawnd.mux);
			if (spawnd.mux.fd >= 0 && (events[i].events & ~(u32)EPOLLOUT))
				read_mux();
		} else {
			(void)relay(&spawnd, mark);
		}
	}
	/* Last, since burying frees runs that events of this turn may name. */
	return children ? read_signals() : true;
}

int spawnd_main(int mux_fd)
{
	spawnd.mux = (struct peer){.fd = mux_fd, .out_max = MUX_OUT_BYTES_MAX};
	if (host_read(&spawnd.host) != 0 || sys_adopt_orphans() != 0 || set_nonblocking(mux_fd) != 0 ||
	    sys_close_from(4) != 0)
		return 1;
	(void)prctl(PR_SET_NAME, "clf-spawnd");
	spawnd.signal_fd = open_signals();
	spawnd.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (spawnd.signal_fd < 0 || spawnd.epoll_fd < 0 || watch_fd(&spawnd, spawnd.signal_fd, EPOLLIN, &signal_mark) != 0 ||
	    watch_fd(&spawnd, mux_fd, EPOLLIN, &mux_mark) != 0)
		return 1;
	say_hello();
	bool stay = true, sweeping = false;
	while (stay && (spawnd.mux.fd >= 0 || spawnd.run_count > 0)) {
		stay = turn(sweeping);
		sweeping = orphans_turn(&spawnd);
		bury(sweeping);
		relay_turn(&spawnd);
		watch_mux();
	}
	return 0;
}
