/*
 * The numbers of live output, each with its reason.
 */

/* One message of output. Small enough that a slow line shows progress, large enough that a flood costs few of them. */
export const chunkBytesMax = 64 * 1024;

/* What the window of a run holds for readers that are a little slower than the fastest; beyond it they read by themselves. */
export const windowBytesMax = 1024 * 1024;

/* Of it, what everybody has taken already: whoever comes a moment later joins without reading the journal. */
export const takenBytesMax = 128 * 1024;

/* An entry's own objects: a window full of single keys must not be a thousand times its bytes. */
export const chunkOverheadBytes = 512;

/*
 * Readers that read the journal by themselves at the same time. Each holds a buffer of up to 4 MiB while it does, and gives it
 * back whenever its socket is full; more of them take turns.
 */
export const readersAtOnceMax = 8;
