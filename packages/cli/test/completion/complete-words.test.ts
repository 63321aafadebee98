/*
 * What may stand at the end of a command line, without any shell.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Completion, completeWords } from '../../src/completion/complete-words.ts';
import { commands } from '../../src/commands/table.ts';

const specs = commands.map(({ spec }) => spec);
const complete = (line: string) => completeWords(line.split(' '), specs);
const kindOf = (line: string): Completion => complete(line).completion;
const wordsOf = (line: string): readonly string[] => {
  const completion = kindOf(line);
  return completion.kind === 'words' ? completion.candidates.map(({ value }) => value) : [];
};

test('first a command, each with its summary', () => {
  const completion = kindOf('');
  assert.ok(completion.kind === 'words');
  const [first] = specs;
  assert.deepEqual(completion.candidates[0], { value: first?.name, summary: first?.summary });
  const firstWords = new Set(specs.map(({ name }) => name.split(' ')[0]));
  assert.deepEqual(new Set(wordsOf('')), firstWords);
  assert.equal(wordsOf('').length, firstWords.size, 'a family is there once');
  assert.deepEqual(wordsOf('--state-dir /x '), wordsOf(''));
  assert.ok(!wordsOf('').includes('__complete'));
});

test('of a family its actions, then the flags of the action', () => {
  assert.deepEqual(wordsOf('token '), ['ls', 'create', 'revoke']);
  assert.deepEqual(wordsOf('token --json '), ['ls', 'create', 'revoke']);
  assert.ok(wordsOf('token create -').includes('--scope'));
  assert.ok(!wordsOf('token revoke -').includes('--scope'));
  assert.deepEqual(wordsOf('token create --scope '), ['read', 'run', 'approve', 'admin']);
  assert.deepEqual(wordsOf('token destroy '), []);
});

test('flags of the command, and those of all', () => {
  assert.ok(wordsOf('logs --f').includes('--follow'));
  assert.ok(wordsOf('logs -').includes('--json'));
  assert.ok(!wordsOf('logs -').includes('--leftovers'));
  assert.ok(wordsOf('-').includes('--state-dir'));
});

test('values: choices, signals, directories, files', () => {
  assert.deepEqual(wordsOf('run --leftovers '), ['keep', 'end', 'fail']);
  assert.ok(wordsOf('kill -s ').includes('TERM'));
  assert.deepEqual(kindOf('run -C '), { kind: 'directories' });
  assert.deepEqual(kindOf('run -dC '), { kind: 'directories' }, 'the last of several letters');
  assert.deepEqual(kindOf('ps --config '), { kind: 'files' });
  assert.deepEqual(wordsOf('run --timeout '), [], 'a time is for the person to know');
});

test('threads and agents, where a command takes one', () => {
  for (const line of ['say ', 'ask --thread ', 'threads show ', 'threads archive a ']) {
    assert.deepEqual(kindOf(line), { kind: 'threads' }, line);
  }
  assert.deepEqual(kindOf('ask --agent '), { kind: 'agents' });
  assert.deepEqual(wordsOf('threads '), [
    'ls',
    'show',
    'follow',
    'artifacts',
    'download',
    'receipt',
    'changes',
    'verify',
    'cancel',
    'archive',
    'unarchive',
    'rename',
  ]);
  assert.deepEqual(wordsOf('say 3k9q '), [], 'what is said is for the person to know');
});

test('values behind =', () => {
  const { completion, prefix } = complete('run --leftovers=k');
  assert.equal(prefix, '--leftovers=');
  assert.ok(completion.kind === 'words' && completion.candidates.length === 3);
  assert.deepEqual(kindOf('run --cwd=/'), { kind: 'directories' });
});

test('runs: all of them where finished ones make sense, and as many as the command takes', () => {
  assert.deepEqual(kindOf('logs '), { kind: 'runs', isAliveOnly: false });
  assert.deepEqual(kindOf('logs -f '), { kind: 'runs', isAliveOnly: false });
  assert.deepEqual(kindOf('attach '), { kind: 'runs', isAliveOnly: true });
  assert.deepEqual(wordsOf('logs web '), []);
  assert.deepEqual(kindOf('kill web '), { kind: 'runs', isAliveOnly: true });
  assert.deepEqual(kindOf('kill -- -'), { kind: 'runs', isAliveOnly: true });
});

test('the command of run is another program’s line', () => {
  assert.deepEqual(kindOf('run -d '), { kind: 'program', from: 2 });
  assert.deepEqual(kindOf('run -d -- '), { kind: 'program', from: 3 });
  assert.deepEqual(kindOf('run --cwd / make -'), { kind: 'program', from: 3 });
});

test('words of its own: actions, settings, commands', () => {
  assert.deepEqual(wordsOf('config '), ['show', 'path', 'check', 'schema']);
  assert.ok(wordsOf('config show run').includes('run.grace'));
  assert.ok(wordsOf('help ').includes('logs'));
});

test('where to look is what was typed', () => {
  assert.equal(complete('--state-dir /x logs ').stateDir, '/x');
  assert.equal(complete('logs --state-dir=/y ').stateDir, '/y');
  assert.equal(complete('logs ').stateDir, undefined);
});

test('the gateway that was typed, where the command can be about one', () => {
  assert.equal(complete('logs -g home ').gateway, 'home');
  assert.equal(complete('logs --gateway=home ').gateway, 'home');
  assert.equal(complete('logs ').gateway, undefined);
  assert.equal(complete('logs ').takesGateway, true);
  assert.equal(complete('gc ').takesGateway, false);
  assert.deepEqual(kindOf('ps -g '), { kind: 'gateways' });
  assert.deepEqual(kindOf('token ls -g '), { kind: 'gateways' });
});

test('of a filter all words that a shell takes for one', () => {
  const words = wordsOf('ps -f state=');
  for (const word of ['state=running', 'state=ok', 'state=timeout', 'reason=no-output-timeout']) {
    assert.ok(words.includes(word), word);
  }
  assert.ok(!words.some((word) => word.includes(' ')));
});

test('after a word that is no command nothing is known', () => {
  assert.deepEqual(wordsOf('nope '), wordsOf(''), 'but commands');
});
