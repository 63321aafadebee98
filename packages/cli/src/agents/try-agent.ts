/*
 * Starts an agent on this machine as a thread would, in the shield and with its variables, tries it, and leaves nothing behind: its
 * processes are ended and its run is forgotten.
 */
import { hasCode } from '@clawdfather/kit';
import type { ChildInput, ManagedRun, RunId, Supervisor } from '@clawdfather/supervisor';
import { cliBackend, cliSession, shieldLabel } from '@clawdfather/supervisor/origins';
import type { CommandContext } from '../command.ts';
import { readVersion } from '../commands/version.ts';
import { forgetRemoved } from '../runs/forget-removed.ts';
import { explainSpawnFailure } from '../runs/spawn-failure.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import type { AgentsHere } from './agents-here.ts';
import { loadAgents, type ProbeResult, type ProbeStep, type ResolvedAgent } from './load-agents.ts';

export interface TryWish {
  readonly agent: ResolvedAgent;
  readonly here: AgentsHere;
  readonly cwd: string;
  readonly prompt?: string | undefined;
  readonly stepMs: number;
  readonly onStarted?: ((facts: StartFacts) => void) | undefined;
  readonly onStep?: ((step: ProbeStep) => void) | undefined;
}

export interface StartFacts {
  readonly ms: number;
  /* How much of a shield there is; undefined: none. */
  readonly shield: string | undefined;
}

export interface Tried extends ProbeResult {
  readonly started?: StartFacts | undefined;
  /* What helps where nothing started. */
  readonly hint?: string | undefined;
}

/* Should this process be killed, the agent is ended some seconds later; should all go wrong, after this long. */
const overallMs = 3_600_000;

export function tryAgent(
  context: CommandContext,
  wish: TryWish,
  signal: AbortSignal,
): Promise<Tried> {
  return withSupervisor(context, (supervisor) => tryWith({ supervisor, context }, wish, signal), {
    whenUnwritable: 'refuse',
  });
}

async function tryWith(
  { supervisor, context }: { readonly supervisor: Supervisor; readonly context: CommandContext },
  wish: TryWish,
  signal: AbortSignal,
): Promise<Tried> {
  const { clock } = context;
  const { agent, cwd } = wish;
  const { probeAgent, handshakeQuirks } = await loadAgents();
  const input = inputOf(context, wish);
  const beganMs = clock.monotonicMs();
  let run: ManagedRun;
  try {
    run = await supervisor.spawn({ ...(await shielded(context, input)), signal });
  } catch (error) {
    // A start that failed has a record, too.
    await forget(supervisor, input.runId as RunId);
    signal.throwIfAborted();
    return notStartable(error, input);
  }
  try {
    const ms = Math.round(clock.monotonicMs() - beganMs);
    const started = { ms, shield: run.snapshot().labels[shieldLabel] };
    wish.onStarted?.(started);
    const quirks = handshakeQuirks(agent, input.env, 0);
    const setup = { clientVersion: readVersion(), mcpServers: [], ...quirks };
    const { prompt, stepMs, onStep } = wish;
    const probe = { run, agent: agent.name, cwd, setup, prompt, stepMs, clock, onStep };
    return { ...(await probeAgent(probe, signal)), started };
  } finally {
    await leaveNothing(supervisor, run);
  }
}

function inputOf(
  { random }: CommandContext,
  { agent, here, cwd }: TryWish,
): ChildInput & { readonly runId: string } {
  const [program = '', ...args] = agent.argv;
  return {
    mode: 'child',
    stdin: 'open',
    runId: random.id(),
    argv: [program, ...args],
    cwd,
    env: { ...here.environment, ...agent.env },
    sessionId: cliSession,
    backendId: cliBackend,
    shownAs: `test of the agent ${agent.name}`,
    overallTimeoutMs: Math.min(agent.timeoutMs ?? overallMs, overallMs),
    ownerLoss: 'kill',
    leftovers: 'end',
    ...(agent.limits === undefined ? {} : { limits: agent.limits }),
  };
}

async function shielded({ config, clock }: CommandContext, input: ChildInput) {
  const [{ createShieldHere }, { shieldInput }] = await Promise.all([
    import('../approvals/create-shield-here.ts'),
    import('@clawdfather/tools'),
  ]);
  const shield = createShieldHere(config, clock);
  return shieldInput({ shield, toolServers: undefined }, input, { tree: input.cwd });
}

function notStartable(error: unknown, { argv: [program], cwd, env }: ChildInput): Tried {
  const isRefused = hasCode(error, 'spawn-failed') || hasCode(error, 'limits-unsupported');
  const told = explainSpawnFailure(error, { program, cwd, path: env['PATH'] });
  if (!isRefused) throw told;
  const { message } = told;
  const hint = hasCode(error, 'limits-unsupported')
    ? 'Leave memory and processes out of its limits; a gateway cannot enforce them either.'
    : undefined;
  const nothing = { steps: [], signInWays: [], stderr: [], noise: [] };
  return { outcome: 'not-startable', message, hint, ...nothing };
}

async function leaveNothing(supervisor: Supervisor, run: ManagedRun): Promise<void> {
  await run.cancel();
  await run.waitTree();
  await forget(supervisor, run.runId);
}

async function forget(supervisor: Supervisor, runId: RunId): Promise<void> {
  if (supervisor.get(runId) === undefined) return;
  await supervisor.remove(runId);
  await forgetRemoved(supervisor);
}
