/*
 * Real shells as the oracle: whatever a random line runs in dash or in bash was seen by whoever allowed it.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createAllowlist } from '../../src/approvals/allowlist.ts';
import { commandsOfLine } from '../../src/shell/commands-of-line.ts';
import { randomLine } from './random-lines.ts';
import { allowedPrograms, createShellJail } from './shell-jail.ts';

const shells = ['/bin/dash', '/bin/bash'].filter((shell) => existsSync(shell));
const linesMin = 1_000;

const jail = createShellJail();
after(() => jail.remove());

const rules = allowedPrograms.map((name) => {
  const path = join(jail.searchPath, name);
  const rest = { approvalId: 'a', addedBy: 'test', addedAtMs: 0 };
  return { account: 'local', namedPath: path, realPath: path, ...rest };
});
const allowlist = createAllowlist({ allowRules: () => rules });

function isAllowed(shell: string, line: string): boolean {
  const command = { kind: 'line', shell, line } as const;
  const action = { command, cwd: '/', envAdditions: {}, host: 'local', account: 'local' };
  return allowlist.find(action, jail.searchPath).kind === 'match';
}

test('the jail tells what ran, inside substitutions too, and what was written', () => {
  for (const shell of shells) {
    const { ran, files } = jail.run(shell, 'ls "$(evil)" | cat > out');
    assert.deepEqual(ran.toSorted(), ['cat', 'evil', 'ls']);
    assert.deepEqual(files, ['out']);
  }
});

test(`of ${linesMin} random lines, those on the allowlist run nothing else and write nothing`, () => {
  let allowed = 0;
  let readLines = 0;
  fc.assert(
    fc.property(randomLine, (line) => {
      const reading = commandsOfLine(line);
      if (reading.kind === 'miss') {
        for (const shell of shells) assert.ok(!isAllowed(shell, line));
        return;
      }
      readLines += 1;
      for (const shell of shells) {
        const { ran, files } = jail.run(shell, line);
        const unseen: readonly string[] = ran.filter((name) => !reading.programs.includes(name));
        assert.deepEqual(unseen, [], `${shell} ran what was not seen`);
        assert.deepEqual(files, [], `${shell} wrote`);
        if (!isAllowed(shell, line)) continue;
        allowed += 1;
        const forbidden: readonly string[] = ran.filter(
          (name) => !allowedPrograms.some((one) => one === name),
        );
        assert.deepEqual(forbidden, [], `${shell} ran what is not on the list`);
      }
    }),
    { numRuns: linesMin },
  );
  // The lines are nasty on purpose; without these the property would say nothing.
  assert.ok(readLines > linesMin / 50, `only ${readLines} lines were read`);
  assert.ok(allowed > linesMin / 100, `only ${allowed} lines were allowed`);
});

test('plain lines are allowed, and run', () => {
  for (const shell of shells) {
    for (const line of [
      'ls',
      'ls -l | wc',
      'cat "$(ls)"',
      'if ls; then cat f; fi',
      'cd / && head',
    ]) {
      assert.ok(isAllowed(shell, line), line);
      assert.ok(jail.run(shell, line).ran.length > 0, line);
    }
    assert.ok(!isAllowed(shell, 'ls; evil'));
  }
});
