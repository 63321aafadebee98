/*
 * What is started, as one hash: the lease of an agent's process carries it, and it changes whenever anything changes that decides
 * which code runs. Values of variables are left out, because some are keys.
 */
import { createHash } from 'node:crypto';

export interface HashedCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** The digest of what npm's lockfile says of every package. Undefined for a command that somebody configured. */
  readonly integrity: string | undefined;
  /** Of an agent that is run once per turn: how. */
  readonly once?:
    | { readonly prompt: string; readonly resume?: readonly string[] | undefined }
    | undefined;
}

export function hashCommand({ argv, env, cwd, integrity, once }: HashedCommand): string {
  // JSON keeps the borders between the parts, so that no two commands give the same text.
  const how = once === undefined ? [] : [once.prompt, once.resume ?? null];
  const parts = [argv, Object.keys(env).toSorted(), cwd ?? null, integrity ?? null, ...how];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
