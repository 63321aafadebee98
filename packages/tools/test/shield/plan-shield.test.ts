/*
 * The plan of a shield: its promises, for users and trees of all kinds.
 */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import type { ShieldStep } from '@clawdfather/supervisor';
import fc from 'fast-check';
import { isInside } from '../../src/approvals/real-paths.ts';
import { planShield, type ShieldFacts } from '../../src/shield/plan-shield.ts';
import { type ShieldSettings, usualShield } from '../../src/shield/shield-settings.ts';

const facts: ShieldFacts = {
  isRoot: false,
  home: '/people/ann',
  systemHome: undefined,
  ours: ['/people/ann/.local/state/clawdfather', '/people/ann/.config/clawdfather'],
  given: ['/people/ann/.local/state/clawdfather-attachments'],
  programs: ['/people/ann/.local/lib/node_modules/clawdfather'],
  tree: '/people/ann/project',
  runtimeDir: '/run/user/1000',
  ownTmp: '/people/ann/.local/state/clawdfather/shield/1000/tmp',
  ownVarTmp: '/people/ann/.local/state/clawdfather/shield/1000/var-tmp',
  ownRuntime: '/people/ann/.local/state/clawdfather/shield/1000/runtime',
  places: new Map(),
  links: [],
};

function plan(change: Partial<ShieldFacts> = {}, settings: Partial<ShieldSettings> = {}) {
  return planShield({ ...facts, ...change }, { ...usualShield, ...settings });
}

function pathsOf(steps: readonly ShieldStep[], kind: ShieldStep['kind']): readonly string[] {
  return steps.filter((step) => step.kind === kind).map(({ path }) => path);
}

/* What is at a path at the end: the last step that is about it or about what it lies in. */
function endOf(steps: readonly ShieldStep[], path: string): ShieldStep['kind'] | undefined {
  return steps.findLast((step) => step.kind !== 'pin' && isInside(path, step.path))?.kind;
}

const trees = fc.constantFrom(
  undefined,
  '/people/ann',
  '/people/ann/project',
  '/people/ann/.config',
  '/people/ann/.local/state',
  '/tmp/work',
  '/run/work',
  '/srv/site',
  '/',
);

test('SH1: what is ours is hidden at the end, wherever the tree is and whatever is open', () => {
  const doors = ['docker', 'ssh', 'gpg', 'tmp', 'dbus', 'podman', 'postgresql'] as const;
  const cases = fc.record({
    tree: trees,
    isRoot: fc.boolean(),
    open: fc.subarray([...doors]),
    write: fc.subarray(['/people/ann', '/srv', '/']),
  });
  fc.assert(
    fc.property(cases, ({ tree, isRoot, open, write }) => {
      const steps = plan({ tree, isRoot }, { open, write });
      for (const path of facts.ours) assert.equal(endOf(steps, path), 'hide', path);
    }),
  );
});

test('SH2: no directory above what is hidden or read-only can be renamed', () => {
  fc.assert(
    fc.property(trees, fc.boolean(), (tree, isRoot) => {
      const steps = plan({ tree, isRoot });
      const mounted = new Set(steps.filter(({ kind }) => kind !== 'link').map(({ path }) => path));
      const covered = ['/run', '/proc', '/dev', '/tmp', '/var/tmp'];
      for (const { kind, path } of steps) {
        if (kind !== 'hide' && kind !== 'read-only') continue;
        for (let above = dirname(path); above !== '/'; above = dirname(above)) {
          const isCovered = covered.some((top) => isInside(above, top));
          assert.ok(isCovered || mounted.has(above), `${above}, for ${path}`);
        }
      }
    }),
  );
});

test('SH3: a tree below /tmp or /run is kept, one of our own is not', () => {
  for (const tree of ['/tmp/work', '/run/work', '/var/tmp/a/b', '/run/user/1000/w']) {
    assert.equal(endOf(plan({ tree }), `${tree}/file`), 'keep', tree);
  }
  for (const tree of facts.ours) assert.equal(endOf(plan({ tree }), `${tree}/file`), 'hide');
  assert.ok(
    !pathsOf(plan({ tree: '/people/ann' }), 'keep').includes('/people/ann'),
    'it would uncover',
  );
});

test('programs below /tmp are there, and read-only', () => {
  const steps = plan({ programs: ['/tmp/tools/bin'] });
  assert.ok(pathsOf(steps, 'keep').includes('/tmp/tools/bin'));
  assert.equal(endOf(steps, '/tmp/tools/bin/x'), 'read-only');
});

test('SH6: what is given to agents is read-only at the end, and there also below what is replaced', () => {
  const given = [...facts.given, '/tmp/state-attachments', '/run/user/1000/state-attachments'];
  fc.assert(
    fc.property(
      trees,
      fc.boolean(),
      fc.subarray(['/people/ann', '/tmp', '/']),
      (tree, isRoot, write) => {
        const steps = plan({ tree, isRoot, given }, { write });
        for (const path of given) assert.equal(endOf(steps, `${path}/file`), 'read-only', path);
        for (const path of given.slice(1)) assert.ok(pathsOf(steps, 'keep').includes(path), path);
      },
    ),
  );
});

test('SH4: nothing is put back over what was hidden or made read-only', () => {
  fc.assert(
    fc.property(
      trees,
      fc.boolean(),
      fc.subarray(['/people/ann', '/srv']),
      (tree, isRoot, write) => {
        const steps = plan({ tree, isRoot }, { write });
        const last = Math.max(
          ...steps.map(({ kind }, at) => (kind === 'keep' || kind === 'replace' ? at : -1)),
        );
        const first = steps.findIndex(
          ({ kind, path }) => kind === 'hide' && facts.ours.includes(path),
        );
        assert.ok(last < first);
      },
    ),
  );
});

test('what opens a door takes its places off the list, and only these', () => {
  const closed = plan();
  assert.ok(pathsOf(closed, 'hide').includes('/people/ann/.ssh'));
  const open = plan({}, { open: ['ssh'] });
  assert.ok(!pathsOf(open, 'hide').includes('/people/ann/.ssh'));
  assert.ok(pathsOf(open, 'read-only').includes('/people/ann/.ssh'), 'which keys are let in stays');
  assert.deepEqual(
    pathsOf(closed, 'hide').filter((path) => path !== '/people/ann/.ssh'),
    pathsOf(open, 'hide'),
  );
  assert.ok(pathsOf(plan({}, { open: ['docker'] }), 'keep').includes('/run/docker.sock'));
  assert.ok(!pathsOf(closed, 'keep').includes('/run/docker.sock'));
  assert.ok(!pathsOf(plan({}, { open: ['tmp'] }), 'replace').includes('/tmp'));
});

test('for root everything is read-only but the tree and the home, and devices are few', () => {
  const steps = plan({ isRoot: true, home: '/people/admin', tree: '/srv/site' });
  assert.deepEqual(steps[0], { kind: 'read-only', path: '/' });
  for (const path of ['/usr/bin', '/etc/passwd', '/proc/sys/kernel']) {
    assert.equal(endOf(steps, path), 'read-only', path);
  }
  assert.equal(endOf(steps, '/srv/site/file'), 'keep');
  assert.equal(endOf(steps, '/people/admin/file'), 'keep');
  assert.equal(endOf(steps, '/dev/sda'), 'hide');
  assert.equal(endOf(steps, '/dev/null'), 'keep');
  assert.equal(endOf(steps, '/people/admin/.bashrc'), 'read-only');
});

test('a home that is not HOME is read-only as a whole, but for a tree in it', () => {
  const systemHome = '/var/lib/ann';
  const steps = plan({ systemHome, tree: '/var/lib/ann/site' });
  assert.equal(endOf(steps, '/var/lib/ann/new'), 'read-only');
  assert.equal(endOf(steps, '/var/lib/ann/site/new'), 'keep');
  assert.equal(endOf(steps, '/var/lib/ann/.ssh'), 'hide');
});

test('with shield.write only these trees and the working tree can be written to', () => {
  const steps = plan({}, { write: ['/srv/cache'] });
  assert.equal(endOf(steps, '/people/ann/file'), 'read-only');
  assert.equal(endOf(steps, '/people/ann/project/file'), 'keep');
  assert.equal(endOf(steps, '/srv/cache/file'), 'keep');
});

test('what a link leads to is a place as well, and a link on the way is pinned', () => {
  const places = new Map([
    ['/people/ann/.ssh', ['/people/ann/.ssh', '/data/ssh']],
    ['/people/ann/.bashrc', ['/people/ann/.bashrc', '/dots/bashrc']],
    ['/people/ann/.config/systemd', ['/dots/config/systemd']],
  ]);
  const steps = plan({ places, links: ['/people/ann/.config'] });
  for (const path of ['/people/ann/.ssh', '/data/ssh']) {
    assert.ok(pathsOf(steps, 'hide').includes(path), path);
  }
  const readOnly = pathsOf(steps, 'read-only');
  for (const path of ['/people/ann/.bashrc', '/dots/bashrc', '/dots/config/systemd']) {
    assert.ok(readOnly.includes(path), path);
  }
  assert.ok(!readOnly.includes('/people/ann/.config/systemd'), 'no path leads through a link');
  const pins = pathsOf(steps, 'pin');
  for (const path of ['/people/ann', '/people/ann/.config', '/dots/config']) {
    assert.ok(pins.includes(path), path);
  }
});

test('the socket of an SSH host that is let in is there and read-only; the rest of ours is hidden', () => {
  const sshDir = '/people/ann/.local/state/clawdfather/ssh/abc/in';
  const steps = plan({ sshDir });
  const at = steps.findIndex((step) => step.kind === 'replace' && step.source === sshDir);
  assert.equal(steps[at]?.path, '/run/clawdfather-ssh');
  assert.ok(at > steps.findIndex((step) => step.kind === 'hide' && step.path === '/run'));
  assert.equal(endOf(steps, '/run/clawdfather-ssh/s'), 'read-only');
  assert.equal(endOf(steps, sshDir), 'hide');
  assert.ok(!plan().some(({ path }) => path === '/run/clawdfather-ssh'));
});

test('TS1: the tool socket is there and read-only, below a /run that is empty otherwise', () => {
  const toolsDir = '/people/ann/.local/state/clawdfather/tools/abc';
  const steps = plan({ toolsDir });
  const at = steps.findIndex((step) => step.kind === 'replace' && step.source === toolsDir);
  assert.equal(steps[at]?.path, '/run/clawdfather');
  assert.ok(at > steps.findIndex((step) => step.kind === 'hide' && step.path === '/run'));
  assert.equal(endOf(steps, '/run/clawdfather/tools'), 'read-only');
  assert.equal(
    endOf(steps, toolsDir),
    'hide',
    'where it lies outside, it is hidden with all of ours',
  );
  assert.ok(!plan().some(({ path }) => path === '/run/clawdfather'));
});
