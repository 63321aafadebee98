/*
 * libFuzzer target: SPAWN, the one message that comes with strings of any number and length, and the search path
 * that is built from it. All that a parsed request points to is inside the message and terminated.
 */
#include "wire.c"
#include "spawn-request.c"
#include "sys.c"
#include "json.c"
#include "shield.c"
#include "filter.c"
#include "confine.c"
#include "child.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_inside(const char *text, const u8 *bytes, size_t size)
{
	if (text && ((const u8 *)text < bytes || (const u8 *)text + strlen(text) > bytes + size))
		abort();
}

static void check_request(const struct spawn *spawn, const u8 *bytes, size_t size)
{
	check_inside(spawn->run_dir, bytes, size);
	check_inside(spawn->run_id, bytes, size);
	check_inside(spawn->cwd, bytes, size);
	check_inside(spawn->file, bytes, size);
	check_inside(spawn->cgroup, bytes, size);
	for (size_t i = 0; i < spawn->grant_count; i++) {
		check_inside(spawn->grants[i].path, bytes, size);
		if (!spawn->confined || spawn->grants[i].path[0] != '/' || spawn->grants[i].access >= ACCESS_COUNT)
			abort();
	}
	for (char **arg = spawn->argv; *arg; arg++)
		check_inside(*arg, bytes, size);
	for (char **entry = spawn->envp; *entry; entry++)
		if (!strchr(*entry, '='))
			abort();
	if (!spawn->argv[0] || spawn->cookie + 16 > bytes + size || strlen(spawn->run_id) > RUN_ID_BYTES_MAX ||
	    spawn->rlimit_count > RLIMITS_MAX || spawn->group_count > GROUPS_MAX || spawn->grant_count > GRANTS_MAX || spawn->meta_length > META_BYTES_MAX)
		abort();
	char **paths = exec_paths(spawn);
	for (char **path = paths; path && *path; path++)
		if (strlen(*path) == 0 && strlen(spawn->argv[0]) > 0)
			abort();
	free(paths);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* One byte to spare, as the callers have it, and not one more. */
	u8 *bytes = malloc(size + 1);
	if (!bytes)
		return 0;
	if (size > 0)
		memcpy(bytes, data, size);
	struct spawn spawn;
	if (!spawn_parse(bytes, size, &spawn))
		check_request(&spawn, bytes, size + 1);
	spawn_free(&spawn);
	free(bytes);
	return 0;
}
