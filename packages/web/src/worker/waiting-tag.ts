/*
 * The name under which the system is asked to wake the worker when there is a network again (Background Sync).
 */
export const waitingTag = 'clawdfather-outbox';
