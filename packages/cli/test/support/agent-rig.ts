/*
 * A real gateway whose agent is a real process that plays a script, and somebody who is signed in there.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  fakeAgentCommand,
  type Gate,
  openGate,
  readTrace,
  type Script,
  type TracedRun,
  writeScript,
} from '@clawdfather/testkit';
import { type CliProcess, launcherPath, startProcess } from './cli-process.ts';
import { createGatewayRig, endOf, type GatewayRig, type ServedGateway } from './gateway-rig.ts';

export interface AgentRig extends GatewayRig {
  /* Of the script. */
  gate(name: string): Gate;
  /* What the agents received, in the order of their starts. */
  traced(): readonly TracedRun[];
  /* The gateway that runs now. */
  served(): ServedGateway;
  /* Kills it and waits until it is gone. */
  killGateway(): Promise<void>;
  /* Another one at the same address. */
  serveAgain(): Promise<void>;
  /* Our command at a terminal of its own, as a person has it: keys go to its input. */
  atTerminal(...args: string[]): CliProcess;
}

/* `env`: also of the gateway. */
export async function createAgentRig(
  test: TestContext,
  script: Script,
  env: Readonly<Record<string, string>> = {},
): Promise<AgentRig> {
  let gateway: ServedGateway | undefined;
  // Before the runs are removed: a gateway that lives starts anew what an agent that lives is in need of.
  test.after(async () => {
    gateway?.child.kill('SIGKILL');
    if (gateway !== undefined) await endOf(gateway);
  });
  const rig = createGatewayRig(test);
  Object.assign(rig.env, env);
  const home = rig.env['HOME'] ?? '';
  const trace = join(home, 'trace');
  const gates = join(home, 'gates');
  mkdirSync(gates);
  const file = writeScript(join(home, 'script.json'), script);
  const command = fakeAgentCommand({ script: file, gates, trace });
  const config = join(home, 'state-config', 'clawdfather');
  mkdirSync(config, { recursive: true });
  // The gates are in a directory of the test's, which a shield would hide.
  const settings = { agents: { fake: { command } }, shield: { mode: 'off' } };
  writeFileSync(join(config, 'config.jsonc'), JSON.stringify(settings), { mode: 0o600 });
  const first = await rig.serve();
  gateway = first;
  const { port } = new URL(first.url);
  await rig.clf('login');
  return {
    ...rig,
    gate: (name) => openGate(gates, name),
    traced: () => readTrace(trace),
    served: () => gateway ?? first,
    killGateway: async () => {
      const killed = gateway ?? first;
      killed.child.kill('SIGKILL');
      await endOf(killed);
    },
    serveAgain: async () => {
      gateway = await rig.serve('--listen', `127.0.0.1:${port}`);
    },
    atTerminal: (...args) => {
      const line = [process.execPath, launcherPath, ...args].map((word) => `'${word}'`).join(' ');
      const env = { ...rig.env, TERM: 'dumb', SHELL: '/bin/sh' };
      const started = startProcess(env, undefined, ['script', '-qec', line, '/dev/null']);
      test.after(async () => {
        started.child.kill('SIGKILL');
        await started.result;
      });
      return started;
    },
  };
}
