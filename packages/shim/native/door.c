/*
 * `door DIRECTORY SOCKET`: lets agents in a shield, who see DIRECTORY, open sessions through the master of SOCKET, and do nothing else
 * with it (door-rules.c). It listens on the socket `s` in DIRECTORY and has a process for each connection (door-pass.c).
 *
 *   1. It says a line on its output once it listens, and holds nothing of its starter from then on: it outlives a gateway, as the
 *      master does. Where another one listens already, it leaves that to it, and says the line as well.
 *   2. It ends with the master, to which it holds a connection for that; and when its socket was removed, or another is in its place.
 *   3. With it, connections end on which nothing was started. On the others nothing more is started.
 */
#include "door.h"

#include "limits.h"
#include "mux-link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define DOOR_NAME "s"

struct door {
	const char *master_path;
	struct mux_link master;
	int listen_fd;
	int signal_fd;
	int watch_fd;
	/* our end is held by nobody else, so it hangs up with us */
	int leash[2];
	ino_t inode;
	unsigned connections;
};

static const struct sockaddr_un door_address = {.sun_family = AF_UNIX, .sun_path = DOOR_NAME};

static bool is_answered(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* A full queue is somebody's, too. */
	bool is = fd >= 0 && (connect(fd, (const struct sockaddr *)&door_address, sizeof door_address) == 0 || errno == EAGAIN);
	if (fd >= 0)
		close(fd);
	return is;
}

/* Under a name of its own until it listens: a connection that is refused means that nobody is there. */
static int open_listener(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	(void)snprintf(address.sun_path, sizeof address.sun_path, DOOR_NAME ".%d", (int)getpid());
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, DOOR_CONNECTIONS_MAX) == 0 &&
	    rename(address.sun_path, DOOR_NAME) == 0)
		return fd;
	int failed = errno;
	(void)unlink(address.sun_path);
	close(fd);
	return -failed;
}

static ino_t inode_there(void)
{
	struct stat found;
	return lstat(DOOR_NAME, &found) == 0 ? found.st_ino : 0;
}

static bool may_enter(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof peer;
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && (peer.uid == 0 || peer.uid == geteuid());
}

static _Noreturn void become_passage(struct door *door, int connection)
{
	sigset_t none;
	sigemptyset(&none);
	close(door->listen_fd);
	close(door->leash[1]);
	mux_close(&door->master);
	if (reset_signals() != 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0)
		_exit(1);
	door_pass(connection, door->master_path, door->leash[0]);
}

static void accept_one(struct door *door)
{
	int connection = accept4(door->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (connection < 0)
		return;
	pid_t passage = may_enter(connection) ? fork() : -1;
	if (passage == 0)
		become_passage(door, connection);
	if (passage > 0)
		door->connections++;
	close(connection);
}

/* False: told to end. */
static bool hear_signals(struct door *door)
{
	struct signalfd_siginfo info;
	bool goes_on = true;
	while (read(door->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
		goes_on = goes_on && info.ssi_signo == SIGCHLD;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		door->connections--;
	return goes_on;
}

/* It greets us, and then says nothing until its end. */
static bool master_lives(struct door *door)
{
	u8 greeting[256];
	ssize_t n = recv(door->master.fd, greeting, sizeof greeting, MSG_DONTWAIT);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool is_in_place(const struct door *door)
{
	u8 events[4096];
	while (read(door->watch_fd, events, sizeof events) > 0)
		;
	return inode_there() == door->inode;
}

static bool turn(struct door *door)
{
	struct pollfd polled[] = {
		{.fd = door->signal_fd, .events = POLLIN},
		{.fd = door->master.fd, .events = POLLIN},
		{.fd = door->watch_fd, .events = POLLIN},
		{.fd = door->connections < DOOR_CONNECTIONS_MAX ? door->listen_fd : -1, .events = POLLIN},
	};
	if (poll(polled, 4, -1) < 0)
		return errno == EINTR;
	if (polled[0].revents && !hear_signals(door))
		return false;
	if (polled[1].revents && !master_lives(door))
		return false;
	if (polled[2].revents && !is_in_place(door))
		return false;
	if (polled[3].revents)
		accept_one(door);
	return true;
}

/* NULL, or what failed. */
static const char *open_door(struct door *door)
{
	if ((door->signal_fd = open_signals()) < 0 || pipe2(door->leash, O_CLOEXEC) != 0)
		return "no descriptors";
	if (mux_connect(&door->master, door->master_path) != 0)
		return "no master";
	door->watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (door->watch_fd < 0 || inotify_add_watch(door->watch_fd, ".", IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF) < 0)
		return "no watch";
	if ((door->listen_fd = open_listener()) < 0)
		return "no socket";
	door->inode = inode_there();
	return NULL;
}

int door_main(const char *directory, const char *master_path)
{
	struct door door = {.master_path = master_path, .master = MUX_NO_LINK, .listen_fd = -1};
	const char *wrong = chdir(directory) != 0 ? "no directory" : is_answered() ? NULL : open_door(&door);
	if (wrong) {
		mux_close(&door.master);
		fprintf(stderr, "clawdfather-shim door: %s: %s\n", wrong, strerror(errno));
		return 1;
	}
	if (write(1, "open\n", 5) != 5 || detach_stdio() != 0)
		return 1;
	if (door.listen_fd < 0)
		return 0;
	while (turn(&door))
		;
	if (inode_there() == door.inode)
		(void)unlink(DOOR_NAME);
	mux_close(&door.master);
	return 0;
}
