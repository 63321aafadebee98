/*
 * A side door of gateway, for the command line: the control database as a file, and the master keys to its secrets, without opening
 * or migrating it and without loading a server.
 */
export {
  placeMasterKeys,
  planMasterKeys,
  readMasterKeyIds,
  rotateMasterKey,
} from '@clawdfather/ssh';
export { backUp, checkBackup, openToRead, restoreBackup } from '@clawdfather/store';
