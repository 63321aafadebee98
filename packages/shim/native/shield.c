/* See shield.h: the description as bytes, and how a child enters what was made of it. */
#include "shield.h"

#include "rawcall.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

static bool has_other(u8 kind)
{
	return kind == STEP_REPLACE || kind == STEP_LINK;
}

/* Fills `out`; what is empty, too long or holds a NUL is bad. */
static void read_path(struct reader *reader, char out[GRANT_PATH_BYTES_MAX + 1])
{
	read_str(reader, out, GRANT_PATH_BYTES_MAX + 1);
	reader->bad |= out[0] == 0;
}

bool shield_next(struct reader *reader, struct step *step)
{
	if (reader->left == 0 || reader->bad)
		return false;
	step->kind = (u8)read_uint(reader, 1);
	step->other[0] = 0;
	reader->bad |= step->kind >= STEP_COUNT;
	read_path(reader, step->path);
	reader->bad |= step->path[0] != '/' && step->kind != STEP_MARK;
	if (!reader->bad && has_other(step->kind))
		read_path(reader, step->other);
	/* All else at the root would be above or below what it is meant for. */
	reader->bad |= strcmp(step->path, "/") == 0 && step->kind != STEP_READ_ONLY;
	/* The target of a link may be relative; what is mounted may not. */
	reader->bad |= step->kind == STEP_REPLACE && step->other[0] != '/';
	return !reader->bad;
}

const char *shield_check(const u8 *spec, size_t length)
{
	/* Steps are large, and this is called once per process. */
	static struct step step;
	struct reader reader = {.at = spec, .left = length};
	u64 asked = read_uint(&reader, 1);
	size_t count = 0;
	while (shield_next(&reader, &step))
		count++;
	if (reader.bad)
		return "a step of the shield makes no sense";
	if (asked == 0 || asked > (SHIELD_NAMESPACE | SHIELD_DOMAIN))
		return "an unknown kind of shield";
	if (count > SHIELD_STEPS_MAX)
		return "too many steps of the shield";
	if (count > 0 && !(asked & SHIELD_NAMESPACE))
		return "steps of the shield need its namespace";
	return NULL;
}

long shield_enter(const struct shield *shield)
{
	long result = 0;
	if (shield->user_fd >= 0)
		result = rawcall(SYS_setns, shield->user_fd, CLONE_NEWUSER, 0, 0);
	if (result == 0)
		result = rawcall(SYS_setns, shield->mount_fd, CLONE_NEWNS, 0, 0);
	return result;
}

void shield_close(struct shield *shield)
{
	const int fds[3] = {shield->user_fd, shield->mount_fd, shield->terminals_fd};
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*shield = NO_SHIELD;
}
