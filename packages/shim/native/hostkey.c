/*
 * `hostkey REPORT PINS INVOCATION TYPE KEY ALIAS`: ssh's KnownHostsCommand, with %I %t %K in the middle. It prints the pinned keys
 * under the alias, and appends the key that the host offers to the report. So an unknown or a changed key is a comparison of
 * bytes, and the offer is there for the decision without a second connection.
 *
 * ssh asks twice: ORDER, before it has seen a key, and HOSTNAME, with the offered one. (ADDRESS as well, if it checks addresses;
 * ours does not.) The pins are lines `type key` of our own. If one of them is not that, ssh is told of failure and goes no further.
 */
#include "hostkey.h"

#include "limits.h"
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_made_of(const char *text, size_t length, size_t length_max, const char *others)
{
	if (length == 0 || length > length_max)
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		bool is_alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!is_alphanumeric && !strchr(others, c))
			return false;
	}
	return true;
}

static bool is_type(const char *text, size_t length)
{
	return is_made_of(text, length, KEY_TYPE_BYTES_MAX, "@.-");
}

static bool is_key(const char *text, size_t length)
{
	return length % 4 == 0 && is_made_of(text, length, KEY_BLOB_BYTES_MAX, "+/=");
}

static bool is_alias(const char *text)
{
	return is_made_of(text, strlen(text), KEY_ALIAS_BYTES_MAX, "._-");
}

/* `type key`, without its end of line. */
static bool is_pin(const char *line, size_t length)
{
	const char *space = memchr(line, ' ', length);
	if (!space)
		return false;
	size_t type_length = (size_t)(space - line);
	return is_type(line, type_length) && is_key(space + 1, length - type_length - 1);
}

/* All pins under the alias, as known_hosts has them. Returns the length, or -1: a pin is not one. */
static ssize_t format_pins(const char *pins, size_t length, const char *alias, char *out)
{
	char *at = out;
	const size_t alias_length = strlen(alias);
	for (size_t done = 0, count = 0; done < length; count++) {
		const char *line = pins + done, *end = memchr(line, '\n', length - done);
		if (!end || count == PINS_MAX || !is_pin(line, (size_t)(end - line)))
			return -1;
		size_t line_length = (size_t)(end - line) + 1;
		memcpy(at, alias, alias_length);
		at[alias_length] = ' ';
		memcpy(at + alias_length + 1, line, line_length);
		at += alias_length + 1 + line_length;
		done += line_length;
	}
	return at - out;
}

static bool write_all(const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		length -= (size_t)n;
	}
	return true;
}

static void report_offer(int report_fd, const char *invocation, const char *type, const char *key)
{
	if (strcmp(invocation, "HOSTNAME") != 0)
		return;
	if (is_type(type, strlen(type)) && is_key(key, strlen(key)))
		report_line(report_fd, "hostkey HOSTNAME %s %s", type, key);
	else
		report_line(report_fd, "hostkey malformed");
}

int hostkey_main(char **words)
{
	const char *report = words[0], *pins_path = words[1], *invocation = words[2], *type = words[3], *key = words[4],
		   *alias = words[5];
	static char pins[PIN_FILE_BYTES_MAX], out[PIN_FILE_BYTES_MAX + PINS_MAX * (KEY_ALIAS_BYTES_MAX + 1)];
	int report_fd = report_open(report);
	if (report_fd < 0)
		return 1;
	report_offer(report_fd, invocation, type, key);
	ssize_t length = read_small(AT_FDCWD, pins_path, pins, sizeof pins);
	/* As long as the buffer: there may be more of it. */
	ssize_t out_length = length < 0 || length >= (ssize_t)sizeof pins - 1 || !is_alias(alias)
				     ? -1
				     : format_pins(pins, (size_t)length, alias, out);
	if (out_length < 0) {
		report_line(report_fd, "hostkey bad-pins");
		return 1;
	}
	return write_all(out, (size_t)out_length) ? 0 : 1;
}
