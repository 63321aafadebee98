/*
 * The parsers under libFuzzer, each for a bounded number of inputs; and the sources under every compiler we name.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encodeCommand } from '../../src/wire/encode-command.ts';
import { encodeSpawn } from '../../src/wire/encode-spawn.ts';
import { flagsFor } from '../../build/variants.ts';
import { isInstalled } from './rig.ts';

const runsMax = 20_000;
/* The one that brings libFuzzer. */
const fuzzCompiler = 'clang';
const packagePath = fileURLToPath(new URL('../../', import.meta.url));
const nativePath = join(packagePath, 'native');
const headBytes = 12;

/* What each parser is meant for; libFuzzer changes it from there. */
const seeds: Readonly<Record<string, readonly Buffer[]>> = {
  'fuzz-door-rules': [
    // ALIVE_CHECK, NEW_SESSION, OPEN_FWD.
    Buffer.from('1000000400000001', 'hex'),
    Buffer.from(`1000000200000007${'00000000'.repeat(4)}ffffffff${'00000000'.repeat(2)}`, 'hex'),
    Buffer.from('100000060000000100000001', 'hex'),
  ],
  'fuzz-frame': [encodeCommand({ type: 'watch' }, 7)],
  'fuzz-commands': [
    encodeCommand(
      { type: 'claim', epoch: 2, generation: 3, pid: 4, startTicks: 5, instance: 'one' },
      1,
    ).subarray(headBytes),
    encodeCommand(
      { type: 'terminate', epoch: 2, reason: 'manual-cancel', graceMs: 5, actor: 'me' },
      1,
    ).subarray(headBytes),
  ],
  'fuzz-mux-header': [
    Buffer.from('noise \x1eCLF1 nonce-1234 4711 815 01234567-89ab\nrest\n'),
    Buffer.from('CLF-SWEPT 12 0\n'),
  ],
  'fuzz-mux-packet': [
    // HELLO with an extension, OPENED, FAILURE, EXIT.
    Buffer.from('000000140000000100000004000000016900000003616263', 'hex'),
    Buffer.from('0000000c800000060000000100000002', 'hex'),
    Buffer.from('0000000f800000030000000100000003776879', 'hex'),
    Buffer.from('0000000c800000040000000200000007', 'hex'),
  ],
  'fuzz-spawn-request': [spawnSeed()],
  'fuzz-proc-stat': [
    Buffer.from('7 (a (b) c) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 1 2\n'),
  ],
};

function spawnSeed(): Buffer {
  const frame = encodeSpawn(
    {
      runDir: '/run',
      runId: 'r1',
      cookie: Buffer.alloc(16),
      meta: Buffer.from('{}'),
      epoch: 1,
      owner: { instance: 'one', generation: 1, pid: 2, startTicks: 3 },
      argv: ['tool', '-v'],
      file: 'tool',
      env: { PATH: '/usr/bin::/bin:', A: '' },
      cwd: '/',
      pty: { cols: 80, rows: 24 },
      stdin: 'open',
      umask: 0o22,
      nice: 1,
      rlimits: [{ resource: 7, soft: 1, hard: 'unlimited' }],
      user: { uid: 1, gid: 2, groups: [3, 4] },
      cgroup: { path: '/c', memoryBytesMax: 1, processesMax: 2 },
      overallMs: 1,
      noOutputMs: 2,
      graceMs: 3,
      killMs: 4,
      startMs: 5,
      ownerLoss: 'kill',
      leaseMs: 6,
      leftovers: 'keep',
      journal: { mode: 'hold', bytesMax: 8192, segmentBytes: 4096 },
      oomScoreAdj: 500,
      cwdId: { device: 1n, inode: 2n },
      shield: {
        steps: [
          { kind: 'hide', path: '/srv' },
          { kind: 'replace', path: '/tmp', source: '/var/tmp' },
          { kind: 'link', path: '/dev/fd', target: '/proc/self/fd' },
        ],
        hasDomain: true,
      },
      confine: {
        grants: [
          { path: '/srv', access: 'read', isOptional: false },
          { path: '/usr', access: 'execute', isOptional: true },
          { path: '/dev/null', access: 'write', isOptional: true },
        ],
      },
    },
    1,
  );
  return frame.subarray(headBytes);
}

/* Why libFuzzer cannot be used here, if it cannot. */
function fuzzerMissing(): string | undefined {
  if (!isInstalled(fuzzCompiler)) return 'clang is not installed (Debian: clang)';
  const dir = mkdtempSync(join(tmpdir(), 'clf-fuzz-'));
  const source = join(dir, 'probe.c');
  writeFileSync(
    source,
    'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n < 0; }\n',
  );
  const args = ['-fsanitize=fuzzer,address,undefined', source, '-o', join(dir, 'probe')];
  const result = spawnSync(fuzzCompiler, args, { encoding: 'utf8' });
  rmSync(dir, { recursive: true });
  return result.status === 0 ? undefined : 'clang has no libFuzzer (Debian: libclang-rt-dev)';
}

const targets = readdirSync(nativePath)
  .filter((name) => name.startsWith('fuzz-') && name.endsWith('.c'))
  .map((name) => basename(name, '.c'));
const missing = fuzzerMissing();
const options = { timeout: 300_000, skip: missing ?? false };

test('every parser has a fuzz target, and every target a seed', () => {
  assert.deepEqual(Object.keys(seeds).sort(), targets);
});

test('no input makes a parser read or write where it must not', options, (t) => {
  const script = join(packagePath, 'build', 'build.ts');
  const build = spawnSync(process.execPath, [script, '--variant=fuzz'], { encoding: 'utf8' });
  assert.equal(build.status, 0, build.stdout + build.stderr);
  const dir = mkdtempSync(join(tmpdir(), 'clf-fuzz-'));
  t.after(() => rmSync(dir, { recursive: true }));
  for (const target of targets) {
    const corpus = join(dir, target);
    mkdirSync(corpus);
    for (const [index, seed] of (seeds[target] ?? []).entries()) {
      writeFileSync(join(corpus, `seed-${index}`), seed);
    }
    const args = [`-runs=${runsMax}`, '-max_len=4096', '-seed=1', '-print_final_stats=1', corpus];
    const run = spawnSync(join(packagePath, 'dist', target), args, { cwd: dir, encoding: 'utf8' });
    assert.equal(run.status, 0, `${target}\n${run.stderr.slice(-4000)}`);
    assert.match(run.stderr, new RegExp(`number_of_executed_units: ${runsMax}\\d*`));
  }
});

for (const compiler of ['gcc', 'clang', 'musl-gcc']) {
  const skip = isInstalled(compiler) ? false : `${compiler} is not installed`;
  test(`the sources give ${compiler} nothing to warn about`, { skip, timeout: 300_000 }, () => {
    const sources = readdirSync(nativePath)
      .filter((name) => name.endsWith('.c') && !name.startsWith('fuzz-'))
      .map((name) => join(nativePath, name));
    const flags = flagsFor('asan', { command: compiler, version: '', isMusl: false, flags: [] });
    for (const hook of flags.filter((flag) => flag.startsWith('-D'))) {
      /* With every definition, and without each of them. */
      const chosen = flags.filter((flag) => flag !== hook || flag === '-D_GNU_SOURCE');
      const args = [...chosen, '-O2', '-fsyntax-only', ...sources];
      const result = spawnSync(compiler, args, { encoding: 'utf8' });
      assert.equal(result.status, 0, result.stderr);
    }
    /* As it is shipped where musl is missing: a fortified library warns about more. */
    const release = flagsFor('release', {
      command: compiler,
      version: '',
      isMusl: false,
      flags: [],
    });
    const shipped = release.filter((flag) => !flag.startsWith('-Wl,') && flag !== '-s');
    const result = spawnSync(compiler, [...shipped, '-fsyntax-only', ...sources], {
      encoding: 'utf8',
    });
    assert.equal(result.status, 0, result.stderr);
  });
}
