/*
 * The shield: a mount namespace around a command, in which what the command must not reach is not there.
 *
 * It is described by steps (docs/protocol/shim.md): a path is hidden, made read-only, pinned, kept, replaced, linked; terminals
 * are made anew; a mark tells one description from another. The same steps make the same namespace, so spawnd makes it once and every run enters it by its
 * descriptors: a namespace and its mounts for each run would cost more than the run.
 *
 *   shield.c         the description, and entering        shield-make.c   the process that makes a namespace
 *   shield-steps.c   what each step mounts                shield-cache.c  what spawnd keeps
 *
 * Fails closed: a step that fails is a command that does not start. What is not there needs no step, and is passed.
 */
#ifndef CLF_SHIELD_H
#define CLF_SHIELD_H

#include "wire.h"

/* What is asked for; the numbers are SPAWN's. */
#define SHIELD_NAMESPACE 1u
#define SHIELD_DOMAIN 2u

enum step_kind { STEP_HIDE = 0, STEP_READ_ONLY, STEP_PIN, STEP_KEEP, STEP_REPLACE, STEP_LINK, STEP_TERMINALS, STEP_MARK, STEP_COUNT };

struct step {
	u8 kind;
	/* of MARK any text */
	char path[GRANT_PATH_BYTES_MAX + 1];
	/* of REPLACE and LINK; else empty */
	char other[GRANT_PATH_BYTES_MAX + 1];
};

/* A namespace, as descriptors; -1 where there is none. */
struct shield {
	/* only where we are not root: the user namespace that owns the mounts */
	int user_fd;
	int mount_fd;
	/* its own terminals, to open the run's from; -1: those of the machine */
	int terminals_fd;
};
#define NO_SHIELD ((struct shield){.user_fd = -1, .mount_fd = -1, .terminals_fd = -1})

/* The value of SPAWN's field: what is wrong with it, or NULL. Pure. */
const char *shield_check(const u8 *spec, size_t length);
/* The next step of a checked description; false at its end. */
bool shield_next(struct reader *reader, struct step *step);
/* The description in a SPAWN message that may be anything; NULL where there is none with a namespace. */
const u8 *shield_find(const u8 *message, size_t length, size_t *spec_length);

/* Makes the namespace in a process of its own, which may take `limit_ms`. 0, or -errno and nothing is left. */
int shield_make(const u8 *spec, size_t length, u32 limit_ms, struct shield *shield);
/* Does all steps in the calling process, which is in its own namespace. 0 or -errno. */
int shield_steps(const u8 *spec, size_t length, int *terminals_fd);
/* Raw system calls only. 0 or -errno. */
long shield_enter(const struct shield *shield);
void shield_close(struct shield *shield);

/* spawnd's: the namespace for this description, made if need be. Its descriptors stay the cache's; none if it fails. */
struct shield shield_cached(const u8 *spec, size_t length);

#endif
