/*
 * kill -9 of the gateway in a loop, under load: no acknowledged write is lost, nothing happens twice, no byte and no event of a
 * run that somebody follows is missing or doubled.
 *
 * Every request that was cut off is sent again, as a client would: with the same idempotency key.
 */
import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient, followRun, type LinkState } from '@clawdfather/sdk';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { type GatewayProcess, startGatewayProcess } from '../fixtures/start-gateway-process.ts';

const kills = 6;
const workers = 3;
/* Acknowledged between two kills, so that each falls into the middle of work. */
const writesPerLife = 12;

interface Ledger {
  /* Key of a command to the run that was acknowledged for it. */
  readonly runs: Map<string, string>;
  /* Settings that were acknowledged, in order. */
  readonly settings: number[];
  readonly audited: { sent: number };
}

test('a gateway that is killed again and again loses nothing and does nothing twice', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clf-kill-'));
  const effects = join(directory, 'effects');
  /* Made after the last kill: the run that is followed does not end before that. */
  const last = join(directory, 'last');
  await appendFile(effects, '');
  const ledger: Ledger = { runs: new Map(), settings: [], audited: { sent: 0 } };
  const stopped = new AbortController();
  let gateway = await startGatewayProcess(directory);
  try {
    const counting = await gateway.me.start({
      command: `i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo line $i; [ $((i % 40)) = 0 ] && sleep 0.1; done; until [ -e ${last} ]; do sleep 0.1; done; exit 7`,
    });
    const link = { isLive: false, lost: 0 };
    const following = follow(() => gateway, { runId: counting, link, signal: stopped.signal });
    // Looked at below; a test that fails before that lets it go.
    following.catch(() => {});
    for (let life = 0; life < kills; life += 1) {
      const done = Promise.all(
        Array.from({ length: workers }, (_, worker) =>
          work({ gateway, effects, ledger }, { life, worker }),
        ),
      );
      await enoughWrites(ledger, writesPerLife);
      await Promise.race([following, isFollowed({ link, signal: stopped.signal })]);
      await gateway.end('SIGKILL');
      const cutOff = (await done).flat();
      gateway = await startGatewayProcess(directory);
      for (const again of cutOff) await again(gateway);
    }
    await appendFile(last, '');
    await checkRuns(gateway, { effects, ledger });
    await checkSettings(gateway, ledger);
    const { text, exitCode } = await following;
    const lines = Array.from({ length: 4000 }, (_, index) => `line ${index + 1}\n`);
    assert.ok(text === lines.join(''), 'every line of the run, once and in order');
    assert.equal(exitCode, 7);
    assert.ok(link.lost >= kills, `the connection was lost ${link.lost} times`);
  } finally {
    stopped.abort();
    await gateway.end('SIGKILL');
    await endEveryRun(join(directory, 'state'));
    await rm(directory, { recursive: true, force: true });
  }
});

type Again = (gateway: GatewayProcess) => Promise<void>;

interface Work {
  readonly gateway: GatewayProcess;
  readonly effects: string;
  readonly ledger: Ledger;
}

/* Writes until the gateway is gone; answers what was cut off and has to be sent again. */
async function work(
  { gateway, effects, ledger }: Work,
  { life, worker }: { readonly life: number; readonly worker: number },
): Promise<readonly Again[]> {
  for (let step = 0; ; step += 1) {
    const key = `${life}-${worker}-${step}`;
    const body = { argv: ['sh', '-c', `echo ${key} >> ${effects}`] };
    const startRun: Again = async ({ me }) => {
      const answer = await me.post('/api/v1/runs', body, { 'idempotency-key': key });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      const known = ledger.runs.get(key) ?? answer.body.runId;
      assert.equal(answer.body.runId, known, 'the same key is the same run');
      ledger.runs.set(key, known);
    };
    const changeSettings: Again = async ({ url, token }) => {
      const seconds = 600 + ledger.audited.sent;
      ledger.audited.sent += 1;
      const answer = await fetch(new URL('/api/v1/settings', url), {
        method: 'PATCH',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ idle_timeout_seconds: seconds }),
      });
      assert.equal(answer.status, 200, await answer.text());
      ledger.settings.push(seconds);
    };
    const write = worker === 0 ? changeSettings : startRun;
    try {
      await write(gateway);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return worker === 0 ? [] : [write];
    }
  }
}

async function enoughWrites({ runs, settings }: Ledger, count: number): Promise<void> {
  const enough = runs.size + settings.length + count;
  while (runs.size + settings.length < enough) await new Promise(setImmediate);
}

async function isFollowed({ link, signal }: Pick<Followed, 'link' | 'signal'>): Promise<void> {
  while (!link.isLive && !signal.aborted) await new Promise(setImmediate);
}

async function checkRuns(
  { me }: GatewayProcess,
  { effects, ledger }: Pick<Work, 'effects' | 'ledger'>,
): Promise<void> {
  for (const runId of ledger.runs.values()) {
    const { exit } = await me.untilEnded(runId);
    assert.equal(exit.reason, 'exit');
  }
  const done = (await readFile(effects, 'utf8')).trim().split('\n');
  assert.deepEqual(done.toSorted(), [...ledger.runs.keys()].toSorted(), 'each command ran once');
}

async function checkSettings({ me }: GatewayProcess, { settings, audited }: Ledger): Promise<void> {
  const { body } = await me.get('/api/v1/settings');
  assert.ok(
    body.idle_timeout_seconds >= Math.max(...settings),
    'the last acknowledged value holds',
  );
  const seqs: number[] = [];
  let updates = 0;
  let before: number | null = null;
  do {
    const from: string = before === null ? '' : `&before=${before}`;
    const page = await me.get(`/api/v1/audit?limit=100${from}`);
    for (const { seq, action } of page.body.entries) {
      seqs.push(seq);
      if (action === 'settings.update') updates += 1;
    }
    before = page.body.next_before;
  } while (before !== null);
  assert.deepEqual(
    seqs,
    Array.from({ length: seqs.length }, (_, index) => seqs.length - index),
  );
  assert.ok(updates >= settings.length && updates <= audited.sent, `${updates} entries`);
}

interface Followed {
  readonly runId: string;
  readonly link: { isLive: boolean; lost: number };
  readonly signal: AbortSignal;
}

/* Follows the run over every gateway there will be. */
async function follow(
  current: () => GatewayProcess,
  { runId, link, signal }: Followed,
): Promise<{ readonly text: string; readonly exitCode: number | null }> {
  const base = current();
  const client = createClient({
    baseUrl: base.url,
    token: base.token,
    // The next gateway listens elsewhere; a real one keeps its address.
    fetch: (url, init) => fetch(url.replace(base.url, current().url), init),
  });
  const onLink = ({ kind }: LinkState): void => {
    link.isLive = kind === 'live';
    if (kind === 'lost') link.lost += 1;
  };
  const options = { clock: createSystemClock(), random: createSystemRandom(), onLink, signal };
  let text = '';
  for await (const event of followRun({ client, runId }, options)) {
    if (event.name === 'output') text += Buffer.from(event.data.data, 'base64').toString();
    if (event.name === 'exit') return { text, exitCode: event.data.exit.code };
  }
  throw new Error('it ended without an exit');
}
