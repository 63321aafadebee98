/*
 * The journal's writer (docs/protocol/journal.md). Holds J1, J3, J4.
 *
 * A frame is appended whole or is pending: after a short write the rest is kept and must be finished
 * (journal_resume) before anything else. Room for the exit and end records is allocated ahead of output,
 * so a full disk blocks output and never the records.
 */
#ifndef CLF_JOURNAL_H
#define CLF_JOURNAL_H

#include "limits.h"
#include "sys.h"

enum frame_kind {
	KIND_META = 1,
	KIND_START,
	KIND_OUTPUT,
	KIND_RESIZE,
	KIND_CLAIM,
	KIND_INPUT,
	KIND_NOTE,
	KIND_EXIT,
	KIND_END,
};

/* meta, start, claim: indexed by their kinds */
#define RESTATED_KINDS (KIND_CLAIM + 1)
#define SEGMENT_HEADER_BYTES 128u
#define FRAME_HEAD_BYTES 32u

struct journal {
	int dir_fd;
	int fd;
	bool hold;
	u64 bytes_max;
	u64 segment_bytes;
	/* logical offset and length of the open segment */
	u64 base;
	u64 length;
	/* length at which it has nothing in it yet but what every segment begins with */
	u64 empty_length;
	/* allocated up to here in the open segment */
	u64 reserved;
	/* bases of the segments still on disk, oldest first; the open one is last */
	u64 *bases;
	size_t base_count;
	size_t base_capacity;
	/* hold: everything below may go */
	u64 consumed;
	u64 unchecked_bytes;
	/* the root is gone, so little is left to come: the cap and the free-space floor do not hold it back */
	bool draining;
	/* nothing follows the final end */
	bool sealed;
	/* the rest of a frame that a short write left unfinished */
	u8 head[FRAME_HEAD_BYTES];
	const u8 *rest;
	size_t rest_length;
	size_t done;
	bool pending;
	/* output that was begun and not yet reported as written: when it is offered again it is not new */
	const u8 *begun;
	u8 segment_head[SEGMENT_HEADER_BYTES];
	/* what every segment begins with: a ring that dropped the first one can still be described (J3) */
	struct {
		u8 *payload;
		size_t length;
	} restated[RESTATED_KINDS];
};

struct journal_identity {
	const u8 *boot_id;
	const u8 *cookie;
	const char *run_id;
	u64 pid_ns;
};

/* Creates the first segment exclusively: this is the claim of the run (S1). 0 or -errno. */
int journal_create(struct journal *journal, const struct journal_identity *identity);
/* Records. On -errno nothing was appended; on 0 it is, or will be before anything else. Exit and end may use the reserve. */
int journal_append(struct journal *journal, enum frame_kind kind, const void *payload, size_t length);
/*
 * Output: asks for room first. On -errno the same bytes, at the same address, are to be offered again; -ENOBUFS says
 * that a held journal is full of what nobody has consumed (J3).
 */
int journal_output(struct journal *journal, u8 stream, const u8 *bytes, size_t length);
/* Finishes a pending frame; 0 when nothing is pending any more. */
int journal_resume(struct journal *journal);
/* Bytes at a logical offset, if the newest segment has them; as pread. */
ssize_t journal_read_back(const struct journal *journal, u64 from, u8 *bytes, size_t length);
u64 journal_end(const struct journal *journal);
/* Bytes on disk over all segments. */
u64 journal_bytes(const struct journal *journal);
/* hold: the owner has stored all before this offset. False when there is nothing at that offset yet. */
bool journal_consume(struct journal *journal, u64 offset);
/* After the final end: gives back what was allocated ahead, and takes no more. */
void journal_seal(struct journal *journal);
/* Waits for the disk. */
void journal_sync(const struct journal *journal);

#endif
