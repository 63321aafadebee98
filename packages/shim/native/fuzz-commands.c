/*
 * libFuzzer target: CLAIM and TERMINATE, whose parsers are frozen (E5), and the cursor under every other command.
 */
#include "wire.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_text(const char *text, size_t capacity)
{
	if (!memchr(text, 0, capacity))
		abort();
}

/* The first byte says how the rest is read: every order of numbers and strings is tried. */
static void walk(const u8 *data, size_t size)
{
	struct reader reader = {.at = data, .left = size};
	char text[ACTOR_BYTES_MAX + 1] = "";
	for (unsigned step = size > 0 ? data[0] : 0; !reader.bad && reader.left > 0; step = step * 5 + 3) {
		size_t before = reader.left;
		if (step % 4 == 0)
			read_str(&reader, text, 1 + step % sizeof text);
		else
			(void)read_uint(&reader, 1u << (step % 4));
		check_text(text, sizeof text);
		if (reader.left >= before && !reader.bad)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct claim claim;
	struct terminate terminate;
	if (claim_parse(data, size, &claim))
		check_text(claim.owner.instance, sizeof claim.owner.instance);
	if (terminate_parse(data, size, &terminate)) {
		check_text(terminate.actor, sizeof terminate.actor);
		if (!reason_name(terminate.reason)[0])
			abort();
	}
	walk(data, size);
	return 0;
}
