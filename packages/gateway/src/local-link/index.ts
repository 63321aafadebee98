/*
 * A side door of gateway, for the command line: leaving a login link for the gateway of this machine, without loading a server.
 */
export { leaveLocalLink } from '../auth/local-link.ts';
export type { LocalLinkDeps } from '../auth/local-link.ts';
