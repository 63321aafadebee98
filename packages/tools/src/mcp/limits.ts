/*
 * The numbers of the MCP face, each with its reason.
 */

/*
 * Of a run's output, per result. 200 lines of 80 columns: 4,000 to 6,000 tokens of ordinary text. Agents refuse or cut
 * results of 25,000 tokens, and some count the readable text and the structured content both; even output that costs a
 * token per character stays below.
 */
export const resultCharactersMax = 16_000;

/* An error may repeat what it is about, and that may be long. */
export const errorCharactersMax = 2_000;

/* `exec` takes 10,000,000 characters of stdin, and JSON may spend six bytes on each. */
export const messageBytesMax = 64 * 1_024 * 1_024;

/* 2025-03-26 has batches; no known client sends long ones. */
export const batchMessagesMax = 100;

/* A client that sends and does not read: from here on we do not read either. Some hundred results of the usual size. */
export const unsentCharactersMax = 4 * 1_024 * 1_024;

/* Requests that are not answered yet: from here on we do not read the next one. Far more than an agent waits for at once. */
export const openRequestsMax = 512;

/* Clients show progress to people and reset their timeouts on it (60 s is usual). */
export const progressIntervalMs = 1_000;
export const progressHeartbeatMs = 5_000;
export const progressMessageCharactersMax = 200;

/* A client's name for itself, in approvals and logs. */
export const clientNameCharactersMax = 64;

/* Runs that a connection hears the end of. Each costs a promise here, and a process anyway; no agent reads so many ends. */
export const followedRunsMax = 1_000;

/* Ends that one result names; the others come with the next one. A line each, so about 1,000 tokens. */
export const noticesPerResultMax = 20;

/* Of a command, to recognise it by. */
export const noticeCommandCharactersMax = 80;
