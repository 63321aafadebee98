/*
 * See filter.h. `clone` and `unshare` are looked at by their flags, which are a number. Those of `clone3` are behind a pointer, which no filter
 * can follow, so it is answered as by a kernel that does not have it: libraries then use `clone`.
 */
#include "filter.h"

#include "rawcall.h"
#include "sys.h"

#include <errno.h>
#include <sys/prctl.h>

#if defined(__x86_64__) || defined(__aarch64__)

/* As in linux/filter.h and linux/seccomp.h, which not every C library brings. */
struct instruction {
	u16 code;
	u8 if_true, if_false;
	u32 value;
};
struct program {
	u16 length;
	const struct instruction *instructions;
};

#define LOAD 0x20
#define AND 0x54
#define IS 0x15
#define HAS_BIT 0x45
#define ANSWER 0x06
#define ALLOW 0x7fff0000u
#define FAIL_WITH(number) (0x00050000u | (number))
#define FILTER_MODE 2

/* Places in what a filter is given. */
#define NUMBER 0
#define ARCHITECTURE 4
#define FIRST_ARGUMENT 16

#define NEW_CGROUP 0x02000000u
#define CLONE3 435

#if defined(__x86_64__)
#define OWN_ARCHITECTURE 0xC000003Eu
#define OWN_CLONE 56
#define OWN_UNSHARE 272
/* Programs of 32 bits. */
#define OTHER_ARCHITECTURE 0x40000003u
#define OTHER_CLONE 120
#define OTHER_UNSHARE 310
#else
#define OWN_ARCHITECTURE 0xC00000B7u
#define OWN_CLONE 220
#define OWN_UNSHARE 97
#define OTHER_ARCHITECTURE 0x40000028u
#define OTHER_CLONE 120
#define OTHER_UNSHARE 337
#endif
/* Marks the calls of x32, which have the same numbers otherwise. */
#define WITHOUT_X32 0xBFFFFFFFu

/* A step goes on with the one after it, and as many further as it says. */
static const struct instruction no_cgroup_namespaces[] = {
	/* 0 */ {LOAD, 0, 0, ARCHITECTURE},
	/* 1 */ {IS, 0, 6, OWN_ARCHITECTURE},
	/* 2 */ {LOAD, 0, 0, NUMBER},
	/* 3 */ {AND, 0, 0, WITHOUT_X32},
	/* 4 */ {IS, 9, 0, OWN_CLONE},
	/* 5 */ {IS, 8, 0, OWN_UNSHARE},
	/* 6 */ {IS, 11, 0, CLONE3},
	/* 7 */ {ANSWER, 0, 0, ALLOW},
	/* 8 */ {IS, 0, 9, OTHER_ARCHITECTURE},
	/* 9 */ {LOAD, 0, 0, NUMBER},
	/* 10 */ {IS, 3, 0, OTHER_CLONE},
	/* 11 */ {IS, 2, 0, OTHER_UNSHARE},
	/* 12 */ {IS, 5, 0, CLONE3},
	/* 13 */ {ANSWER, 0, 0, ALLOW},
	/* 14 */ {LOAD, 0, 0, FIRST_ARGUMENT},
	/* 15 */ {HAS_BIT, 0, 1, NEW_CGROUP},
	/* 16 */ {ANSWER, 0, 0, FAIL_WITH(EPERM)},
	/* 17 */ {ANSWER, 0, 0, ALLOW},
	/* 18 */ {ANSWER, 0, 0, FAIL_WITH(ENOSYS)},
};

long filter_self(void)
{
	struct program program = {
		.length = sizeof no_cgroup_namespaces / sizeof *no_cgroup_namespaces,
		.instructions = no_cgroup_namespaces,
	};
	return rawcall(SYS_prctl, PR_SET_SECCOMP, FILTER_MODE, raw_arg(&program), 0);
}

#else

long filter_self(void)
{
	return -EOPNOTSUPP;
}

#endif
