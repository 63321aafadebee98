/*
 * The numbers of sockets, each with its reason.
 */
import type { WaitingLimits } from './waiting-sockets.ts';

export interface SocketLimits extends WaitingLimits {
  /* Of clients that have signed in. */
  readonly socketsMax: number;
  readonly perAddressMax: number;
}

/*
 * Half of the descriptors that a process usually gets; runs and the database need the rest. An address may be a proxy or an
 * office. Those of one account are bounded by themselves (accounts/account-bounds.ts).
 */
export const socketLimits: SocketLimits = {
  socketsMax: 10_000,
  perAddressMax: 1_000,
  // Some 20 MB at the most. A client waits for as long as its token takes to arrive and to be looked up, so 512 are thousands a second.
  waitingMax: 512,
  // An office or a proxy whose clients all come back in the same moment, after a restart, say.
  waitingPerAddressMax: 128,
};

/* A client that has connected knows its token. */
export const authMs = 5_000;

/* Answers that wait for a client that sends and does not read. Beyond this it is cut off. */
export const unreadAnswerBytesMax = 1024 * 1024;

/* Input on its way to runs that do not read; beyond it the socket is not read either. Four of the largest messages. */
export const unreadInputBytesMax = 256 * 1024;

/* A screen of tiles, as many as a person can watch. */
export const attachedRunsMax = 16;

/* Each takes one of the 64 connections of a shim, which also serve whoever types into the run or ends it. */
export const fitsPerRunMax = 8;

/* Below the 60 s after which proxies close a silent connection. After three without an answer the client counts as gone. */
export const pingMs = 30_000;
export const silentMs = 90_000;
/* How often all of that is looked at. Late by at most this. */
export const lookMs = 5_000;

/* How often a session that a socket shows is read, for its end: another gateway may have closed it. */
export const sessionLookMs = 500;

/* How long a client has to answer a close before its connection is cut, and how long the gateway waits for all of them. */
export const closeMs = 5_000;
export const closeAllMs = 1_000;
