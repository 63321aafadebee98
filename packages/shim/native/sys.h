/*
 * The kernel as we use it: clocks, pidfds, descriptors, small reads.
 * Calls return -errno on failure unless said otherwise.
 */
#ifndef CLF_SYS_H
#define CLF_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* What a host is, read once: evidence for O5. */
struct host {
	u8 boot_id[16];
	char boot_id_text[37];
	u64 pid_ns;
	/* ours, which a child that shares our memory changes with its own (E3) */
	i32 oom_score_adj;
};

/* C1: monotonic time does not run while the machine sleeps. Test builds add an offset from a file. */
u64 monotonic_ms(void);
u64 wall_us(void);
/* `now` + `ms`, for any `ms` a peer may send. */
u64 after_ms(u64 now, u64 ms);
/* Now, in the unit and from the origin of a process's start time in /proc. */
u64 start_ticks_now(void);
/* How long the loop may sleep; test builds wake often to see a changed clock. */
int sleep_cap_ms(int ms);

int host_read(struct host *host);

int sys_pidfd_open(pid_t pid);
int sys_pidfd_send(int pidfd, int signal_number);
int sys_close_from(unsigned first);
/* Orphans among our descendants become our children. */
int sys_adopt_orphans(void);

int set_nonblocking(int fd);
/* Reads a whole small file relative to dirfd; returns its length, always NUL-terminated. */
ssize_t read_small(int dirfd, const char *path, char *buffer, size_t capacity);
/* A decimal number and nothing else: a slip of the caller must not become 0. */
bool parse_u64(const char *text, u64 max, u64 *value);
int write_small(int dirfd, const char *path, const char *text);
/* Zeroes that the compiler does not take away (S4). */
void wipe(void *bytes, size_t length);
/* As wipe, but whole pages go back to the kernel: after a fork they are not copied only to be zeroed. */
void wipe_pages(void *bytes, size_t length);

/* All signals to their default action: once per program, forks inherit it (S4). */
int reset_signals(void);
/* All signals blocked; they are read as data from the returned descriptor. */
int open_signals(void);
/* 0 and 1 become /dev/null; 2 stays if it is open, it is where the starter wants to read what went wrong. */
int detach_stdio(void);

#endif
