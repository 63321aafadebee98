/*
 * Which directory is a working tree, and what becomes of commands where there is none.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  createStarterReach,
  type ReachQuestion,
  type StarterReachDeps,
} from '../../src/approvals/starter-reach.ts';

interface Site {
  readonly root: string;
  readonly project: string;
  /* The tree that a command is confined to, or why it is not. */
  readonly look: (
    question: Partial<ReachQuestion>,
    deps?: Partial<StarterReachDeps>,
  ) => Promise<string>;
}

function createSite(t: TestContext): Site {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'clf-reach-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const path of ['home/project/src', 'home/.config/clawdfather', 'home/state', 'other']) {
    mkdirSync(join(root, path), { recursive: true });
  }
  const project = join(root, 'home/project');
  return {
    root,
    project,
    look: async (question, deps) => {
      const reach = createStarterReach({
        home: join(root, 'home'),
        ours: [
          join(root, 'home/state'),
          join(root, 'home/.config/clawdfather'),
          join(root, 'yet/to/come'),
        ],
        support: async () => ({ landlock: 1, why: undefined }),
        ...deps,
      });
      const asked = { directory: project, readsFiles: true, ...question };
      const found = await reach.find({ cwd: asked.directory ?? '/', ...asked });
      if (found.kind === 'beyond') return found.why;
      const tree = found.confine?.grants.find(({ isOptional }) => !isOptional);
      return tree?.path ?? (found.confine === undefined ? 'free' : 'the system');
    },
  };
}

test('a project is a working tree, by its real path', async (t) => {
  const { root, project, look } = createSite(t);
  symlinkSync(project, join(root, 'link'));
  assert.equal(await look({}), project);
  assert.equal(await look({ directory: join(root, 'link') }), project);
  assert.equal(await look({ cwd: join(project, 'src') }), project);
  assert.equal(await look({ cwd: join(root, 'link', 'src') }), project);
});

test('no working tree: none, all files, a home, what contains a home, what contains or is ours', async (t) => {
  const { root, look } = createSite(t);
  const home = join(root, 'home');
  symlinkSync(home, join(root, 'to-home'));
  const directories: Readonly<Record<string, RegExp>> = {
    '/': /the root of all files/,
    [home]: /it is the home directory/,
    [join(root, 'to-home')]: /it is the home directory/,
    '/root': /home/,
    [root]: /home directory is in it/,
    [join(home, '.config')]: /Clawdfather's own are in it/,
    [join(home, 'state')]: /Clawdfather's own/,
    [join(home, '.config/clawdfather')]: /Clawdfather's own/,
    [join(home, 'gone')]: /cannot be looked at/,
  };
  for (const [directory, why] of Object.entries(directories)) {
    if (directory === '/root' && process.getuid?.() !== 0) continue;
    const said = await look({ directory });
    assert.match(said, why, directory);
    assert.match(said, /^there is no working tree .*: start the server in a project directory$/);
    assert.equal(await look({ directory, readsFiles: false }), 'the system', directory);
  }
  assert.match(await look({ directory: undefined }), /the session has no directory/);
  const treeAdvice = 'set gateway.directory';
  assert.match(
    await look({ directory: home }, { treeAdvice }),
    /^there is no working tree \(.*\): set gateway\.directory$/,
  );
  const inside = { ours: [join(root, 'home/project/keys')] };
  assert.match(
    await look({}, inside),
    /Clawdfather's own are in it/,
    'also what is yet to be made',
  );
});

test('a command outside of the tree is beyond reach, by a link too', async (t) => {
  const { root, project, look } = createSite(t);
  symlinkSync(join(root, 'other'), join(project, 'out'));
  for (const cwd of [
    join(root, 'other'),
    join(project, 'out'),
    '/',
    `${project}-two`,
    join(project, '..'),
  ]) {
    assert.match(await look({ cwd }), /is outside the working tree/, cwd);
  }
});

test('what hangs is given up on', async (t) => {
  const { look } = createSite(t);
  const patience = AbortSignal.abort();
  assert.match(await look({ patience }), /cannot be looked at/);
});

test('where nothing can be confined, what reads is beyond reach and the rest is free', async (t) => {
  const { look } = createSite(t);
  const support = async () => ({ landlock: 0, why: 'Function not implemented' });
  assert.match(await look({}, { support }), /cannot confine programs .*Function not implemented/);
  assert.equal(await look({ readsFiles: false }, { support }), 'free');
});

test('a home among the files of the system is not given away with them', async (t) => {
  const { look } = createSite(t);
  assert.match(await look({}, { home: '/usr/home/ann' }), /\/usr\/home\/ann lies among the system/);
  assert.match(await look({}, { ours: ['/usr/local/var/clawdfather'] }), /lies among the system/);
});
