/*
 * An agent on an SSH host, with a real sshd: a conversation, the loss of the connection, the end of its session; and gateways that are
 * killed in the middle of its answer. Nothing is left on the host.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { rpcMethods } from '@clawdfather/protocol/acp';
import { fakeAgentCommand, openGate, openSshd, sshdSkip } from '@clawdfather/testkit';
import { createRpc } from '../acp/rpc-client.ts';
import { callerOf } from '../fixtures/api-caller.ts';
import { type Ask, createAsk } from '../fixtures/api-client.ts';
import { endEveryRun } from '../fixtures/end-every-run.ts';
import { startGatewayProcess } from '../fixtures/start-gateway-process.ts';
import {
  addHost,
  closeSessions,
  processesWith,
  sleepsFor,
  sleepWord,
  untilTrue,
  type World,
  withHost,
} from '../hosts/host-world.ts';
import { killConnections, killMasters } from '../hosts/master-processes.ts';
import { openDoor } from '../recovery/open-door.ts';
import { createTalk, isEndOf } from './talk.ts';

const options = { skip: sshdSkip, timeout: 120_000 };

/* The echoing agent, with gates and a memory of its own. */
async function echoIn(t: TestContext, isStubborn = false) {
  const directory = await mkdtemp(join(tmpdir(), 'clf-on-host-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const gates = join(directory, 'gates');
  const sessions = join(directory, 'sessions');
  mkdirSync(gates);
  mkdirSync(sessions);
  const word = sleepWord();
  const agent = fakeAgentCommand({ gates, sessions });
  const command = [
    '/bin/sh',
    '-c',
    `(${isStubborn ? "trap '' TERM; " : ''}exec sleep ${word}) & exec "$@"`,
    'sh',
    ...agent,
  ] as const;
  const config = { named: [{ name: 'echo', command, env: { GREETING: 'hello there' } }] };
  return {
    agents: config,
    gate: (name: string) => openGate(gates, name),
    // A gateway has the words of its settings in one.
    processes: () => processesWith(gates).filter((words) => words.includes(gates)).length,
    /* It leaves a process behind that does not end with its input. */
    left: () => sleepsFor(word),
    killLeft: () => {
      for (const pid of pidsSleepingFor(word)) process.kill(pid, 'SIGKILL');
    },
  };
}

/* `isStubborn`: what it leaves behind does not end when it is asked to. */
function withAgent(
  t: TestContext,
  work: (world: World, echo: Awaited<ReturnType<typeof echoIn>>) => Promise<void>,
  isStubborn = false,
): Promise<void> {
  return echoIn(t, isStubborn).then((echo) =>
    withHost(t, (world) => work(world, echo), { config: { agents: echo.agents } }),
  );
}

function pidsSleepingFor(word: string): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^[0-9]+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${word}\0`;
      } catch {
        // It is gone.
        return false;
      }
    })
    .map(Number);
}

function environmentOf(pid: number): ReadonlyMap<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  return new Map(
    lines.map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

function leasesIn(stateDir: string, connectionId: string): readonly string[] {
  const directory = join(stateDir, 'host-commands', connectionId);
  return existsSync(directory) ? readdirSync(directory) : [];
}

test(
  'an agent on a host: text, a permission, a cancel, a second turn, and its end with its session',
  options,
  (t) =>
    withAgent(t, async ({ rig, ask, sshd, connectionId, run }, { gate, processes, left }) => {
      const me = callerOf(rig.url, rig.owner.token);
      const talk = createTalk(() => me);
      await talk.begin({ connection_id: connectionId });
      const first = await talk.say('hello there\nsleep at look\nask: rm -r build');
      const [pid = 0] = await gate('look').reached();
      const environment = environmentOf(pid);
      assert.equal(environment.get('GREETING'), 'hello there');
      const { thread } = (await me.get(`threads/${talk.id()}`)).body;
      assert.equal(thread.directory, realpathSync(userInfo().homedir), 'as the host calls it');
      assert.deepEqual(JSON.parse(environment.get('CLAWDFATHER_CONTEXT') ?? ''), {
        connection_id: connectionId,
        host: sshd.host,
        port: sshd.port,
        username: sshd.user,
        keypair_id: (await me.get(`connections/${connectionId}`)).body['connection'].keypair_id,
        session_lease_id: thread.session_id,
      });
      gate('look').release();
      const { payload } = await talk.until(({ type }) => type === 'approval');
      const asked = (await me.get(`asks/${String(payload['ask'])}`)).body;
      const [option] = asked['options'];
      assert.equal(
        (await me.post(`asks/${asked['id']}`, { option_id: option.option_id })).status,
        200,
      );
      assert.equal((await talk.until(isEndOf(first))).payload['event'], 'completed');
      assert.match(talk.textOf(first), /^hello there\n/);

      const held = await talk.say('sleep at held');
      await gate('held').reached();
      await me.post(`turns/${held}/cancel`);
      assert.equal((await talk.until(isEndOf(held))).payload['event'], 'cancelled');
      const second = await talk.say('say 2000 words');
      assert.equal((await talk.until(isEndOf(second))).payload['event'], 'completed');
      assert.equal(talk.textOf(second).split(' ').length, 2000);
      const { turns } = (await me.get(`threads/${talk.id()}`)).body;
      assert.equal(new Set(turns.map(({ run_id: of }: { run_id: string }) => of)).size, 1);

      const other = await run({ command: 'echo beside' });
      assert.equal(other.output, 'beside\n');
      const beside = (await me.get(`runs/${other.runId}`)).body['sessionId'];
      assert.notEqual(beside, thread.session_id, 'commands do not share the session of an agent');
      assert.deepEqual([processes(), left()], [1, 1]);
      const closed = await ask('DELETE', `sessions/${thread.session_id}`);
      assert.equal(closed.status, 200, closed.text);
      await talk.until(({ payload: { event } }) => event === 'agent-ended');
      await untilTrue(() => processes() === 0 && left() === 0);
      await closeSessions(ask);
      await untilTrue(() => leasesIn(rig.config.stateDir, connectionId).length === 0);
    }),
);

test(
  'a lost connection interrupts the turn with its cause; the next prompt has another agent',
  options,
  (t) =>
    withAgent(
      t,
      async ({ rig, sshd, connectionId }, { gate, processes, left, killLeft }) => {
        const me = callerOf(rig.url, rig.owner.token);
        const talk = createTalk(() => me);
        await talk.begin({ connection_id: connectionId });
        const lost = await talk.say('so far\nsleep at link\nnever said');
        await gate('link').reached();
        await talk.until(({ type }) => type === 'delta');
        await killConnections(sshd.pid);
        const { payload } = await talk.until(isEndOf(lost));
        assert.equal(payload['event'], 'interrupted');
        const result = payload['result'] as { code: string; cause: string; message: string };
        assert.equal(result.cause, 'host-closed');
        assert.equal(result.code, 'OPENCLAW_GATEWAY_LOST');
        assert.match(result.message, /the connection to the host was lost\. [A-Z]/);
        assert.equal(talk.textOf(lost), 'so far\n');

        sshd.authorizeNone();
        const refused = await talk.say('while nobody is let in');
        const failed = await talk.until(isEndOf(refused));
        assert.equal(failed.payload['event'], 'failed');
        const { code, message } = failed.payload['result'] as { code: string; message: string };
        assert.equal(code, 'error', 'what is refused is not tried again');
        assert.match(message, /does not accept the key/);
        const { public_key: key } = (await me.get('keys')).body['items'][0];
        sshd.authorize(key);
        const next = await talk.say('again');
        assert.equal((await talk.until(isEndOf(next))).payload['event'], 'completed');
        assert.equal(talk.textOf(next), 'again');
        assert.deepEqual([processes(), left()], [1, 1], 'of the agent before nothing is left');
        assert.ok(
          talk.events.some(({ payload: { event } }) => event === 'resumed'),
          'it knows the conversation',
        );
        // Its end would wait for it.
        killLeft();
      },
      true,
    ),
);

test(
  'recovery 4: a host that is away for a while is tried again, and the turn says which and why',
  options,
  (t) =>
    withAgent(t, async ({ rig, ask, sshd }) => {
      const me = callerOf(rig.url, rig.owner.token);
      const talk = createTalk(() => me);
      await using door = await openDoor(sshd.port);
      const connectionId = await addHost(ask, { ...sshd, port: door.port }, 'far');
      await talk.begin({ connection_id: connectionId });
      await door.shut();
      const turn = await talk.say('are you there');
      const { payload } = await talk.until(({ payload: { progress } }) => progress !== undefined);
      assert.equal(payload['event'], 'running');
      const { message, ...progress } = payload['progress'] as Record<string, unknown>;
      assert.deepEqual([progress['stage'], progress['cause']], ['reaching', 'refused']);
      assert.match(String(message), /^far: The host refused the connection.*; next try in 1 s$/);
      // Whoever polls sees it, too.
      const { reaching } = (await me.get(`turns/${turn}`)).body['turn'];
      assert.equal(reaching.cause, 'refused');
      assert.ok(
        reaching.tries >= 1 && Date.parse(reaching.since) < Date.parse(reaching.next_try_at),
      );
      const rpc = createRpc(rig.url, rig.owner.token);
      const task = await rpc.result('tasks.get', { turnId: turn });
      rpcMethods['tasks.get'].result.parse(task);
      assert.equal(task.progress.stage, 'reaching');
      assert.match(
        task.progress.message,
        /^far: The host refused the connection.*; tried .* since /,
      );
      await door.open();
      assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
      assert.equal(talk.textOf(turn), 'are you there');
      assert.equal((await me.get(`turns/${turn}`)).body['turn'].reaching, null);
      await closeSessions(ask);
    }),
);

test('what cannot be started on a host says what to do', options, async (t) => {
  const named = [
    { name: 'gone', command: ['no-such-agent', '--acp'] as const },
    { name: 'echo', command: fakeAgentCommand() },
  ];
  await withHost(
    t,
    async ({ rig, ask, connectionId }) => {
      const me = callerOf(rig.url, rig.owner.token);
      const body = { agent: 'opencode', connection_id: connectionId };
      const refused = await ask('POST', 'threads', { body });
      assert.equal(refused.body.error.code, 'unsupported', refused.text);
      assert.match(
        refused.body.error.hint,
        /Install it on the host, and set agents\.NAME\.command/,
      );
      const failureOf = async (thread: object): Promise<string> => {
        const talk = createTalk(() => me);
        await talk.begin({ connection_id: connectionId, ...thread });
        const { payload } = await talk.until(isEndOf(await talk.say('hello')));
        assert.equal(payload['event'], 'failed');
        return (payload['result'] as { message: string }).message;
      };
      // No session is open there yet, so it is not known before.
      assert.match(
        await failureOf({ directory: '/no/where' }),
        /\/no\/where is not a directory on web/,
      );
      assert.match(await failureOf({ agent: 'gone' }), /no-such-agent is not on web/);
      const before = (await ask('GET', 'threads')).body.total;
      const place = { agent: 'echo', connection_id: connectionId, directory: '/no/where' };
      const known = await ask('POST', 'threads', { body: place });
      assert.equal(known.body.error.code, 'validation_error', known.text);
      assert.match(known.body.error.message, /\/no\/where is not a directory on web/);
      assert.equal((await ask('GET', 'threads')).body.total, before);
      const there = await ask('POST', 'threads', { body: { ...place, directory: '/tmp' } });
      assert.equal(there.status, 201, there.text);
    },
    { config: { agents: { named } } },
  );
});

test(
  'a gateway that is killed: the agent on the host goes on with its answer, its card and its loss',
  options,
  async (t) => {
    const echo = await echoIn(t);
    const sshd = await openSshd(t);
    const directory = await mkdtemp(join(tmpdir(), 'clf-hk-'));
    const stateDir = join(directory, 'state');
    const start = () => startGatewayProcess(directory, { agents: echo.agents });
    let gateway = await start();
    const ask: Ask = (...asked) => createAsk({ url: gateway.url, owner: gateway })(...asked);
    const restart = async (meanwhile = async (): Promise<void> => {}): Promise<void> => {
      await gateway.end('SIGKILL');
      await meanwhile();
      gateway = await start();
    };
    try {
      const connectionId = await addHost(ask, sshd);
      const talk = createTalk(() => gateway.me);
      await talk.begin({ connection_id: connectionId });
      const turn = await talk.say('say 3000 words\nsleep at middle\nsay 3000 words\nask: go on?');
      await echo.gate('middle').reached();
      await restart();
      echo.gate('middle').release();
      const { payload } = await talk.until(({ type }) => type === 'approval');
      await restart();
      const { items } = (await gateway.me.get('asks')).body;
      assert.deepEqual(
        items.map(({ id }: { id: string }) => id),
        [payload['ask']],
      );
      await gateway.me.post(`asks/${items[0].id}`, { option_id: items[0].options[0].option_id });
      assert.equal((await talk.until(isEndOf(turn))).payload['event'], 'completed');
      const words = talk.textOf(turn).match(/word-\d+/g) ?? [];
      const expected = Array.from({ length: 3000 }, (_, index) => `word-${index + 1}`);
      assert.deepEqual(words, [...expected, ...expected]);

      const unseen = await talk.say('sleep at unseen');
      await echo.gate('unseen').reached();
      await restart(() => killMasters(stateDir));
      const end = await talk.until(isEndOf(unseen));
      assert.equal(end.payload['event'], 'interrupted');
      const { code, cause } = end.payload['result'] as { code: string; cause: string };
      assert.deepEqual([code, cause], ['ACP_BRIDGE_RESTART', 'master-killed']);
      const next = await talk.say('again');
      assert.equal((await talk.until(isEndOf(next))).payload['event'], 'completed');
      assert.deepEqual([echo.processes(), echo.left()], [1, 1], 'what was lost is ended');
      await closeSessions(ask);
      await untilTrue(() => echo.processes() === 0 && echo.left() === 0);
      await untilTrue(() => leasesIn(stateDir, connectionId).length === 0);
    } finally {
      await gateway.end('SIGTERM');
      await endEveryRun(stateDir);
      await rm(directory, { recursive: true, force: true });
    }
  },
);
