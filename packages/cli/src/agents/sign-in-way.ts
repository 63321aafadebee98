/*
 * How somebody signs an agent in at a terminal: by the command of the settings, by what the catalogue knows of an installed agent, or by
 * the way of the type `terminal` that the agent itself tells of (ACP): its own command with other arguments.
 */
import type { CommandContext } from '../command.ts';
import type { Command } from '../config/agent-kinds.ts';
import { CliError } from '../errors.ts';
import type { AgentsHere } from './agents-here.ts';
import { loadAgents, type ProbeResult, type ResolvedAgent } from './load-agents.ts';
import { tryAgent } from './try-agent.ts';

export interface SignInWay {
  readonly argv: Command;
  /* Of the agent, and of the way. */
  readonly env: Readonly<Record<string, string>>;
}

/* For the agent to tell of its ways. */
const stepMs = 60_000;

/* Throws `agent-unknown`, `agent-not-installed`, and `no-terminal-sign-in`, which says what there is instead. */
export async function findSignInWay(
  context: CommandContext,
  { name, here }: { readonly name: string; readonly here: AgentsHere },
  signal: AbortSignal,
): Promise<SignInWay> {
  const agent = here.resolve(name);
  const { env } = agent;
  const setting = context.config.values.agents.find((one) => one.name === name);
  if (setting?.login !== undefined) return { argv: setting.login, env };
  const known = asCommand(here.installed(name)?.signInArgv ?? []);
  if (known !== undefined) return { argv: known, env };
  const stepsHere = { agent, here, cwd: agent.cwd ?? context.caller.cwd, stepMs };
  const told = wayOf(agent, await tryAgent(context, stepsHere, signal));
  if (told !== undefined) return told;
  throw noTerminalSignIn(name, await variablesOf(name));
}

/* The first that it tells of; arguments and variables come on top of its own. */
export function wayOf(
  { argv, env }: Pick<ResolvedAgent, 'argv' | 'env'>,
  { signInWays }: Pick<ProbeResult, 'signInWays'>,
): SignInWay | undefined {
  const way = signInWays.find(({ type }) => type === 'terminal');
  if (way === undefined) return undefined;
  const { args, env: more } = way;
  const own = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
  const command = asCommand([...argv, ...own]);
  return command && { argv: command, env: { ...env, ...textsOf(more) } };
}

function textsOf(json: unknown): Readonly<Record<string, string>> {
  const entries = typeof json === 'object' && json !== null ? Object.entries(json) : [];
  const texts = entries.filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}

function asCommand([program, ...args]: readonly string[]): Command | undefined {
  return program === undefined ? undefined : [program, ...args];
}

async function variablesOf(name: string): Promise<readonly string[]> {
  const { builtInAgents, readPlatform } = await loadAgents();
  const entry = builtInAgents.find((candidate) => candidate.name === name);
  return entry?.signIn[readPlatform()].variables ?? [];
}

function noTerminalSignIn(name: string, variables: readonly string[]): CliError {
  const which = variables.length === 0 ? 'VARIABLE' : variables.join(' or ');
  const message = `no sign-in of ${name} at a terminal is known`;
  return new CliError('no-terminal-sign-in', message, {
    hint: `A key does it: set agents.${name}.env.${which}. Or name its sign-in command: agents.${name}.login.`,
    detail: { name, variables },
  });
}
