/*
 * Bounds of the conversation with an agent.
 */

/* The longest message (W2). A prompt with pictures, or a file as a tool's result, has a few megabytes; more is a fault of the agent. */
export const messageBytesMax = 64 * 1024 * 1024;

/* The journal of an agent holds what was not consumed: at least twice the longest message and some, or agent and reader would wait for each other (W2). */
export const journalBytesMax = 160 * 1024 * 1024;

/* What is kept of stderr between the pieces of one message (W1). */
export const heldStderrBytesMax = 64 * 1024;

/* What is shown of a line that is no message. The journal has the rest. */
export const noiseBytesMax = 8 * 1024;

/* How long a cancelled turn may take to end before its agent is ended (W13). */
export const cancelGraceMs = 10_000;

/* How long an agent may take over `session/close` before its tree is ended anyway. Real agents write a small file then. */
export const closeGraceMs = 5_000;

/* From the start of an agent until it can be prompted. Real agents need 0.5 to 5 s here, and more on a busy machine. */
export const handshakeMs = 120_000;

/* How long an agent may take over a value that is set before a prompt. Real agents need less than a second; one may ask its provider. */
export const settingMs = 30_000;

/* How often a turn is put back whose agent dies before it has the prompt. An agent that cannot live here would be started for ever. */
export const requeuesMax = 3;
