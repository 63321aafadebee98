/*
 * The numbers of JSON-RPC that only the gateway has to know; those of a message are in the protocol.
 */

/* Of one socket: as many conversations as a person has open. */
export const threadsFollowedMax = 32;

/* Proxies cut at 60 s, some at 30. */
export const keepAliveMs = 20_000;
