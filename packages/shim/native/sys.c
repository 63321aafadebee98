/* See sys.h. */
#include "sys.h"

#include "limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef CLAWDFATHER_TEST_HOOKS
/* "monotonicMs wallMs" in the file named by CLAWDFATHER_TEST_CLOCK, read anew at every look. */
static void clock_offsets(i64 *monotonic, i64 *wall)
{
	*monotonic = 0;
	*wall = 0;
	const char *path = getenv("CLAWDFATHER_TEST_CLOCK");
	char text[64];
	if (!path || read_small(AT_FDCWD, path, text, sizeof text) <= 0)
		return;
	char *rest = NULL;
	*monotonic = strtoll(text, &rest, 10);
	*wall = rest ? strtoll(rest, NULL, 10) : 0;
}
#else
static void clock_offsets(i64 *monotonic, i64 *wall)
{
	*monotonic = 0;
	*wall = 0;
}
#endif

static u64 clock_us(clockid_t id)
{
	struct timespec now;
	if (clock_gettime(id, &now) != 0)
		abort(); /* Linux has both clocks; without time nothing we promise can be kept. */
	return (u64)now.tv_sec * 1000000u + (u64)now.tv_nsec / 1000u;
}

u64 monotonic_ms(void)
{
	i64 monotonic, wall;
	clock_offsets(&monotonic, &wall);
	return clock_us(CLOCK_MONOTONIC) / 1000u + (u64)monotonic;
}

u64 wall_us(void)
{
	i64 monotonic, wall;
	clock_offsets(&monotonic, &wall);
	return clock_us(CLOCK_REALTIME) + (u64)(wall * 1000);
}

u64 after_ms(u64 now, u64 ms)
{
	return now + (ms < DEADLINE_MS_MAX ? ms : DEADLINE_MS_MAX);
}

u64 start_ticks_now(void)
{
	return clock_us(CLOCK_BOOTTIME) / (1000000u / (u64)sysconf(_SC_CLK_TCK));
}

int sleep_cap_ms(int ms)
{
#ifdef CLAWDFATHER_TEST_HOOKS
	return ms < 0 || ms > 20 ? 20 : ms;
#else
	return ms;
#endif
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

int host_read(struct host *host)
{
	char text[64];
	ssize_t length = read_small(AT_FDCWD, "/proc/sys/kernel/random/boot_id", text, sizeof text);
	if (length < 36)
		return length < 0 ? (int)length : -EIO;
	memcpy(host->boot_id_text, text, 36);
	host->boot_id_text[36] = '\0';
	size_t at = 0;
	for (size_t i = 0; i < 36 && at < 32; i++) {
		if (text[i] == '-')
			continue;
		int digit = hex_digit(text[i]);
		if (digit < 0)
			return -EIO;
		u8 *byte = &host->boot_id[at / 2];
		*byte = (u8)(at % 2 ? (*byte << 4) | digit : digit);
		at++;
	}
	struct stat ns;
	if (stat("/proc/self/ns/pid", &ns) != 0)
		return -errno;
	host->pid_ns = (u64)ns.st_ino;
	length = read_small(AT_FDCWD, "/proc/self/oom_score_adj", text, sizeof text);
	host->oom_score_adj = length > 0 ? (i32)strtol(text, NULL, 10) : 0;
	return 0;
}

int sys_pidfd_open(pid_t pid)
{
	long fd = syscall(SYS_pidfd_open, pid, 0);
	return fd < 0 ? -errno : (int)fd;
}

int sys_pidfd_send(int pidfd, int signal_number)
{
	return syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0) == 0 ? 0 : -errno;
}

int sys_close_from(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return 0;
	if (errno != ENOSYS)
		return -errno;
	long most = sysconf(_SC_OPEN_MAX);
	for (long fd = (long)first; fd < most; fd++)
		close((int)fd);
	return 0;
}

int sys_adopt_orphans(void)
{
#ifdef CLF_EMULATED
	/* The emulator of tests refuses it; what is orphaned there is still found by its lease. */
	return 0;
#else
	return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? 0 : -errno;
#endif
}

int set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

ssize_t read_small(int dirfd, const char *path, char *buffer, size_t capacity)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	size_t length = 0;
	while (length < capacity - 1) {
		ssize_t n = read(fd, buffer + length, capacity - 1 - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int failed = errno;
			close(fd);
			return -failed;
		}
		if (n == 0)
			break;
		length += (size_t)n;
	}
	close(fd);
	buffer[length] = '\0';
	return (ssize_t)length;
}

bool parse_u64(const char *text, u64 max, u64 *value)
{
	char *end = NULL;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' && *value <= max;
}

int write_small(int dirfd, const char *path, const char *text)
{
	int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	size_t length = strlen(text);
	ssize_t n = write(fd, text, length);
	int failed = n < 0 ? errno : (size_t)n == length ? 0 : EIO;
	close(fd);
	return -failed;
}

void wipe(void *bytes, size_t length)
{
	if (length == 0)
		return;
	memset(bytes, 0, length);
	__asm__ volatile("" : : "r"(bytes) : "memory");
}

int reset_signals(void)
{
	/* The kernel's own call: libc refuses the numbers it keeps for itself, and an ignored one would be inherited. */
	const u64 default_action[4] = {0};
	for (int number = 1; number < 65; number++)
		if (number != SIGKILL && number != SIGSTOP &&
		    syscall(SYS_rt_sigaction, number, default_action, NULL, sizeof(u64)) != 0)
			return -errno;
	return 0;
}

void wipe_pages(void *bytes, size_t length)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t first = (page - (uintptr_t)bytes % page) % page;
	const size_t whole = length > first ? (length - first) / page * page : 0;
	if (whole == 0 || madvise((u8 *)bytes + first, whole, MADV_DONTNEED) != 0) {
		wipe(bytes, length);
		return;
	}
	wipe(bytes, first);
	wipe((u8 *)bytes + first + whole, length - first - whole);
}

int open_signals(void)
{
	sigset_t wanted;
	u64 all = ~(u64)0;
	if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all) != 0)
		return -errno;
	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGTERM);
	int fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int detach_stdio(void)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (null_fd < 0)
		return -errno;
	bool has_log = fcntl(2, F_GETFD) >= 0;
	for (int fd = 0; fd < (has_log ? 2 : 3); fd++)
		if (fd != null_fd && dup2(null_fd, fd) < 0)
			return -errno;
	if (null_fd > 2)
		close(null_fd);
	return 0;
}
