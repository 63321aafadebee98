/*
 * A real gateway in a process of its own, over the rig's state directory: started, spoken to, killed, and gone afterwards.
 */
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { type CliPlace, type CliProcess, type CliRig, createCliRig } from './cli-process.ts';

export interface ServedGateway extends CliProcess {
  readonly url: string;
  readonly loginLink: string;
  readonly pid: number;
}

export interface GatewayRig extends CliRig {
  /* Resolves when it listens. */
  serve(...flags: string[]): Promise<ServedGateway>;
}

/* Everything that it started is killed in the end, so that a test that failed leaves nothing behind. */
export function createGatewayRig(test: TestContext, place: CliPlace = {}): GatewayRig {
  const started: CliProcess[] = [];
  // Before the runs are ended: a gateway that lives would start the next turn's agent meanwhile.
  test.after(async () => {
    for (const { child, result } of started) {
      child.kill('SIGKILL');
      await result;
    }
  });
  const rig = createCliRig(test, place);
  // Its own settings and sign-ins too.
  rig.env['XDG_CONFIG_HOME'] = `${rig.stateDir}-config`;
  const start: CliRig['start'] = (...args) => {
    const one = rig.start(...args);
    started.push(one);
    return one;
  };
  return {
    ...rig,
    start,
    serve: async (...flags) => {
      const where = flags.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
      const serving = start({}, 'serve', '--json', ...where, ...flags);
      await serving.saw('\n');
      const line = JSON.parse(serving.stdout()) as {
        readonly url: string;
        readonly loginLink: string;
        readonly pid: number;
      };
      return { ...serving, ...line };
    },
  };
}

/* After a signal: how it ended. */
export async function endOf({ child }: CliProcess): Promise<{
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}
