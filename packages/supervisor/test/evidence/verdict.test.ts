/*
 * What evidence says about a recorded process, row by row (O5).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOfOwner, verdictOfRoot, verdictOfShim } from '../../src/evidence/verdict.ts';
import type { Verdict } from '../../src/evidence/verdict.ts';
import type { RunRecord } from '../../src/types.ts';
import { evidenceOf, livingRoot, livingShim } from '../fake-host.ts';
import type { FakeHost } from '../fake-host.ts';
import { bootB, namespaceA, namespaceB, recordOf } from '../records.ts';

interface Row {
  readonly name: string;
  readonly host: FakeHost;
  readonly record?: Partial<RunRecord>;
  readonly shim: Verdict['verdict'];
  readonly root: Verdict['verdict'];
}

const alive = { ...livingShim, ...livingRoot };

const rows: readonly Row[] = [
  { name: 'all match', host: { processes: alive }, shim: 'alive-ours', root: 'alive-ours' },
  { name: 'both gone', host: {}, shim: 'missing', root: 'missing' },
  {
    name: 'both pids reused',
    host: { processes: { 499: { startTicks: 1 }, 500: { startTicks: 2 } } },
    shim: 'reused',
    root: 'reused',
  },
  {
    name: 'zombies count as dead',
    host: {
      processes: { 499: { startTicks: 8_999, state: 'Z' }, 500: { startTicks: 9_000, state: 'Z' } },
    },
    shim: 'missing',
    root: 'missing',
  },
  {
    name: 'a zombie that reused the pid is somebody else’s',
    host: { processes: { ...livingShim, 500: { startTicks: 1, state: 'Z' } } },
    shim: 'alive-ours',
    root: 'reused',
  },
  {
    name: 'process listing unavailable',
    host: { processes: { 499: 'unreadable', 500: 'unreadable' } },
    shim: 'unverifiable',
    root: 'unverifiable',
  },
  {
    name: 'another boot',
    host: { bootId: bootB, processes: alive },
    shim: 'missing',
    root: 'missing',
  },
  {
    name: 'another pid namespace, where the same numbers mean others',
    host: { pidNamespace: namespaceB, processes: alive },
    shim: 'unverifiable',
    root: 'unverifiable',
  },
  {
    name: 'another pid namespace, and its socket refuses',
    host: { pidNamespace: namespaceB, socket: 'refused' },
    shim: 'missing',
    root: 'unverifiable',
  },
  {
    name: 'another pid namespace, and its shim answers',
    host: { pidNamespace: namespaceB, socket: 'greeted' },
    shim: 'alive-ours',
    root: 'unverifiable',
  },
  {
    name: 'a socket that refuses under a living shim proves nothing',
    host: { processes: alive, socket: 'refused' },
    shim: 'unverifiable',
    root: 'alive-ours',
  },
  {
    name: 'a socket that refuses while /proc is unreadable is proof',
    host: { processes: { 499: 'unreadable', 500: 'unreadable' }, socket: 'refused' },
    shim: 'missing',
    root: 'unverifiable',
  },
  {
    name: 'an absent or silent socket is no proof',
    host: { processes: { 499: 'unreadable', 500: 'unreadable' }, socket: 'absent' },
    shim: 'unverifiable',
    root: 'unverifiable',
  },
  {
    name: 'the run directory is a copy',
    host: { processes: alive, runDir: { kind: 'found', dev: 64_768, ino: 9 } },
    shim: 'foreign',
    root: 'foreign',
  },
  {
    name: 'the run directory was deleted under a living run',
    host: { processes: alive, runDir: { kind: 'absent' } },
    shim: 'alive-ours',
    root: 'alive-ours',
  },
  {
    name: 'the root carries another lease',
    host: { processes: { ...livingShim, 500: { startTicks: 9_000, leaseId: 'other' } } },
    shim: 'alive-ours',
    root: 'foreign',
  },
  {
    name: 'the root cleared its environment',
    host: { processes: { ...livingShim, 500: { startTicks: 9_000 } } },
    shim: 'alive-ours',
    root: 'alive-ours',
  },
  {
    name: 'the root is in another group than recorded',
    host: { processes: { ...livingShim, 500: { startTicks: 9_000, processGroupId: 7 } } },
    shim: 'alive-ours',
    root: 'unverifiable',
  },
  {
    name: 'nothing was recorded',
    host: { processes: alive },
    record: { pid: undefined, shimPid: undefined },
    shim: 'unverifiable',
    root: 'unverifiable',
  },
];

for (const { name, host, record, shim, root } of rows) {
  test(`O5: ${name}`, () => {
    const recorded = recordOf(record);
    const evidence = evidenceOf(host, recorded);
    assert.equal(verdictOfShim(recorded, evidence).verdict, shim);
    assert.equal(verdictOfRoot(recorded, evidence).verdict, root);
  });
}

test('O2: an owner is proven dead by its boot, its pid or its start time, and by nothing else', () => {
  const here = { bootId: bootB, pidNamespace: namespaceA };
  const owner = { pid: 7, startTicks: 70, ...here };
  const stat = (startTicks: number, state = 'S') =>
    ({
      kind: 'found',
      isZombie: state === 'Z',
      stat: {
        pid: 7,
        comm: 'node',
        state,
        parentPid: 1,
        processGroupId: 7,
        kernelSessionId: 7,
        startTicks,
      },
    }) as const;
  const verdict = (...input: Parameters<typeof verdictOfOwner>) => verdictOfOwner(...input).verdict;
  assert.equal(verdict(owner, here, stat(70)), 'alive-ours');
  assert.equal(verdict(owner, here, stat(71)), 'reused');
  assert.equal(verdict(owner, here, stat(70, 'Z')), 'missing');
  assert.equal(verdict(owner, here, { kind: 'absent' }), 'missing');
  assert.equal(verdict(owner, here, { kind: 'unreadable', why: 'EACCES' }), 'unverifiable');
  assert.equal(verdict({ ...owner, bootId: 'other' }, here, stat(70)), 'missing');
  assert.equal(verdict({ ...owner, pidNamespace: 1 }, here, { kind: 'absent' }), 'unverifiable');
});
