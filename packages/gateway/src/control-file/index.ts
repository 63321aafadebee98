/*
 * A side door of gateway, for the command line: the control database as a file, without opening or migrating it and without
 * loading a server.
 */
export { backUp, checkBackup, openToRead, restoreBackup } from '@clawdfather/store';
