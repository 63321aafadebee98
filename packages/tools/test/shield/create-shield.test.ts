/*
 * The shield as the tools use it: what it is on each kind of machine, and that it fails with a sentence.
 */
import assert from 'node:assert/strict';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Clock, createSystemClock } from '@clawdfather/kit';
import type { ConfinementSupport, ShieldRequest } from '@clawdfather/supervisor';
import { createFakeClock } from '@clawdfather/testkit';
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

function shieldOf(
  home: string,
  support = whole,
  { clock = createSystemClock(), ...settings }: Partial<ShieldSettings> & { clock?: Clock } = {},
) {
  return createShield({
    clock,
    settings: { ...usualShield, ...settings },
    ownDirectories: [join(home, 'state'), join(home, '.config/clawdfather')],
    given: [join(home, 'state-attachments')],
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

test('what is replaced, or comes later, makes another description of the same steps', async (t) => {
  const home = createHome(t);
  const clock = createFakeClock();
  const shield = shieldOf(home, whole, { clock });
  const next = async (): Promise<ShieldRequest | undefined> => {
    await clock.advance(5_000);
    return await shield.describe({ tree: undefined });
  };
  const first = await next();
  assert.equal(await next(), first, 'nothing has changed, and what is kept can be used');
  const replace = (): void => {
    writeFileSync(join(home, 'draft'), 'new\n');
    renameSync(join(home, 'draft'), join(home, '.profile'));
  };
  replace();
  const second = await next();
  assert.deepEqual(second?.steps, first?.steps);
  assert.notEqual(second?.mark, first?.mark);
  mkdirSync(join(home, '.docker/run'), { recursive: true });
  const third = await next();
  assert.notEqual(third?.mark, second?.mark, 'it was not there to be hidden');
  rmSync(join(home, '.docker'), { recursive: true });
  const marks = [first, second, third, await next()].map((one) => one?.mark);
  assert.equal(new Set(marks).size, 4, 'none comes again, since its mounts are gone');
});

test('SH6: what is given to agents is made and read-only, and a link in its place is refused', async (t) => {
  const home = createHome(t);
  const clock = createFakeClock();
  const shield = shieldOf(home, whole, { clock });
  const given = join(home, 'state-attachments');
  const steps = (await shield.describe({ tree: home }))?.steps;
  assert.equal(statSync(given).mode & 0o777, 0o700);
  assert.equal(steps?.findLast(({ path }) => path === given)?.kind, 'read-only');
  renameSync(given, `${given}-aside`);
  symlinkSync('state', given);
  await clock.advance(5_000);
  const refused = { code: 'shield-unavailable', message: /state-attachments is not a directory/ };
  await assert.rejects(shield.describe({ tree: home }), refused);
});

test('as root nothing is made through the links of another user, and what is made is theirs', {
  skip: process.getuid?.() !== 0 && 'needs root',
}, async (t) => {
  const home = createHome(t);
  const [victim, uid] = [createHome(t), 54_324];
  chownSync(home, uid, uid);
  symlinkSync(victim, join(home, '.config'));
  lchownSync(join(home, '.config'), uid, uid);
  const user = { uid, gid: uid, home };
  const shield = shieldOf(createHome(t));
  const failure = { code: 'shield-unavailable', message: /cannot be prepared: .*ermission denied/ };
  await assert.rejects(shield.describe({ tree: undefined, user }), failure);
  assert.deepEqual(readdirSync(victim), []);
  rmSync(join(home, '.config'));
  await shield.describe({ tree: undefined, user });
  for (const path of ['.config/systemd', '.bash_profile']) {
    assert.equal(statSync(join(home, path)).uid, uid, path);
  }
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
  // No person is asked about what could not start.
  await assert.rejects(required.whyAlwaysAsk(), { code: 'shield-unavailable' });
  const off = shieldOf(home, whole, { mode: 'off' });
  assert.equal(await off.whyAlwaysAsk(), undefined);
  assert.equal(await off.describe({ tree: undefined }), undefined);
  assert.equal(await shieldOf(home).whyAlwaysAsk(), undefined);
});
