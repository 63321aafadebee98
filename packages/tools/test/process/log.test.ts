/*
 * process log: pages by line and by cursor, text and bytes, gaps, and a long output in little memory.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { processResultSchema } from '@clawdfather/protocol';
import { openToolsRig, type ToolsRig } from '../support/tools-rig.ts';

async function finished(rig: ToolsRig, command: string): Promise<string> {
  const result = await rig.exec({ command, yieldMs: 120_000 }, { outputCharactersMax: 1_000 });
  assert.ok(result.status === 'completed', JSON.stringify(result));
  return result.runId;
}

test('by default the last 200 lines; by offset from either end', async (t) => {
  const rig = await openToolsRig(t);
  const runId = await finished(rig, 'seq 1 1000');
  const last = await rig.process({ action: 'log', runId });
  assert.deepEqual(processResultSchema.parse(last), last);
  assert.deepEqual(
    [last.firstLine, last.lines, last.totalLines, last.isEnd],
    [800, 200, 1_000, true],
  );
  assert.ok(last.text.startsWith('801\n') && last.text.endsWith('\n1000'));
  const first = await rig.process({ action: 'log', runId, offset: 0, limit: 3 });
  assert.deepEqual([first.text, first.firstLine, first.isEnd], ['1\n2\n3', 0, false]);
  const middle = await rig.process({ action: 'log', runId, offset: -10, limit: 2 });
  assert.deepEqual([middle.text, middle.firstLine], ['991\n992', 990]);
  const beyond = await rig.process({ action: 'log', runId, offset: 5_000 });
  assert.deepEqual([beyond.text, beyond.lines, beyond.isEnd], ['', 0, true]);
  for (const other of [{ cursor: '0.0' }, { encoding: 'base64' }] as const) {
    await assert.rejects(rig.process({ action: 'log', runId, offset: 5, ...other }), {
      code: 'params-invalid',
    });
  }
});

test('by cursor every byte comes once, in pages of any size', async (t) => {
  const rig = await openToolsRig(t);
  const runId = await finished(
    rig,
    'i=0; while [ $i -lt 300 ]; do echo "häßlich $i 中文"; echo err >&2; i=$((i+1)); done',
  );
  let whole = '';
  let bytes = Buffer.alloc(0);
  for (const encoding of ['text', 'base64'] as const) {
    let cursor: string | undefined;
    for (let isEnd = false; !isEnd; ) {
      const page = await rig.process(
        {
          action: 'log',
          runId,
          encoding,
          ...(cursor === undefined ? { cursor: '0.0' } : { cursor }),
        },
        { outputCharactersMax: 257 },
      );
      assert.ok(page.text.length <= 257);
      if (encoding === 'text') whole += page.text;
      else bytes = Buffer.concat([bytes, Buffer.from(page.text, 'base64')]);
      ({ isEnd, cursor } = page);
    }
  }
  assert.equal(whole, bytes.toString());
  assert.equal(whole.match(/häßlich \d+ 中文\n/g)?.length, 300);
  assert.ok(!whole.includes('\ufffd'));
  const lines = await rig.process({ action: 'log', runId, cursor: '0.0', limit: 5 });
  assert.equal(lines.text.split('\n').length, 6, 'five whole lines');
});

test('a small window is filled, and lines are paged forwards without a hole', async (t) => {
  const rig = await openToolsRig(t);
  const runId = await finished(rig, 'seq -f "%.0f is a line of some length" 1 2000');
  const window = { outputCharactersMax: 1_000 };
  const byCursor = await rig.process({ action: 'log', runId, cursor: '0.0' }, window);
  assert.equal(byCursor.text.length, 1_000, 'plain text needs no room for escapes');
  const seen: string[] = [];
  for (let offset = 0, isEnd = false; !isEnd; ) {
    const page = await rig.process({ action: 'log', runId, offset, limit: 200 }, window);
    assert.ok(page.text.length <= 1_000 && page.firstLine === offset, `at ${offset}`);
    seen.push(...page.text.split('\n'));
    offset += page.lines ?? 0;
    ({ isEnd } = page);
  }
  assert.equal(seen.length, 2_000);
  assert.ok(seen.every((line, index) => line.startsWith(`${index + 1} is`)));
  const last = await rig.process({ action: 'log', runId, limit: 200 }, window);
  assert.ok(last.isEnd && last.text.endsWith('2000 is a line of some length'));
});

test('bytes that are no text fill a page as well, and none is left out', async (t) => {
  const rig = await openToolsRig(t);
  const runId = await finished(rig, "head -c 3000 /dev/zero | tr '\\0' '\\1'");
  let whole = '';
  for (let cursor = '0.0', isEnd = false; !isEnd; ) {
    const page = await rig.process({ action: 'log', runId, cursor }, { outputCharactersMax: 500 });
    assert.ok(page.text.length <= 500);
    whole += page.text;
    ({ isEnd, cursor } = page);
  }
  assert.equal(whole, '\\x01'.repeat(3_000));
});

test('a sequence longer than the page does not stop the reader', async (t) => {
  const rig = await openToolsRig(t);
  const runId = await finished(
    rig,
    "printf 'a\\033]0;'; printf 'x%.0s' $(seq 500); printf '\\007b\\n'",
  );
  let cursor = '0.0';
  let text = '';
  for (let pages = 0, isEnd = false; !isEnd; pages += 1) {
    assert.ok(pages < 1_000);
    const page = await rig.process({ action: 'log', runId, cursor }, { outputCharactersMax: 80 });
    text += page.text;
    ({ cursor, isEnd } = page);
  }
  assert.ok(text.startsWith('a') && text.endsWith('b\n'));
});

test('bytes come as they were, text without escapes', async (t) => {
  const rig = await openToolsRig(t);
  const runId = await finished(rig, "printf '\\033[31mred\\033[0m\\000\\377\\n'");
  const text = await rig.process({ action: 'log', runId });
  assert.equal(text.text, 'red\\x00\ufffd');
  const raw = await rig.process({ action: 'log', runId, encoding: 'base64' });
  assert.deepEqual(
    Buffer.from(raw.text, 'base64'),
    Buffer.from('\u001b[31mred\u001b[0m\u0000\u00ff\n', 'latin1'),
  );
});

test('a running command is read so far, and further from the cursor', async (t) => {
  const rig = await openToolsRig(t);
  const { runId } = await rig.start({ command: 'echo one; read x; echo two; read x' });
  await rig.untilSaid(runId, 'one\n');
  const first = await rig.process({ action: 'log', runId });
  assert.deepEqual([first.text, first.isEnd], ['one', true]);
  await rig.process({ action: 'submit', runId });
  const polled = await rig.process<'poll'>({
    action: 'poll',
    runId,
    cursor: first.cursor,
    waitMs: 30_000,
  });
  assert.ok('output' in polled && polled.output === 'two\n');
  await rig.process({ action: 'kill', runId });
});

test('what a full journal has dropped is said, by line, by cursor and by poll', async (t) => {
  const rig = await openToolsRig(t);
  const { supervisor } = rig;
  const run = await supervisor.spawn({
    mode: 'child',
    argv: ['/bin/sh', '-c', 'seq 1 100000'],
    cwd: rig.scratchDir,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    sessionId: 'session',
    backendId: 'exec',
    labels: { account: 'account', requester: 'test', host: 'local' },
    overallTimeoutMs: 60_000,
    leftovers: 'keep',
    journal: { mode: 'ring', bytesMax: 128 * 1024 },
  });
  await run.wait();
  const { runId } = run;
  const lines = await rig.process({ action: 'log', runId });
  assert.ok(lines.droppedBytes > 0 && lines.text.endsWith('\n100000'));
  const bytes = await rig.process({ action: 'log', runId, cursor: '0.0' });
  assert.ok(bytes.droppedBytes > 0);
  const polled = await rig.process<'poll'>({ action: 'poll', runId });
  assert.ok(polled.status === 'completed');
  assert.match(polled.notes.join(), /dropped/);
});

test('100 MB are paged through without growing', async (t) => {
  const rig = await openToolsRig(t);
  const line = 'a line of output that says about as much as lines of builds do';
  const total = 100_000_000;
  const runId = await finished(rig, `yes '${line}' | head -c ${total}`);
  const hash = createHash('sha256');
  let bytes = 0;
  let pages = 0;
  let cursor = '0.0';
  const rssAtFirst: number[] = [];
  let rssMax = 0;
  let heapMax = 0;
  for (let isEnd = false; !isEnd; ) {
    const page = await rig.process({ action: 'log', runId, cursor, encoding: 'base64' });
    const piece = Buffer.from(page.text, 'base64');
    hash.update(piece);
    bytes += piece.length;
    pages += 1;
    ({ cursor, isEnd } = page);
    const { rss, heapUsed } = process.memoryUsage();
    /* The first tenth warms up: the pools and the heap find their size. */
    if (bytes < total / 10) rssAtFirst.push(rss);
    else {
      rssMax = Math.max(rssMax, rss);
      heapMax = Math.max(heapMax, heapUsed);
    }
  }
  assert.equal(bytes, total);
  const expected = createHash('sha256');
  const block = Buffer.from(`${line}\n`.repeat(10_000));
  for (let left = total; left > 0; left -= block.length) expected.update(block.subarray(0, left));
  assert.equal(hash.digest('hex'), expected.digest('hex'));
  const grownMb = (rssMax - Math.max(...rssAtFirst)) / 1e6;
  t.diagnostic(
    `${pages} pages, grown by ${grownMb.toFixed(1)} MB, heap at most ${(heapMax / 1e6).toFixed(1)} MB`,
  );
  assert.ok(grownMb < 50, `grown by ${grownMb} MB`);
  const last = await rig.process({ action: 'log', runId, limit: 2 });
  assert.equal(last.totalLines, Math.ceil(total / (line.length + 1)));
  const rssAfterLines = (process.memoryUsage().rss - Math.max(...rssAtFirst)) / 1e6;
  t.diagnostic(`by line: grown by ${rssAfterLines.toFixed(1)} MB`);
  assert.ok(rssAfterLines < 80, `grown by ${rssAfterLines} MB`);
});
