/*
 * Processes that are none of our business and look as if they were: same names, nearly the same environment, a
 * directory beside ours. Each writes down every signal that reaches it; a killed one is missed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessFacts, readProcess } from './process-facts.ts';

export interface Bystanders {
  readonly pids: readonly number[];
  /* What happened to them, in sentences. */
  check(): readonly string[];
  end(): Promise<void>;
}

interface Bystander {
  readonly name: string;
  readonly child: ChildProcess;
  readonly facts: ProcessFacts;
  readonly signalsFile: string;
}

const names = ['clf-shim', 'clf-spawnd', 'clawdfather', 'sleep'];
const script = `
for name in HUP INT TERM USR1 USR2 CONT; do trap "echo $name >> signals" $name; done
while :; do sleep 1; done`;

export function startBystanders(dir: string): Bystanders {
  const bystanders = names.map((name) => startBystander(join(dir, 'bystanders', name), name));
  return {
    pids: bystanders.map(({ facts }) => facts.pid),
    check: () => bystanders.flatMap(sentencesAbout),
    end: async () => {
      for (const { child, facts } of bystanders) {
        if (!isAlive(facts)) continue;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
}

function startBystander(cwd: string, name: string): Bystander {
  const signalsFile = join(cwd, 'signals');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(signalsFile, '');
  const child = spawn('/bin/sh', ['-c', script], {
    argv0: name,
    cwd,
    stdio: 'ignore',
    env: {
      PATH: '/usr/bin:/bin',
      CLAWDFATHER_RUN_ID: 'somebody-elses',
      CLAWDFATHER_LEASE_ID: '0'.repeat(32),
      CLAWDFATHER_GATEWAY_INSTANCE_ID: '0'.repeat(16),
    },
  });
  const facts = readProcess(child.pid ?? 0);
  if (facts === undefined) throw new Error('a bystander did not start');
  return { name, child, facts, signalsFile };
}

function sentencesAbout({ name, facts, signalsFile }: Bystander): readonly string[] {
  if (!isAlive(facts)) return [`the bystander called ${name} (${facts.pid}) is gone`];
  const signals = readFileSync(signalsFile, 'utf8').trim();
  return signals === ''
    ? []
    : [`the bystander called ${name} was sent ${signals.split('\n').join(', ')}`];
}
