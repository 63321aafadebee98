/*
 * How many requests may wait, how large they may be, and how long they are kept. An agent chooses the size of its requests; these
 * limits bound what others have to read.
 */

/* Of one account: an agent that asks in a loop must not bury what other agents of the account ask. */
export const waitingMax = 64;
/* Of one account, with input and environment: ten requests of the largest size. One look at them reads so much. */
export const waitingBytesMax = 4 * 1024 * 1024;
/* Of all accounts together: sixteen that have used up theirs. It bounds the disk and what a start watches over. */
export const waitingOverallMax = 16 * waitingMax;
export const waitingOverallBytesMax = 16 * waitingBytesMax;
/* One request, with its input and environment. No person reads more before deciding. */
export const requestCharactersMax = 256 * 1024;
/* As long as runs are kept, so that the approval of a run can be looked up as long as the run. */
export const keptMs = 7 * 24 * 60 * 60 * 1000;
/* Of one account, the newest of those that are over: as many as finished runs are kept. */
export const keptMax = 1_000;
/* Of a command, in every list and in what remains of it: as much as is kept of a run's. */
export const commandCharactersMax = 4_096;
/* The kernel takes no longer path. */
export const directoryCharactersMax = 4_096;
/* Sentences for people: why a request is held, and the note of a decision. */
export const sentenceCharactersMax = 1_024;
/* As long as the label that the run will have. */
export const requesterCharactersMax = 512;
/* Rules that were revoked: long enough to find out why something is asked about that was not a season ago. */
export const revokedKeptMs = 90 * 24 * 60 * 60 * 1000;
/* Of one file that an approval is bound to: scripts, settings and small programs are below it, data and large programs above. */
export const boundFileBytesMax = 1024 * 1024;
/* Of one approval. All of it is read at the request and once more at the start, in a tenth of a second. */
export const boundFilesMax = 64;
export const boundBytesMax = 16 * 1024 * 1024;
/* Files that are named and not bound, which are listed with the reason; further ones are counted. */
export const unboundListedMax = 64;
/* Paths that are looked at: more than a person reads words. */
export const lookedAtMax = 4_096;
/* Longer than a disk takes, shorter than a person waits for; a dead mount never answers. */
export const boundLookMs = 5_000;
