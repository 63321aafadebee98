/*
 * A conversation read back over the API: the newest page, then older ones; and what is too large for a page, by itself.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type Block, joinBlocks, mergeBlocks } from '@clawdfather/protocol/history';
import {
  endTurn,
  gate,
  onPrompt,
  plan,
  raw,
  say,
  think,
  toolCall,
  toolCallUpdate,
  update,
  usage,
} from '@clawdfather/testkit';
import { isEndOf, type SeenEvent } from '../agents/talk.ts';
import type { ApiCaller } from '../fixtures/api-caller.ts';
import { openScriptedTalk } from './scripted-talk.ts';

const longLine = Array.from({ length: 100_000 }, (_, index) => `${index} `).join('');
const output = { type: 'content', content: { type: 'text', text: longLine } };
let deep: object = {};
for (let level = 0; level < 400; level += 1) deep = { deep };

const steps = [
  onPrompt([
    say('Look'),
    usage(1, 2),
    say('ing.'),
    toolCall('c1', 'ls \u202e-la', { rawInput: { path: '.' } }),
    toolCallUpdate('c1', { status: 'in_progress' }),
    think('hm'),
    plan('one', 'two'),
    toolCallUpdate('c1', { status: 'completed', content: [output] }),
    plan('one'),
    say(longLine),
    update({ sessionUpdate: 'invented', ...deep }),
    raw('no message at all\n'),
    endTurn(),
  ]),
  gate('never'),
];

async function readBack(me: ApiCaller, threadId: string, limit: number) {
  let blocks: readonly Block[] = [];
  let before = '';
  for (;;) {
    const path = `threads/${threadId}/history?limit=${limit}${before}`;
    const { status, body } = await me.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body['gaps'], []);
    blocks = mergeBlocks(body['blocks'], blocks);
    if (body['has_more'] !== true) return { blocks, newestSeq: body['newest_seq'] };
    before = `&before=${body['first_seq']}`;
  }
}

test('a turn is read back as blocks, in pages of any size; what is cut is there as a whole', async (t) => {
  await using talking = await openScriptedTalk(t, steps);
  const { talk, me } = talking;
  const turn = await talk.say('go\u202e on');
  const end = await talk.until(isEndOf(turn));
  const { blocks, newestSeq } = await readBack(me, talk.id(), 1_000);
  assert.equal(newestSeq, end.seq);
  assert.deepEqual((await readBack(me, talk.id(), 1)).blocks, blocks);
  assert.deepEqual((await readBack(me, talk.id(), 3)).blocks, blocks);
  const kinds = blocks.filter(({ kind }) => kind !== 'event').map(({ kind }) => kind);
  assert.deepEqual(kinds, ['user', 'text', 'tool', 'text', 'plan', 'text']);
  const [user, text, tool, thought, planned, long] = blocks.filter(({ kind }) => kind !== 'event');
  assert.ok(user?.kind === 'user');
  assert.deepEqual(user.content, [{ type: 'text', text: 'go\u202e on' }]);
  assert.equal(user.turn_id, turn);
  assert.ok(text?.kind === 'text' && thought?.kind === 'text' && long?.kind === 'text');
  assert.deepEqual([text.text, text.is_complete, text.bytes], ['Looking.', true, 8]);
  assert.equal(text.sha256, createHash('sha256').update('Looking.').digest('hex'));
  assert.deepEqual([thought.role, thought.text], ['thought', 'hm']);
  assert.ok(tool?.kind === 'tool' && planned?.kind === 'plan');
  assert.equal(tool.call['status'], 'completed');
  assert.deepEqual(tool.call['rawInput'], { path: '.' });
  assert.equal(planned.updates, 2);
  const [cut] = tool.cut;
  assert.ok(cut !== undefined && cut.bytes > 500_000);
  assert.deepEqual(await payloadOf(me, talk.id(), cut.seq), toolEvent(talk.events));
  assert.equal(long.sha256, createHash('sha256').update(longLine).digest('hex'));
  const whole = await payloadOf(me, talk.id(), long.cut[0]?.seq ?? 0);
  assert.equal(whole['text'], longLine);
  const live = joinBlocks([], talk.events as never);
  assert.deepEqual(
    live.map(({ kind, first_seq, last_seq }) => [kind, first_seq, last_seq]),
    blocks.map(({ kind, first_seq, last_seq }) => [kind, first_seq, last_seq]),
    'what was followed live is the same',
  );
});

function toolEvent(events: readonly SeenEvent[]) {
  return events.findLast(({ type }) => type === 'tool')?.payload;
}

async function payloadOf(me: ApiCaller, threadId: string, seq: number) {
  let json = '';
  for (let offset: number | null = 0; offset !== null; ) {
    const path = `threads/${threadId}/events/${seq}?offset=${offset}&limit=200000`;
    const { status, body } = await me.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    json += body['json'];
    offset = body['next_offset'];
  }
  return JSON.parse(json);
}

test('a page is compressed for those who take it so, and for no others', async (t) => {
  await using talking = await openScriptedTalk(t, steps);
  const { talk, rig } = talking;
  await talk.until(isEndOf(await talk.say('go')));
  const path = `/api/v1/threads/${talk.id()}/history`;
  const ask = (coding: string) => rig.request(path, { headers: { 'accept-encoding': coding } });
  const zipped = await ask('br, gzip;q=0.5');
  assert.equal(zipped.headers.get('content-encoding'), 'gzip');
  assert.ok(Number(zipped.headers.get('content-length')) <= 64_000);
  const plain = await ask('gzip;q=0');
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.deepEqual(await zipped.json(), await plain.json());
  assert.equal(plain.headers.get('vary'), 'accept-encoding');
});
