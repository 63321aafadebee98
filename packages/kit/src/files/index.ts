/*
 * The side door of kit for Node: directories and files that other users can neither read nor change. What comes through the
 * main door runs in browsers; this does not.
 */
export {
  below,
  enterDirectory,
  type FileName,
  holdDirectory,
  holdPrivateDir,
  holdPrivateDirIn,
  namesIn,
} from './held-dir.ts';
export { makeTrustedDir, openPrivateDir } from './private-dir.ts';
export type { DirIdentity, Refuse } from './private-dir.ts';
export { closeToOthers, makePrivateFile } from './private-file.ts';
export { removeBelow } from './remove-below.ts';
export { shellWord } from './shell-word.ts';
export { syncDirectory } from './sync-directory.ts';
export { findUnsafe, inTheWay } from './trusted-path.ts';
export type { Unsafe } from './trusted-path.ts';
