/*
 * System calls without libc: they touch neither errno nor any other shared memory, so a clone that shares our
 * memory may make them while we run on. They return -errno. A fifth argument is always zero, which prctl insists on.
 */
#ifndef CLF_RAWCALL_H
#define CLF_RAWCALL_H

#include <stdint.h>
#include <sys/syscall.h>

/* Sanitizers keep state about stacks that a second stack in the same memory upsets: there the child is forked. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CLF_FORKS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLF_FORKS 1
#endif
#if defined(__x86_64__)
static inline long rawcall(long number, long a, long b, long c, long d)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = 0;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
static inline long rawcall(long number, long a, long b, long c, long d)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = 0;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
	return x0;
}
#else
/* Elsewhere the child is forked with memory of its own, and libc's errno does no harm. */
#define CLF_FORKS 1
#include <errno.h>
#include <unistd.h>
static inline long rawcall(long number, long a, long b, long c, long d)
{
	long result = syscall(number, a, b, c, d, 0L);
	return result < 0 ? -errno : result;
}
#endif

static inline long raw_arg(const void *pointer)
{
	return (long)(intptr_t)pointer;
}

#endif
