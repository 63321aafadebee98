/*
 * The shield as the tools use it: what it is on each kind of machine, and that it fails with a sentence.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import type { ConfinementSupport } from '@clawdfather/supervisor';
import { createShield } from '../../src/shield/create-shield.ts';
import { type ShieldSettings, usualShield } from '../../src/shield/shield-settings.ts';

const whole: ConfinementSupport = {
  landlock: 7,
  why: undefined,
  hasNamespaces: true,
  whyNoNamespaces: undefined,
};
const nothing: ConfinementSupport = {
  landlock: 0,
  why: 'off',
  hasNamespaces: false,
  whyNoNamespaces: 'forbidden',
};

function createHome(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'clf-home-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function shieldOf(home: string, support = whole, settings: Partial<ShieldSettings> = {}) {
  return createShield({
    clock: createSystemClock(),
    settings: { ...usualShield, ...settings },
    ownDirectories: [join(home, 'state'), join(home, '.config/clawdfather')],
    ours: [],
    programs: [],
    privateDir: join(home, 'state/shield'),
    home,
    runtimeDir: undefined,
    searchPath: '',
    support: () => Promise.resolve(support),
  });
}

test('what a login reads and is missing is made, once, and what is there is left as it is', async (t) => {
  const home = createHome(t);
  writeFileSync(join(home, '.profile'), 'mine\n');
  const shield = shieldOf(home);
  const first = await shield.describe({ tree: undefined });
  assert.equal(
    first,
    await shield.describe({ tree: undefined }),
    'the same object, so encoded once',
  );
  assert.equal(readFileSync(join(home, '.profile'), 'utf8'), 'mine\n');
  for (const path of ['.bash_profile', '.ssh', 'bin', '.config/systemd', '.config/clawdfather']) {
    assert.ok(existsSync(join(home, path)), path);
  }
  assert.match(readFileSync(join(home, '.bash_profile'), 'utf8'), /\. ~\/\.profile/);
});

test('a shield that cannot be prepared says why, and is tried again', async (t) => {
  const home = createHome(t);
  writeFileSync(join(home, '.config'), 'a file');
  const shield = shieldOf(home);
  const failure = { code: 'shield-unavailable', message: /cannot be prepared: .*\.config/ };
  await assert.rejects(shield.describe({ tree: undefined }), failure);
  rmSync(join(home, '.config'));
  mkdirSync(join(home, '.config'));
  assert.ok((await shield.describe({ tree: undefined }))?.steps);
});

test('without anything: asked about always, refused where it is required, nothing where it is off', async (t) => {
  const home = createHome(t);
  const on = shieldOf(home, nothing);
  assert.match((await on.whyAlwaysAsk()) ?? '', /not fully shielded here .*forbidden.*off/);
  assert.equal(await on.describe({ tree: undefined }), undefined);
  const required = shieldOf(home, nothing, { mode: 'require' });
  await assert.rejects(required.describe({ tree: undefined }), { code: 'shield-unavailable' });
  const off = shieldOf(home, whole, { mode: 'off' });
  assert.equal(await off.whyAlwaysAsk(), undefined);
  assert.equal(await off.describe({ tree: undefined }), undefined);
  assert.equal(await shieldOf(home).whyAlwaysAsk(), undefined);
});
