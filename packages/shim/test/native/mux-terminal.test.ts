/*
 * A terminal on a host: the run has one, and the client's session gets one of the same kind. Through a real shim, which is what
 * holds the terminal.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freezeProcess } from '@clawdfather/testkit';
import { type Host, muxTest, path } from './mux-rig.ts';
import { type Rig, until } from './rig.ts';
import type { Run } from './run.ts';

const pty = { cols: 80, rows: 24 };

interface Terminal {
  readonly run: Run;
  readonly report: () => readonly string[];
  readonly type: (text: string) => Promise<void>;
}

let count = 0;

async function openTerminal(
  host: Host,
  rig: Rig,
  { command, env = {} }: { readonly command: string; readonly env?: Record<string, string> },
): Promise<Terminal> {
  count += 1;
  const reportPath = join(rig.dir, `terminal-${count}`);
  const run = await rig.run([rig.binaryPath, 'mux', host.socket], {
    pty,
    stdin: 'open',
    env: {
      PATH: path,
      TERM: 'vt220',
      MARK: rig.fence.mark,
      CLAWDFATHER_MUX_COMMAND: command,
      CLAWDFATHER_MUX_REPORT: reportPath,
      ...env,
    },
  });
  await run.started();
  return {
    run,
    report: () => readFileSync(reportPath, 'utf8').split('\n').slice(0, -1),
    type: async (text) => {
      const control = await rig.control(run);
      await control.input(Buffer.from(text), { epoch: 1, offset: 'typed' });
    },
  };
}

muxTest('a terminal has the modes, the size and the type of ours', async (host, rig) => {
  const { run, report } = await openTerminal(host, rig, {
    command: 'tty; stty size; stty -a; echo "$TERM"; exit 3',
  });
  const end = await run.ended();
  assert.equal(end.exit.code, 3);
  const said = (await run.output()).toString();
  assert.match(said, /^\/dev\/pts\/\d+\r\n24 80\r\n/);
  assert.match(said, / icanon /);
  assert.match(said, / echo /);
  assert.match(said, /\r\nvt220\r\n$/);
  assert.deepEqual(report().at(-1), 'exit 3');
});

muxTest('keys are echoed once, by the host, and lines are its own', async (host, rig) => {
  const { run, type } = await openTerminal(host, rig, { command: 'echo ready; cat; echo over' });
  await run.says('ready\r\n');
  await type('hello');
  await run.says('ready\r\nhello');
  await type('\x7f\x7fp\n');
  await run.says('help\r\n');
  await type('\x04');
  assert.equal((await run.ended()).exit.code, 0);
  const said = (await run.output()).toString();
  assert.equal(said, 'ready\r\nhello\b \b\b \bp\r\nhelp\r\nover\r\n');
});

muxTest('Ctrl-C interrupts the command on the host, not the client', async (host, rig) => {
  const { run, type, report } = await openTerminal(host, rig, {
    command: 'trap "echo interrupted; exit 9" INT; echo ready; while :; do sleep 0.01; done',
  });
  await run.says('ready');
  await type('\x03');
  assert.equal((await run.ended()).exit.code, 9);
  assert.match((await run.output()).toString(), /\^C.*interrupted\r\n$/s);
  assert.equal(report().at(-1), 'exit 9');
});

muxTest('another size reaches the host', async (host, rig) => {
  const { run } = await openTerminal(host, rig, {
    command: 'trap "stty size" WINCH; echo ready; while :; do sleep 0.01; done',
  });
  await run.says('ready');
  const control = await rig.control(run);
  await control.request({ type: 'resize', epoch: 1, cols: 132, rows: 43 });
  await run.says('43 132');
});

muxTest('a terminal that is not read holds up no other session', async (host, rig) => {
  const { run } = await openTerminal(host, rig, { command: 'exec yes' });
  await run.says('y\r\n');
  const { shimPid } = await run.started();
  await freezeProcess(shimPid);
  rig.defer(() => void process.kill(shimPid, 'SIGCONT'));
  /* Until the host's end has nothing more to write: all buffers on the way are full. */
  await untilQuiet(host.masterPid);
  for (let times = 0; times < 3; times += 1) await host.serves();
});

/* Bytes that the master has read and written so far. */
function movedBy(pid: number): string {
  return readFileSync(`/proc/${pid}/io`, 'utf8').split('\n').slice(0, 2).join(' ');
}

async function untilQuiet(pid: number): Promise<void> {
  let last = '';
  let times = 0;
  await until('the master moves nothing', () => {
    const now = movedBy(pid);
    times = now === last ? times + 1 : 0;
    last = now;
    return times > 40;
  });
}

muxTest('a cancelled run on a terminal is swept on the host', async (host, rig) => {
  const swept = join(rig.dir, 'swept');
  const { run, report } = await openTerminal(host, rig, {
    command: 'trap "" HUP; echo ready; exec sleep 1000',
    env: { CLAWDFATHER_MUX_SWEEP: `touch ${swept}; echo CLF-SWEPT 0 1` },
  });
  await run.says('ready');
  const control = await rig.control(run);
  const ask = { type: 'terminate', epoch: 1, reason: 'manual-cancel', graceMs: 20_000 } as const;
  await control.request({ ...ask, actor: 'test' });
  await run.ended();
  assert.ok(report().includes('swept survivors 1'), report().join('\n'));
  readFileSync(swept);
});

muxTest(
  'a host that gives no terminal says so, and the command runs',
  async (host, rig) => {
    const { run, report } = await openTerminal(host, rig, { command: 'tty; exit 4' });
    assert.equal((await run.ended()).exit.code, 4);
    assert.ok(report().includes('terminal-refused'), report().join('\n'));
  },
  { config: ['PermitTTY no'] },
);

muxTest('a payload cannot go before a terminal', async (host, rig) => {
  const { run, report } = await openTerminal(host, rig, {
    command: 'true',
    env: { CLAWDFATHER_MUX_STDIN: 'x\n' },
  });
  assert.equal((await run.ended()).exit.code, 255);
  assert.deepEqual(report(), ['bad-setup a terminal takes no payload']);
});
