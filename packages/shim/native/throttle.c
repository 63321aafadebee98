/* See throttle.h. */
#include "throttle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000ull
#define NS_PER_MS 1000000ull

static u64 monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NS_PER_SECOND + (u64)now.tv_nsec;
}

/* `bytes` is at most RATE_BURST_BYTES_MAX: no product overflows. */
static u64 cost_ns(u64 bytes, u64 bytes_per_second)
{
	return bytes / bytes_per_second * NS_PER_SECOND + bytes % bytes_per_second * NS_PER_SECOND / bytes_per_second;
}

int throttle_open(struct throttle *throttle, const char *file, u64 bytes_per_second, u64 burst_bytes)
{
	int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	struct stat found;
	int failed = fstat(fd, &found) != 0 ? -errno : 0;
	if (!failed && (!S_ISREG(found.st_mode) || found.st_uid != geteuid()))
		failed = -EPERM;
	/* Never shorter, or another shim would lose its page. */
	if (!failed && found.st_size < (off_t)sizeof(u64) && ftruncate(fd, sizeof(u64)) != 0)
		failed = -errno;
	void *page = failed ? MAP_FAILED : mmap(NULL, sizeof(u64), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!failed && page == MAP_FAILED)
		failed = -errno;
	close(fd);
	if (failed)
		return failed;
	throttle->paid_at_ns = page;
	throttle->bytes_per_second = bytes_per_second;
	throttle->burst_ns = cost_ns(burst_bytes, bytes_per_second);
	return 0;
}

void throttle_charge(struct throttle *throttle, size_t bytes)
{
	if (!throttle->paid_at_ns)
		return;
	u64 now = monotonic_ns();
	u64 free_until = now + throttle->burst_ns;
	/* Also for a number of an earlier boot, whose clock was further on. */
	u64 latest = free_until + THROTTLE_WAIT_MS_MAX * NS_PER_MS;
	u64 before = atomic_load(throttle->paid_at_ns), after;
	do {
		after = (before > now ? before : now) + cost_ns(bytes, throttle->bytes_per_second);
		if (after > latest)
			after = latest;
	} while (!atomic_compare_exchange_weak(throttle->paid_at_ns, &before, after));
	throttle->until_ms = after > free_until ? monotonic_ms() + (after - free_until + NS_PER_MS - 1) / NS_PER_MS : 0;
}
