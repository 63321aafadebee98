/*
 * The numbers of live output, each with its reason.
 */

/* One message of output. Small enough that a slow line shows progress, large enough that a flood costs few of them. */
export const chunkBytesMax = 64 * 1024;

/*
 * What the window of a run holds for readers that are slower than the fastest; beyond it they read by themselves. Filled only
 * in a flood, and as much as the journal's own reader holds then.
 */
export const windowBytesMax = 4 * 1024 * 1024;

/*
 * How long the fastest waits for the slowest before that one is overtaken: a reader that the scheduler has kept from its turn
 * comes back within this, and reading by itself would cost more than the wait. One that has stopped costs the others this once.
 */
export const patienceMs = 40;

/* The part that all readers have taken already. It is kept so that a reader a moment behind joins without reading the journal. */
export const takenBytesMax = 128 * 1024;

/* An entry's own objects: a window full of single keys must not be a thousand times its bytes. */
export const chunkOverheadBytes = 512;

/*
 * Readers that read the journal by themselves at the same time. Each holds a buffer of up to 4 MiB while it does; more of them
 * take turns.
 */
export const readersAtOnceMax = 8;

/* How long such a reader keeps its turn while its socket is full. A fast one is back within this; a slow one gets in line. */
export const keptTurnMs = 100;

/* Pieces that were written within this make one chunk, so that a reader who shows times is wrong by no more. */
export const chunkSpanMs = 100;

/*
 * What waits in a connection before its reader waits instead. A line that takes this in `stalledMs` is about as slow as a phone
 * gets, 17 kB/s; anything slower loses the connection and comes again with its cursor.
 */
export const unsentBytesMax = 512 * 1024;
export const stalledMs = 30_000;
