/*
 * `clf logout [HOST]`: the token is revoked at the gateway and forgotten here; here also when the gateway cannot be reached.
 */
import type { CallOf } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { findKnown, type Target } from '../hosts/find-host.ts';
import { readHosts, writeHosts } from '../hosts/hosts-file.ts';
import { createClientOf } from '../hosts/open-client.ts';
import { jsonLine } from '../render/run-json.ts';
import type { logoutSpec } from './host-specs.ts';

export async function execute(context: CallOf<typeof logoutSpec>): Promise<ExitStatus> {
  const { config, io } = context;
  const target = findKnown(context, context.operands.gateway);
  const { host, url } = target;
  if (host === undefined) {
    throw new CliError('not-signed-in', `you are not signed in to ${url}`, { detail: { url } });
  }
  const isRevoked = await revoke(target, host.token);
  const others = readHosts(config).filter(({ token }) => token !== host.token);
  writeHosts(config, others, config.pid);
  if (context.isJson) await io.stdout.write(jsonLine({ name: host.name, url, isRevoked }));
  else {
    await io.stdout.write(`Signed out of ${url}.\n`);
    if (!isRevoked) {
      await io.stderr.write(
        'clf: it did not answer, so there the sign-in is good until it ends: clf devices\n',
      );
    }
  }
  return codeStatus(exitOk);
}

async function revoke(target: Target, token: string): Promise<boolean> {
  const { RefusedError } = await import('@clawdfather/sdk');
  try {
    await (await createClientOf(target, token)).auth.signOut();
    return true;
  } catch (error) {
    // A token that is not good any more is as good as revoked.
    return error instanceof RefusedError && error.refusal.status === 401;
  }
}
