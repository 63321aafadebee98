/*
 * kill -9 of a gateway at random moments while agents ask and end: every turn and every ask is noticed once, each notice is sent once (by its
 * id) to a webhook and to a device, and a client that applies the events to its first snapshot has what the last one says.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSeededRandom, openPushService, type PushService } from '@clawdfather/testkit';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import { openRecordingServer } from '../notices/recording-server.ts';

interface Event {
  readonly seq: number;
  readonly type: string;
  readonly subject_id: string;
  readonly payload: { readonly class?: string; readonly about?: string };
}

const lives = 6;
const threads = 3;

test('a gateway that is killed at any moment notices everything once, and tells each once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-kill-notices-'));
  await using server = await openRecordingServer();
  await using service = await openPushService();
  const config = {
    notify: {
      webhook: { url: server.url, secret: 's' },
      push: { services: [service.origin] },
    },
  };
  const random = createSeededRandom(11);
  const turns: string[] = [];
  let gateway: GatewayProcess = await startGatewayProcess(directory, config);
  try {
    await subscribe(gateway, service);
    const ids: string[] = [];
    for (let index = 0; index < threads; index += 1) {
      const { body } = await gateway.me.post('threads', { agent: 'echo' });
      ids.push(body['thread'].id);
    }
    for (let life = 0; life < lives; life += 1) {
      for (const id of ids) {
        const text = life % 2 === 0 ? 'ask: rm x' : 'hello there';
        const message = { text, client_message_id: `${id}-${life}` };
        const { body } = await gateway.me.post(`threads/${id}/turns`, message);
        turns.push(body['turn'].id);
      }
      // Somewhere in the middle of starting, asking, ending and sending.
      const [chance = 0] = random.bytes(1);
      await untilEvents(gateway, (await headOf(gateway)) + (chance % 5));
      await gateway.end('SIGKILL');
      gateway = await startGatewayProcess(directory, config);
      await answerAll(gateway);
    }
    await untilEnded(gateway, turns);
    await checkStream(gateway);
    const pushed = () =>
      service.taken.map(({ payload }) => String(payload.notification.data.notice_id));
    await checkNotices(gateway, { turns, sent: () => sentIds(server.posted), pushed });
    assert.deepEqual(service.refused, []);
  } finally {
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});

function sentIds(posted: readonly { readonly body: { data: { notice_id: string } } }[]) {
  return posted.map(({ body }) => body.data.notice_id);
}

async function subscribe({ me }: GatewayProcess, service: PushService): Promise<void> {
  const { body } = await me.get('push');
  const browser = service.subscribe(body['public_key']);
  const { status } = await me.post('push/subscription', { key_id: body['key_id'], ...browser });
  assert.equal(status, 200);
}

async function headOf({ me }: GatewayProcess): Promise<number> {
  return (await me.get('events?after=now')).body['last_seq'];
}

/* Or a second, if so much does not happen any more. */
async function untilEvents({ me }: GatewayProcess, seq: number): Promise<void> {
  await me.get(`events?after=${seq}&wait_ms=1000`);
}

async function answerAll({ me }: GatewayProcess): Promise<void> {
  const { body } = await me.get('asks');
  for (const { id, options } of body['items']) {
    await me.post(`asks/${id}`, { option_id: options[0].option_id });
  }
}

async function untilEnded(gateway: GatewayProcess, turns: readonly string[]): Promise<void> {
  for (const id of turns) {
    for (;;) {
      const { body } = await gateway.me.get(`turns/${id}`);
      if (body['turn'].ended_at !== null) break;
      await answerAll(gateway);
      await untilEvents(gateway, await headOf(gateway));
    }
  }
}

async function eventsOf({ me }: GatewayProcess): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (;;) {
    const { body } = await me.get(`events?after=${events.at(-1)?.seq ?? 0}&limit=500`);
    if (body['items'].length === 0) return events;
    events.push(...body['items']);
  }
}

/* What the events say to be open is what the inbox says. */
async function checkStream(gateway: GatewayProcess): Promise<void> {
  const events = await eventsOf(gateway);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const open = new Map<string, string>();
  for (const { type, subject_id: id, payload } of events) {
    if (type === 'notice') open.set(id, payload.class ?? '');
    if (type === 'notice_resolved') assert.ok(open.delete(id), `${id} was resolved twice`);
  }
  const { body: inbox } = await gateway.me.get('inbox');
  const { approvals, questions, failed, done } = inbox['counts'];
  const count = (wanted: string) => [...open.values()].filter((one) => one === wanted).length;
  assert.deepEqual(
    [count('approval'), count('question'), count('failed'), count('done')],
    [approvals, questions, failed, done],
  );
  for (const kind of ['turn_queued', 'turn_ended', 'ask_opened', 'ask_closed']) {
    const about = events
      .filter(({ type, payload }) => type === kind && !('again' in payload))
      .map(({ subject_id }) => subject_id);
    assert.equal(new Set(about).size, about.length, `${kind} of each, once`);
  }
}

interface Sent {
  readonly turns: readonly string[];
  readonly sent: () => readonly string[];
  readonly pushed: () => readonly string[];
}

async function checkNotices({ me }: GatewayProcess, { turns, sent, pushed }: Sent): Promise<void> {
  const { body } = await me.get('notices?limit=100');
  const notices: {
    id: string;
    about: string;
    deliveries: { channel: string; state: string; attempts: number }[];
  }[] = body['items'];
  const about = notices.map((notice) => notice.about);
  assert.equal(new Set(about).size, about.length, 'nothing is noticed twice');
  // The last turn of each thread is done, and was noticed.
  for (const id of turns.slice(-threads)) assert.ok(about.includes(id), id);
  for (;;) {
    const { body: now } = await me.get('notices?limit=100');
    const items: typeof notices = now['items'];
    const states = items.flatMap((notice) => notice.deliveries);
    if (!states.every(({ state }) => ['sent', 'skipped'].includes(state))) continue;
    for (const [channel, ids] of [
      ['webhook', sent()],
      ['push', pushed()],
    ] as const) {
      const told = items.filter(({ deliveries }) =>
        deliveries.some((one) => one.channel === channel && one.state === 'sent'),
      );
      assert.ok(told.length > 0, channel);
      const distinct = new Set(ids);
      for (const { id } of told) assert.ok(distinct.has(id), `${id} was sent to ${channel}`);
      // More than once only what was in hand when the gateway was killed, which is taken again.
      for (const { id, deliveries } of items) {
        const { attempts = 0 } = deliveries.find((one) => one.channel === channel) ?? {};
        const posts = ids.filter((one) => one === id).length;
        assert.ok(posts <= attempts, `${id} to ${channel}: ${posts} by ${attempts} attempts`);
      }
    }
    return;
  }
}
