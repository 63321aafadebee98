/*
 * The setting `agents`: what may be said of one, what is refused with which words, and keys that stay in their files.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { builtInAgents } from '@clawdfather/agents';
import { agentConfigsFrom } from '../../src/agents/agent-configs.ts';
import type { Config } from '../../src/config.ts';
import { agentSettings, builtInNames } from '../../src/config/agent-kinds.ts';

const parse = (json: unknown) => agentSettings.fromJson('agents', json);

test('everything that may be said of an agent can be written down and means itself', () => {
  const json = {
    claude: { env: { ANTHROPIC_API_KEY: { file: '~/key' }, OTHER: 'plain' }, cwd: '~/work' },
    mine: {
      command: ['mine', '--acp'],
      login: ['mine', 'login'],
      title: 'Mine',
      limits: {
        memory: '4G',
        processes: 200,
        cpu: '1h',
        openFiles: 100,
        fileSize: '1M',
        time: '30m',
      },
    },
  };
  assert.deepEqual(agentSettings.toJson(parse(json)), json);
  assert.deepEqual(agentSettings.fromText('X', JSON.stringify(json)), parse(json));
});

test('what is wrong is told by its name', () => {
  const wrongs: readonly (readonly [unknown, RegExp])[] = [
    [{ mine: {} }, /agents\.mine has no command/],
    [{ claud: { env: {} } }, /agents\.claud has no command/],
    [{ claude: { command: [] } }, /agents\.claude\.command/],
    [{ claude: { env: { K: 1 } } }, /agents\.claude\.env\.K is neither/],
    [{ claude: { env: { K: { file: 'relative' } } } }, /agents\.claude\.env\.K\.file/],
    [{ claude: { env: { 'A=B': 'c' } } }, /is no name of a variable/],
    [{ claude: { cwd: 'work' } }, /agents\.claude\.cwd is not an absolute path/],
    [{ claude: { limits: { memory: 0 } } }, /agents\.claude\.limits\.memory/],
    [{ claude: { limits: { memroy: '1G' } } }, /no setting agents\.claude\.limits\.memroy/],
    [{ claude: { limits: { cpu: '1500ms' } } }, /agents\.claude\.limits\.cpu/],
    [{ claude: { colour: 'red' } }, /no setting agents\.claude\.colour/],
  ];
  for (const [json, why] of wrongs) assert.throws(() => parse(json), why);
});

test('the names that need no command are those of the catalogue', () => {
  assert.deepEqual(
    builtInNames,
    builtInAgents.map(({ name }) => name),
  );
});

test('clf config shows the names of variables and no value', () => {
  const agents = parse({ claude: { env: { KEY: 'secret', OTHER: { file: '/k' } } } });
  assert.deepEqual(agentSettings.toShown?.(agents), {
    claude: { env: { KEY: '…', OTHER: { file: '/k' } } },
  });
});

test('a key is read from its file, which nobody else may read; only that of the agent in question', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'clf-agents-'));
  t.after(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, 'key'), 'k-1\n', { mode: 0o600 });
  const agents = parse({
    claude: { env: { KEY: { file: '~/key' } }, cwd: '~/work', limits: { time: '1m', cpu: '2s' } },
    codex: { env: { KEY: { file: '~/missing' } } },
  });
  const config = { values: { agents }, env: { HOME: home }, cwd: '/' } as unknown as Config;
  assert.deepEqual(agentConfigsFrom(config, 'claude'), [
    {
      name: 'claude',
      env: { KEY: 'k-1' },
      cwd: join(home, 'work'),
      limits: { cpuSeconds: 2 },
      timeoutMs: 60_000,
    },
    { name: 'codex', env: { KEY: join(home, 'missing') } },
  ]);
  assert.throws(() => agentConfigsFrom(config), { code: 'secret-file-unreadable' });
  chmodSync(join(home, 'key'), 0o644);
  assert.throws(() => agentConfigsFrom(config, 'claude'), { code: 'secret-file-unsafe' });
});
