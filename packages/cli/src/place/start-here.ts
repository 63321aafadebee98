/*
 * From what `clf run` was asked for to a run of this machine.
 */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Clock, hasCode, type Random, silentLog } from '@clawdfather/kit';
import type { SpawnInput, Supervisor } from '@clawdfather/supervisor';
import { cliBackend, cliSession, nameLabel, nameScope } from '@clawdfather/supervisor/origins';
import { cleanEnv, type Config } from '../config.ts';
import { nameTaken } from '../runs/run-refusals.ts';
import { explainSpawnFailure } from '../runs/spawn-failure.ts';
import { flagHere } from '../sign-in/find-gateway.ts';
import type { RunHandle, RunWish } from './place.ts';

/* What a terminal run believes to be on when the caller's own terminal has no name. */
const defaultTerminalType = 'xterm-256color';

export interface StartHereDeps {
  readonly supervisor: Supervisor;
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
}

export async function startHere(
  deps: StartHereDeps,
  wish: RunWish,
  signal: AbortSignal,
): Promise<RunHandle> {
  const { supervisor, config } = deps;
  const { name } = wish.extras;
  // A run that replaces another waits for the record of its end, in the supervisor.
  if (name !== undefined && !wish.isReplacing) checkNameIsFree(deps, name);
  const input = spawnInputOf(wish, config);
  try {
    return await supervisor.spawn({ ...(await surrounded(deps, wish, input)), signal });
  } catch (error) {
    // Somebody else took the name since we looked.
    if (name !== undefined && hasCode(error, 'scope-busy')) {
      throw nameTaken(name, undefined, flagHere(config));
    }
    const asked = { program: wish.argv[0], cwd: input.cwd, path: input.env['PATH'] };
    throw explainSpawnFailure(error, asked);
  }
}

/* Around a command whose person asked for it: all of the shield, or it does not start. */
async function surrounded(
  { supervisor, config, clock, random }: StartHereDeps,
  { extras }: RunWish,
  input: SpawnInput,
): Promise<SpawnInput> {
  if (extras.shield !== true && extras.tools !== true) return input;
  const [{ createShieldHere }, { createToolServers, shieldInput }, { toolServerLaunch }] =
    await Promise.all([
      import('../approvals/create-shield-here.ts'),
      import('@clawdfather/tools'),
      import('../approvals/tool-server-launch.ts'),
    ]);
  const shield = createShieldHere(config, clock, 'require');
  const launch = toolServerLaunch(config);
  const toolServers =
    extras.tools === true
      ? createToolServers({ supervisor, stateDir: config.stateDir, launch, log: silentLog })
      : undefined;
  const named = { ...input, runId: input.runId ?? random.id() };
  // A person's choice of this moment; from here on it is this very path (SH5).
  const cwd = await realpath(input.cwd).catch(() => input.cwd);
  return shieldInput({ shield, toolServers }, { ...named, cwd }, { tree: cwd });
}

/* Among all that lives on this machine, whoever started it. */
function checkNameIsFree({ supervisor, config }: StartHereDeps, name: string): void {
  const states = ['starting', 'running', 'exiting'] as const;
  const [holder] = supervisor.list({ labels: { [nameLabel]: name }, states, limit: 1 });
  if (holder !== undefined) throw nameTaken(name, holder, flagHere(config));
}

export function spawnInputOf(wish: RunWish, config: Config): SpawnInput {
  const { extras, terminal, idleTimeoutMs } = wish;
  const { name, labels, graceMs, nice, limits, journalBytesMax } = extras;
  // S3: Node has raised ours, and the command is to have those of the shell it was typed into.
  const openFiles = limits?.openFiles ?? config.openFiles;
  const bounds = { ...limits, ...(openFiles === undefined ? {} : { openFiles }) };
  const base = wish.isEnvClean ? cleanEnv(config.commandEnv) : config.commandEnv;
  const env: Readonly<Record<string, string>> = { ...base, ...wish.envAdditions };
  const common = {
    sessionId: wish.sessionId ?? cliSession,
    backendId: cliBackend,
    labels: { ...labels, ...(name === undefined ? {} : { [nameLabel]: name }) },
    ...(name === undefined ? {} : { scopeKey: nameScope(cliBackend, name) }),
    ...(wish.isReplacing ? { replaceExisting: true } : {}),
    cwd: resolve(config.cwd, wish.cwd ?? '.'),
    // T9: no deadline unless asked for, and that is said here on purpose.
    overallTimeoutMs: wish.timeoutMs,
    leftovers: wish.leftovers,
    ownerLoss: wish.ownerLoss,
    ...(idleTimeoutMs === undefined ? {} : { noOutputTimeoutMs: idleTimeoutMs }),
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(journalBytesMax === undefined
      ? {}
      : { journal: { mode: 'ring', bytesMax: journalBytesMax } as const }),
    ...(nice === undefined ? {} : { nice }),
    ...(Object.keys(bounds).length === 0
      ? {}
      : { limits: bounds as SpawnInput['limits'] & object }),
  } as const;
  if (terminal === undefined) {
    return { ...common, env, mode: 'child', argv: wish.argv, stdin: wish.stdin };
  }
  const onTerminal = { ...env, TERM: env['TERM'] ?? defaultTerminalType };
  return { ...common, env: onTerminal, mode: 'pty-argv', argv: wish.argv, ...terminal };
}
