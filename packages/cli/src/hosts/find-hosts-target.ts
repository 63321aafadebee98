/*
 * The gateway that is meant by a command about SSH hosts or agents. Such commands need one, and the error says how to get it.
 */
import { hasCode } from '@clawdfather/kit';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { findTarget, type Target } from '../sign-in/find-gateway.ts';
import { localName } from '../sign-in/local-name.ts';

/* Throws `gateway-needed` where none is named and none runs. */
export function findHostsTarget(
  context: Pick<CommandContext, 'config'>,
  who = 'SSH hosts need',
): Target {
  try {
    return findTarget(context);
  } catch (error) {
    const named = context.config.values.defaultGateway;
    const isOther = named !== undefined && named !== localName;
    if (!hasCode(error, 'gateway-not-found') || isOther) throw error;
    const why = named === undefined ? error.message : 'none runs on this machine';
    throw new CliError('gateway-needed', `${who} a gateway: ${why}`, {
      hint: 'Start one: clf serve (or clf service install, to keep it), then clf login. One elsewhere: clf login URL.',
      ...(named === undefined ? { cause: error } : {}),
    });
  }
}
