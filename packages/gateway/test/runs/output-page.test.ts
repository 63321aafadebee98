/*
 * Pages of output: every byte once, however much there is, and an honest end.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { callerOf } from '../fixtures/api-caller.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('10 MB of bytes come in pages, whole and in order', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const bytes = 10_000_000;
  // No two places are alike, and nothing of it is text.
  const command = `head -c ${bytes} /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 2>/dev/null | tee copy`;
  const runId = await me.start({ command });
  await me.untilEnded(runId);
  const sum = await me.post('/api/v1/runs', { command: 'sha256sum copy', yieldMs: 20_000 });
  const hash = createHash('sha256');
  let cursor = '';
  let total = 0;
  let pages = 0;
  for (;;) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await me.get(
      `/api/v1/runs/${runId}/output?encoding=base64&limit=1000000${from}`,
    );
    assert.equal(status, 200, JSON.stringify(body));
    const piece = Buffer.from(body.text, 'base64');
    assert.ok(piece.length <= 1_000_002);
    hash.update(piece);
    total += piece.length;
    pages += 1;
    cursor = body.cursor;
    if (body.hasEnded) break;
  }
  assert.equal(total, bytes);
  assert.ok(pages <= 12, `${pages} pages`);
  assert.equal(hash.digest('hex'), sum.body.output.slice(0, 64));
});

test('text comes without escape sequences and never with half a character', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const command = String.raw`printf '\033[31mred\033[0m €uro ünd \xff'; printf '€%.0s' $(seq 1 1000)`;
  const runId = await me.start({ command });
  await me.untilEnded(runId);
  let text = '';
  let cursor = '';
  for (;;) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await me.get(`/api/v1/runs/${runId}/output?limit=100${from}`);
    text += body.text;
    cursor = body.cursor;
    if (body.hasEnded) break;
  }
  assert.equal(text, `red €uro ünd \\xff${'€'.repeat(1000)}`);
});

test('a page of a run that goes on says that more may come, and a wrong cursor is refused', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const runId = await me.start({ command: 'echo first; cat' });
  await using events = await me.events(`/api/v1/runs/${runId}/output`);
  await events.untilSaid('first\n');
  const path = `/api/v1/runs/${runId}/output`;
  const page = await me.get(path);
  const { text, isEnd, hasEnded, droppedBytes, cursor } = page.body;
  assert.deepEqual([text, isEnd, hasEnded, droppedBytes], ['first\n', true, false, 0]);
  assert.equal((await me.get(`${path}?cursor=${cursor}`)).body.text, '');
  for (const wrong of ['nonsense', '1.1.1', '00.0', '-1.0']) {
    const { status, body } = await me.get(`${path}?cursor=${wrong}`);
    assert.deepEqual([status, body.error.code], [400, 'validation_error'], wrong);
  }
  assert.equal((await me.get(`${path}?limit=0`)).status, 400);
  await me.post(`/api/v1/runs/${runId}/input`, { eof: true });
  await me.untilEnded(runId);
  const beyond = await me.get(`${path}?cursor=zzzz.0`);
  assert.deepEqual([beyond.status, beyond.body.error.code], [400, 'validation_error']);
  const last = await me.get(`${path}?cursor=${cursor}`);
  assert.deepEqual([last.body.text, last.body.hasEnded], ['', true]);
});

test('the end of a long output comes first, and page by page backwards every byte is there once', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const linesCount = 200_000;
  const runId = await me.start({ command: `seq 1 ${linesCount}; echo oops >&2; printf end` });
  await me.untilEnded(runId);
  const pages: string[] = [];
  let before = '';
  let end = '';
  for (;;) {
    const { status, body } = await me.get(
      `/api/v1/runs/${runId}/output?tail=131072&encoding=base64${before}`,
    );
    assert.equal(status, 200, JSON.stringify(body));
    const piece = Buffer.from(body.text, 'base64').toString('latin1');
    assert.ok(piece.length > 0 && piece.length <= 131_072, `${piece.length} bytes`);
    pages.unshift(piece);
    if (before === '') {
      assert.match(piece.slice(-20), /(end|oops\n)$/);
      assert.equal(body.hasEnded, true);
      end = body.cursor;
    }
    if (!body.hasOlder) break;
    before = `&before=${body.from}`;
  }
  const lines = Array.from({ length: linesCount }, (_, index) => `${index + 1}\n`).join('');
  // Two pipes: which of them is read first at the end is the shim's choice.
  assert.deepEqual(pages.join('').split('oops\n').join(''), `${lines}end`);
  assert.equal(pages.join('').length, lines.length + 'oops\nend'.length);
  assert.ok(pages.length >= 10, `${pages.length} pages`);
  const { body } = await me.get(`/api/v1/runs/${runId}/output?cursor=${end}`);
  assert.deepEqual([body.text, body.hasEnded], ['', true]);
});

test('the last bytes of a run that has said little or nothing are all of it', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  for (const [command, text] of [
    ['printf few', 'few'],
    ['true', ''],
  ]) {
    const runId = await me.start({ command });
    await me.untilEnded(runId);
    const { body } = await me.get(`/api/v1/runs/${runId}/output?tail=65536`);
    assert.deepEqual([body.text, body.hasOlder, body.hasEnded], [text, false, true]);
  }
});
