/*
 * How long the app waits for a sign of an answer. A phone that changed its network holds connections that are gone without a word.
 */
export const callLimitMs = 15_000;
