/*
 * How much of what a turn leaves is looked at and kept, with the reasons. The first three are settings.
 */
export interface ArtifactBounds {
  /* Of one turn: a large release with its reports; four of the largest files. */
  readonly turnBytesMax: number;
  /* Of one account, each content once: a month of such turns, and a small part of a usual disk. */
  readonly accountBytesMax: number;
  /* After that names stay and bytes go: as long as ended sessions can be asked about. */
  readonly keptMs: number;
}

export const usualArtifactBounds: ArtifactBounds = {
  turnBytesMax: 256 * 1024 ** 2,
  accountBytesMax: 4 * 1024 ** 3,
  keptMs: 30 * 24 * 3_600_000,
};

/* What a person looks through; a tree of thousands is a build, and nothing to download one by one. */
export const filesMax = 64;
export const fileBytesMax = 64 * 1024 ** 2;
/* Looking costs a few microseconds an entry; a directory of dependencies has more. */
export const entriesMax = 10_000;
export const depthMax = 16;
/* A path that a download can be saved under. */
export const pathCharactersMax = 1_024;
/* Of what is missing, so much is named, and so much of each name; all are counted. */
export const missingMax = 64;
export const missingPathCharactersMax = 200;
/* A file that is being written is tried so often before it is called changed. */
export const readsMax = 3;
/* What stays free for journals and the database, which matter more. */
export const roomKeptBytes = 256 * 1024 ** 2;

/* As long as a turn waits for a silent host; then it is said what is missing. */
export const giveUpMs = 10 * 60_000;
/* By a gateway that starts when the time is over: its connections are only being made. */
export const triesMin = 3;
/* A gateway that lives has given up long before. One that was away for less looks itself: the files are on its machine. */
export const abandonedMs = 24 * 3_600_000;
export const retryMsMin = 2_000;
export const retryMsMax = 60_000;
/* A look at one directory. A file system that does not answer must not keep the others waiting. */
export const lookMs = 5 * 60_000;

/* How long an address is good. */
export const addressMs = 24 * 3_600_000;
/* Downloads at once of one account; each holds a descriptor and a small buffer. */
export const downloadsMax = 32;

/* Contents that no row names are left alone for this long: a snapshot stores them before its rows (CS3). */
export const unnamedKeptMs = 24 * 3_600_000;
export const collectEveryMs = 3_600_000;
