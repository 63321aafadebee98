/*
 * Which gateway is meant, and with which token.
 *
 * A name or an address comes from `-g`, from CLAWDFATHER_GATEWAY, or from the config file. Without one it is the default that
 * `clf login` has set. `local` is this machine: its runs for commands about runs, its gateway for commands that need one.
 */
import { hasCode } from '@clawdfather/kit';
import { suggestNearest } from '../args/suggest.ts';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { findGateway } from '../gateway/gateway-file.ts';
import { readGateways, type StoredGateway } from './gateways-file.ts';
import { localName } from './local-name.ts';

export interface Target {
  readonly url: string;
  readonly name: string;
  /* Undefined: not signed in. */
  readonly stored: StoredGateway | undefined;
  /* It runs on this machine, over this state directory. */
  readonly isLocal: boolean;
  /* SHA-256 of the certificate that it has to show; undefined: the usual rules hold. */
  readonly certificate?: string;
  /* Of this machine, whichever gateway it is: the registry there tells which commands are shielded. */
  readonly stateDirHere: string;
}

type Context = Pick<CommandContext, 'config'>;

/* What follows `clf COMMAND` to mean this machine again: whoever named it has another default. */
export function flagHere({ values }: Pick<Context['config'], 'values'>): string {
  return values.defaultGateway === localName ? ` -g ${localName}` : '';
}

/* What follows `clf COMMAND` to mean this gateway again. `local` would be this machine without it. */
export function placeFlag({ name, url, isLocal }: Target): string {
  return ` -g ${isLocal ? url : name}`;
}

/* For a sentence. `local` would be this machine without it, here too. */
export function placeName({ name, isLocal }: Target): string {
  return isLocal ? "at this machine's gateway" : `at ${name}`;
}

/* For a command about runs. Undefined: this machine, without any gateway. */
export function findPlace({ config }: Context): Target | undefined {
  const typed = config.values.defaultGateway;
  if (typed === localName) return undefined;
  const gateways = readForRuns(config);
  if (typed !== undefined) return namedTarget(config, typed, gateways);
  const usual = gateways.find(({ isDefault }) => isDefault === true);
  return usual === undefined ? undefined : targetOf(config, usual);
}

/* The runs of this machine need no sign-in, and are to be had while the file is mended. */
function readForRuns(config: Context['config']): StoredGateway[] {
  try {
    return readGateways(config);
  } catch (error) {
    if (!hasCode(error, 'gateways-unreadable')) throw error;
    const { message, detail, hint, cause } = error;
    const here = 'For the runs of this machine: -g local.';
    throw new CliError('gateways-unreadable', message, {
      detail,
      cause,
      hint: hint === undefined ? here : `${hint} ${here}`,
    });
  }
}

/* For a command that only a gateway can answer. */
export function findTarget({ config }: Context, named?: string): Target {
  const gateways = readGateways(config);
  const typed = named ?? config.values.defaultGateway;
  if (typed !== undefined) return namedTarget(config, typed, gateways);
  const local = localTarget(config.stateDir, gateways);
  const others = gateways.filter(({ stateDir }) => stateDir === null);
  const usual = others.find(({ isDefault }) => isDefault === true);
  if (usual !== undefined) return targetOf(config, usual);
  if (local !== undefined) return local;
  const [only, ...more] = others;
  if (only !== undefined && more.length === 0) return targetOf(config, only);
  throw new CliError('gateway-not-found', whichText(others), {
    hint: 'Start one here: clf serve. Or say which: -g NAME, CLAWDFATHER_GATEWAY, or clf login URL.',
  });
}

/* As `findTarget`, and also the gateway of this machine while it is not running: to be forgotten it need not be there. */
export function findKnown(context: Context, named?: string): Target {
  const { stateDir, values } = context.config;
  const gateways = readGateways(context.config);
  const here = gateways.find((one) => one.stateDir === stateDir);
  const isNamed = (named ?? values.defaultGateway) !== undefined;
  const hasDefault = gateways.some(({ isDefault }) => isDefault === true);
  const isRunning = localTarget(stateDir, gateways) !== undefined;
  if (isNamed || hasDefault || here === undefined || isRunning) return findTarget(context, named);
  return targetOf(context.config, here);
}

export function localTarget(
  stateDir: string,
  gateways: readonly StoredGateway[],
): Target | undefined {
  const found = findGateway(stateDir);
  if (found.kind !== 'running') return undefined;
  const { url, certificate } = found.record;
  const stored = gateways.find((one) => one.stateDir === stateDir);
  const pin = certificate === null ? {} : { certificate };
  return { url, name: localName, stored, isLocal: true, stateDirHere: stateDir, ...pin };
}

function namedTarget(
  config: Context['config'],
  typed: string,
  gateways: readonly StoredGateway[],
): Target {
  const { stateDir } = config;
  const local = localTarget(stateDir, gateways);
  const origin = URL.canParse(typed) ? new URL(typed).origin : undefined;
  if (local !== undefined && (typed === localName || origin === local.url)) return local;
  const stored = gateways.find(({ name, url }) => name === typed || url === origin);
  if (stored !== undefined) return targetOf(config, stored);
  if (origin !== undefined && origin !== 'null') {
    const { host } = new URL(origin);
    return { url: origin, name: host, stored: undefined, isLocal: false, stateDirHere: stateDir };
  }
  const nearest = suggestNearest(
    typed,
    gateways.map(({ name }) => name),
  );
  throw new CliError('gateway-not-found', `no gateway is called "${typed}"`, {
    hint: nearest === undefined ? howToName(typed) : `Did you mean ${nearest}?`,
    detail: { typed },
  });
}

function howToName(typed: string): string {
  const isAddress = /^(\[[0-9a-f:]+\]|[\w-]+(\.[\w-]+)+|localhost)(:\d+)?$|^[\w-]+:\d+$/i.test(
    typed,
  );
  if (!isAddress) return 'Sign in to it by its address: clf login https://…';
  const isHere = /^(127\.|localhost|\[::1\])/i.test(typed);
  return `An address begins with http:// or https://. Did you mean ${isHere ? 'http' : 'https'}://${typed}?`;
}

function targetOf({ stateDir }: Context['config'], stored: StoredGateway): Target {
  const { url, name } = stored;
  return { url, name, stored, isLocal: false, stateDirHere: stateDir };
}

function whichText(others: readonly StoredGateway[]): string {
  if (others.length === 0) return 'no gateway runs on this machine, and no other one is known';
  const names = others.map(({ name }) => name).join(', ');
  return `no gateway runs on this machine, and several others are known: ${names}`;
}
