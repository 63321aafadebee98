/*
 * `listen SOCKET_DIRECTORY RUN_DIRECTORY PROGRAM ARGUMENT …`: the door between a shielded run and our tools. It listens on
 * the socket `tools` in SOCKET_DIRECTORY, starts PROGRAM for each connection, with the connection as its input and output, and ends
 * with the run of RUN_DIRECTORY.
 *
 *   1. It listens before the run starts, so that the run finds the socket. A run that does not start within LISTEN_START_MS
 *      never will.
 *   2. The run lives as long as its shim. A connection to the shim's socket tells which process that is, and its pidfd tells when it
 *      ends. The pidfd belongs to the shim if the connection is still open after it was opened: a pid in use is not given away (O5).
 *   3. When the run has ended, or we are told to end, the programs are told to end, and the socket is removed; with the run its
 *      directory, too.
 *
 * What a program writes to its standard error goes where ours goes: into the journal of the run that we are.
 */
#include "listen.h"

#include "limits.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct listener {
	const char *socket_dir;
	const char *run_dir;
	char **argv;
	int listen_fd;
	int signal_fd;
	/* of the run's shim; negative until it is found */
	int shim_fd;
	u64 start_by_ms;
	/* when programs that were told to end are killed; 0: the run lives */
	u64 kill_at_ms;
	pid_t programs[LISTEN_PROGRAMS_MAX];
	size_t program_count;
	bool asked_to_end;
	bool run_is_over;
};

static int open_listener(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* Under another name until it listens: a connection that is refused means that no listener lives. */
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "tools.new"};
	(void)unlink("tools.new");
	if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, LISTEN_PROGRAMS_MAX) == 0 &&
	    rename("tools.new", "tools") == 0)
		return fd;
	int failed = errno;
	(void)unlink("tools.new");
	close(fd);
	return -failed;
}

/* Through a descriptor of the directory: its path may be longer than a socket's may be (E2). */
static int connect_to_shim(const char *run_dir)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int dir = open(run_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	(void)snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/s", dir);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int result = fd < 0 ? -errno : connect(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : -errno;
	if (result < 0 && fd >= 0)
		close(fd);
	close(dir);
	return result;
}

/* A pidfd, or -errno: -ECONNREFUSED says that the shim has been there and is dead (control.c). */
static int find_shim(const char *run_dir)
{
	int connection = connect_to_shim(run_dir);
	if (connection < 0)
		return connection;
	struct ucred shim;
	socklen_t length = sizeof shim;
	int pidfd = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &shim, &length) == 0 ? sys_pidfd_open(shim.pid) : -1;
	struct pollfd hangup = {.fd = connection};
	bool lives = poll(&hangup, 1, 0) == 0;
	close(connection);
	if (lives && pidfd >= 0)
		return pidfd;
	if (pidfd >= 0)
		close(pidfd);
	return -EAGAIN;
}

static bool is_own_user(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

static _Noreturn void become_program(int connection, char **argv)
{
	sigset_t none;
	sigemptyset(&none);
	if (dup2(connection, 0) < 0 || dup2(connection, 1) < 0 || reset_signals() != 0 || sys_close_from(3) != 0 ||
	    sigprocmask(SIG_SETMASK, &none, NULL) != 0)
		_exit(126);
	execv(argv[0], argv);
	_exit(errno == ENOENT ? 127 : 126);
}

static void accept_one(struct listener *listener)
{
	int connection = accept4(listener->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (connection < 0)
		return;
	pid_t program = is_own_user(connection) ? fork() : -1;
	if (program == 0)
		become_program(connection, listener->argv);
	if (program > 0)
		listener->programs[listener->program_count++] = program;
	close(connection);
}

static void signal_programs(const struct listener *listener, int number)
{
	for (size_t i = 0; i < listener->program_count; i++)
		(void)kill(listener->programs[i], number); /* ours, and not reaped: its pid is its own */
}

static void reap_programs(struct listener *listener)
{
	for (;;) {
		pid_t ended = waitpid(-1, NULL, WNOHANG);
		if (ended < 0 && errno == EINTR)
			continue;
		if (ended <= 0)
			return;
		for (size_t i = 0; i < listener->program_count; i++)
			if (listener->programs[i] == ended)
				listener->programs[i] = listener->programs[--listener->program_count];
	}
}

static void hear_signals(struct listener *listener)
{
	struct signalfd_siginfo info;
	while (read(listener->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
		if (info.ssi_signo == SIGTERM)
			listener->asked_to_end = true;
	reap_programs(listener);
}

static void end_programs(struct listener *listener, u64 now)
{
	if (listener->kill_at_ms == 0) {
		(void)unlink("tools");
		close(listener->listen_fd);
		listener->listen_fd = -1;
		listener->kill_at_ms = after_ms(now, LISTEN_END_MS);
		signal_programs(listener, SIGTERM);
	} else if (now >= listener->kill_at_ms) {
		signal_programs(listener, SIGKILL);
		listener->kill_at_ms = after_ms(now, LISTEN_END_MS);
	}
}

static int wait_ms(const struct listener *listener, u64 now)
{
	if (listener->kill_at_ms > 0)
		return listener->kill_at_ms > now ? (int)(listener->kill_at_ms - now) : 0;
	return listener->shim_fd < 0 ? LISTEN_LOOK_MS : -1;
}

/* One turn; false when there is nothing more to do. */
static bool turn(struct listener *listener)
{
	const bool has_room = listener->listen_fd >= 0 && listener->program_count < LISTEN_PROGRAMS_MAX;
	const bool lives = listener->kill_at_ms == 0;
	struct pollfd polled[] = {
		{.fd = listener->signal_fd, .events = POLLIN},
		{.fd = has_room ? listener->listen_fd : -1, .events = POLLIN},
		{.fd = lives ? listener->shim_fd : -1, .events = POLLIN},
	};
	if (poll(polled, 3, sleep_cap_ms(wait_ms(listener, monotonic_ms()))) < 0 && errno != EINTR)
		return false;
	const u64 now = monotonic_ms();
	if (polled[0].revents)
		hear_signals(listener);
	if (polled[1].revents)
		accept_one(listener);
	if (lives && listener->shim_fd < 0)
		listener->shim_fd = find_shim(listener->run_dir);
	listener->run_is_over |= polled[2].revents || listener->shim_fd == -ECONNREFUSED ||
				 (listener->shim_fd < 0 && now >= listener->start_by_ms);
	if (listener->run_is_over || listener->asked_to_end || !lives)
		end_programs(listener, now);
	return listener->kill_at_ms == 0 || listener->program_count > 0;
}

int listen_main(const char *socket_dir, const char *run_dir, char **argv)
{
	struct listener listener = {.socket_dir = socket_dir, .run_dir = run_dir, .argv = argv, .shim_fd = -1};
	listener.start_by_ms = after_ms(monotonic_ms(), LISTEN_START_MS);
	listener.signal_fd = open_signals();
	listener.listen_fd = chdir(socket_dir) == 0 ? open_listener() : -errno;
	if (listener.signal_fd < 0 || listener.listen_fd < 0 || prctl(PR_SET_NAME, "clf-tools") != 0) {
		int failed = listener.listen_fd < 0 ? -listener.listen_fd : errno;
		fprintf(stderr, "clawdfather-shim listen: %s: %s\n", socket_dir, strerror(failed));
		return 1;
	}
	while (turn(&listener))
		continue;
	/* A run that lives has this very directory in its shield: the next listener has to be seen there. */
	if (listener.run_is_over)
		(void)rmdir(socket_dir);
	return 0;
}
