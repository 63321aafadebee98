/*
 * The limits of sessions, each with its reason.
 */

/* An owner that is silent for this long may lose its sessions to another: four heartbeats of 30 s. */
export const ownerStaleMs = 120_000;

/* After the account's idle timeout: a client that was just about to come back finds its session open. */
export const idleGraceMs = 5 * 60_000;
