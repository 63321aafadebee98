/*
 * exec, promise by promise of docs/tools.md: what is run, how it ends, what is refused before anything starts.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ExecParams, execResultSchema } from '@clawdfather/protocol';
import type { RunId } from '@clawdfather/supervisor';
import { isAlive, openToolsRig } from '../support/tools-rig.ts';

test('a line is run by sh, its output and exit code come back', async (t) => {
  const rig = await openToolsRig(t);
  const result = await rig.exec({ command: 'echo out; echo err >&2; exit 3' });
  assert.equal(result.status, 'completed');
  assert.deepEqual(
    { exitCode: result.exitCode, reason: result.reason, cwd: result.cwd },
    { exitCode: 3, reason: 'exit', cwd: rig.scratchDir },
  );
  assert.match(result.output, /out\n/);
  assert.match(result.output, /err\n/);
  assert.deepEqual(result.leftovers, []);
  assert.deepEqual(execResultSchema.parse(result), result, 'it is what the schema says');
});

test('argv is run without a shell, another shell by name', async (t) => {
  const rig = await openToolsRig(t);
  const plain = await rig.exec({ argv: ['printf', '%s|', '$HOME', 'a b', ''] });
  assert.ok(plain.status === 'completed' && plain.output === '$HOME|a b||', JSON.stringify(plain));
  const bash = await rig.exec({ command: 'echo ${BASH_VERSION:+yes}', shell: '/bin/bash' });
  assert.ok(bash.status === 'completed' && bash.output === 'yes\n', JSON.stringify(bash));
});

test('a working directory is checked before anything starts', async (t) => {
  const rig = await openToolsRig(t);
  writeFileSync(join(rig.scratchDir, 'file'), '');
  for (const workdir of ['/nonexistent/here', join(rig.scratchDir, 'file'), 'missing', 'a\0b']) {
    await assert.rejects(rig.exec({ command: 'true', workdir }), { code: 'workdir-unusable' });
  }
  assert.deepEqual(rig.supervisor.list({ includeRemoved: true }), [], 'nothing was started');
  mkdirSync(join(rig.scratchDir, 'sub'));
  symlinkSync('/proc/self/cwd', join(rig.scratchDir, 'whose'));
  for (const workdir of ['/proc/self/cwd', 'whose']) {
    const { runId } = await rig.start({ command: 'pwd', workdir });
    const ended = await rig.untilEnded(runId);
    assert.ok(ended.status === 'completed');
    assert.equal(ended.output.trim(), process.cwd(), 'what it means to us, not to the shim');
    assert.equal(rig.supervisor.get(runId as RunId)?.cwd, process.cwd());
  }
  const relative = await rig.exec({ command: 'pwd', workdir: 'sub' });
  assert.ok(relative.status === 'completed');
  assert.equal(relative.output, `${join(rig.scratchDir, 'sub')}\n`);
  const session = await rig.exec({ command: 'pwd' }, { directory: '/usr' });
  assert.ok(session.status === 'completed' && session.output === '/usr\n');
});

test('environment additions arrive, hooks and PATH are refused by name, nothing of ours leaks', async (t) => {
  process.env['TOOLS_CANARY'] = 'secret-canary';
  t.after(() => delete process.env['TOOLS_CANARY']);
  const rig = await openToolsRig(t);
  const result = await rig.exec({ command: 'env', env: { COLOUR: 'blue green' } });
  assert.ok(result.status === 'completed');
  assert.match(result.output, /^COLOUR=blue green$/m);
  assert.match(result.output, new RegExp(`^CLAWDFATHER_RUN_ID=${result.runId}$`, 'm'));
  assert.match(result.output, /^CLAWDFATHER_LEASE_ID=./m);
  assert.match(result.output, /^CLAWDFATHER_GATEWAY_INSTANCE_ID=./m);
  assert.doesNotMatch(result.output, /canary/i);
  for (const name of ['PATH', 'LD_PRELOAD', 'BASH_ENV', 'NODE_OPTIONS', 'GIT_SSH_COMMAND', 'IFS']) {
    await assert.rejects(rig.exec({ command: 'true', env: { [name]: 'x' } }), (error: Error) => {
      assert.ok('code' in error && error.code === 'env-refused');
      assert.match(error.message, new RegExp(name));
      assert.doesNotMatch(error.message, /canary/);
      return true;
    });
  }
});

test('parameters that make no sense are refused by field', async (t) => {
  const rig = await openToolsRig(t);
  await assert.rejects(rig.exec({}), { code: 'params-invalid' });
  await assert.rejects(rig.exec({ command: 'true', argv: ['true'] }), { code: 'params-invalid' });
  await assert.rejects(rig.exec({ command: 'true', yieldMs: 1 }), {
    code: 'params-invalid',
    message: /yieldMs/,
  });
  await assert.rejects(rig.exec({ argv: ['a\0b'] }), { code: 'params-invalid' });
  await assert.rejects(rig.exec({ command: 'true', host: 'nowhere' }), { code: 'unknown-host' });
});

test('a command that is not there, and one that cannot be executed, have failed', async (t) => {
  const rig = await openToolsRig(t);
  const text = join(rig.scratchDir, 'text');
  writeFileSync(text, 'no program\n');
  chmodSync(text, 0o644);
  const cases: readonly (readonly [ExecParams, string, number | undefined])[] = [
    [{ command: 'no-such-command-here' }, 'command-not-found', 127],
    [{ command: text }, 'not-executable', 126],
    [{ argv: ['no-such-command-here'] }, 'command-not-found', undefined],
    [{ argv: ['/nonexistent/program'] }, 'command-not-found', undefined],
    [{ argv: [text] }, 'not-executable', undefined],
    [{ command: 'true', shell: '/nonexistent/shell' }, 'command-not-found', undefined],
    [{ command: 'no-such-command-here', pty: true }, 'command-not-found', 127],
  ];
  for (const [params, kind, exitCode] of cases) {
    const result = await rig.exec(params);
    assert.equal(result.status, 'failed', JSON.stringify(params));
    assert.equal(result.kind, kind, JSON.stringify(params));
    assert.equal(result.exitCode, exitCode);
    assert.deepEqual(execResultSchema.parse(result), result);
  }
});

test('death by a signal has failed, with the signal named', async (t) => {
  const rig = await openToolsRig(t);
  const result = await rig.exec({ command: 'echo before; kill -TERM $$' });
  assert.equal(result.status, 'failed');
  assert.deepEqual([result.kind, result.signal, result.output], ['signal', 'SIGTERM', 'before\n']);
});

test('a time limit is a failure and never an exit code, however politely the program ends', async (t) => {
  const rig = await openToolsRig(t);
  const overall = await rig.exec({
    command: "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
    timeoutSeconds: 2,
  });
  assert.equal(overall.status, 'failed');
  assert.equal(overall.kind, 'overall-timeout');
  assert.equal(overall.exitCode, undefined);
  assert.match(overall.output, /ready\n[^]*bye\n/);
  assert.match(overall.message, /2 s/);
  const silent = await rig.exec({ command: 'echo once; sleep 60', noOutputTimeoutSeconds: 0.3 });
  assert.ok(silent.status === 'failed' && silent.kind === 'no-output-timeout');
  const listed = await rig.process({ action: 'list' });
  assert.deepEqual(
    listed.runs.map(({ exitCode }) => exitCode),
    [undefined, undefined],
  );
});

test('the usual limit is 1,800 s, and 0 is none', async (t) => {
  const rig = await openToolsRig(t);
  const usual = await rig.exec({ command: 'true' });
  const none = await rig.exec({ command: 'true', timeoutSeconds: 0 });
  assert.ok('runId' in usual && 'runId' in none);
  const overallMs = rig.supervisor.list().map(({ deadlines }) => deadlines.overallMs);
  assert.deepEqual(overallMs, [undefined, 1_800_000]);
});

test('text goes to stdin and stays open, or is ended', async (t) => {
  const rig = await openToolsRig(t);
  const ended = await rig.exec({ command: 'cat; echo done', stdin: 'é and more', eof: true });
  assert.ok(ended.status === 'completed' && ended.output === 'é and moredone\n');
  const nothing = await rig.exec({ command: 'cat; echo done', eof: true });
  assert.ok(nothing.status === 'completed' && nothing.output === 'done\n');
  const open = await rig.exec({ command: 'cat', stdin: 'first\n', yieldMs: 200 });
  assert.ok(open.status === 'running', JSON.stringify(open));
  await rig.process({ action: 'write', runId: open.runId, data: 'second\n', eof: true });
  const end = await rig.untilEnded(open.runId);
  assert.equal(end.output, 'first\nsecond\n');
});

test('a program that reads none of a large input does not keep the caller', async (t) => {
  const rig = await openToolsRig(t);
  const result = await rig.exec({
    command: 'echo started',
    stdin: 'x'.repeat(5_000_000),
    eof: true,
  });
  assert.ok(
    result.status === 'completed' && result.output === 'started\n',
    JSON.stringify(result).slice(0, 300),
  );
});

test('a large input arrives whole', async (t) => {
  const rig = await openToolsRig(t);
  const stdin = 'line of input\n'.repeat(300_000);
  const result = await rig.exec({ command: 'wc -c', stdin, eof: true, yieldMs: 60_000 });
  assert.ok(result.status === 'completed');
  assert.equal(Number(result.output), stdin.length);
});

test('a terminal has the size asked for, 120×30 by default', async (t) => {
  const rig = await openToolsRig(t);
  const usual = await rig.exec({ command: 'stty size; echo $TERM', pty: true });
  assert.ok(
    usual.status === 'completed' && usual.output === '30 120\nxterm-256color\n',
    JSON.stringify(usual),
  );
  const asked = await rig.exec({ argv: ['stty', 'size'], pty: true, cols: 80, rows: 24 });
  assert.ok(asked.status === 'completed' && asked.output === '24 80\n');
});

test('without terminals a run uses pipes and says so, also to those who poll later', async (t) => {
  const rig = await openToolsRig(t, { canOpenTerminal: () => false });
  const result = await rig.exec({ command: 'tty; true', pty: true });
  assert.ok(result.status === 'completed');
  assert.match(result.output, /not a tty/);
  assert.match(result.notes.join(), /pipes/);
  const polled = await rig.process<'poll'>({ action: 'poll', runId: result.runId });
  assert.ok(polled.status === 'completed');
  assert.match(polled.notes.join(), /pipes/);
  await assert.rejects(rig.process({ action: 'screen', runId: result.runId }), {
    code: 'no-terminal',
  });
});

test('background returns at once with a run id, and the run goes on', async (t) => {
  const rig = await openToolsRig(t);
  const gate = join(rig.scratchDir, 'gate');
  const result = await rig.exec({
    command: `until [ -e ${gate} ]; do sleep 0.01; done; echo after`,
    background: true,
  });
  assert.equal(result.status, 'running');
  assert.ok(result.pid !== undefined && isAlive(result.pid));
  assert.equal(result.tail, '');
  writeFileSync(gate, '');
  const end = await rig.untilEnded(result.runId, result.cursor);
  assert.deepEqual([end.status, end.output], ['completed', 'after\n']);
});

test('after yieldMs a run goes on in the background; its tail comes back with a cursor', async (t) => {
  const rig = await openToolsRig(t);
  const gate = join(rig.scratchDir, 'gate');
  const result = await rig.exec({
    command: `echo early; until [ -e ${gate} ]; do sleep 0.01; done; echo late`,
    yieldMs: 5_000,
  });
  assert.equal(result.status, 'running');
  assert.equal(result.tail, 'early\n');
  writeFileSync(gate, '');
  const end = await rig.untilEnded(result.runId, result.cursor);
  assert.equal(end.output, 'late\n', 'what the caller has is not said again');
});

test('a flood does not keep exec beyond yieldMs, and the tail is capped with where to read the rest', async (t) => {
  const rig = await openToolsRig(t);
  const result = await rig.exec({ command: 'yes clawdfather', yieldMs: 5_000 });
  assert.equal(result.status, 'running');
  assert.ok(result.tail.length <= 200_000);
  assert.ok(result.tail.endsWith('clawdfather\n') || result.tail.length > 0);
  assert.ok(result.truncated !== undefined && result.truncated.droppedBytes > 0);
  const first = await rig.process<'log'>({
    action: 'log',
    runId: result.runId,
    cursor: result.truncated.fromCursor,
    limit: 2,
  });
  assert.equal(first.text, 'clawdfather\nclawdfather\n');
  await rig.process({ action: 'kill', runId: result.runId, graceMs: 100 });
});

test('a caller with a small window gets a small tail', async (t) => {
  const rig = await openToolsRig(t);
  const result = await rig.exec({ command: 'seq 1 100000' }, { outputCharactersMax: 1_000 });
  assert.ok(result.status === 'completed');
  assert.ok(result.output.length <= 1_000);
  assert.ok(result.output.endsWith('99999\n100000\n'));
  assert.match(result.output, /^\d+\n/);
  assert.ok(result.truncated !== undefined && result.truncated.droppedBytes > 500_000);
});

test('leftovers are kept and listed, ended, or a failure', async (t) => {
  const rig = await openToolsRig(t);
  const keep = await rig.exec({ command: 'sleep 300 & echo $!' });
  assert.ok(keep.status === 'completed');
  const pid = Number(keep.output);
  assert.deepEqual(keep.leftovers, [{ pid, name: 'sleep' }]);
  assert.ok(isAlive(pid));
  await rig.tools.endSession(rig.call());
  assert.ok(!isAlive(pid), 'they are owned until the session closes');
  const end = await rig.exec({ command: 'sleep 300 & echo $!', leftovers: 'end' });
  assert.ok(end.status === 'completed' && !isAlive(Number(end.output)), JSON.stringify(end));
  assert.deepEqual(end.leftovers, [], 'what was ended is not left running');
  assert.deepEqual(end.notes, [
    `it left processes, which were ended: sleep (pid ${end.output.trim()})`,
  ]);
  const fail = await rig.exec({ command: 'sleep 300 & echo $!', leftovers: 'fail' });
  assert.ok(fail.status === 'failed' && fail.kind === 'ownership-escape');
  assert.ok(!isAlive(Number(fail.output)));
  assert.deepEqual(fail.leftovers, []);
  assert.ok(fail.message.endsWith(`sleep (pid ${fail.output.trim()})`), fail.message);
});

test('progress is told as it comes', async (t) => {
  const rig = await openToolsRig(t);
  const gate = join(rig.scratchDir, 'gate');
  let heard = '';
  const result = await rig.exec(
    {
      command: `printf '\\033[31mred\\033[0m\\n'; until [ -e ${gate} ]; do sleep 0.01; done; echo end`,
    },
    {
      onOutput: (text) => {
        heard += text;
        if (heard.includes('red')) writeFileSync(gate, '');
      },
    },
  );
  assert.equal(result.status, 'completed');
  assert.equal(heard, 'red\nend\n');
  assert.equal(readFileSync(gate, 'utf8'), '');
});
