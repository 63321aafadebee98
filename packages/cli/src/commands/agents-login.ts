/*
 * `clf agents login`: the sign-in of an agent at a terminal, as a run of this machine on a PTY, so that it can be left and come back to.
 *
 * It has the environment that the agent has, because the agent looks for what was written there; and no shield, because it is a person's
 * own command. What it showed is forgotten with it: codes and keys may be among it.
 */
import { makeVisible } from '@clawdfather/tools/text';
import { type AgentsHere, openAgentsHere } from '../agents/agents-here.ts';
import { findSignInWay, type SignInWay } from '../agents/sign-in-way.ts';
import { signedInText } from '../agents/test-text.ts';
import type { CallOf, Execute } from '../command.ts';
import { CliError } from '../errors.ts';
import { codeStatus, exitChecksFailed, type ExitStatus, exitOk } from '../exit-status.ts';
import type { LocalTerminal } from '../io/io.ts';
import type { Place, RunHandle, RunWish } from '../place/place.ts';
import { createThisMachine } from '../place/this-machine.ts';
import { jsonLine } from '../render/run-json.ts';
import { openStartTrap } from '../runs/start-trap.ts';
import { withSupervisor } from '../runs/with-supervisor.ts';
import { flagHere } from '../sign-in/find-gateway.ts';
import type { agentsLoginSpec } from './agent-specs.ts';

type Call = CallOf<typeof agentsLoginSpec>;

/* A code for a browser is good for a quarter of an hour; nobody comes back later than this. */
const overallMs = 3_600_000;

export const login: Execute<typeof agentsLoginSpec> = async (call) => {
  const { config, flags, io } = call;
  const { agent: name } = call.operands;
  const { terminal } = io;
  if (!flags.detach && (terminal === undefined || call.isJson)) {
    throw new CliError('not-a-terminal', 'a sign-in needs a terminal, on stdin and stdout', {
      hint: `Start it, and come to it later: clf agents login -d ${name}, then clf attach login-${name}`,
    });
  }
  const here = await openAgentsHere(config, name);
  using trap = openStartTrap(io.signals);
  try {
    const way = await findSignInWay(call, { name, here }, trap.signal);
    return await withThisMachine(call, async (place) => {
      const run = await place.start(wishOf(call, way), trap.signal);
      if (flags.detach || terminal === undefined) return await leave(call, place, run);
      trap.disarm();
      return await stay(call, { place, run, terminal, here });
    });
  } catch (error) {
    const signal = trap.caught();
    if (signal !== undefined) return { kind: 'signal', signal };
    throw error;
  }
};

function withThisMachine<Result>(
  call: Call,
  use: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { clock, random, config } = call;
  const flag = flagHere(config);
  return withSupervisor(
    call,
    (supervisor) =>
      use(createThisMachine({ supervisor, clock, random, config, flag, host: undefined })),
    { whenUnwritable: 'refuse' },
  );
}

function wishOf({ config, io, operands }: Call, { argv, env }: SignInWay): RunWish {
  const { values, env: caller } = config;
  const unseen = { cols: values['terminal.cols'], rows: values['terminal.rows'] };
  const { TERM } = caller;
  return {
    argv,
    terminal: io.terminal?.size() ?? unseen,
    stdin: 'open',
    cwd: config.env['HOME'],
    envAdditions: { ...env, ...(TERM === undefined ? {} : { TERM }) },
    isEnvClean: true,
    sessionId: undefined,
    timeoutMs: overallMs,
    idleTimeoutMs: undefined,
    leftovers: 'end',
    ownerLoss: 'adopt',
    isReplacing: false,
    extras: { name: `login-${operands.agent}` },
  };
}

async function leave(call: Call, { flag }: Place, { runId }: RunHandle): Promise<ExitStatus> {
  const { io, operands } = call;
  const { agent: name } = operands;
  if (call.isJson) await io.stdout.write(jsonLine({ name, runId }));
  else {
    await io.stdout.write(`${runId}\n`);
    await io.stderr.write(`clf: go on there: clf attach${flag} login-${name}\n`);
  }
  return codeStatus(exitOk);
}

interface Staying {
  readonly place: Place;
  readonly run: RunHandle;
  readonly terminal: LocalTerminal;
  readonly here: AgentsHere;
}

async function stay(call: Call, { place, run, terminal, here }: Staying): Promise<ExitStatus> {
  const { lendTerminal } = await import('../terminal/lend-terminal.ts');
  const lent = { context: call, place, handle: run, terminal, isFresh: true, isQuiet: false };
  const status = await lendTerminal(lent);
  const ended = run.snapshot();
  if (ended.exit === undefined) return status;
  await place.remove(ended, { isForced: true });
  await place.removed({ isForced: true });
  const { agent: name } = call.operands;
  const signedIn = here.signedIn(name);
  const [word, how] = signedInText(signedIn);
  const isIn = word === 'ok';
  const text = isIn
    ? `${name} is signed in ${makeVisible(how)}\n`
    : signedIn === undefined
      ? `whether ${name} is signed in can be told only by trying: clf agents test ${name}\n`
      : `${name} is not signed in: neither a variable nor a file of its sign-in is there\n`;
  await call.io.stdout.write(text);
  return isIn || signedIn === undefined ? status : codeStatus(exitChecksFailed);
}
