/*
 * What is started for an agent's name: the configured command if there is one, otherwise the installed program. A pure function;
 * nothing is looked up here, and nothing is ever downloaded at a start.
 */
import type { RunLimits } from '@clawdfather/supervisor';
import { AgentsError } from '../errors.ts';
import type { InstalledAgent } from '../install/installed-agent.ts';
import { type AgentQuirks, type CatalogueEntry, cautiousQuirks } from './agent-entry.ts';
import { builtInAgents } from './built-in.ts';
import { hashCommand } from './command-hash.ts';
import { unknownAgent } from './find-entry.ts';

/** `agents.NAME` of the configuration. */
export interface AgentSettings {
  readonly command?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly limits?: RunLimits | undefined;
  /** How long its process may live. */
  readonly timeoutMs?: number | undefined;
}

export interface ResolvedAgent {
  readonly name: string;
  readonly title: string;
  readonly argv: readonly string[];
  /** Added to the environment that every agent gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Undefined where the thread decides. */
  readonly cwd: string | undefined;
  readonly limits: RunLimits | undefined;
  readonly timeoutMs: number | undefined;
  readonly quirks: AgentQuirks;
  readonly commandHash: string;
  readonly source: 'configured' | 'installed';
}

export function resolveAgent(
  name: string,
  settings: Readonly<Record<string, AgentSettings>>,
  installed: InstalledAgent | undefined,
): ResolvedAgent {
  const own: AgentSettings = (Object.hasOwn(settings, name) ? settings[name] : undefined) ?? {};
  const entry = builtInAgents.find((candidate) => candidate.name === name);
  if (own.command === undefined && entry === undefined) {
    throw unknownAgent(name, knownNames(settings));
  }
  const command = {
    ...programOf(name, own, installed),
    env: { ...entry?.env, ...own.env },
    cwd: own.cwd,
  };
  const { argv, env, cwd } = command;
  return {
    name,
    title: entry?.title ?? name,
    argv,
    env,
    cwd,
    limits: own.limits,
    timeoutMs: own.timeoutMs,
    quirks: quirksOf(entry),
    commandHash: hashCommand(command),
    source: own.command === undefined ? 'installed' : 'configured',
  };
}

function programOf(name: string, own: AgentSettings, installed: InstalledAgent | undefined) {
  if (own.command !== undefined) {
    return { argv: parseCommand(name, own.command), integrity: undefined };
  }
  if (installed === undefined) throw notInstalled(name);
  const { argv, integrity } = installed;
  return { argv, integrity };
}

/*
 * On an SSH host: only a command can be started there, as it stands there. What is installed on this machine is not there, and its paths
 * mean nothing.
 */
export function resolveOnHost(
  name: string,
  settings: Readonly<Record<string, AgentSettings>>,
): ResolvedAgent {
  const own = Object.hasOwn(settings, name) ? settings[name] : undefined;
  const isBuiltIn = builtInAgents.some((candidate) => candidate.name === name);
  if (own?.command !== undefined || !isBuiltIn) return resolveAgent(name, settings, undefined);
  const message = `the agent ${name} can be installed on the gateway’s machine, but not on a host`;
  throw new AgentsError('agent-not-on-host', message, {
    detail: { name },
    hint: 'Install it on the host, and set agents.NAME.command in the settings of the gateway to what starts it there, such as ["/usr/local/bin/opencode", "acp"]. NAME may be a new one.',
  });
}

/* Somebody's own build of a known agent behaves like it. */
function quirksOf(entry: CatalogueEntry | undefined): AgentQuirks {
  return entry?.quirks ?? cautiousQuirks;
}

function knownNames(settings: Readonly<Record<string, AgentSettings>>): readonly string[] {
  const configured = Object.keys(settings).filter((name) => settings[name]?.command !== undefined);
  return [...new Set([...builtInAgents.map(({ name }) => name), ...configured])];
}

function parseCommand(name: string, command: readonly string[]): readonly string[] {
  const why =
    command.length === 0 || command[0] === ''
      ? 'names no program'
      : command.some((word) => word.includes('\0'))
        ? 'has a NUL character in it'
        : undefined;
  if (why === undefined) return command;
  throw new AgentsError('agent-command-invalid', `agents.${name}.command ${why}`, {
    detail: { name },
    hint: 'a list with the program first, such as ["/usr/bin/my-agent", "--acp"]',
  });
}

function notInstalled(name: string): AgentsError {
  return new AgentsError('agent-not-installed', `the agent ${name} is not installed`, {
    detail: { name },
    hint: `clf agents install ${name}`,
  });
}
