/*
 * Which gateway is meant, and with which token: what `--host` (or CLAWDFATHER_HOST) names; else the one that runs on this machine;
 * else the only one that we are signed in to.
 */
import { suggestNearest } from '../args/suggest.ts';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { findGateway } from '../gateway/gateway-file.ts';
import { readHosts, type StoredHost } from './hosts-file.ts';

export interface Target {
  readonly url: string;
  readonly name: string;
  /* Undefined: not signed in. */
  readonly host: StoredHost | undefined;
  /* It runs on this machine, over this state directory. */
  readonly isLocal: boolean;
  /* SHA-256 of the certificate that it has to show; undefined: the usual rules hold. */
  readonly certificate?: string;
}

export function findTarget({ config }: Pick<CommandContext, 'config'>, named?: string): Target {
  const hosts = readHosts(config);
  const typed = named ?? config.values.host;
  const local = localTarget(config.stateDir, hosts);
  if (typed !== undefined) return namedTarget(typed, hosts, local);
  if (local !== undefined) return local;
  const [only, ...others] = hosts.filter(({ stateDir }) => stateDir === null);
  if (only !== undefined && others.length === 0) return targetOf(only);
  throw new CliError('host-not-found', whichText(hosts), {
    hint: 'Start one here: clf serve. Or say which: --host NAME, CLAWDFATHER_HOST, or clf login URL.',
  });
}

/* As `findTarget`, and also the gateway of this machine while it is not running: to be forgotten it need not be there. */
export function findKnown(context: Pick<CommandContext, 'config'>, named?: string): Target {
  const { stateDir, values } = context.config;
  const hosts = readHosts(context.config);
  const here = hosts.find((one) => one.stateDir === stateDir);
  const isNamed = (named ?? values.host) !== undefined;
  if (isNamed || here === undefined || localTarget(stateDir, hosts) !== undefined) {
    return findTarget(context, named);
  }
  return targetOf(here);
}

export function localTarget(stateDir: string, hosts: readonly StoredHost[]): Target | undefined {
  const found = findGateway(stateDir);
  if (found.kind !== 'running') return undefined;
  const { url, certificate } = found.record;
  const host = hosts.find((one) => one.stateDir === stateDir);
  const pin = certificate === null ? {} : { certificate };
  return { url, name: 'local', host, isLocal: true, ...pin };
}

function namedTarget(
  typed: string,
  hosts: readonly StoredHost[],
  local: Target | undefined,
): Target {
  const origin = URL.canParse(typed) ? new URL(typed).origin : undefined;
  if (local !== undefined && (typed === 'local' || origin === local.url)) return local;
  const host = hosts.find(({ name, url }) => name === typed || url === origin);
  if (host !== undefined) return targetOf(host);
  if (origin !== undefined && origin !== 'null') {
    return { url: origin, name: new URL(origin).host, host: undefined, isLocal: false };
  }
  const nearest = suggestNearest(
    typed,
    hosts.map(({ name }) => name),
  );
  throw new CliError('host-not-found', `no gateway is called "${typed}"`, {
    hint:
      nearest === undefined
        ? 'Sign in to it by its address: clf login https://…'
        : `Did you mean ${nearest}?`,
    detail: { typed },
  });
}

function targetOf(host: StoredHost): Target {
  return { url: host.url, name: host.name, host, isLocal: false };
}

function whichText(hosts: readonly StoredHost[]): string {
  const names = hosts.filter(({ stateDir }) => stateDir === null).map(({ name }) => name);
  if (names.length === 0) return 'no gateway runs on this machine, and no other one is known';
  return `no gateway runs on this machine, and several others are known: ${names.join(', ')}`;
}
