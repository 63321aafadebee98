/*
 * The numbers of MCP over HTTP, each with its reason.
 */

/* What the protocol's library takes by default, and other servers with it. Longer input is given to a run in pieces. */
export const bodyBytesMax = 4 * 1_024 * 1_024;

/* Clients of one account that we remember. An agent has one; a person has a few agents. */
export const clientsPerAccountMax = 50;

/* Of all accounts. Each costs a server object of the library and what it follows. */
export const clientsMax = 1_000;

/* A client that was silent for an hour is forgotten. If it comes back, its session is taken up again. */
export const idleMsMax = 60 * 60_000;
export const idleLookMs = 60_000;

/* That a session is used is written this often: it can be taken up for weeks, so an hour says enough. */
export const useWrittenEveryMs = 60 * 60_000;

/* Of a client's name and of its version, as they are kept with its session. */
export const clientTextCharactersMax = 200;

/* Streams of one client that listens to runs one by one. */
export const subscriptionsMax = 64;

/* Runs that a client is known to have heard of; as many as it can follow. */
export const heardOfMax = 1_000;
