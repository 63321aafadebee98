/*
 * libFuzzer target: /proc/PID/stat. A process names itself, with parentheses, spaces and newlines if it likes:
 * whatever it is called, it must not be able to pass for another process or for a dead one.
 */
#include "tree.c"
#include "json.c"
#include "seen.c"
#include "sys.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* A line as the kernel writes it, with this name. */
static void check_name(const u8 *name, size_t length)
{
	char text[256];
	struct proc_stat stat;
	size_t comm = length < 16 ? length : 16;
	int head = snprintf(text, sizeof text, "4242 (");
	memcpy(text + head, name, comm);
	int tail = snprintf(text + head + comm, sizeof text - (size_t)head - comm,
			    ") S 1 2 3 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 987654321 0 0\n");
	if (!proc_stat_parse(text, (size_t)head + comm + (size_t)tail, &stat) || stat.pid != 4242 || stat.ppid != 1 ||
	    stat.pgid != 2 || stat.sid != 3 || stat.state != 'S' || !stat.did_exec || stat.start_ticks != 987654321)
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct proc_stat stat;
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	if (proc_stat_parse(text, size, &stat) && !memchr(stat.comm, 0, sizeof stat.comm))
		abort();
	free(text);
	check_name(data, size);
	return 0;
}
