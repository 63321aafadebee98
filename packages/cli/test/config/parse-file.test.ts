/*
 * The text of a config file: every mistake is found, with its place.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { configSchema, usualJson } from '../../src/config/json-schema.ts';
import { parseConfigFile } from '../../src/config/parse-file.ts';
import { settingKeys, settingOf, variableOf } from '../../src/config/settings.ts';

const told = (text: string) =>
  parseConfigFile(text).problems.map(
    ({ line, column, message, hint }) =>
      `${line}:${column} ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );

test('comments, trailing commas, $schema, nothing at all', () => {
  for (const text of [
    '',
    '// nothing\n',
    '{}',
    '\ufeff{}',
    '{"$schema": "x", /* y */ "log": "off",}',
  ]) {
    assert.deepEqual(told(text), [], text);
  }
});

test('all mistakes are told, each at its place', () => {
  assert.deepEqual(
    told(`{
  "run": { "grase": "2s", "timeout": "fife", "timeout": 3 },
  "gc": 5,
  "exec": { "yield": "5m", "leftovers": true },
  "policy": { "allow": ["/bin/ls", "git"], "mcp": { "ask": "never" } },
  "journalMax": "5M",
  "zzz": {},
  "terminal": { "cols": "80", "rows": 0 },
  "detachKey": "Shift-X"
}`),
    [
      '2:12 there is no setting run.grase (Did you mean run.grace?)',
      '2:38 run.timeout is not a duration: "fife" (Write it like 500ms, 30s, 1m30s or 2h; a bare number is seconds.)',
      '2:46 run.timeout is there twice',
      '3:9 gc is not a { … } object',
      '4:22 exec.yield is not between 10ms and 2m: 5m',
      '4:41 exec.leftovers is not a word: true',
      '5:24 policy.allow is not an absolute path: "git" (Begin with / or ~/: a relative path would depend on where clf is called.)',
      '5:60 policy.mcp.ask is not one of off, on-miss, always: "never"',
      '6:3 there is no setting journalMax (Did you mean run.journalMax?)',
      '7:3 there is no setting zzz (All settings: clf config show)',
      '8:25 terminal.cols is not a number: "80"',
      '8:39 terminal.rows is not a whole number between 1 and 1000: "0"',
      '9:16 detachKey is not a key: "Shift-X" (Write it like Ctrl-] or Ctrl-A, or none for no detach key.)',
    ],
  );
});

test('accounts go by their ids; what is wrong with one is told by its name', () => {
  const [one, two] = ['0123456789abcdef', 'zzzzzzzzzzzzzzzz'];
  const { kind } = settingOf('accounts');
  const users = [
    { id: one, runAs: 'ann' },
    { id: two, runAs: 'bob' },
  ];
  const text = JSON.stringify({ accounts: { [one]: { runAs: 'ann' }, [two]: { runAs: 'bob' } } });
  assert.deepEqual(parseConfigFile(text).entries.get('accounts')?.value, users);
  assert.deepEqual(kind.fromText('V', `${one}=ann, ${two}=bob`), users);
  assert.deepEqual(kind.fromJson('accounts', kind.toJson(users)), users);
  const shape = '(Write it as {"ID": {"runAs": "USER"}}.)';
  const id = '(An id has 16 characters; the refusal that a member gets names it.)';
  for (const [accounts, problem] of [
    ['"ann"', `accounts is not a { … } object ${shape}`],
    ['{"ann": {"runAs": "ann"}}', `accounts: "ann" is not the id of an account ${id}`],
    ['{"__proto__": {"runAs": "ann"}}', `accounts: "__proto__" is not the id of an account ${id}`],
    [`{"${one}": "ann"}`, `accounts.${one} is not a { … } object ${shape}`],
    [`{"${one}": {}}`, `accounts.${one}.runAs is missing ${shape}`],
    [`{"${one}": {"runAs": 7}}`, `accounts.${one}.runAs is not the name of a Unix user ${shape}`],
    [
      `{"${one}": {"runAs": "-x"}}`,
      `accounts.${one}.runAs is not the name of a Unix user ${shape}`,
    ],
    [
      `{"${one}": {"sessionsMax": 0}}`,
      `accounts.${one}.sessionsMax is not a whole number from 1 to 100000 ${shape}`,
    ],
    [`{"${one}": {"user": "ann"}}`, `there is no setting accounts.${one}.user ${shape}`],
  ]) {
    assert.deepEqual(told(`{"accounts": ${accounts}}`), [`1:14 ${problem}`]);
  }
  const counted = [{ id: one, sessionsMax: 9, sessionStartsPerHour: 40 }];
  const without = `{"accounts": {"${one}": {"sessionsMax": 9, "sessionStartsPerHour": 40}}}`;
  assert.deepEqual(parseConfigFile(without).entries.get('accounts')?.value, counted);
  assert.deepEqual(kind.fromJson('accounts', kind.toJson(counted)), counted);
  const twice = `{"accounts": {"${one}": {"runAs": "a"}, "${one}": {"runAs": "b"}}}`;
  assert.deepEqual(told(twice), [`1:51 ${one} is there twice`]);
});

test('what is no JSON is told where it stops being it', () => {
  assert.deepEqual(told('{\n "log": off }'), ['2:9 this is no JSON from here on: invalid symbol']);
  assert.deepEqual(told('{ "log": "off"'), ['1:15 this is no JSON from here on: } expected']);
  assert.deepEqual(told('[]'), ['1:1 the file is not one { … } object']);
});

test('no key sets what is not a setting', () => {
  for (const key of ['__proto__', 'constructor', 'run.grace', 'toString']) {
    assert.equal(parseConfigFile(JSON.stringify({ [key]: { x: 1 } })).entries.size, 0);
    assert.equal(told(`{${JSON.stringify(key)}: {"x": 1}}`).length, 1, key);
  }
});

test('whatever the text is, it is parsed or told, and never thrown at', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { entries, problems } = parseConfigFile(text);
      assert.ok(entries.size >= 0 && problems.every(({ line, column }) => line > 0 && column > 0));
    }),
  );
});

test('every default can be written into the file and means itself', () => {
  for (const key of settingKeys) {
    const { kind, usual } = settingOf(key);
    const value = usual({ env: { HOME: '/h' }, cwd: '/' });
    assert.deepEqual(kind.fromJson(key, kind.toJson(value)), value, key);
  }
});

test('settings inside of `agents` are no agents', () => {
  const { entries, problems } = parseConfigFile(
    '{"agents": {"visibility": "all", "mine": {"command": ["x"], "sandboxed": true}, "a2a": {"enabled": true, "allow": [["mine", "*"]]}}}',
  );
  assert.deepEqual(problems, []);
  assert.equal(entries.get('agents.visibility')?.value, 'all');
  assert.deepEqual(entries.get('agents.a2a')?.value, { isEnabled: true, allow: [['mine', '*']] });
  const agents = [{ name: 'mine', command: ['x'], sandboxed: true }];
  assert.deepEqual(entries.get('agents')?.value, agents);
});

for (const [text, message] of [
  ['{"agents": {"visibility": "everything"}}', /agents\.visibility/],
  ['{"agents": {"a2a": {"allow": [["one"]]}}}', /agents\.a2a\.allow is no list of pairs/],
  ['{"agents": {"a2a": {"on": true}}}', /no setting agents\.a2a\.on/],
  ['{"agents": {"a2a": {"enabled": 1}}}', /agents\.a2a\.enabled is neither/],
  ['{"agents": {"claude": {"sandboxed": "yes"}}}', /agents\.claude\.sandboxed is neither/],
  ['{"agents": {"spawnedMax": 0}}', /agents\.spawnedMax/],
] as const) {
  test(`told with its place: ${text}`, () => {
    const [problem] = parseConfigFile(text).problems;
    assert.match(problem?.message ?? '', message);
    assert.equal(problem?.line, 1);
  });
}

test('the published schema is the one that is made from the table', () => {
  const url = new URL('../../../../docs/config.schema.json', import.meta.url);
  assert.deepEqual(JSON.parse(readFileSync(url, 'utf8')), configSchema());
});

test('docs/config.md has a row for each setting, with its variable, default and meaning', () => {
  const page = readFileSync(new URL('../../../../docs/config.md', import.meta.url), 'utf8');
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  for (const key of settingKeys) {
    const row = rows.find((cells) => cells[1] === `\`${key}\``);
    const usual = usualJson(key);
    const written = usual === undefined ? undefined : JSON.stringify(usual);
    assert.equal(row?.[2], `\`${variableOf(key)}\``, key);
    if (written !== undefined) assert.equal(row?.[3], `\`${written}\``, key);
    assert.equal(row?.[4], settingOf(key).summary, key);
  }
  const written = rows.filter(
    (cells) => /^`[a-z][A-Za-z0-9.]*`$/.test(cells[1] ?? '') && cells.length === 6,
  );
  assert.equal(written.length, settingKeys.length, 'and no row for what is no setting');
});
