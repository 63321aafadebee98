/*
 * What the tests of shields share: a home with things in it that are hidden, kept, replaced and read-only, for root or for an
 * ordinary user, and runs in it.
 */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShieldStep, SpawndLink, SpawnRequest } from '../../src/index.ts';
import type { ProgramOptions, Rig } from './rig.ts';
import type { Run } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

export const shieldUsers = ['root', 'ordinary'] as const;
export type ShieldUser = (typeof shieldUsers)[number];

/* Belongs to nobody. */
export const uid = 54_321;

export interface Place {
  /* Below it: `secret`, `tree`, `run` with `socket` and `kept`, `rc`. */
  readonly home: string;
  readonly steps: readonly ShieldStep[];
  readonly link: SpawndLink;
  readonly run: (argv: SpawnRequest['argv'], change?: Partial<SpawnRequest>) => Promise<Run>;
  readonly sh: (line: string, change?: Partial<SpawnRequest>) => Promise<string>;
}

export async function prepare(
  rig: Rig,
  user: ShieldUser,
  options: ProgramOptions = {},
): Promise<Place> {
  const id = user === 'root' ? (process.getuid?.() ?? 0) : uid;
  const link = user === 'root' ? await rig.newSpawnd(options) : await spawndOf(rig, uid, options);
  const home = join(rig.dir, 'home é');
  for (const path of ['', 'secret', 'secret/deep', 'tree', 'run', 'run/kept', 'other']) {
    mkdirSync(join(home, path));
    chownSync(join(home, path), id, id);
  }
  for (const [path, text] of [
    ['secret/key', 'canary\n'],
    ['run/socket', 'canary\n'],
    ['run/kept/note', 'kept\n'],
    ['other/note', 'other\n'],
    ['tree/mine', 'mine\n'],
    ['rc', 'rc\n'],
  ] as const) {
    writeFileSync(join(home, path), text, { mode: 0o600 });
    chownSync(join(home, path), id, id);
  }
  chmodSync(rig.dir, 0o755);
  const at = (path: string): string => join(home, path);
  const steps: readonly ShieldStep[] = [
    { kind: 'pin', path: home },
    { kind: 'hide', path: at('secret') },
    { kind: 'hide', path: at('run') },
    { kind: 'keep', path: at('run/kept') },
    { kind: 'link', path: at('run/link'), target: 'kept' },
    { kind: 'replace', path: at('run/elsewhere'), source: at('other') },
    { kind: 'read-only', path: at('rc') },
    { kind: 'hide', path: at('never-there') },
    { kind: 'terminals', path: '/dev/pts' },
  ];
  let count = 0;
  const run: Place['run'] = (argv, change) => {
    count += 1;
    const runDir = user === 'ordinary' ? { runDir: runDirOf(rig, uid, `shield-${count}`) } : {};
    const shield = { steps, hasDomain: true };
    return rig.run(argv, { cwd: at('tree'), shield, ...runDir, ...change }, link);
  };
  const sh: Place['sh'] = async (line, change) => {
    const started = await run(['/bin/sh', '-c', `exec 2>&1; cd '${home}'; ${line}`], change);
    await started.ended();
    return (await started.output()).toString();
  };
  return { home, steps, link, run, sh };
}

export const needs = { root: true, landlock: 6 };

/* Every line fails, and none says what it must not. */
export async function refuses(sh: Place['sh'], lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const said = await sh(`${line}; echo "code $?"`);
    assert.match(said, /code [1-9]\d*\n$/, line);
    assert.doesNotMatch(said, /canary/, line);
  }
}

export function errorOf({ stage, errno }: { readonly stage: string; readonly errno: number }) {
  return [stage, errno];
}
