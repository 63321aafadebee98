/*
 * Contender: our supervisor, with its registry, its journals on disk and all its checks on.
 */
import { createSupervisor, type SpawnInput, type Supervisor } from '@clawdfather/supervisor';
import { type Argv, commandEnv, type Contender } from './contender.ts';

/* Whatever a crashed benchmark leaves ends by itself. */
const overallTimeoutMs = 30 * 60 * 1000;

export interface SupervisedContender extends Contender {
  readonly supervisor: Supervisor;
}

export async function openSupervised(
  stateDir: string,
  { isTerminal }: { readonly isTerminal: boolean },
): Promise<SupervisedContender> {
  const supervisor = await createSupervisor({ stateDir });
  return {
    supervisor,
    start: async (argv, onOutput) => {
      const run = await supervisor.spawn(spawnInputOf(argv, isTerminal));
      const hear = async (): Promise<void> => {
        for await (const event of run.output()) {
          if (event.kind === 'output') onOutput(event.bytes);
          else if (event.kind === 'gap') throw new Error(`${event.missedBytes} bytes were missed`);
        }
        await run.wait();
      };
      return {
        pid: run.pid,
        ended: hear(),
        write: (text) => void run.write(text),
        kill: () => void run.cancel(),
      };
    },
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
