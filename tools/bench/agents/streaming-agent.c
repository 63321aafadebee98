/*
 * The least that is an ACP agent, for measuring what is between an agent and those who watch it: an agent that computes anything itself would
 * be what is measured.
 *
 * A prompt is "COUNT INTERVAL_US PADDING": so many pieces of text (0: until it is cancelled), one each INTERVAL_US microseconds
 * (0: as fast as the pipe takes them), each with the time of its write (CLOCK_MONOTONIC, nanoseconds) and PADDING more characters.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { lineMax = 1 << 20, paddingMax = 4096 };

static char line[lineMax];
static char padding[paddingMax + 1];

static void sendAll(const char *text, size_t length)
{
	while (length > 0) {
		ssize_t done = write(STDOUT_FILENO, text, length);
		if (done <= 0)
			_exit(1);
		text += done;
		length -= (size_t)done;
	}
}

/* The bytes of `id` as they came: a number or a string. */
static void answer(const char *request, const char *result)
{
	const char *id = strstr(request, "\"id\":");
	if (id == NULL)
		return;
	id += 5;
	int length = (int)strcspn(id, ",}");
	char text[512];
	int size = snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%s}\n", length, id, result);
	sendAll(text, (size_t)size);
}

static int64_t nowNs(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* True: there is a line to read before the time is up. */
static bool waitUntil(int64_t dueNs)
{
	for (;;) {
		int64_t leftNs = dueNs - nowNs();
		if (leftNs <= 0)
			return false;
		struct timespec left = { leftNs / 1000000000, leftNs % 1000000000 };
		struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
		if (ppoll(&input, 1, &left, NULL) > 0)
			return true;
	}
}

static bool readLine(void)
{
	return fgets(line, sizeof line, stdin) != NULL;
}

static void stream(const char *request)
{
	long count = 0, intervalUs = 0, pad = 0;
	const char *text = strstr(request, "\"text\":\"");
	if (text == NULL || sscanf(text + 8, "%ld %ld %ld", &count, &intervalUs, &pad) != 3 || pad > paddingMax) {
		answer(request, "{\"stopReason\":\"refusal\"}");
		return;
	}
	/* Agents of a round do not write in step. */
	int64_t dueNs = nowNs() + (intervalUs == 0 ? 0 : (int64_t)(getpid() % 97) * intervalUs * 1000 / 97);
	char piece[paddingMax + 512];
	char saved[256];
	snprintf(saved, sizeof saved, "%.255s", request);
	for (long sent = 0; count == 0 || sent < count; sent++) {
		if (intervalUs > 0 && waitUntil(dueNs)) {
			if (!readLine())
				_exit(0);
			if (strstr(line, "session/cancel") != NULL) {
				answer(saved, "{\"stopReason\":\"cancelled\"}");
				return;
			}
		}
		dueNs += intervalUs * 1000;
		int size = snprintf(piece, sizeof piece,
			"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"one\",\"update\":"
			"{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"%lld %.*s\\n\"}}}}\n",
			(long long)nowNs(), (int)pad, padding);
		sendAll(piece, (size_t)size);
	}
	answer(saved, "{\"stopReason\":\"end_turn\"}");
}

int main(void)
{
	memset(padding, 'x', paddingMax);
	setvbuf(stdin, NULL, _IONBF, 0);
	while (readLine()) {
		if (strstr(line, "\"method\":\"initialize\"") != NULL)
			answer(line, "{\"protocolVersion\":1,\"agentCapabilities\":{}}");
		else if (strstr(line, "\"method\":\"session/new\"") != NULL)
			answer(line, "{\"sessionId\":\"one\"}");
		else if (strstr(line, "\"method\":\"session/prompt\"") != NULL)
			stream(line);
		else
			answer(line, "{}");
	}
	return 0;
}
