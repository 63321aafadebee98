/*
 * The same command lines on this machine and at a gateway, with what they say made comparable: ids, times, process ids and the
 * gateway's name are replaced by words.
 *
 * The second place is a user elsewhere, who has signed in to the gateway: it is the default, so that the words are the same ones.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { runDirectoriesIn } from '@clawdfather/testkit';
import { type CliProcess, type CliRig, createCliRig } from './cli-process.ts';
import { createGatewayRig } from './gateway-rig.ts';

export interface CommandLine {
  /* As it is typed after `clf`; words with blanks in single quotes. */
  readonly clf: string;
  readonly input?: string | Uint8Array;
  /* 0 unless told. */
  readonly code?: number;
  /* All of it, in comparable words; nothing unless told. */
  readonly out?: string | RegExp;
  readonly err?: string | RegExp;
  /* A refusal whose code is the same, and whose words are those of whoever noticed first. */
  readonly hasOwnWords?: true;
  /* It is asked again until its stdout matches. */
  readonly until?: RegExp;
  /* Once its stdout shows `saw`, these are done; it goes on meanwhile. */
  readonly saw?: string;
  readonly during?: readonly CommandLine[];
}

export interface Told {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface TestPlace {
  readonly name: 'here' | 'at a gateway';
  readonly rig: CliRig;
  start(line: string, input?: string | Uint8Array): CliProcess;
  /* In comparable words. */
  ask(line: string, input?: string | Uint8Array): Promise<Told>;
}

export async function openBothPlaces(test: TestContext): Promise<readonly [TestPlace, TestPlace]> {
  const here = createCliRig(test);
  const there = createGatewayRig(test);
  const { url, loginLink } = await there.serve();
  const away = {
    CLAWDFATHER_STATE_DIR: join(there.env['HOME'] ?? '', 'nothing-here'),
    XDG_CONFIG_HOME: join(there.env['HOME'] ?? '', 'away-config'),
  };
  const login = ['login', url, '--link-file', '-'];
  const signedIn = await there.clfWith({ env: away, input: `${loginLink}\n` }, ...login);
  assert.equal(signedIn.code, 0, signedIn.stderr);
  const gateway = new URL(url).host;
  return [
    placeOf('here', here, { env: {}, gateway: undefined }),
    placeOf('at a gateway', there, { env: away, gateway }),
  ];
}

interface Reached {
  readonly env: Readonly<Record<string, string>>;
  readonly gateway: string | undefined;
}

function placeOf(name: TestPlace['name'], rig: CliRig, { env, gateway }: Reached): TestPlace {
  // Also those that were removed since: `rm` tells their ids.
  const seen = new Set<string>();
  const ids = (): readonly string[] => {
    for (const id of runDirectoriesIn(rig.stateDir)) seen.add(id);
    return [...seen];
  };
  const start: TestPlace['start'] = (line, input) =>
    rig.start({ env, ...(input === undefined ? {} : { input }) }, ...wordsOf(line));
  return {
    name,
    rig,
    start,
    ask: async (line, input = '') => {
      const { code, stdout, stderr } = await start(line, input).result;
      const names = { ids: ids(), gateway };
      return { code, out: comparable(stdout, names), err: comparable(stderr, names) };
    },
  };
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
}

interface Names {
  readonly ids: readonly string[];
  readonly gateway: string | undefined;
}

function comparable(text: string, { ids, gateway }: Names): string {
  let told = text;
  if (gateway !== undefined) {
    told = told.replaceAll(` -g ${gateway}`, '').replaceAll(` at ${gateway}`, '');
  }
  for (const id of ids) told = told.replaceAll(id, 'RUN').replaceAll(id.slice(0, 12), 'RUN');
  return (
    told
      .split('\n')
      // What the shim said to the supervisor is told where both are.
      .filter((line) => !/^ {2}because: /.test(line))
      .map((line) => (line.startsWith('{') ? comparableJson(line) : comparableWords(line)))
      .join('\n')
  );
}

/* What is of one moment, one process or one owner. Session and backend are those of whoever has started it. */
const passing: ReadonlySet<string> = new Set(
  (
    'pid cursor actor sessionId backendId cwd owner durationMs usage ' +
    'at createdAt startedAt endedAt lastSeenAt lastOutputAt treeEndedAt shimPid outputBytes'
  ).split(' '),
);
/* Said by the gateway about its own runs. */
const ownLabels = new Set(['account', 'requester', 'host', 'trace', 'request', 'reads', 'key']);

function comparableJson(line: string): string {
  return JSON.stringify(JSON.parse(line), (key, value: unknown) => {
    if (key === 'labels') return withoutOwnLabels(value as Readonly<Record<string, string>>);
    return passing.has(key) ? 'ANY' : value;
  });
}

function withoutOwnLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !ownLabels.has(name)));
}

function comparableWords(line: string): string {
  // Columns have the width of what is in them, and what a process uses is known only where it is.
  if (/^(ID|RUN) {2}/.test(line)) return comparableRow(line);
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\((\d+)\)/g, '(PID)')
    .replaceAll(/\bby \w+:[\w-]+(?: \((?:pid \d+|[^)]+)\))?/g, 'by WHO')
    .replace(/^cursor: \S+$/, 'cursor: CURSOR')
    .replace(
      /^(directory|pid|shim|journal|session|started by|ended by|took|cpu time|memory|output) .*$/,
      '$1 ANY',
    )
    .replace(/^(\w[\w ]{0,10}?) {2,}/, '$1  ');
}

function comparableRow(line: string): string {
  const wide = /( (?:just now|\S+ ago))  +\S+  +\S+  +\S+  +/;
  return line.replace(wide, '  ANY  ').replaceAll(/ {2,}/g, '  ');
}
