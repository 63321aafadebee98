/*
 * Whose runs a command is about: this machine's, unless a sign-in elsewhere, a setting, a variable or -g says otherwise.
 */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CliResult } from '../support/cli-process.ts';
import { createGatewayRig, type GatewayRig, type ServedGateway } from '../support/gateway-rig.ts';

/* A user of another machine, who has nothing but the gateway's address and what they are given. */
interface Elsewhere {
  readonly env: Readonly<Record<string, string>>;
  readonly configDir: string;
  clf(...args: string[]): Promise<CliResult>;
  login(...flags: string[]): Promise<CliResult>;
}

function elsewhere(rig: GatewayRig, name: string, { url }: ServedGateway): Elsewhere {
  const base = join(rig.env['HOME'] ?? '', name);
  const env = { CLAWDFATHER_STATE_DIR: `${base}-state`, XDG_CONFIG_HOME: `${base}-config` };
  const clf = (...args: string[]): Promise<CliResult> => rig.clfWith({ env }, ...args);
  return {
    env,
    configDir: join(env.XDG_CONFIG_HOME, 'clawdfather'),
    clf,
    login: async (...flags) => {
      const made = await rig.clf('login', '--link', '--json');
      const { loginLink } = JSON.parse(made.stdout) as { loginLink: string };
      const input = `${loginLink}\n`;
      return rig.clfWith({ env, input }, 'login', url, '--link-file', '-', ...flags);
    },
  };
}

test('the place that a command is about', { timeout: 120_000 }, async (context) => {
  const rig = createGatewayRig(context);
  const gateway = await rig.serve();
  const host = new URL(gateway.url).host;

  await context.test('a sign-in elsewhere is the default; -g local is this machine', async () => {
    const user = elsewhere(rig, 'one', gateway);
    const signedIn = await user.login();
    assert.equal(signedIn.code, 0, signedIn.stderr);
    assert.match(signedIn.stdout, /^Signed in to .*\nFrom now on .* clf ps -g local\.\n$/);
    const id = (await user.clf('run', '-d', '--name', 'far', '--', 'sleep', '1000')).stdout.trim();
    assert.deepEqual(await rig.live(), [id], 'it runs there');
    assert.equal((await user.clf('ps', '-q')).stdout, `${id}\n`);
    assert.equal(
      (await user.clf('ps', '-g', 'local')).stdout,
      'No runs yet. Start one: clf run -g local -d -- sleep 60\n',
    );
    const missing = await user.clf('show', '-g', 'local', 'far');
    assert.match(missing.stderr, /\(run-not-found\)/);
    // The same name is free here, and the same id means nothing.
    assert.equal((await user.clf('run', '-g', 'local', '--name', 'far', '--', 'true')).code, 0);
    const byVariable = { ...user.env, CLAWDFATHER_GATEWAY: 'local' };
    assert.equal((await rig.clfWith({ env: byVariable }, 'ps', '-q')).stdout, '');
    const killed = await rig.clfWith({ env: byVariable }, 'kill', '-g', host, 'far');
    assert.equal(killed.stdout, `${id} cancelled\n`, 'the flag comes before the variable');
    assert.equal(
      (await user.clf('logout')).stdout,
      `Signed out of ${gateway.url}.\nFrom now on commands are about the runs of this machine again.\n`,
    );
  });

  await context.test(
    'with --no-default commands stay here; a variable, a setting and -g name it',
    async () => {
      const user = elsewhere(rig, 'two', gateway);
      const signedIn = await user.login('--no-default', '--name', 'home');
      assert.equal(signedIn.stdout, `Signed in to ${gateway.url} as Owner.\n`);
      assert.match((await user.clf('ps')).stdout, /^No runs yet\. Start one: clf run -d/);
      const wanted = /^(Nothing is running|No runs) at home/;
      assert.match((await user.clf('ps', '-g', 'home')).stdout, wanted);
      assert.match((await user.clf('ps', '-g', gateway.url)).stdout, wanted);
      const env = { ...user.env, CLAWDFATHER_GATEWAY: 'home' };
      assert.match((await rig.clfWith({ env }, 'ps')).stdout, wanted);
      writeFileSync(join(user.configDir, 'config.jsonc'), '{ "defaultGateway": "home" }', {
        mode: 0o600,
      });
      assert.match((await user.clf('ps')).stdout, wanted);
      assert.match((await user.clf('ps', '-g', 'local')).stdout, /^No runs yet/);
      const typo = await user.clf('ps', '-g', 'hom');
      assert.deepEqual([typo.code, typo.stdout], [125, '']);
      assert.match(typo.stderr, /Did you mean home\?\n {2}\(gateway-not-found\)/);
    },
  );

  await context.test(
    'on the gateway’s own machine a sign-in changes nothing for runs',
    async () => {
      assert.equal((await rig.clf('login')).stdout, `Signed in to ${gateway.url} as Owner.\n`);
      const id = (await rig.clf('run', '-d', '--', 'sleep', '1000')).stdout.trim();
      const ofHere = JSON.parse((await rig.clf('show', '--json', id)).stdout) as {
        backendId: string;
      };
      assert.equal(ofHere.backendId, 'cli', 'not through the gateway');
      assert.equal((await rig.clf('kill', id)).code, 0);
    },
  );

  await context.test(
    'gateways.json that cannot be used is told, and -g local works without it',
    async () => {
      const user = elsewhere(rig, 'three', gateway);
      await user.login();
      const path = join(user.configDir, 'gateways.json');
      chmodSync(path, 0o644);
      const open = await user.clf('ps');
      assert.deepEqual([open.code, open.stdout], [125, '']);
      assert.match(open.stderr, /can be read by others\n.*-g local\.\n {2}\(gateways-unreadable\)/);
      assert.equal((await user.clf('ps', '-g', 'local')).code, 0);
      chmodSync(path, 0o600);
      const kept = readFileSync(path, 'utf8');
      writeFileSync(path, '{ broken');
      const broken = await user.clf('ps');
      assert.match(broken.stderr, /Remove it and sign in again: clf login.*-g local\.\n/);
      assert.equal((await user.clf('ps', '-g', 'local')).code, 0);

      // As versions before had it: another name, and another word for the list.
      writeFileSync(path, kept.replace('"gateways"', '"hosts"'));
      renameSync(path, join(user.configDir, 'hosts.json'));
      const listed = await user.clf('ps', '-f', 'name=none');
      assert.match(listed.stdout, new RegExp(`^No run at ${host} matches`));
    },
  );

  await context.test(
    'a backup is about this machine, and says so where another is meant',
    async () => {
      const user = elsewhere(rig, 'four', gateway);
      await user.login('--name', 'far');
      const path = join(rig.env['HOME'] ?? '', 'four-backup');
      const none = await user.clf('backup', path);
      assert.equal(none.code, 125);
      assert.match(none.stderr, /gateway of this machine\. For that of far, run clf backup on its/);
      const env = { XDG_CONFIG_HOME: user.env['XDG_CONFIG_HOME'] ?? '' };
      const made = await rig.clfWith({ env }, 'backup', path);
      assert.equal(made.code, 0, made.stderr);
      assert.match(made.stderr, /For that of far, run clf backup on its machine/);
      assert.equal((await rig.clf('backup', '--force', path)).stderr, '');
    },
  );

  await context.test('nothing is left running', async () => assert.deepEqual(await rig.live(), []));

  await context.test(
    'a default that does not answer is named, and how to do without it',
    async () => {
      const user = elsewhere(rig, 'five', gateway);
      const nowhere = await user.clf('logout');
      assert.equal(nowhere.code, 125);
      assert.match(nowhere.stderr, /you are signed in to no gateway\n {2}\(not-signed-in\)/);
      await user.login('--name', 'far');
      await rig.clf('stop');
      const listed = await user.clf('ps');
      assert.equal(listed.code, 125);
      assert.match(listed.stderr, new RegExp(`no answer from far \\(${host}\\)`));
      assert.match(listed.stderr, /Is the gateway running.*-g local\.\n/);
    },
  );
});
