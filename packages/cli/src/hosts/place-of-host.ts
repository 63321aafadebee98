/*
 * The place of a command that may name a host (`--host`). An SSH host is reached through a gateway, so such a command is about that
 * gateway: the one that is named, or the one that `clf host` would ask. `local` is the machine of the place itself, and needs none.
 */
import { localHost } from '@clawdfather/supervisor/origins';
import type { CommandContext } from '../command.ts';
import { findPlace, flagHere, placeFlag, type Target } from '../sign-in/find-gateway.ts';
import { localName } from '../sign-in/local-name.ts';
import { findHostsTarget } from './find-hosts-target.ts';

type Context = Pick<CommandContext, 'config'>;

export interface HostFlag {
  readonly flags: { readonly host?: string | undefined };
}

/* It is an SSH host. */
export function isElsewhere(host: string | undefined): host is string {
  return host !== undefined && host !== localHost;
}

/* Undefined: this machine, without any gateway. Throws `gateway-needed`. */
export function findPlaceOf(context: Context & HostFlag): Target | undefined {
  return isElsewhere(context.flags.host) ? findHostsTarget(context) : findPlace(context);
}

/*
 * What follows `clf COMMAND` to mean the runs of this place again. What a gateway of this machine started is among the runs of this
 * machine too; so where it was not named, nothing has to follow.
 */
export function flagOf({ config }: Context, target: Target): string {
  const named = config.values.defaultGateway;
  const isFound = target.isLocal && (named === undefined || named === localName);
  return isFound ? flagHere(config) : placeFlag(target);
}
