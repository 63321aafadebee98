/*
 * Where a shielded command finds what it names, on real files and links.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSeenFiles } from '../../src/shield/see-files.ts';

/* `shared` is replaced by `private`, `shared/tree` is kept, `run` is hidden but for `run/lock`. */
function createPlaces(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'clf-seen-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const at = (path: string): string => join(root, path);
  for (const path of ['shared/tree', 'shared/deep/tree', 'private', 'run/lock', 'home']) {
    mkdirSync(at(path), { recursive: true });
  }
  for (const path of ['shared/both', 'private/both', 'shared/tree/own', 'run/lock/l', 'run/s']) {
    writeFileSync(at(path), path);
  }
  const seen = createSeenFiles([
    { kind: 'read-only', path: '/' },
    { kind: 'hide', path: at('run') },
    { kind: 'keep', path: at('run/lock') },
    { kind: 'keep', path: at('shared/tree') },
    { kind: 'replace', path: at('shared'), source: at('private') },
    { kind: 'keep', path: at('shared/tree') },
    { kind: 'keep', path: at('shared/deep/tree') },
    { kind: 'pin', path: at('shared') },
  ]);
  const find = async (path: string): Promise<string> => {
    const whole = path.startsWith('/') ? path : at(path);
    const found = await seen.find(whole);
    assert.deepEqual(seen.findNow(whole), found, 'with and without waiting');
    if (found.kind !== 'at') return found.kind;
    return [found.inside, found.outside].map((one) => one.slice(root.length + 1)).join(' at ');
  };
  return { at, find };
}

test('a replaced directory is the private one, what is kept is itself, what is hidden is not there', async (t) => {
  const { find } = createPlaces(t);
  assert.equal(await find('shared/both'), 'shared/both at private/both');
  assert.equal(await find('shared'), 'shared at private');
  assert.equal(await find('shared/none'), 'none');
  assert.equal(await find('shared/tree/own'), 'shared/tree/own at shared/tree/own');
  assert.equal(await find('shared/deep/tree'), 'shared/deep/tree at shared/deep/tree');
  assert.equal(await find('run/lock/l'), 'run/lock/l at run/lock/l');
  assert.equal(await find('run/s'), 'none');
  assert.equal(await find('home'), 'home at home');
  assert.equal(await find('shared/both/below'), 'none', 'a file is no directory');
});

test('links are followed as the command follows them', async (t) => {
  const { at, find } = createPlaces(t);
  symlinkSync(at('shared/both'), at('private/absolute'));
  symlinkSync('both', at('private/relative'));
  symlinkSync('../shared/both', at('private/upwards'));
  symlinkSync('../shared', at('home/way'));
  symlinkSync(at('home/round'), at('home/round'));
  symlinkSync('/proc/self/cwd/x', at('home/magic'));
  symlinkSync(at('home'), at('private/out'));
  // Only we see this one.
  symlinkSync(at('home'), at('shared/ours'));
  const both = 'shared/both at private/both';
  for (const path of ['shared/absolute', 'shared/relative', 'shared/upwards', 'home/way/both']) {
    assert.equal(await find(path), both, path);
  }
  assert.equal(await find('home/way/out/way/relative'), both);
  assert.equal(await find(`${at('shared/out')}/../shared/both`), both, '.. after a link');
  assert.equal(await find(`${at('shared/both')}/../both`), 'none', '.. after a file');
  assert.equal(await find(`${at('shared/relative')}/../both`), 'none');
  assert.equal(
    await find(`${at('shared/deep/tree')}/../tree`),
    'shared/deep/tree at shared/deep/tree',
  );
  assert.equal(await find('home/round'), 'none');
  assert.equal(await find('home/magic'), 'unsure');
  assert.equal(await find('shared/ours'), 'none');
});
