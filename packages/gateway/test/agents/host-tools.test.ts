/*
 * Files and terminals that an agent on an SSH host asks us for, on a real sshd: what is written and started is there, once; the policy of the
 * host decides; gateways that are killed in between do nothing twice.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  createTerminal,
  endTurn,
  expectInitialize,
  expectNew,
  fakeAgentCommand,
  gate,
  onPrompt,
  openGate,
  openSshd,
  readTextFile,
  sayAnswer,
  script,
  sshdSkip,
  writeScript,
  writeTextFile,
} from '@clawdfather/testkit';
import { callerOf } from '../fixtures/api-caller.ts';
import { type Ask, createAsk } from '../fixtures/api-client.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import {
  addHost,
  closeSessions,
  sleepsFor,
  sleepWord,
  untilTrue,
  withHost,
} from '../hosts/host-world.ts';
import { createTalk, isEndOf } from './talk.ts';

const options = { skip: sshdSkip, timeout: 120_000 };

/* An agent that plays this turn, in a directory of the test's own on the host. */
async function playing(t: TestContext, stepsIn: (work: string) => Parameters<typeof onPrompt>[0]) {
  const directory = await mkdtemp(join(tmpdir(), 'clf-tools-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const work = join(directory, 'work');
  const gates = join(directory, 'gates');
  mkdirSync(work);
  mkdirSync(gates);
  const turn = onPrompt([...stepsIn(work), endTurn()]);
  const file = writeScript(
    join(directory, 'script'),
    script([expectInitialize(), expectNew(), turn]),
  );
  const command = fakeAgentCommand({ script: file, gates });
  return {
    work,
    gate: (name: string) => openGate(gates, name),
    agents: { named: [{ name: 'played', command }] },
  };
}

/* `{"result":…}` and `{"error":…}`, in order. */
function answersIn(
  text: string,
): readonly { result?: Record<string, unknown>; error?: { message: string } }[] {
  return text
    .split(/(?<=\})(?=\{"(?:result|error)")/)
    .map((part) => JSON.parse(part) as { result?: Record<string, unknown> });
}

test(
  'files of the host are read and written, whole, through links, with their modes',
  options,
  async (t) => {
    const long = 'ä'.repeat(200_000);
    const { work, agents } = await playing(t, (at) => [
      readTextFile(join(at, 'old'), { as: 'r' }),
      sayAnswer('r'),
      writeTextFile(join(at, 'link'), long, { as: 'w' }),
      sayAnswer('w'),
      writeTextFile(join(at, "a b's $HOME"), 'new\n', { as: 'n' }),
      sayAnswer('n'),
      readTextFile(join(at, 'none'), { as: 'none' }),
      sayAnswer('none'),
      readTextFile(at, { as: 'dir' }),
      sayAnswer('dir'),
      readTextFile(join(at, 'bytes'), { as: 'bytes' }),
      sayAnswer('bytes'),
      writeTextFile(join(at, 'no/where'), 'x', { as: 'no' }),
      sayAnswer('no'),
    ]);
    writeFileSync(join(work, 'old'), 'one\ntwo\n');
    chmodSync(join(work, 'old'), 0o750);
    symlinkSync('old', join(work, 'link'));
    writeFileSync(join(work, 'bytes'), Buffer.from([0xff, 0xfe, 0x00]));
    await withHost(
      t,
      async ({ rig, ask, connectionId }) => {
        await ask('POST', `connections/${connectionId}/policy`, { body: { policy: 'full' } });
        const me = callerOf(rig.url, rig.owner.token);
        const talk = createTalk(() => me);
        await talk.begin({ agent: 'played', connection_id: connectionId, directory: work });
        const turn = await talk.say('go');
        assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
        const [r, w, n, ...refused] = answersIn(talk.textOf(turn));
        assert.deepEqual([r?.result, w?.result, n?.result], [{ content: 'one\ntwo\n' }, {}, {}]);
        const said = refused.map(({ error }) => error?.message.replace(`${work}`, ''));
        assert.match(said[0] ?? '', /there is no such file/);
        assert.match(said[1] ?? '', /no file/);
        assert.match(said[2] ?? '', /it is no text/);
        assert.match(said[3] ?? '', /it cannot be written/);
      },
      { config: { agents } },
    );
    assert.equal(readFileSync(join(work, 'old'), 'utf8'), long);
    assert.equal(statSync(join(work, 'old')).mode & 0o777, 0o750);
    assert.deepEqual(readdirSync(work).toSorted(), ["a b's $HOME", 'bytes', 'link', 'old']);
  },
);

test(
  'a host whose policy asks: a card for what changes something, and none for reading',
  options,
  async (t) => {
    const { work, agents } = await playing(t, (at) => [
      readTextFile(join(at, 'old'), { as: 'r' }),
      sayAnswer('r'),
      writeTextFile(join(at, 'old'), 'new', { as: 'w' }),
      sayAnswer('w'),
      createTerminal('touch', [join(at, 'made')], { as: 't' }),
      sayAnswer('t'),
    ]);
    writeFileSync(join(work, 'old'), 'old');
    await withHost(
      t,
      async ({ rig, connectionId }) => {
        const me = callerOf(rig.url, rig.owner.token);
        const talk = createTalk(() => me);
        await talk.begin({ agent: 'played', connection_id: connectionId, directory: work });
        const turn = await talk.say('go');
        const card = async (count: number) => {
          const isOpen = ({ payload }: { payload: Readonly<Record<string, unknown>> }): boolean =>
            payload['state'] === 'open';
          await talk.until((event) => isOpen(event) && talk.events.filter(isOpen).length === count);
          const [asked, ...others] = (await me.get('asks')).body['items'];
          assert.equal(others.length, 0);
          return asked;
        };
        const first = await card(1);
        assert.equal(first.title, `write ${join(work, 'old')}`);
        assert.equal(readFileSync(join(work, 'old'), 'utf8'), 'old');
        await me.post(`asks/${first.id}`, { option_id: 'allow-once' });
        const second = await card(2);
        assert.match(second.title, /^run touch /);
        await me.post(`asks/${second.id}`, { option_id: 'reject-once' });
        assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
        const [, w, made] = answersIn(talk.textOf(turn));
        assert.deepEqual(w?.result, {});
        assert.match(made?.error?.message ?? '', /a person did not allow it/);
      },
      { config: { agents } },
    );
    assert.equal(readFileSync(join(work, 'old'), 'utf8'), 'new');
    assert.ok(!existsSync(join(work, 'made')));
  },
);

test(
  'a gateway that is killed beside a terminal: it is one process, its output goes on, and it ends with the agent',
  options,
  async (t) => {
    const word = sleepWord();
    const {
      work,
      agents,
      gate: gateOf,
    } = await playing(t, (at) => [
      createTerminal('sh', ['-c', `echo begun >> ${join(at, 'starts')}; exec sleep ${word}`], {
        as: 't',
      }),
      sayAnswer('t'),
      gate('made'),
      writeTextFile(join(at, 'after'), 'written', { as: 'w' }),
      sayAnswer('w'),
      gate('end'),
    ]);
    const sshd = await openSshd(t);
    const directory = await mkdtemp(join(tmpdir(), 'clf-hk-'));
    let gateway = await startGatewayProcess(directory, { agents });
    const ask: Ask = (...asked) => createAsk({ url: gateway.url, owner: gateway })(...asked);
    const restart = async (): Promise<void> => {
      await gateway.end('SIGKILL');
      gateway = await startGatewayProcess(directory, { agents });
    };
    try {
      const connectionId = await addHost(ask, sshd);
      await ask('POST', `connections/${connectionId}/policy`, { body: { policy: 'full' } });
      const talk = createTalk(() => gateway.me);
      await talk.begin({ agent: 'played', connection_id: connectionId, directory: work });
      const turn = await talk.say('go');
      await gateOf('made').reached();
      await untilTrue(() => sleepsFor(word) === 1);
      await restart();
      gateOf('made').release();
      await gateOf('end').reached();
      const [made, written] = answersIn(await untilText(talk, turn));
      assert.deepEqual(written?.result, {});
      const run = (await ask('GET', `runs/${String(made?.result?.['terminalId'])}`)).body;
      assert.equal(run.exit, null, 'it is a run as others are');
      assert.equal(readFileSync(join(work, 'starts'), 'utf8'), 'begun\n');
      const { thread } = (await gateway.me.get(`threads/${talk.id()}`)).body;
      await ask('DELETE', `sessions/${thread.session_id}`);
      await untilTrue(() => sleepsFor(word) === 0);
      await closeSessions(ask);
    } finally {
      await gateway.end('SIGTERM');
      await endEveryRun(join(directory, 'state'));
      await rm(directory, { recursive: true, force: true });
    }
  },
);

/* Both answers. */
async function untilText(talk: ReturnType<typeof createTalk>, turn: string): Promise<string> {
  await talk.until(() => (talk.textOf(turn).match(/"result"/g) ?? []).length === 2);
  return talk.textOf(turn);
}

test('a terminal: its output and its end, and one that is killed', options, async (t) => {
  const word = sleepWord();
  const named = [{ name: 'echo', command: fakeAgentCommand() }];
  await withHost(
    t,
    async ({ rig, ask, connectionId }) => {
      await ask('POST', `connections/${connectionId}/policy`, { body: { policy: 'full' } });
      const me = callerOf(rig.url, rig.owner.token);
      const talk = createTalk(() => me);
      await talk.begin({ connection_id: connectionId, directory: '/usr' });
      const lines = ['terminal: pwd; echo bad >&2; exit 3', `kill: exec sleep ${word}`];
      const turn = await talk.say(lines.join('\n'));
      assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
      const [ran, killed] = talk
        .textOf(turn)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(ran.exit, { exitCode: 3, signal: null });
      assert.deepEqual(ran.shown.exitStatus, ran.exit);
      assert.equal(ran.shown.truncated, false);
      assert.deepEqual(ran.shown.output.split('\n').toSorted(), ['', '/usr', 'bad']);
      assert.notEqual(killed.exit.exitCode, 0);
      assert.equal(sleepsFor(word), 0);
    },
    { config: { agents: { named } } },
  );
});
