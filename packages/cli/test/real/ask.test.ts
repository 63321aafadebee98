/*
 * `clf ask` against a real gateway and a real agent process: a turn, a permission at a terminal, Ctrl-C, a turn that is left and followed,
 * and a gateway that is killed in the middle of an answer.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { cliShapes } from '@clawdfather/protocol';
import {
  askPermission,
  elicit,
  endTurn,
  exitWith,
  expectInitialize,
  expectMethod,
  expectNew,
  gate,
  onPrompt,
  respond,
  respondError,
  say,
  script,
  sayAnswer,
  think,
  toolCall,
  toolCallUpdate,
} from '@clawdfather/testkit';
import { createAgentRig } from '../support/agent-rig.ts';

const options = { timeout: 120_000 };
const hasScript = existsSync('/usr/bin/script') ? false : 'script is not installed';
const begin = [expectInitialize(), expectNew()];

test(
  'a turn: text on stdout, tools on stderr, and a second one in the same thread',
  options,
  async (t) => {
    const rig = await createAgentRig(
      t,
      script([
        begin,
        onPrompt([
          think('hm'),
          say('one '),
          say('\u001b[31mtwo\ud83d'),
          say('\ude00'),
          toolCall('a', 'make\ntest'),
          toolCallUpdate('a', { status: 'completed' }),
          say('three'),
          endTurn(),
        ]),
        onPrompt([say('again\n'), endTurn()]),
        onPrompt([say('half'), respondError(-32000, 'no money left')]),
      ]),
    );
    const asked = await rig.clf('ask', 'hello', 'there');
    assert.deepEqual(
      [asked.code, asked.stdout, asked.stderr],
      [0, 'one \u001b[31mtwo\u{1f600}\nthree\n', '> make\\ntest: ok\n'],
    );
    const listed = await rig.clf('threads', '--json');
    const thread = cliShapes.thread.parse(JSON.parse(listed.stdout));
    assert.deepEqual([thread.title, thread.agent, thread.status], ['hello there', 'fake', 'ready']);
    assert.match((await rig.clf('threads')).stdout, / done +fake .*hello there\n/);

    const second = await rig.clfWith({ input: 'more\n' }, 'say', thread.id.slice(0, 6), '-');
    assert.deepEqual([second.code, second.stdout], [0, 'again\n']);
    const failed = await rig.clf('say', 'hello there', 'and more');
    assert.deepEqual([failed.code, failed.stdout], [1, 'half\n']);
    assert.match(failed.stderr, /^clf: the turn failed: no money left\n$/);
    assert.match((await rig.clf('threads')).stdout, / failed +fake .*hello there\n/);

    const whole = await rig.clf('threads', 'show', '--json', thread.id);
    const { messages, turns, tools } = cliShapes.conversation.parse(JSON.parse(whole.stdout));
    assert.deepEqual(
      messages.map(({ role, text }) => [role, text]),
      [
        ['user', 'hello there'],
        ['thought', 'hm'],
        ['agent', 'one \u001b[31mtwo\u{1f600}'],
        ['agent', 'three'],
        ['user', 'more\n'],
        ['agent', 'again\n'],
        ['user', 'and more'],
        ['agent', 'half'],
      ],
    );
    assert.deepEqual(
      tools.map(({ title, status }) => [title, status]),
      [['make\ntest', 'completed']],
    );
    assert.equal(turns.length, 3);
    const page = (await rig.clf('threads', 'show', thread.id)).stdout;
    assert.match(page, /^status +failed, changed /m);
    assert.match(page, /\nyou .*\n< hello there\n/);
    assert.match(page, /\nfake .*\none two/);
    assert.ok(!page.includes('\u001b'));

    const completed = await rig.clf('__complete', '--', 'say', thread.id.slice(0, 3));
    assert.equal(completed.stdout, `words\n${thread.id.slice(0, 12)}\thello there\n`);
    assert.match((await rig.clf('__complete', '--', 'ask', '--agent', 'f')).stdout, /\nfake\t/);
    const archived = await rig.clf('threads', 'archive', thread.id);
    assert.equal(archived.code, 0, archived.stderr);
    assert.equal((await rig.clf('threads', 'ls', '-q')).stdout, '');
    const refused = await rig.clf('say', thread.id, 'hello?');
    assert.equal(refused.code, 125);
    assert.match(refused.stderr, /archived/);
    const back = await rig.clf('threads', 'unarchive', thread.id);
    assert.match(back.stdout, /is ready: hello there/, back.stderr);
    const renamed = await rig.clf('threads', 'rename', '--json', thread.id, 'The greeting');
    assert.equal(cliShapes.thread.parse(JSON.parse(renamed.stdout)).title, 'The greeting');
    assert.match((await rig.clf('threads', 'ls')).stdout, /The greeting\n/);
    const { stdout: agents } = await rig.clf('agents', '--json');
    const known = agents
      .split('\n')
      .filter(Boolean)
      .map((line) => cliShapes.agent.parse(JSON.parse(line)));
    const fake = known.find(({ name }) => name === 'fake');
    assert.deepEqual([fake?.source, fake?.isInstalled], ['settings', true]);
  },
);

test(
  'a mode and a model are chosen with the prompt, shown, and told where they are not taken',
  options,
  async (t) => {
    const availableModes = ['ask', 'plan'].map((id) => ({ id, name: `To ${id}` }));
    const modes = { currentModeId: 'ask', availableModes };
    const rig = await createAgentRig(
      t,
      script([
        expectInitialize(),
        expectNew({ modes }),
        expectMethod('session/set_mode', { params: { modeId: 'plan' } }),
        respond({}),
        onPrompt([say('planned'), endTurn()]),
        expectMethod('session/set_mode', { params: { modeId: 'ask' } }),
        respond({}),
        onPrompt([say('asked'), endTurn()]),
        onPrompt([say('as it likes'), endTurn()]),
      ]),
    );
    const unknown = await rig.clf('agents', 'choices', 'fake');
    assert.match(unknown.stdout, /^Nothing is known yet/);
    const asked = await rig.clf('ask', '--mode', 'To plan', '--model', 'big', 'hello');
    assert.deepEqual([asked.code, asked.stdout], [0, 'planned\n']);
    assert.match(
      asked.stderr,
      /model “big” could not be set: the agent does not offer this choice/,
    );
    const listed = await rig.clf('threads', '--json');
    const { id, chosen, currentChoices } = cliShapes.thread.parse(JSON.parse(listed.stdout));
    assert.deepEqual(chosen, { mode: 'To plan' });
    assert.deepEqual(
      currentChoices.map(({ name, value }) => [name, value]),
      [['Mode', 'plan']],
    );
    const said = await rig.clf('say', '--mode', 'ask', id, 'and now');
    assert.deepEqual([said.code, said.stdout, said.stderr], [0, 'asked\n', '']);
    assert.match((await rig.clf('threads', 'show', id)).stdout, /^choices +Mode: To ask$/m);
    const notSent = await rig.clf('say', '--mode', 'fly', id, 'and now');
    assert.deepEqual([notSent.code, notSent.stdout], [1, '']);
    assert.match(notSent.stderr, /Mode “fly” could not be set: .* Nothing was sent to the agent/);
    const left = await rig.clf('say', '--mode', '', id, 'and now');
    assert.deepEqual([left.code, left.stdout], [0, 'as it likes\n'], left.stderr);
    const offered = await rig.clf('agents', 'choices', 'fake', '--json');
    const { values, category } = cliShapes.choice.parse(JSON.parse(offered.stdout));
    assert.deepEqual([category, values.map(({ value }) => value)], ['mode', ['ask', 'plan']]);
    const table = (await rig.clf('agents', 'choices', 'fake')).stdout;
    assert.match(table, /^mode +plan +To plan/m);
  },
);

test('--json: what was asked, each event, and the result', options, async (t) => {
  const rig = await createAgentRig(t, script([begin, onPrompt([say('yes'), endTurn()])]));
  const { code, stdout } = await rig.clf('ask', '--json', 'hello');
  assert.equal(code, 0);
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));
  const asked = cliShapes.asked.parse(lines[0]);
  for (const line of lines.slice(1, -1)) cliShapes['thread-event'].parse(line);
  const result = cliShapes['turn-result'].parse(lines.at(-1));
  assert.deepEqual(
    [result.turnId, result.status, result.text, result.exitCode],
    [asked.turnId, 'completed', 'yes\n', 0],
  );
});

test('a permission is asked in place and answered by a number', {
  ...options,
  skip: hasScript,
}, async (t) => {
  const rig = await createAgentRig(
    t,
    script([
      begin,
      onPrompt([
        say('before'),
        askPermission('rm \u202ex', { as: 'p' }),
        sayAnswer('p'),
        endTurn(),
      ]),
    ]),
  );
  const asked = rig.atTerminal('ask', 'remove it');
  await asked.saw('Type 1 to 3');
  assert.match(asked.stdout(), /before\r\nclf: fake asks \(\w+\)\r\n {2}\? rm \\u202ex\r\n/);
  asked.child.stdin?.write('7\n');
  await asked.saw('clf: type 1 to 3');
  asked.child.stdin?.write('3\n');
  const { code } = await asked.result;
  assert.equal(code, 0, asked.stdout());
  assert.match(asked.stdout(), /"optionId":"reject"/);
  assert.match(asked.stdout(), /clf: to go on: clf say \w+ /);
});

test('a question is answered in place, field by field', {
  ...options,
  skip: hasScript,
}, async (t) => {
  const rig = await createAgentRig(
    t,
    script([begin, onPrompt([elicit('which branch?', { as: 'q' }), sayAnswer('q'), endTurn()])]),
  );
  const asked = rig.atTerminal('ask', 'merge');
  await asked.saw('clf: Value\r\n');
  assert.match(asked.stdout(), / {2}\? which branch\?\r\n/);
  asked.child.stdin?.write('main\n');
  const { code } = await asked.result;
  assert.equal(code, 0, asked.stdout());
  assert.match(asked.stdout(), /"content":\{"value":"main"\}/);
});

test('without a terminal it says what waits; another device answers, and it goes on', {
  ...options,
  skip: hasScript,
}, async (t) => {
  const rig = await createAgentRig(
    t,
    script([begin, onPrompt([askPermission('rm x', { as: 'p' }), sayAnswer('p'), endTurn()])]),
  );
  const asked = rig.start({}, 'ask', 'remove it');
  const said = Promise.withResolvers<string>();
  asked.child.stderr?.on('data', () => {
    const match = /clf allow (\w+)/.exec(asked.stderr());
    if (match?.[1] !== undefined) said.resolve(match[1]);
  });
  const id = await said.promise;
  const at = ['-g', rig.served().url];
  const listed = await rig.clf('approvals', ...at, '--json');
  assert.equal(cliShapes.ask.parse(JSON.parse(listed.stdout)).title, 'rm x');
  assert.equal(
    (await rig.clf('approvals', '--json')).stdout,
    listed.stdout,
    'also without -g here',
  );
  assert.match((await rig.clf('approvals', ...at)).stdout, /agent fake +thread \w+\n {2}\? rm x\n/);
  const following = rig.start({}, 'approvals', '-f', '--json');
  await following.saw('"state":"open"');
  const wrong = rig.atTerminal('allow', ...at, id, '--option', 'perhaps');
  assert.equal((await wrong.result).code, 125);
  assert.match(wrong.stdout(), /it offers no option "perhaps"[^]*allow-once \(Yes, allow_once\)/);
  const allowed = rig.atTerminal('allow', id);
  assert.equal((await allowed.result).code, 0, allowed.stdout());
  assert.match(allowed.stdout(), /answered "Yes": rm x/);
  const { code, stdout, stderr } = await asked.result;
  assert.equal(code, 0);
  assert.match(stdout, /"optionId":"allow-once"/);
  assert.match(stderr, /clf: \S+ has answered: /);
  assert.equal((await rig.clf('approvals', ...at, '--json')).stdout, '');
  for (const flags of [at, []]) {
    const all = await rig.clf('approvals', ...flags, '-a');
    const over = / allowed +agent fake +thread \w+\n {2}\? rm x\n {2}allowed by device:\w+ /;
    assert.match(all.stdout, over, flags.join(' '));
    const again = rig.atTerminal('allow', ...flags, id.slice(0, 8));
    assert.notEqual((await again.result).code, 0);
    assert.match(again.stdout(), /was answered before, or waits no longer/);
  }
  await following.saw('"state":"answered"');
  following.child.kill('SIGINT');
  assert.equal((await following.result).code, 0);
});

test('Ctrl-C asks the agent to stop, and says so', options, async (t) => {
  const rig = await createAgentRig(t, script([begin, onPrompt([say('one'), gate('never')])]));
  const asked = rig.start({}, 'ask', 'count');
  await asked.saw('one');
  asked.child.kill('SIGINT');
  const { signal, stdout, stderr } = await asked.result;
  assert.deepEqual([signal, stdout], ['SIGINT', 'one\n']);
  assert.match(stderr, /clf: asking the agent to stop/);
  assert.match(stderr, /clf: the turn was cancelled\n/);
});

test('a second Ctrl-C leaves an agent that does not stop', options, async (t) => {
  const rig = await createAgentRig(
    t,
    script([begin, onPrompt([say('one'), gate('later'), endTurn()], { onCancel: 'ignore' })]),
  );
  const asked = rig.start({}, 'ask', 'count');
  await asked.saw('one');
  const told = Promise.withResolvers<void>();
  asked.child.stderr?.on('data', () => {
    if (asked.stderr().includes('once more')) told.resolve();
  });
  asked.child.kill('SIGINT');
  await told.promise;
  asked.child.kill('SIGINT');
  const { signal, stderr } = await asked.result;
  assert.equal(signal, 'SIGINT');
  assert.match(stderr, /clf: left; the turn may go on: clf threads follow /);
});

test('a turn that was left is followed later, from its beginning', options, async (t) => {
  const rig = await createAgentRig(
    t,
    script([begin, onPrompt([say('one '), gate('go'), say('two'), endTurn()])]),
  );
  const asked = await rig.clf('ask', '--detach', '--json', 'count');
  assert.equal(asked.code, 0, asked.stderr);
  const { threadId } = cliShapes.asked.parse(JSON.parse(asked.stdout));
  await rig.gate('go').reached();
  const following = rig.start({}, 'threads', 'follow', threadId);
  await following.saw('one ');
  rig.gate('go').release();
  const { code, stdout } = await following.result;
  assert.deepEqual([code, stdout], [0, 'one two\n']);
  const again = await rig.clf('threads', 'follow', threadId);
  assert.deepEqual([again.code, again.stdout], [0, 'one two\n']);
});

test('an agent that dies makes the turn interrupted', options, async (t) => {
  const rig = await createAgentRig(t, script([begin, onPrompt([say('one'), exitWith(3)])]));
  const { code, stdout, stderr } = await rig.clf('ask', 'count');
  assert.deepEqual([code, stdout], [75, 'one\n']);
  assert.match(stderr, /^clf: the turn was interrupted: [^\n]*\n$/, 'once');
});

test(
  'a gateway that is killed in the middle of an answer changes no character of it',
  options,
  async (t) => {
    const seeded = Array.from({ length: 200 }, (_, index) => `${index} \u00e4\u{1f600}\n`);
    const half = seeded.length / 2;
    const rig = await createAgentRig(
      t,
      script([
        begin,
        onPrompt([
          seeded.slice(0, half).map(say),
          gate('killed'),
          seeded.slice(half).map(say),
          endTurn(),
        ]),
      ]),
    );
    const asked = rig.start({}, 'ask', 'count');
    await asked.saw('50 ');
    await rig.gate('killed').reached();
    await rig.killGateway();
    rig.gate('killed').release();
    await rig.serveAgain();
    const { code, stdout, stderr } = await asked.result;
    assert.equal(code, 0, stderr);
    assert.equal(stdout, seeded.join(''));
    assert.match(stderr, /clf: connection lost; trying again\nclf: connected again\n/);
  },
);

test('without a gateway the error says how to start one', options, async (t) => {
  const rig = await createAgentRig(t, script([begin]));
  await rig.killGateway();
  const { code, stderr } = await rig.clf('ask', 'hello');
  assert.equal(code, 125);
  assert.match(stderr, /agents need a gateway[^]*clf serve/);
});
