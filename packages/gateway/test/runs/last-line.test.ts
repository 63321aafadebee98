/*
 * The last line of each run, in a list that asks for it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRecord } from '@clawdfather/supervisor';
import type { ToolCall } from '@clawdfather/tools';
import { createLastLines, type LastLineDeps, lastLineOf } from '../../src/runs/last-line.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('a list says what each run has said last, however much it has said, and only when it is asked to', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const long = await me.start({ argv: ['sh', '-c', 'seq 100000; echo; echo "  the end  "'] });
  const silent = await me.start({ argv: ['true'] });
  const unstarted = await me.start({ argv: ['true'] });
  for (const id of [long, silent, unstarted]) await me.untilEnded(id);
  const { items } = (await me.get('runs?last=true')).body;
  const lines = new Map(
    items.map(({ runId, lastLine }: { runId: string; lastLine: string | null }) => [
      runId,
      lastLine,
    ]),
  );
  assert.equal(lines.get(long), 'the end');
  assert.equal(lines.get(silent), null);
  const plain = (await me.get('runs')).body;
  assert.ok(plain.items.every((run: object) => !('lastLine' in run)));
});

test('of a progress bar the newest state, of a long line its beginning', () => {
  assert.equal(lastLineOf('10 %\r50 %\r90 %'), '90 %');
  assert.equal(lastLineOf('one\r\ntwo\r\n\r\n'), 'two');
  assert.equal(lastLineOf('x'.repeat(1_000))?.length, 240);
  assert.equal(lastLineOf(' \n\n'), null);
});

test('sequences that were cut off or echoed are no words', () => {
  const esc = '\u001b';
  assert.equal(lastLineOf(`"a.txt" [New]${esc}P0+r4d73`), '"a.txt" [New]');
  assert.equal(lastLineOf(`"a.txt" [New]${esc}P0+r4d73${esc}\\ 0,0`), '"a.txt" [New] 0,0');
  assert.equal(lastLineOf('[New]^[P0+r4d73^[\\ 0,0^[]11;rgb:0/0/0^G ^[[?1;2c1'), '[New] 0,0 1');
  assert.equal(lastLineOf('[New]^[P0+r'), '[New]');
  assert.equal(lastLineOf(`ready\n^[[>0;10;1c\n${esc}[`), 'ready');
  assert.equal(lastLineOf('x^2 [y] ^ [z]'), 'x^2 [y] ^ [z]');
});

test('what a run has said last is not hidden by what is no output', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const command = 'echo server ready on port 3000; exec sleep 600';
  const run = await me.start({ argv: ['sh', '-c', command], pty: true });
  {
    await using events = await me.events(`api/v1/runs/${run}/events`);
    await events.untilSaid('port 3000');
  }
  // Each is written into its journal.
  for (let cols = 20; cols < 80; cols += 1) {
    const { status } = await me.post(`runs/${run}/resize`, { cols, rows: 20 });
    assert.equal(status, 200);
  }
  const lastLine = async () => (await me.get('runs?last=true')).body['items'][0].lastLine;
  assert.equal(await lastLine(), 'server ready on port 3000');
  await me.post(`runs/${run}/cancel`);
  await me.untilEnded(run);
  assert.equal(await lastLine(), 'server ready on port 3000');
});

test('a line is read again when more was said or the run is over, and not when it is asked for again', async () => {
  const looked: string[] = [];
  let end = '9.0';
  const record = (treeEndedAtMs?: number) =>
    ({ runId: 'r', treeEndedAtMs, lastOutputAtMs: 1_000 }) as unknown as RunRecord;
  const deps = {
    supervisor: {
      outputTail: async () => {
        looked.push('tail');
        return end === '' ? undefined : { start: '0.0', end, atMs: 2_000 };
      },
    },
    actions: {
      log: async () => {
        looked.push('log');
        return { text: `up to ${end}\n` };
      },
    },
  } as unknown as LastLineDeps;
  const lines = createLastLines();
  const breathe = async (): Promise<void> => void looked.push('breathe');
  const call = { breathe } as unknown as ToolCall;
  const step = async (of: RunRecord) => {
    looked.length = 0;
    const { lastLine } = await lines.of(deps, of, call);
    return [lastLine, looked.join(' ')];
  };
  assert.deepEqual(await step(record()), ['up to 9.0', 'tail breathe log']);
  assert.deepEqual(await step(record()), ['up to 9.0', 'tail']);
  end = 'a.0';
  assert.deepEqual(await step(record()), ['up to a.0', 'tail breathe log']);
  // What was half a character may be held back until it is over.
  assert.deepEqual(await step(record(1)), ['up to a.0', 'tail breathe log']);
  assert.deepEqual(await step(record(1)), ['up to a.0', '']);
  end = '';
  const silent = createLastLines();
  assert.deepEqual(await silent.of(deps, record(), call), {
    lastLine: null,
    lastOutputAt: new Date(1_000).toISOString(),
  });
});
