/*
 * The door of ssh: the custody of keys and the signer that uses them, which addresses may be reached, host key pins, connections and
 * commands.
 */
export { agentDoorIn, closeAgentDoor, openAgentDoor } from './master/agent-door.ts';
export { addressKinds } from './addresses/address-kind.ts';
export type { AddressKind } from './addresses/address-kind.ts';
export { chooseAddress, memberKinds, ownerKinds } from './addresses/address-policy.ts';
export type {
  AddressPolicy,
  AddressVerdict,
  ForbiddenWhy,
  Listener,
} from './addresses/address-policy.ts';
export { resolveTarget } from './addresses/resolve-target.ts';
export type {
  Lookup,
  ResolveOutcome,
  ResolveRequest,
  ResolverPorts,
} from './addresses/resolve-target.ts';
export { bootstrapExit } from './command/bootstrap.ts';
export type { Environment, HostCommand } from './command/command-script.ts';
export { planCommand } from './command/plan-command.ts';
export type { CommandInput, PlannedCommand } from './command/plan-command.ts';
export { quotePosix } from './command/quote-posix.ts';
export { restrictedShell } from './command/restricted-shell.ts';
export type { ShellEvidence } from './command/restricted-shell.ts';
export { createPlaces, nextPlaces, placesLimit } from './command/session-places.ts';
export type {
  PlacesEffect,
  PlacesEvent,
  PlacesState,
  PlacesStep,
} from './command/session-places.ts';
export { formatSweep } from './command/sweep-script.ts';
export type { SweepInput } from './command/sweep-script.ts';
export { SshError, sshErrorCodes } from './errors.ts';
export type { SshErrorCode } from './errors.ts';
export { formatInstallCommand } from './keys/install-command.ts';
export { createKeyCustody } from './keys/key-custody.ts';
export type { KeyCustody } from './keys/key-custody.ts';
export { masterIdOf, openSecret, rewrapSecret, sealSecret } from './keys/envelope.ts';
export type { EnvelopeDeps } from './keys/envelope.ts';
export { openFileKms } from './keys/file-kms.ts';
export type { FileKmsDeps } from './keys/file-kms.ts';
export { createMasterKms } from './keys/kms.ts';
export type { Kms, KeyUse, MasterKey, WrappedKey } from './keys/kms.ts';
export { openMasterKeys, rotateMasterKey } from './keys/master-keys.ts';
export type { MasterKeys } from './keys/master-keys.ts';
export { connectionKeysOf, keysToOffer, nextConnectionKeys } from './keys/next-connection-keys.ts';
export type {
  ConnectionKeys,
  ConnectionKeysEvent,
  NextConnectionKeys,
} from './keys/next-connection-keys.ts';
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
export { causeOf, offeredKey } from './master/cause.ts';
export { causeOfUnseenEnd } from './master/unseen-end.ts';
export type { DrainWhy, MasterEvidence, RunEnd, SignerFacts } from './master/cause.ts';
export { isFailedLogin, masterCauses, mayPass } from './master/cause-table.ts';
export type { MasterCause } from './master/cause-table.ts';
export { formatAlias } from './master/config-fields.ts';
export { connectSeconds, formatMasterConfig } from './master/config-text.ts';
export type { MasterConfig } from './master/config-text.ts';
export {
  formatMasterArgv,
  formatPassengerConfig,
  formatSshPrefix,
  masterEnvironment,
} from './master/master-command.ts';
export type { MasterPaths, PrefixParts } from './master/master-command.ts';
export { socketPathBytesMax } from './master/master-place.ts';
export {
  adoptMaster,
  masterAddressLabel,
  masterDirLabel,
  openMaster,
} from './master/open-master.ts';
export type {
  Master,
  MasterDeps,
  MasterEnd,
  MasterHooks,
  MasterRequest,
} from './master/master.ts';
export { masterDueAtMs, masterHealth } from './master/master-state.ts';
export type {
  MasterEffect,
  MasterEvent,
  MasterHealth,
  MasterState,
} from './master/master-state.ts';
export { nextMaster } from './master/next-master.ts';
export type { MasterStep } from './master/next-master.ts';
export { parseReport } from './master/report.ts';
export type { Report, ReportLine } from './master/report.ts';
export {
  comparePin,
  fingerprintOf,
  formatHostKey,
  formatPinFile,
  formatPinLine,
  hostKeyAlgorithmsOf,
  parseHostKey,
} from './pins/host-key.ts';
export type { HostKey, HostKeyReading, PinVerdict } from './pins/host-key.ts';
export { hostKeyTypes } from './pins/key-blob.ts';
export type { HostKeyType } from './pins/key-blob.ts';
export { openSigner } from './signer/open-signer.ts';
export type { Signer, SignerKey, SignerOptions } from './signer/open-signer.ts';
export type { SignerEvidence } from './signer/signer-answers.ts';
export type { Refusal } from './signer/decide.ts';
