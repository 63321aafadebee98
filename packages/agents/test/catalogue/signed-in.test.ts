/*
 * Whether an agent is signed in, told by variables and files alone.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { builtInAgents, findEntry, findSignIn } from '@clawdfather/agents';

test('a variable, a file at its place or at the place that a variable names', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'signed-in-'));
  t.after(() => rmSync(home, { recursive: true }));
  const write = (path: string, text: string): string => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    return join(home, path);
  };
  const find = (name: string, env: Record<string, string> = {}): object =>
    findSignIn(findEntry(name, builtInAgents).signIn['linux-x64'], { HOME: home, ...env });

  for (const { name } of builtInAgents) assert.deepEqual(find(name), { kind: 'no' });
  assert.deepEqual(find('claude', { ANTHROPIC_API_KEY: '' }), { kind: 'no' });
  assert.deepEqual(find('claude', { ANTHROPIC_API_KEY: 'k' }), {
    kind: 'variable',
    name: 'ANTHROPIC_API_KEY',
  });
  const codexFile = write('.codex/auth.json', '{}');
  assert.deepEqual(find('codex'), { kind: 'file', path: codexFile });
  assert.deepEqual(find('codex', { CODEX_HOME: join(home, 'else') }), { kind: 'no' });
  const moved = write('data/opencode/auth.json', '{}');
  assert.deepEqual(find('opencode', { XDG_DATA_HOME: join(home, 'data') }), {
    kind: 'file',
    path: moved,
  });
  // The file is there from the first start, so only a text in it counts.
  write('.copilot/config.json', '{}');
  assert.deepEqual(find('copilot'), { kind: 'no' });
  const signedIn = write('.copilot/config.json', '{"loggedInUsers":[{}]}');
  assert.deepEqual(find('copilot'), { kind: 'file', path: signedIn });
});
