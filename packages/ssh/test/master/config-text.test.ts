/*
 * What we write for ssh is what ssh reads: `ssh -G`, which prints what it understood, is the oracle.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { hasCode } from '@clawdfather/kit';
import { api } from '@clawdfather/protocol/api';
import fc from 'fast-check';
import { formatMasterConfig } from '../../src/master/config-text.ts';
import type { MasterConfig } from '../../src/master/config-text.ts';
import {
  formatMasterArgv,
  formatPassengerConfig,
  formatSshPrefix,
  masterEnvironment,
} from '../../src/master/master-command.ts';
import { parseHostKey } from '../../src/pins/host-key.ts';

const run = promisify(execFile);
const sshPath = '/usr/bin/ssh';

let directory = '';
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'clf-config-'));
});
after(() => rm(directory, { recursive: true }));

type Fields = MasterConfig & { readonly socketPath: string };

const plain: Fields = {
  connectionId: '0123456789abcdef',
  address: '192.0.2.7',
  port: 2222,
  user: 'deploy',
  pin: undefined,
  shimPath: '/opt/clf/shim',
  reportPath: '/run/clf/report',
  pinPath: '/run/clf/pin',
  publicKeyPath: '/run/clf/key.pub',
  signerPath: '/run/clf/signer',
  connectSeconds: 10,
  socketPath: '/run/clf/m',
};

/* What ssh made of it: option → value. Undefined when a field was refused. */
async function understood(fields: Fields): Promise<ReadonlyMap<string, string> | undefined> {
  const configPath = join(directory, 'config');
  try {
    await writeFile(configPath, formatMasterConfig(fields));
    const paths = { sshPath, configPath, socketPath: fields.socketPath };
    const [program = '', ...args] = formatMasterArgv(fields.connectionId, paths);
    const env = masterEnvironment(directory);
    const { stdout } = await run(program, ['-G', ...args], { env });
    return readOptions(stdout);
  } catch (error) {
    if (hasCode(error, 'config-field-invalid')) return undefined;
    throw error;
  }
}

function readOptions(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  const options = new Map<string, string>();
  for (const line of lines) {
    const [name = '', ...rest] = line.split(' ');
    assert.ok(!options.has(name), `${name} once`);
    options.set(name, rest.join(' '));
  }
  return options;
}

/* Where the fields appear. ssh prints commands and the identity as they were written, the other paths as they are. */
function meant(fields: Fields): Readonly<Record<string, string>> {
  const twice = (path: string): string => path.replaceAll('%', '%%');
  const alias = `clf-${fields.connectionId}`;
  const { address, port, shimPath, reportPath, pinPath } = fields;
  return {
    host: alias,
    user: fields.user,
    hostname: address,
    port: String(port),
    hostkeyalias: alias,
    controlpath: fields.socketPath,
    identityagent: fields.signerPath,
    identityfile: twice(fields.publicKeyPath),
    proxycommand: `"${twice(shimPath)}" dial ${address} ${port} "${twice(reportPath)}" 10000`,
    knownhostscommand: `"${shimPath}" hostkey "${twice(reportPath)}" "${twice(pinPath)}" %I %t %K ${alias}`,
  };
}

test('ssh reads every option as it was meant', async () => {
  const options = await understood(plain);
  assert.ok(options);
  const expected = {
    ...meant(plain),
    controlmaster: 'true',
    controlpersist: 'no',
    serveraliveinterval: '30',
    serveralivecountmax: '3',
    connecttimeout: '10',
    tcpkeepalive: 'yes',
    batchmode: 'yes',
    stricthostkeychecking: 'true',
    userknownhostsfile: 'none',
    globalknownhostsfile: 'none',
    checkhostip: 'no',
    updatehostkeys: 'false',
    verifyhostkeydns: 'false',
    pubkeyauthentication: 'true',
    preferredauthentications: 'publickey',
    identitiesonly: 'yes',
    certificatefile: 'none',
    addkeystoagent: 'false',
    forwardagent: 'no',
    forwardx11: 'no',
    clearallforwardings: 'yes',
    tunnel: 'false',
    gatewayports: 'no',
    permitlocalcommand: 'no',
    requesttty: 'false',
    sessiontype: 'none',
    stdinnull: 'yes',
    escapechar: 'none',
    canonicalizehostname: 'false',
    proxyusefdpass: 'yes',
    loglevel: 'INFO',
    logverbose: 'none',
  };
  for (const [name, value] of Object.entries(expected))
    assert.equal(options.get(name), value, name);
});

test('a pin puts the algorithm of its key first', async () => {
  const type = 'sk-ssh-ed25519@openssh.com';
  const fields = [type, Buffer.alloc(32), 'ssh:'].map((field) => Buffer.from(field));
  const blob = Buffer.concat(
    fields.flatMap((field) => [Buffer.from([0, 0, 0, field.length]), field]),
  );
  const reading = parseHostKey(`${type} ${blob.toString('base64')}`);
  assert.equal(reading.outcome, 'read');
  const pin = reading.outcome === 'read' ? reading.key : assert.fail();
  const options = await understood({ ...plain, pin });
  assert.equal(options?.get('hostkeyalgorithms')?.split(',')[0], type);
});

test('paths with blanks, percents, quotes of one kind and other scripts arrive as they are', async () => {
  const path = "/run/ü n %h %% %d it's ☃ #a =b";
  const fields = {
    ...plain,
    shimPath: `${path}/shim`,
    reportPath: `${path}/report`,
    pinPath: `${path}/pin`,
    publicKeyPath: `${path}/key`,
    signerPath: `${path}/signer`,
    socketPath: `${path}/m`,
  };
  const options = await understood(fields);
  for (const [name, value] of Object.entries(meant(fields)))
    assert.equal(options?.get(name), value, name);
});

const nasty = [
  '\n',
  '\r',
  '\0',
  '\t',
  '\u2028',
  '\f',
  '%',
  '%h',
  '%%',
  '"',
  "'",
  '\\',
  '$(id)',
  '${HOME}',
  '`id`',
  '-',
  '--',
  '-oProxyCommand=id',
  ' ',
  '#',
  '=',
  '~',
  '*',
  '!',
  ';',
  '\nProxyCommand id\n',
  '\nHost *\n  User other\n',
  '@',
  ':',
  '/',
  'none',
  '\ud800',
  '🦞',
];

/* A valid value, with something put into it. */
function spoiled(value: string): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'binary', maxLength: 4 }));
  return fc
    .tuple(fc.nat(value.length), piece)
    .map(([at, text]) => value.slice(0, at) + text + value.slice(at));
}

const texts = [
  'connectionId',
  'address',
  'user',
  'shimPath',
  'reportPath',
  'pinPath',
  'publicKeyPath',
  'signerPath',
  'socketPath',
] as const;

test('a spoiled field is refused, or ssh reads it as it is and nothing else changes', async () => {
  const base = await understood(plain);
  assert.ok(base);
  let read = 0;
  const spoiledField = fc
    .constantFrom(...texts)
    .chain((field) => spoiled(plain[field]).map((value) => ({ field, value })));
  await fc.assert(
    fc.asyncProperty(spoiledField, async ({ field, value }) => {
      const fields = { ...plain, [field]: value };
      const options = await understood(fields);
      if (options === undefined) return;
      read += 1;
      // Another spelling of an address is written in its usual one.
      if (field === 'address') fields.address = options.get('hostname') ?? '';
      assert.deepEqual(new Map(options), new Map([...base, ...Object.entries(meant(fields))]));
    }),
    { numRuns: 300 },
  );
  assert.ok(read > 0, 'some were not refused');
});

test("the signer's socket may be longer than that of a master", async () => {
  const signerPath = `/${'s'.repeat(106)}`;
  const options = await understood({ ...plain, signerPath });
  assert.equal(options?.get('identityagent'), signerPath);
});

test('what begins another option, reaches a shell or is expanded is refused in every field', async () => {
  for (const field of texts) {
    for (const piece of ['\n', '\r', '\0', '"', '\\', '$', '`', '$(id)', '\nProxyCommand id']) {
      const values = [piece + plain[field], plain[field] + piece, `${plain[field]}${piece}x`];
      for (const value of values)
        assert.equal(
          await understood({ ...plain, [field]: value }),
          undefined,
          `${field} ${value}`,
        );
    }
  }
  for (const user of ['', '-l', '-oProxyCommand=id', '%r', '.a', 'a b', "a'b", 'a@b', 'a:b', 'ä'])
    assert.equal(await understood({ ...plain, user }), undefined, user);
  for (const address of ['', 'host.test', '127.1', '-x', '::1%lo', '[::1]', '0x7f000001'])
    assert.equal(await understood({ ...plain, address }), undefined, address);
  for (const port of [0, 65_536, -1, 1.5, Number.NaN])
    assert.equal(await understood({ ...plain, port }), undefined, String(port));
  assert.equal(await understood({ ...plain, socketPath: `/${'m'.repeat(90)}` }), undefined);
  assert.equal(await understood({ ...plain, shimPath: 'shim' }), undefined);
});

test('every user and address that the API takes can be written', () => {
  const { body } = api.connections.create;
  const fields = { label: 'a', keypair_id: plain.connectionId };
  const sign = fc.constantFrom(...'abzAZ019_.-%$ @\n\'"/'.split(''));
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 12 }), (username) => {
      const taken = body.safeParse({ ...fields, host: '192.0.2.7', username });
      if (taken.success) formatMasterConfig({ ...plain, user: taken.data.username });
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (host) => {
      const taken = body.safeParse({ ...fields, host, username: 'a' });
      if (taken.success) formatMasterConfig({ ...plain, address: taken.data.host });
    }),
  );
});

test('the printed prefix uses the master, or nothing', async () => {
  const configPath = join(directory, 'passenger');
  await writeFile(configPath, formatPassengerConfig());
  const socketPath = '/run/my clf/m%h';
  const prefix = formatSshPrefix({
    paths: { sshPath, configPath, socketPath },
    address: '2001:db8::1',
    port: 2222,
    user: 'deploy',
  });
  // As a person would add to it: ours come first, and the first counts.
  const env = { PATH: '/usr/bin:/bin', HOME: directory };
  const added = `${prefix.replace(/^ssh/, 'ssh -G').replace(/ --$/, '')} -o ProxyCommand=id -o ControlMaster=yes`;
  const options = readOptions((await run('/bin/sh', ['-c', added], { env })).stdout);
  const expected = {
    hostname: '2001:db8::1',
    port: '2222',
    user: 'deploy',
    controlpath: socketPath,
    controlmaster: 'false',
    proxycommand: 'false',
    identityagent: 'none',
    batchmode: 'yes',
    stdinnull: 'no',
  };
  for (const [name, value] of Object.entries(expected))
    assert.equal(options.get(name), value, name);
  await assert.rejects(run('/bin/sh', ['-c', `${prefix} true`], { env }), { code: 255 });
});

test('a prefix with plain paths can be used as words, without quotes', () => {
  const paths = { sshPath, configPath: '/run/clf/p', socketPath: '/run/clf/m' };
  const prefix = formatSshPrefix({ paths, address: '192.0.2.7', port: 22, user: 'deploy' });
  assert.equal(
    prefix,
    'ssh -F /run/clf/p -o ControlPath=/run/clf/m -o ControlMaster=no -o ProxyCommand=false -p 22 deploy@192.0.2.7 --',
  );
});
