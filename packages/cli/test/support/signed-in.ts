/*
 * Somebody who is signed in to the rig's gateway as `home`, with a state directory of their own, so that nothing of what they see
 * can come from this machine.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliResult, CliRig } from './cli-process.ts';
import type { ServedGateway } from './gateway-rig.ts';

export interface SignedIn {
  readonly env: Readonly<Record<string, string>>;
  readonly clf: (...args: string[]) => Promise<CliResult>;
}

export async function signIn(
  rig: CliRig,
  { url, loginLink }: Pick<ServedGateway, 'url' | 'loginLink'>,
  ...flags: string[]
): Promise<SignedIn> {
  const home = rig.env['HOME'] ?? '';
  const file = join(home, 'link');
  writeFileSync(file, `${loginLink}\n`, { mode: 0o600 });
  const env = {
    CLAWDFATHER_STATE_DIR: join(home, 'elsewhere'),
    XDG_CONFIG_HOME: join(home, 'elsewhere-config'),
    // On a busy machine a second is short.
    CLAWDFATHER_COMPLETION_WAIT: '30s',
  };
  const clf = (...args: string[]) => rig.clfWith({ env }, ...args);
  const signedIn = await clf('login', url, '--link-file', file, '--name', 'home', ...flags);
  assert.equal(signedIn.code, 0, signedIn.stderr);
  return { env, clf };
}
