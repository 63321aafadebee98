/*
 * The door of ssh: the custody of keys.
 */
export { SshError, sshErrorCodes } from './errors.ts';
export type { SshErrorCode } from './errors.ts';
export { formatInstallCommand } from './keys/install-command.ts';
export { createKeyCustody } from './keys/key-custody.ts';
export type { KeyCustody } from './keys/key-custody.ts';
export { createMasterKms } from './keys/kms.ts';
export type { Kms, KeyUse, MasterKey, WrappedKey } from './keys/kms.ts';
export { openMasterKeys, rotateMasterKey } from './keys/master-keys.ts';
export type { MasterKeys } from './keys/master-keys.ts';
export { placeMasterKeys, planMasterKeys, readMasterKeyIds } from './keys/place-keys.ts';
export type { KeysMove } from './keys/place-keys.ts';
export type {
  KeyRecords,
  KeyRevocation,
  NewKeypair,
  RevocableKeys,
  RevokeOutcome,
} from './keys/ports.ts';
export { revokeKey } from './keys/revoke-key.ts';
