/*
 * What the client is told, from its environment: command lines are public, environments are not.
 *
 * All of it is taken out of the environment at once; the texts themselves stay where the kernel put them, which /proc shows to
 * the same user, until they were used and are overwritten.
 */
#include "mux.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

/* The value, or NULL; its entry is taken out of the list. */
static char *take(const char *name)
{
	size_t length = strlen(name);
	for (char **entry = environ; *entry; entry++) {
		if (strncmp(*entry, name, length) != 0 || (*entry)[length] != '=')
			continue;
		char *value = *entry + length + 1;
		for (char **rest = entry; *rest; rest++)
			rest[0] = rest[1];
		return value;
	}
	return NULL;
}

static bool parse_ms(const char *text, u64 usual, u64 *ms)
{
	*ms = usual;
	return !text || (parse_u64(text, MUX_MS_MAX, ms) && *ms > 0);
}

const char *mux_setup_read(struct mux_setup *setup)
{
	*setup = (struct mux_setup){
		.command = take("CLAWDFATHER_MUX_COMMAND"),
		.payload = take("CLAWDFATHER_MUX_STDIN"),
		.nonce = take("CLAWDFATHER_MUX_NONCE"),
		.sweep = take("CLAWDFATHER_MUX_SWEEP"),
		.report = take("CLAWDFATHER_MUX_REPORT"),
		.crowded = take("CLAWDFATHER_MUX_CROWDED"),
		.terminal_type = getenv("TERM"),
	};
	const char *open_ms = take("CLAWDFATHER_MUX_OPEN_MS"), *sweep_ms = take("CLAWDFATHER_MUX_SWEEP_MS");
	const char *retry_ms = take("CLAWDFATHER_MUX_RETRY_MS");
	if (!setup->command || !*setup->command)
		return "no command";
	if (strlen(setup->command) > HOST_COMMAND_BYTES_MAX || (setup->sweep && strlen(setup->sweep) > HOST_COMMAND_BYTES_MAX))
		return "command too long";
	if (!parse_ms(open_ms, OPEN_MS_DEFAULT, &setup->open_ms) || !parse_ms(sweep_ms, SWEEP_MS_DEFAULT, &setup->sweep_ms))
		return "bad limit";
	if (!parse_ms(retry_ms, 0, &setup->retry_ms))
		return "bad limit";
	if (!setup->terminal_type || strlen(setup->terminal_type) > TERMINAL_TYPE_BYTES_MAX)
		setup->terminal_type = "";
	return NULL;
}

void mux_wipe_text(char *text)
{
	if (text)
		wipe(text, strlen(text));
}
