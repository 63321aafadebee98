/*
 * What an approval is bound to, read from real files; and what counts as a difference.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  boundBytesMax,
  boundFileBytesMax,
  boundFilesMax,
  unboundListedMax,
} from '../../src/approvals/approval-limits.ts';
import {
  type Binding,
  differenceOf,
  formatBinding,
  parseBinding,
} from '../../src/approvals/binding.ts';
import { readBinding } from '../../src/approvals/read-binding.ts';

const { signal } = new AbortController();

interface Place {
  readonly cwd: string;
  readonly path: (name: string) => string;
  readonly write: (name: string, content: string) => void;
  readonly read: (...argv: readonly [string, ...string[]]) => Promise<Binding>;
  /* What is another than it was. */
  readonly differs: (
    before: Binding,
    ...argv: readonly [string, ...string[]]
  ) => Promise<string | undefined>;
}

function openPlace(t: TestContext): Place {
  const above = mkdtempSync(join(tmpdir(), 'clf-binding-'));
  t.after(() => rmSync(above, { recursive: true, force: true }));
  const cwd = join(above, 'place');
  mkdirSync(cwd);
  const path = (name: string): string => join(cwd, name);
  const state = async (argv: readonly [string, ...string[]]) => {
    const action = { command: { kind: 'argv', argv }, cwd } as const;
    const found = await readBinding({ action, searchPath: '/nowhere', signal });
    assert.ok(found !== undefined);
    return found;
  };
  return {
    cwd,
    path,
    write: (name, content) => writeFileSync(path(name), content),
    read: async (...argv) => {
      const { directory, ...rest } = await state(argv);
      assert.ok(directory !== undefined);
      return { directory, ...rest };
    },
    differs: async (before, ...argv) => differenceOf(before, await state(argv), cwd),
  };
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('files that are named are bound by their content, links followed', async (t) => {
  const { cwd, path, write, read } = openPlace(t);
  write('a.sh', 'one');
  write('empty', '');
  mkdirSync(path('sub'));
  symlinkSync('a.sh', path('link'));
  symlinkSync('nowhere', path('dangling'));
  symlinkSync('loop', path('loop'));
  const bound = await read('./a.sh', 'link', 'empty', 'sub', 'dangling', 'loop', 'missing', 'a.sh');
  assert.deepEqual(bound.files, [
    { path: path('a.sh'), bytes: 3, sha256: sha256('one') },
    { path: path('link'), bytes: 3, sha256: sha256('one') },
    { path: path('empty'), bytes: 0, sha256: sha256('') },
  ]);
  assert.deepEqual([bound.unbound, bound.more], [[], 0]);
  assert.deepEqual(parseBinding(formatBinding(bound)), bound);
  assert.equal(parseBinding('{'), undefined);
  assert.equal(parseBinding('{"files":[]}'), undefined);
  assert.ok(cwd.length > 0);
});

test('.. after a link is read as the kernel does it, and as it is written', async (t) => {
  const { cwd, path, write, read, differs } = openPlace(t);
  const [target, reads, leads] = [join(cwd, '../other'), path('s.sh'), join(cwd, '../s.sh')];
  mkdirSync(target);
  symlinkSync(target, path('link'));
  write('s.sh', 'beside the link');
  writeFileSync(leads, 'beside its target');
  assert.equal(
    execFileSync('cat', ['link/../s.sh'], { cwd, encoding: 'utf8' }),
    'beside its target',
  );
  const bound = await read('sh', 'link/../s.sh');
  assert.deepEqual(bound.files, [
    { path: reads, bytes: 15, sha256: sha256('beside the link') },
    { path: path('link') + '/../s.sh', bytes: 17, sha256: sha256('beside its target') },
  ]);
  writeFileSync(leads, 'evil');
  assert.equal(await differs(bound, 'sh', 'link/../s.sh'), 'link/../s.sh has changed');
  writeFileSync(leads, 'beside its target');
  rmSync(path('link'));
  symlinkSync(path('sub'), path('link'));
  mkdirSync(path('sub'));
  assert.equal(await differs(bound, 'sh', 'link/../s.sh'), 'link/../s.sh has vanished');
});

test('.. where no link is in the way is one file; a link that comes later is a difference', async (t) => {
  const { cwd, path, write, read, differs } = openPlace(t);
  mkdirSync(path('sub'));
  write('s.sh', 'one');
  writeFileSync(join(cwd, '../up.sh'), 'two');
  const words = ['sh', 'sub/../s.sh', '../up.sh'] as const;
  const bound = await read(...words);
  assert.deepEqual(
    bound.files.map((file) => file.path),
    [path('s.sh'), join(cwd, '../up.sh')],
  );
  rmSync(path('sub'), { recursive: true });
  const other = join(cwd, '../other');
  mkdirSync(join(other, 'sub'), { recursive: true });
  writeFileSync(join(other, 's.sh'), 'evil');
  symlinkSync(join(other, 'sub'), path('sub'));
  assert.equal(await differs(bound, ...words), 'sub/../s.sh has appeared');
});

test('a name by way of a process is not bound, and said; .. leads out of the kernel’s files', async (t) => {
  const { path, write, read } = openPlace(t);
  write('s.sh', 'one');
  const ways = ['/proc/self/cwd/s.sh', '/proc/self/root/etc/x', '/dev/fd/3/s.sh'];
  const bound = await read('sh', ...ways, `/proc/..${path('s.sh')}`);
  const why = 'it leads each process elsewhere';
  assert.deepEqual(
    bound.unbound,
    ways.map((way) => ({ path: way, why })),
  );
  assert.deepEqual(
    bound.files.map((file) => file.path),
    [path('s.sh')],
  );
});

test('the program is the first of PATH that can be executed', async (t) => {
  const { cwd, path } = openPlace(t);
  for (const [directory, mode] of [
    ['one', 0o644],
    ['two', 0o755],
    ['three', 0o755],
  ] as const) {
    mkdirSync(path(directory));
    writeFileSync(path(`${directory}/tool`), directory);
    chmodSync(path(`${directory}/tool`), mode);
  }
  const action = { command: { kind: 'argv', argv: ['tool'] }, cwd } as const;
  const found = await readBinding({ action, searchPath: 'one:two:three', signal });
  assert.deepEqual(
    found?.files.map((file) => file.path),
    [path('two/tool')],
  );
});

test('pipes, sockets, devices and files of the kernel are passed over, and nothing waits for them', async (t) => {
  const { path, read } = openPlace(t);
  execFileSync('mkfifo', [path('pipe')]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path('socket'), resolve));
  t.after(() => server.close());
  symlinkSync('/proc/self/status', path('status'));
  const names = [
    '/dev/zero',
    '/dev/tty',
    '/dev/stdin',
    '/proc/self/environ',
    '/sys/kernel/uevent_seqnum',
  ];
  const { files, unbound } = await read('x', 'pipe', 'socket', 'status', ...names);
  assert.deepEqual([files, unbound], [[], []]);
});

test('what is too large, too many or not readable is said', async (t) => {
  const { path, write, read } = openPlace(t);
  write('large', '');
  truncateSync(path('large'), boundFileBytesMax + 1);
  write('exact', '');
  truncateSync(path('exact'), boundFileBytesMax);
  const one = await read('x', 'large', 'exact');
  assert.deepEqual(one.unbound, [{ path: path('large'), why: 'it is larger than 1 MiB' }]);
  assert.deepEqual(
    one.files.map(({ bytes }) => bytes),
    [boundFileBytesMax],
  );

  const many = Array.from(
    { length: boundFilesMax + unboundListedMax + 3 },
    (_, index) => `f${index}`,
  );
  for (const name of many) write(name, name);
  const two = await read('x', ...many);
  assert.deepEqual(
    [two.files.length, two.unbound.length, two.more],
    [boundFilesMax, unboundListedMax, 3],
  );
  assert.equal(two.unbound[0]?.why, 'more than 64 files are named');

  const parts = Array.from(
    { length: boundBytesMax / boundFileBytesMax + 1 },
    (_, index) => `p${index}`,
  );
  for (const name of parts) {
    write(name, '');
    truncateSync(path(name), boundFileBytesMax);
  }
  const three = await read('x', ...parts);
  assert.deepEqual(three.unbound, [
    { path: path(parts.at(-1) ?? ''), why: 'the files together are larger than 16 MiB' },
  ]);
  if (process.getuid?.() === 0) return;
  write('secret', 'x');
  chmodSync(path('secret'), 0);
  const four = await read('x', 'secret');
  assert.deepEqual(four.unbound, [{ path: path('secret'), why: 'it cannot be read (EACCES)' }]);
});

test('a signal ends the look', async (t) => {
  const { cwd } = openPlace(t);
  const action = { command: { kind: 'argv', argv: ['x'] }, cwd } as const;
  assert.equal(
    await readBinding({ action, searchPath: '', signal: AbortSignal.abort() }),
    undefined,
  );
});

test('A6: changed, vanished, appeared and grown are differences; equal content is none', async (t) => {
  const { path, write, read, differs } = openPlace(t);
  write('a.sh', 'one');
  const before = await read('./a.sh', 'new');
  assert.equal(await differs(before, './a.sh', 'new'), undefined);
  write('a.sh', 'two');
  assert.equal(await differs(before, './a.sh', 'new'), 'a.sh has changed');
  write('a.sh', 'one');
  assert.equal(await differs(before, './a.sh', 'new'), undefined, 'changed and changed back');
  rmSync(path('a.sh'));
  assert.equal(await differs(before, './a.sh', 'new'), 'a.sh has vanished');
  write('new', 'x');
  assert.equal(await differs(before, './a.sh', 'new'), 'a.sh has vanished, new has appeared');
  rmSync(path('new'));
  write('a.sh', 'one');
  truncateSync(path('a.sh'), boundFileBytesMax + 1);
  assert.equal(
    await differs(before, './a.sh', 'new'),
    'a.sh has changed (it is larger than 1 MiB)',
  );
  rmSync(path('a.sh'));
  execFileSync('mkfifo', [path('a.sh')]);
  assert.equal(await differs(before, './a.sh', 'new'), 'a.sh has vanished');
  rmSync(path('a.sh'));
  write('elsewhere', 'one');
  symlinkSync('elsewhere', path('a.sh'));
  assert.equal(await differs(before, './a.sh', 'new'), undefined, 'a link to the same content');
});

test('A6: what was larger than 1 MiB is not compared', async (t) => {
  const { path, write, read, differs } = openPlace(t);
  write('data', '');
  truncateSync(path('data'), boundFileBytesMax + 1);
  const before = await read('x', 'data');
  write('data', 'small');
  assert.equal(await differs(before, 'x', 'data'), undefined);
});

test('A6: many differences are counted', async (t) => {
  const { write, read, differs } = openPlace(t);
  const names = ['a', 'b', 'c', 'd', 'e'];
  for (const name of names) write(name, '1');
  const before = await read('x', ...names);
  for (const name of names) write(name, '2');
  assert.equal(
    await differs(before, 'x', ...names),
    'a has changed, b has changed, c has changed, 2 more differ',
  );
});

test('A6: another directory under the same name is a difference, also through a link', async (t) => {
  const { cwd, write, read, differs } = openPlace(t);
  write('a.sh', 'one');
  const before = await read('./a.sh');
  renameSync(cwd, `${cwd}-before`);
  assert.equal(await differs(before, './a.sh'), `${cwd} has vanished`);
  mkdirSync(cwd);
  write('a.sh', 'one');
  assert.equal(await differs(before, './a.sh'), `${cwd} has become another directory`);
  renameSync(cwd, `${cwd}-second`);
  symlinkSync(`${cwd}-second`, cwd);
  assert.equal(await differs(before, './a.sh'), `${cwd} has become another directory`);
  rmSync(cwd);
  symlinkSync(`${cwd}-before`, cwd);
  assert.equal(await differs(before, './a.sh'), undefined, 'it leads to the same directory');
});
