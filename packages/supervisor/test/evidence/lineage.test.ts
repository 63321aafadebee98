/*
 * A process and those it comes from.
 */
import assert from 'node:assert/strict';
import { pid, ppid } from 'node:process';
import { test } from 'node:test';
import { readLineage } from '../../src/evidence/lineage.ts';
import type { ProcessReading } from '../../src/evidence/process-table.ts';

function found(of: number, parentPid: number): ProcessReading {
  const rest = {
    comm: 'x',
    state: 'S',
    processGroupId: 1,
    kernelSessionId: 1,
    startTicks: of * 10,
  };
  return { kind: 'found', isZombie: false, stat: { pid: of, parentPid, ...rest } };
}

test('our own begins with ourselves and our parent, and ends at the top', () => {
  const lineage = readLineage(pid);
  assert.deepEqual(
    lineage.slice(0, 2).map((mark) => mark.pid),
    [pid, ppid],
  );
  assert.ok(lineage.every(({ startTicks }) => Number.isSafeInteger(startTicks)));
  assert.equal(new Set(lineage.map((mark) => mark.pid)).size, lineage.length);
});

test('it ends where nothing more is known, and at the edge of a namespace', () => {
  const parents = new Map([
    [30, 20],
    [20, 10],
  ]);
  const read = (of: number): ProcessReading => {
    const parent = parents.get(of);
    return parent === undefined ? { kind: 'absent' } : found(of, parent);
  };
  assert.deepEqual(
    readLineage(30, { read }).map((mark) => mark.pid),
    [30, 20],
  );
  assert.deepEqual(
    readLineage(5, { read: (of) => found(of, 0) }).map((mark) => mark.pid),
    [5],
  );
});

test('a table that goes round in circles is left in the end', () => {
  const lineage = readLineage(2, { read: (of) => found(of, of === 2 ? 3 : 2) });
  assert.equal(lineage.length, 1_024);
});
