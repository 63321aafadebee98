/*
 * Rules are about files: which one a word means, and what links and copies change.
 */
import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createAllowlist } from '../../src/approvals/allowlist.ts';
import { findProgram, type FoundProgram } from '../../src/approvals/find-program.ts';
import { isStarterProgram } from '../../src/approvals/starter-programs.ts';
import { actionOf } from './approvals-rig.ts';

function tree(t: TestContext): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'clawdfather-files-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const directory of ['a', 'b', 'cwd', 'cwd/sub']) mkdirSync(join(root, directory));
  return root;
}

function program(path: string, mode = 0o755): string {
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, mode);
  return path;
}

const found = (word: string, searchPath: string, cwd?: string): FoundProgram | undefined => {
  const lookup = findProgram(word, { searchPath, cwd });
  return lookup.kind === 'found' ? lookup.program : undefined;
};

test('a word is looked up in PATH, in order', (t) => {
  const root = tree(t);
  const second = program(join(root, 'b', 'tool'));
  const path = `${root}/a:${root}/missing:${root}/b`;
  assert.equal(found('tool', path, '/')?.namedPath, second);
  const first = program(join(root, 'a', 'tool'));
  assert.equal(found('tool', path, '/')?.namedPath, first);
  assert.equal(found('other', path, '/'), undefined);
  assert.equal(found('', path, '/'), undefined);
});

test('what is in the way and is no program makes the answer unknown', (t) => {
  const root = tree(t);
  program(join(root, 'b', 'tool'));
  const path = `${root}/a:${root}/b`;
  mkdirSync(join(root, 'a', 'tool'));
  assert.equal(found('tool', path, '/'), undefined);
  rmSync(join(root, 'a', 'tool'), { recursive: true });
  program(join(root, 'a', 'tool'), 0o644);
  assert.equal(found('tool', path, '/'), undefined);
});

test('a path is taken as it is, and a relative one only where the directory is known', (t) => {
  const root = tree(t);
  const tool = program(join(root, 'cwd', 'tool'));
  assert.equal(found(tool, '', undefined)?.realPath, tool);
  assert.equal(found('./tool', '', join(root, 'cwd'))?.realPath, tool);
  assert.equal(found('../tool', '', join(root, 'cwd/sub'))?.realPath, tool);
  assert.equal(found('./tool', '', undefined), undefined);
  assert.equal(found('tool', '', join(root, 'cwd'))?.realPath, tool);
  assert.equal(found('tool', '.', undefined), undefined);
});

test('.. after a link is where the kernel goes, not beside the link', (t) => {
  const root = tree(t);
  const allowed = program(join(root, 'cwd', 'tool'));
  const other = program(join(root, 'a', 'tool'));
  mkdirSync(join(root, 'a', 'deep'));
  symlinkSync(join(root, 'a', 'deep'), join(root, 'cwd', 'link'));
  const cwd = join(root, 'cwd');
  for (const word of ['link/../tool', './link/.././tool', `${cwd}/link/../tool`]) {
    assert.deepEqual(found(word, '', cwd), { namedPath: other, realPath: other }, word);
  }
  assert.equal(found('tool', 'link/..', cwd)?.realPath, other, 'in PATH as well');
  assert.equal(found('sub/../tool', '', cwd)?.realPath, allowed);
  assert.equal(found('../a/tool', '', cwd)?.realPath, other);
});

test('a link has two paths: where the name leads, and the file', (t) => {
  const root = tree(t);
  const file = program(join(root, 'a', 'multi'));
  symlinkSync(file, join(root, 'b', 'ls'));
  symlinkSync(join(root, 'b'), join(root, 'bin'));
  const named = { namedPath: join(root, 'b', 'ls'), realPath: file };
  assert.deepEqual(found('ls', join(root, 'b'), '/'), named);
  assert.deepEqual(found('ls', join(root, 'bin'), '/'), named);
});

test('of a file with many names the allowed one runs, and no other', (t) => {
  const root = tree(t);
  const file = program(join(root, 'a', 'busybox'));
  for (const name of ['ls', 'rm']) symlinkSync(file, join(root, 'b', name));
  const rule = { namedPath: join(root, 'b', 'ls'), realPath: file };
  const rest = { account: 'local', approvalId: 'a', addedBy: 'x', addedAtMs: 0 };
  const allowlist = createAllowlist({ allowRules: () => [{ ...rule, ...rest }] });
  const kind = (word: string): string => {
    const action = actionOf({ command: { kind: 'argv', argv: [word] } });
    return allowlist.find(action, join(root, 'b')).kind;
  };
  assert.equal(kind('ls'), 'match');
  assert.equal(kind('rm'), 'miss');
  assert.equal(kind(file), 'miss');
  // Pointed elsewhere, it is another program.
  rmSync(join(root, 'b', 'ls'));
  symlinkSync(program(join(root, 'cwd', 'evil')), join(root, 'b', 'ls'));
  assert.equal(kind('ls'), 'miss');
});

test('a program of the starter list counts only in the directories of the system', (t) => {
  const root = tree(t);
  program(join(root, 'a', 'ls'));
  const allowlist = createAllowlist({ allowRules: () => [] });
  const kind = (searchPath: string, word = 'ls'): string => {
    const action = actionOf({ command: { kind: 'line', shell: '/bin/sh', line: `${word} -l` } });
    return allowlist.find(action, searchPath).kind;
  };
  assert.equal(kind('/usr/bin:/bin'), 'match');
  assert.equal(kind(`${root}/a:/usr/bin:/bin`), 'miss');
  assert.equal(kind('/usr/bin', join(root, 'a', 'ls')), 'miss');
  const evil = { namedPath: '/usr/bin/ls', realPath: join(root, 'a', 'ls') };
  assert.ok(!isStarterProgram(evil));
  assert.ok(!isStarterProgram({ namedPath: '/usr/bin/ls', realPath: '/usr/local/bin/ls' }));
  // One binary for all of them, as busybox and some distributions have it.
  assert.ok(isStarterProgram({ namedPath: '/usr/bin/ls', realPath: '/usr/lib/coreutils/ls' }));
  assert.ok(isStarterProgram({ namedPath: '/bin/ls', realPath: '/bin/busybox' }));
});

test('nothing on the starter list can write a file or run something else by its options', () => {
  const names =
    'sort uniq find sed awk git date env xargs tee less rg tree file locale sh bash python3'.split(
      ' ',
    );
  for (const name of names) {
    const path = `/usr/bin/${name}`;
    assert.ok(!isStarterProgram({ namedPath: path, realPath: path }), name);
  }
});

test('programs that the settings name are allowed, by absolute path', (t) => {
  const root = tree(t);
  const tool = program(join(root, 'a', 'tool'));
  const allowlist = createAllowlist({ allowRules: () => [] }, [tool, 'tool', join(root, 'gone')]);
  const kind = (word: string): string =>
    allowlist.find(actionOf({ command: { kind: 'argv', argv: [word] } }), join(root, 'a')).kind;
  assert.equal(kind('tool'), 'match');
  program(join(root, 'b', 'tool'));
  assert.equal(kind(join(root, 'b', 'tool')), 'miss');
});

test('after a change of directory, what is relative is a miss', (t) => {
  const root = tree(t);
  const tool = program(join(root, 'cwd', 'tool'));
  const rest = { account: 'local', approvalId: 'a', addedBy: 'x', addedAtMs: 0 };
  const rule = { namedPath: tool, realPath: tool, ...rest };
  const allowlist = createAllowlist({ allowRules: () => [rule] });
  const kind = (line: string, searchPath = '/usr/bin'): string => {
    const command = { kind: 'line', shell: '/bin/sh', line } as const;
    return allowlist.find(actionOf({ command, cwd: join(root, 'cwd') }), searchPath).kind;
  };
  assert.equal(kind('./tool'), 'match');
  assert.equal(kind('cd sub; ./tool'), 'miss');
  assert.equal(kind('cd sub; ls'), 'match');
  assert.equal(kind('cd sub; ls', '.:/usr/bin'), 'miss');
});

test('what a person allowed does not open the starter list, which is confined to the working tree', (t) => {
  const root = tree(t);
  const rest = { account: 'local', approvalId: 'a', addedBy: 'x', addedAtMs: 0 };
  const ruleFor = (path: string) => ({ namedPath: path, realPath: path, ...rest });
  const tool = program(join(root, 'a', 'tool'));
  const make = program(join(root, 'a', 'make'));
  const rules = [ruleFor(tool), ruleFor(make), ruleFor('/usr/bin/tac')];
  const allowlist = createAllowlist({ allowRules: () => rules });
  const answer = (line: string): string => {
    const command = { kind: 'line', shell: '/bin/sh', line } as const;
    const found = allowlist.find(actionOf({ command }), `${root}/a:/usr/bin`);
    if (found.kind === 'miss') return found.missing === undefined ? 'miss' : 'miss with rules';
    return found.by === 'person' ? 'person' : found.readsFiles ? 'reads' : 'reads nothing';
  };
  const lines: Readonly<Record<string, string>> = {
    'tool a b': 'person',
    'tool *.ts "$x"': 'person',
    'tool | tr a b; sleep 1; echo x': 'person',
    'tool; cat ~/.ssh/id': 'miss',
    'tool < ~/.ssh/id': 'miss',
    'tool; read x < /etc/shadow; echo "$x"': 'miss',
    'tool < /dev/null': 'person',
    'make | tail -20': 'person',
    'tac ~/.ssh/id | cat': 'person',
    'touch x': 'miss with rules',
    'touch x; ls': 'miss',
    'cat a | grep b': 'reads',
    'echo *': 'reads',
    'x="*"; echo $x': 'reads',
    'echo "$x"; pwd; sleep 1 | tr a b': 'reads nothing',
    'while read -r x; do echo "$x"; done < a': 'reads',
    'echo "$(cat a)"': 'reads',
    'echo "$(read x < a; echo "$x")"': 'reads',
    'ps e': 'reads',
    'who a': 'reads',
  };
  for (const [line, expected] of Object.entries(lines)) assert.equal(answer(line), expected, line);
});

/* To bash in GBK, the last byte of 你 and the backslash are one letter: the quote after it ends, and touch runs. */
test('a line with other letters than ASCII is a miss where the locale is changed beside it', () => {
  const allowlist = createAllowlist({ allowRules: () => [] });
  const kind = (line: string, envAdditions: Record<string, string>): string => {
    const command = { kind: 'line', shell: '/bin/bash', line } as const;
    return allowlist.find(actionOf({ command, envAdditions }), '/usr/bin').kind;
  };
  const line = 'echo "你\\" ; touch f ; #"';
  assert.equal(kind(line, {}), 'match');
  for (const name of ['LC_ALL', 'LANG', 'LC_CTYPE']) {
    assert.equal(kind(line, { [name]: 'zh_CN.GBK' }), 'miss', name);
    assert.equal(kind('ls -l', { [name]: 'zh_CN.GBK' }), 'match', name);
  }
});

test('a shell counts by its own name and place only, not by a link that somebody made', (t) => {
  const root = tree(t);
  const allowlist = createAllowlist({ allowRules: () => [] });
  const kind = (shell: string): string => {
    const command = { kind: 'line', shell, line: 'ls' } as const;
    return allowlist.find(actionOf({ command }), '/usr/bin').kind;
  };
  assert.equal(kind('/bin/sh'), 'match');
  for (const name of ['bash', '-bash']) {
    symlinkSync('/bin/bash', join(root, 'a', name));
    assert.equal(kind(join(root, 'a', name)), 'miss');
  }
  symlinkSync('/bin', join(root, 'a', 'bin'));
  assert.equal(kind(join(root, 'a', 'bin', 'sh')), 'miss');
  assert.equal(kind('/bin/../bin/sh'), 'miss');
});
