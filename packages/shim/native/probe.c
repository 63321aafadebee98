/*
 * The job `confinement`: tries on itself what a start would do, and prints what came of it as JSON. So everything that may stand in
 * the way has been asked: the kernel's version, what is switched off, a container's filter of system calls.
 */
#include "confine.h"
#include "json.h"
#include "shield.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Tries a whole shield on a process of its own. 0 or -errno. */
static int try_shield(u8 asked)
{
	/* All that steps are made of, with places that are there everywhere: one is hidden, one is read-only, and terminals are made. */
	static const char steps[] = "\0"			/* what is asked for */
				    "\0\4\0/tmp"		/* STEP_HIDE */
				    "\1\5\0/proc"		/* STEP_READ_ONLY */
				    "\6\10\0/dev/pts";	/* STEP_TERMINALS */
	_Static_assert(STEP_HIDE == 0 && STEP_READ_ONLY == 1 && STEP_TERMINALS == 6, "the steps above");
	u8 spec[sizeof steps - 1];
	memcpy(spec, steps, sizeof spec);
	spec[0] = asked;
	struct shield shield;
	int result = shield_make(spec, sizeof spec, SHIELD_MAKE_MS, &shield);
	if (result < 0)
		return result;
	pid_t child = fork();
	if (child == 0) {
		const struct spawn shielded = {.shield_asked = asked};
		long failed = shield_enter(&shield);
		failed = failed < 0 ? failed : confine_self(&shielded);
		_exit(failed < 0 ? (int)-failed : 0);
	}
	int status = 0;
	result = child < 0 ? -errno : waitpid(child, &status, 0) < 0 ? -errno : WIFEXITED(status) ? -WEXITSTATUS(status) : -ECHILD;
	shield_close(&shield);
	return result;
}

static void tell(struct json *json, const char *key, const char *why, long result)
{
	json_bool(json, key, result >= 0);
	if (result < 0)
		json_string(json, why, strerror((int)-result));
}

int confinement_main(void)
{
	const struct spawn nothing = {.confined = true};
	/* First, since what follows confines this process. */
	int shield = try_shield(SHIELD_NAMESPACE);
	long version = landlock_version();
	long result = version < 0 ? version : confine_self(&nothing);
	char text[512];
	struct json json;
	json_begin(&json, text, sizeof text);
	json_open(&json, NULL, '{');
	json_i64(&json, "landlock", result < 0 ? 0 : version);
	if (result < 0) {
		json_i64(&json, "errno", -result);
		json_string(&json, "message", strerror((int)-result));
	}
	tell(&json, "namespace", "namespaceMessage", shield);
	json_close(&json, '}');
	return printf("%.*s\n", (int)json.length, text) < 0;
}
