/*
 * Contender: our supervisor, with its registry, its journals on disk and all its checks on.
 *
 * Output is read on lent memory, since nobody here keeps it; `supervisor-kept` reads it the other way.
 */
import { createSupervisor, type SpawnInput, type Supervisor } from '@clawdfather/supervisor';
import { type Argv, commandEnv, type Contender, runToEnd } from './contender.ts';

/* Whatever a crashed benchmark leaves ends by itself. */
const overallTimeoutMs = 30 * 60 * 1000;

export interface SupervisedContender extends Contender {
  readonly supervisor: Supervisor;
}

export interface SupervisedOptions {
  readonly isTerminal: boolean;
  readonly isLent: boolean;
  /* What is put around each start. */
  readonly around?: (input: SpawnInput) => SpawnInput | Promise<SpawnInput>;
}

export async function openSupervised(
  stateDir: string,
  { isTerminal, isLent, around = (input) => input }: SupervisedOptions,
): Promise<SupervisedContender> {
  const supervisor = await createSupervisor({ stateDir });
  const start: Contender['start'] = async (argv, onOutput) => {
    const run = await supervisor.spawn(await around(spawnInputOf(argv, isTerminal)));
    const hear = async (): Promise<void> => {
      for await (const event of isLent ? run.outputLent() : run.output()) {
        if (event.kind === 'output') onOutput(event.bytes);
        else if (event.kind === 'gap' || event.kind === 'damaged')
          throw new Error(`${event.missedBytes} bytes were missed`);
      }
      await run.wait();
    };
    return {
      pid: run.pid,
      ended: hear(),
      write: (text) => void run.write(text),
      kill: () => void run.cancel(),
    };
  };
  return {
    supervisor,
    run: (argv) => runToEnd(start, argv),
    start,
    close: () => supervisor.close(),
  };
}

export function spawnInputOf(argv: Argv, isTerminal: boolean): SpawnInput {
  return {
    mode: isTerminal ? 'pty-argv' : 'child',
    argv,
    cwd: '/',
    env: commandEnv,
    sessionId: 'bench',
    backendId: 'bench',
    overallTimeoutMs,
  };
}
