/*
 * What an agent asks while no gateway is alive: listed, allowed and denied by `clf` on the agent's machine, before and after the gateway had
 * read it. The agent goes on at once; the gateway that comes back finds one card, answered, and ends the turn.
 */
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import {
  askPermission,
  elicit,
  endTurn,
  expectInitialize,
  expectNew,
  gate,
  onPrompt,
  say,
  sayAnswer,
  script,
  usePostgres,
} from '@clawdfather/testkit';
import { type AgentRig, createAgentRig } from '../support/agent-rig.ts';
import { launcherPath } from '../support/cli-process.ts';

const skip = existsSync('/usr/bin/script') ? false : 'script is not installed';
const options = { timeout: 120_000, skip };
const begin = [expectInitialize(), expectNew()];

/* Asks when the gate `ask` is open, and stands at the gate `on` once it has its answer. */
const asking = script([
  begin,
  onPrompt([
    say('before '),
    gate('ask'),
    askPermission('rm x', { as: 'p', isLeftOpen: true }),
    sayAnswer('p'),
    gate('on'),
    say(' after'),
    endTurn(),
  ]),
]);

async function ask(rig: AgentRig): Promise<string> {
  const asked = await rig.clf('ask', '--detach', '--json', 'remove it');
  assert.equal(asked.code, 0, asked.stderr);
  return cliShapes.asked.parse(JSON.parse(asked.stdout)).threadId;
}

/* Until it is in the journal: the agent has said it, and the shim may not have written it yet. */
async function firstAsk(rig: AgentRig) {
  for (;;) {
    const { stdout, stderr } = await rig.clf('approvals', '--json');
    assert.equal(stderr, '');
    if (stdout !== '') return { line: stdout, ask: cliShapes.ask.parse(JSON.parse(stdout)) };
  }
}

/* The answers that the agent has received. */
function answers(rig: AgentRig): readonly string[] {
  const [run] = rig.traced();
  return (run?.lines ?? []).map(({ text }) => text).filter((text) => text.includes('"result"'));
}

/* Of the thread, as the gateway tells them afterwards. */
async function askStates(rig: AgentRig, threadId: string): Promise<readonly string[]> {
  const { stdout } = await rig.clf('threads', 'follow', '--json', threadId);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type?: string; payload?: { state?: string } })
    .filter(({ type }) => type === 'approval' || type === 'question')
    .map(({ payload }) => payload?.state ?? '');
}

async function endsWell(rig: AgentRig, threadId: string, text: string): Promise<void> {
  rig.gate('on').release();
  await rig.serveAgain();
  const followed = await rig.clf('threads', 'follow', threadId);
  assert.deepEqual([followed.code, followed.stdout], [0, text], followed.stderr);
  assert.deepEqual(await askStates(rig, threadId), ['open', 'answered']);
  assert.equal((await rig.clf('approvals', '--json')).stdout, '');
}

test(
  'asked of a gateway that never read it: shown, allowed once by two people, and told once',
  options,
  async (t) => {
    const rig = await createAgentRig(t, asking);
    const threadId = await ask(rig);
    await rig.gate('ask').reached();
    rig.served().child.kill('SIGSTOP');
    rig.gate('ask').release();
    await rig.killGateway();
    const { ask: found, line } = await firstAsk(rig);
    assert.deepEqual(
      [found.title, found.state, found.agent, found.threadId],
      ['rm x', 'open', 'fake', threadId],
    );
    assert.equal((await firstAsk(rig)).line, line, 'read twice it is one');
    const shown = (await rig.clf('approvals')).stdout;
    assert.match(shown, /agent fake +thread \w+\n {2}\? rm x\n[^]*--option reject: No/);

    const both = [rig.atTerminal('allow', found.id), rig.atTerminal('allow', found.id)];
    const results = await Promise.all(both.map(({ result }) => result));
    const codes = results.map(({ code }) => String(code));
    const texts = both.map(({ stdout }) => stdout());
    assert.deepEqual(codes.toSorted(), ['0', '125'], texts.join('\n'));
    assert.ok(
      texts.some((text) => text.includes('answered "Yes": rm x')),
      texts.join('\n'),
    );
    assert.ok(
      texts.some((text) =>
        /answered before, or waits no longer|nothing that waits|no approval is called/.test(text),
      ),
      texts.join('\n'),
    );
    // No gateway is alive, and the agent goes on.
    await rig.gate('on').reached();
    assert.equal((await rig.clf('approvals', '--json')).stdout, '');
    const text =
      'before {"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}} after\n';
    await endsWell(rig, threadId, text);
    assert.equal(answers(rig).length, 1);
  },
);

test(
  'read and stored before: the same card, denied; and nobody inside a run decides',
  options,
  async (t) => {
    const rig = await createAgentRig(t, asking);
    const threadId = await ask(rig);
    rig.gate('ask').release();
    const atGateway = await firstAsk(rig);
    await rig.killGateway();
    const { ask: found, line } = await firstAsk(rig);
    assert.equal(line, atGateway.line, 'the same words as at the gateway');

    const inside = ['run', '--', process.execPath, launcherPath, 'allow', found.id];
    const own = rig.atTerminal(...inside);
    await own.result;
    assert.match(own.stdout(), /inside a run[^]*\(approval-refused\)/);
    const without = await rig.clf('allow', found.id);
    assert.match(without.stderr, /no terminal[^]*\(approval-refused\)/);

    const missing = join(rig.stateDir, 'another.db');
    const lost = { env: { CLAWDFATHER_GATEWAY_DATABASE_PATH: missing } };
    const listed = await rig.clfWith(lost, 'approvals');
    assert.match(
      listed.stderr,
      /what agents ask is not known[^]*no control database at .*another\.db/,
    );
    const refused = await rig.clfWith(lost, 'deny', found.id);
    assert.equal(refused.code, 125);
    assert.match(refused.stderr, /gateway\.database\.path[^]*\(asks-unreachable\)/);
    assert.ok(!existsSync(missing));

    const wrong = rig.atTerminal('deny', found.id, '--option', 'perhaps');
    assert.equal((await wrong.result).code, 125);
    assert.match(wrong.stdout(), /it offers no option "perhaps"/);
    const denied = rig.atTerminal('deny', '--json', found.id.slice(0, 8));
    assert.equal((await denied.result).code, 0, denied.stdout());
    const told = cliShapes.ask.parse(JSON.parse(denied.stdout()));
    assert.deepEqual([told.id, told.state], [found.id, 'answered']);
    assert.match(told.decidedBy ?? '', /^cli:/);
    await rig.gate('on').reached();
    const text = 'before {"result":{"outcome":{"outcome":"selected","optionId":"reject"}}} after\n';
    await endsWell(rig, threadId, text);
    assert.equal(answers(rig).length, 1);
  },
);

test('a question is declined, and -f shows what comes and goes', options, async (t) => {
  const rig = await createAgentRig(
    t,
    script([
      begin,
      onPrompt([
        gate('ask'),
        elicit('which branch?', { as: 'p', isLeftOpen: true }),
        sayAnswer('p'),
        gate('on'),
        endTurn(),
      ]),
    ]),
  );
  const threadId = await ask(rig);
  await rig.gate('ask').reached();
  await rig.killGateway();
  const following = rig.start({}, 'approvals', '-f', '--json');
  rig.gate('ask').release();
  const { ask: found } = await firstAsk(rig);
  await following.saw('"state":"open"');
  const allowed = rig.atTerminal('allow', found.id);
  assert.equal((await allowed.result).code, 125);
  assert.match(
    allowed.stdout(),
    /is a question, which is not answered by allowing it: which branch/,
  );
  const denied = rig.atTerminal('deny', found.id);
  assert.equal((await denied.result).code, 0, denied.stdout());
  assert.match(denied.stdout(), /declined: which branch\?/);
  await rig.gate('on').reached();
  await following.saw('"state":"answered"');
  await endsWell(rig, threadId, '{"result":{"action":"decline"}}\n');
  // It had the database open while the gateway started, and goes on.
  following.child.kill('SIGINT');
  assert.equal((await following.result).code, 0);
});

const postgres = usePostgres();

test('over PostgreSQL; while the server is not there it is refused, and said so', {
  ...options,
  skip: skip || postgres.skip,
}, async (t) => {
  const { connectionString } = await postgres.server.createDatabase();
  const url = join(tmpdir(), `clf-database-url-${process.pid}`);
  writeFileSync(url, connectionString, { mode: 0o600 });
  t.after(() => rmSync(url, { force: true }));
  const rig = await createAgentRig(t, asking, { CLAWDFATHER_GATEWAY_DATABASE_URL_FILE: url });
  const threadId = await ask(rig);
  await rig.gate('ask').reached();
  rig.served().child.kill('SIGSTOP');
  rig.gate('ask').release();
  await rig.killGateway();
  const { ask: found } = await firstAsk(rig);

  writeFileSync(url, 'postgres://nobody@127.0.0.1:1/none');
  const refused = rig.atTerminal('allow', found.id);
  assert.equal((await refused.result).code, 125);
  assert.match(refused.stdout(), /PostgreSQL does not answer[^]*\(asks-unreachable\)/);
  writeFileSync(url, connectionString);
  const allowed = rig.atTerminal('allow', '--option', 'allow-always', found.id);
  assert.equal((await allowed.result).code, 0, allowed.stdout());
  await rig.gate('on').reached();
  const text =
    'before {"result":{"outcome":{"outcome":"selected","optionId":"allow-always"}}} after\n';
  await endsWell(rig, threadId, text);
});
