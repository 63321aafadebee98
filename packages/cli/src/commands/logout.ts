/*
 * `clf logout [NAME|URL]`: the token is revoked at the gateway and forgotten here; here also when the gateway cannot be reached.
 */
import type { CallOf, CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { findKnown, type Target } from '../sign-in/find-gateway.ts';
import { readGateways, type StoredGateway, writeGateways } from '../sign-in/gateways-file.ts';
import { createClientOf } from '../sign-in/open-client.ts';
import { jsonLine } from '../render/run-json.ts';
import type { logoutSpec } from './sign-in-specs.ts';

export async function execute(context: CallOf<typeof logoutSpec>): Promise<ExitStatus> {
  const { config, io } = context;
  const { gateway: named = config.values.defaultGateway } = context.operands;
  if (named === undefined && readGateways(config).length === 0) {
    throw new CliError('not-signed-in', 'you are signed in to no gateway');
  }
  const target = findKnown(context, context.operands.gateway);
  const { stored, url } = target;
  if (stored === undefined) {
    throw new CliError('not-signed-in', `you are not signed in to ${url}`, { detail: { url } });
  }
  const isRevoked = await revoke(target, stored.token);
  const others = readGateways(config).filter(({ token }) => token !== stored.token);
  writeGateways(config, others, config.pid);
  if (context.isJson) await io.stdout.write(jsonLine({ name: stored.name, url, isRevoked }));
  else {
    await io.stdout.write(`Signed out of ${url}.\n${whatChanges(config, stored)}`);
    if (!isRevoked) {
      await io.stderr.write(
        'clf: it did not answer, so there the sign-in is good until it ends: clf devices\n',
      );
    }
  }
  return codeStatus(exitOk);
}

/* The other half of what `clf login` says. */
function whatChanges({ values }: CommandContext['config'], { isDefault }: StoredGateway): string {
  if (isDefault !== true) return '';
  const { defaultGateway: named } = values;
  return named === undefined
    ? 'From now on commands are about the runs of this machine again.\n'
    : `Commands are still about the runs of ${named}, which CLAWDFATHER_GATEWAY or the config file names.\n`;
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
