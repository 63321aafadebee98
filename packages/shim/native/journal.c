/* See journal.h. */
#include "journal.h"

#include "crc32.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

/* Our copy of an unfinished record's payload: a process has one journal, and pages never touched cost nothing. */
static u8 kept[META_BYTES_MAX];

static void segment_name(char name[20], u64 base)
{
	snprintf(name, 20, "j-%016llx", (unsigned long long)base);
}

static int write_all_at_end(int fd, const u8 *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Gives back what was allocated ahead. Where that fails some blocks stay taken, and no byte is wrong. */
static void trim(int fd, u64 length)
{
	if (ftruncate(fd, (off_t)length) != 0)
		return;
}

/* What a segment begins with, and the room that exit and end need in it. */
static u64 opening_bytes(const struct journal *journal)
{
	u64 bytes = SEGMENT_HEADER_BYTES + EXIT_RESERVE_BYTES;
	for (enum frame_kind kind = KIND_META; kind < RESTATED_KINDS; kind++)
		if (journal->restated[kind].payload)
			bytes += FRAME_HEAD_BYTES + journal->restated[kind].length;
	return bytes > FIRST_BLOCK_BYTES ? bytes : FIRST_BLOCK_BYTES;
}

/* The room comes first (J4): a segment is left only for one in which the records will fit. */
static int begin_segment(const struct journal *journal, int fd)
{
	u64 opening = opening_bytes(journal);
	if (opening > FIRST_BLOCK_BYTES && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)opening) != 0 &&
	    errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	return write_all_at_end(fd, journal->segment_head, SEGMENT_HEADER_BYTES);
}

/* Opens a segment at `base`; on failure no file is left and the old segment stays open. */
static int open_segment(struct journal *journal, u64 base)
{
	if (journal->base_count == journal->base_capacity) {
		size_t grown = journal->base_capacity ? journal->base_capacity * 2 : 4;
		u64 *moved = realloc(journal->bases, grown * sizeof *moved);
		if (!moved)
			return -ENOMEM;
		journal->bases = moved;
		journal->base_capacity = grown;
	}
	char name[20];
	segment_name(name, base);
	int fd = openat(journal->dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	u8 *head = journal->segment_head;
	put_uint(head + 16, base, 8);
	put_uint(head + 24, wall_us(), 8);
	put_uint(head + 124, crc32_of(head, 124), 4);
	int failed = begin_segment(journal, fd);
	if (failed) {
		/* Only a segment nobody can have seen whole is taken back; the first one stays, it is the claim. */
		if (base != 0)
			(void)unlinkat(journal->dir_fd, name, 0);
		close(fd);
		return failed;
	}
	if (journal->fd >= 0) {
		trim(journal->fd, journal->length);
		close(journal->fd);
	}
	journal->fd = fd;
	journal->base = base;
	journal->length = journal->empty_length = SEGMENT_HEADER_BYTES;
	journal->reserved = opening_bytes(journal);
	journal->bases[journal->base_count++] = base;
	return 0;
}

int journal_create(struct journal *journal, const struct journal_identity *identity)
{
	u8 *head = journal->segment_head;
	memcpy(head, "CLFJRNL1", 8);
	put_uint(head + 8, PROTOCOL_VERSION, 2);
	put_uint(head + 10, SEGMENT_HEADER_BYTES, 2);
	put_uint(head + 12, journal->hold ? 1 : 0, 4);
	memcpy(head + 32, identity->boot_id, 16);
	memcpy(head + 48, identity->cookie, 16);
	strncpy((char *)head + 64, identity->run_id, RUN_ID_BYTES_MAX);
	put_uint(head + 96, identity->pid_ns, 8);
	journal->fd = -1;
	return open_segment(journal, 0);
}

int journal_resume(struct journal *journal)
{
	while (journal->pending) {
		struct iovec parts[2];
		int count = 0;
		size_t done = journal->done;
		if (done < FRAME_HEAD_BYTES) {
			parts[count++] = (struct iovec){journal->head + done, FRAME_HEAD_BYTES - done};
			done = FRAME_HEAD_BYTES;
		}
		size_t skip = done - FRAME_HEAD_BYTES;
		if (skip < journal->rest_length)
			parts[count++] = (struct iovec){(void *)(uintptr_t)(journal->rest + skip), journal->rest_length - skip};
		ssize_t n = writev(journal->fd, parts, count);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		journal->done += (size_t)n;
		journal->length += (u64)n;
		journal->pending = journal->done < FRAME_HEAD_BYTES + journal->rest_length;
	}
	return 0;
}

static int append_frame(struct journal *journal, enum frame_kind kind, u8 stream, const u8 *payload, size_t length)
{
	u8 *head = journal->head;
	put_uint(head, 0x314D5246u, 4);
	head[4] = (u8)kind;
	head[5] = stream;
	put_uint(head + 6, 0, 2);
	put_uint(head + 8, length, 4);
	put_uint(head + 12, crc32_of(payload, length), 4);
	put_uint(head + 16, wall_us(), 8);
	put_uint(head + 24, (u32)(journal->base + journal->length), 4);
	put_uint(head + 28, crc32_of(head, 28), 4);
	journal->rest = payload;
	journal->rest_length = length;
	journal->done = 0;
	journal->pending = true;
	int failed = journal_resume(journal);
	if (failed && journal->done == 0)
		journal->pending = false;
	return failed;
}

/* Allocates ahead in growing steps; a file system that cannot do it is used as it is. */
static int reserve(struct journal *journal, size_t frame_bytes)
{
	u64 need = journal->length + frame_bytes + EXIT_RESERVE_BYTES;
	if (need <= journal->reserved)
		return 0;
	u64 step = journal->length / 4;
	step = step < (64u << 10) ? 64u << 10 : step > (16u << 20) ? 16u << 20 : step;
	for (int attempt = 0; attempt < 2; attempt++) {
		u64 until = attempt == 0 ? need + step : need;
		if (fallocate(journal->fd, FALLOC_FL_KEEP_SIZE, (off_t)journal->reserved,
			      (off_t)(until - journal->reserved)) == 0) {
			journal->reserved = until;
			return 0;
		}
		if (errno == EOPNOTSUPP || errno == ENOSYS) {
			journal->reserved = UINT64_MAX;
			return 0;
		}
	}
	return -errno;
}

/* J4's floor: who has written most stops first, without anybody keeping a list. */
static int check_free_space(struct journal *journal, size_t frame_bytes)
{
	if (journal->draining)
		return 0;
	journal->unchecked_bytes += frame_bytes;
	if (journal->unchecked_bytes < FREE_SPACE_CHECK_BYTES)
		return 0;
	struct statvfs fs;
	if (fstatvfs(journal->fd, &fs) != 0)
		return -errno;
	u64 own = journal_bytes(journal);
	u64 floor = own < FREE_SPACE_FLOOR_BYTES ? own : FREE_SPACE_FLOOR_BYTES;
	if ((u64)fs.f_bavail * fs.f_frsize < floor)
		return -ENOSPC; /* unchecked_bytes stays: the next try asks again */
	journal->unchecked_bytes = 0;
	return 0;
}

static void drop_oldest(struct journal *journal)
{
	char name[20];
	segment_name(name, journal->bases[0]);
	(void)unlinkat(journal->dir_fd, name, 0);
	journal->base_count--;
	memmove(journal->bases, journal->bases + 1, journal->base_count * sizeof *journal->bases);
}

/* J3. Returns false when a held journal is full of what nobody has stored yet. */
static bool make_room(struct journal *journal, size_t frame_bytes)
{
	while (journal->base_count > 1 && journal_bytes(journal) + frame_bytes > journal->bytes_max) {
		if (journal->hold && journal->bases[1] > journal->consumed)
			return false;
		drop_oldest(journal);
	}
	/* One frame is always taken once nothing else is there: a cap that is smaller must not be the end of a run. */
	bool alone = journal->base_count == 1 && journal->length <= journal->empty_length;
	return !journal->hold || alone || journal_bytes(journal) + frame_bytes <= journal->bytes_max;
}

static int next_segment_if_full(struct journal *journal, size_t frame_bytes)
{
	if (journal->length <= journal->empty_length || journal->length + frame_bytes <= journal->segment_bytes)
		return 0;
	int failed = open_segment(journal, journal_end(journal));
	if (failed)
		return failed;
	for (enum frame_kind kind = KIND_META; kind < RESTATED_KINDS && !journal->pending; kind++)
		if (journal->restated[kind].payload)
			(void)append_frame(journal, kind, 0, journal->restated[kind].payload, journal->restated[kind].length);
	journal->empty_length = journal->length;
	return journal_resume(journal);
}

static bool is_restated(enum frame_kind kind)
{
	return kind == KIND_META || kind == KIND_START || kind == KIND_CLAIM;
}

/* Without memory it is not repeated, and a rebuild of a long ring knows less. */
static void remember(struct journal *journal, enum frame_kind kind, const void *payload, size_t length)
{
	if (!is_restated(kind))
		return;
	free(journal->restated[kind].payload);
	journal->restated[kind].payload = malloc(length ? length : 1);
	journal->restated[kind].length = length;
	if (journal->restated[kind].payload)
		memcpy(journal->restated[kind].payload, payload, length);
}

int journal_append(struct journal *journal, enum frame_kind kind, const void *payload, size_t length)
{
	if (journal->sealed)
		return -EROFS;
	int failed = journal_resume(journal);
	if (failed)
		return failed;
	size_t frame_bytes = FRAME_HEAD_BYTES + length;
	/* Only exit and end may use what is kept for them. They stay in the segment in which it is kept. */
	if (kind < KIND_EXIT) {
		/* A record is never held back by the cap, and a segment may grow if there can be no next one. */
		if (next_segment_if_full(journal, frame_bytes) == 0)
			(void)make_room(journal, frame_bytes);
		if ((failed = journal_resume(journal)) || (failed = reserve(journal, frame_bytes)))
			return failed;
	}
	failed = append_frame(journal, kind, 0, payload, length);
	if (!failed || journal->pending)
		remember(journal, kind, payload, length);
	if (!journal->pending)
		return failed;
	/* Begun, so it will be finished before anything else; the caller's bytes may be gone by then. */
	memcpy(kept, payload, length);
	journal->rest = kept;
	return 0;
}

int journal_output(struct journal *journal, u8 stream, const u8 *bytes, size_t length)
{
	int failed = journal_resume(journal);
	if (failed)
		return failed;
	if (journal->begun) {
		journal->begun = NULL;
		return 0;
	}
	size_t frame_bytes = FRAME_HEAD_BYTES + length;
	if ((failed = next_segment_if_full(journal, frame_bytes)))
		return failed;
	if (!make_room(journal, frame_bytes) && !journal->draining)
		return -ENOBUFS;
	if ((failed = check_free_space(journal, frame_bytes)) || (failed = reserve(journal, frame_bytes)))
		return failed;
	failed = append_frame(journal, KIND_OUTPUT, stream, bytes, length);
	journal->begun = journal->pending ? bytes : NULL;
	return failed;
}

ssize_t journal_read_back(const struct journal *journal, u64 from, u8 *bytes, size_t length)
{
	if (from < journal->base || journal->pending)
		return 0;
	return pread(journal->fd, bytes, length, (off_t)(from - journal->base));
}

u64 journal_end(const struct journal *journal)
{
	return journal->base + journal->length;
}

u64 journal_bytes(const struct journal *journal)
{
	return journal->base_count ? journal_end(journal) - journal->bases[0] : 0;
}

bool journal_consume(struct journal *journal, u64 offset)
{
	if (offset > journal_end(journal))
		return false;
	if (offset > journal->consumed)
		journal->consumed = offset;
	return true;
}

void journal_seal(struct journal *journal)
{
	journal->sealed = true;
	if (journal->reserved > FIRST_BLOCK_BYTES)
		trim(journal->fd, journal->length);
}

void journal_sync(const struct journal *journal)
{
	if (journal->fd >= 0)
		(void)fdatasync(journal->fd);
}
