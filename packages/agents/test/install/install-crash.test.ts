/*
 * An installation that is killed at each of its stages counts as none and is swept by the next one; two at once end as one.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findInstalled, installAgent, verifyInstalled } from '@clawdfather/agents';
import { openDirectory, optionsFor, standIn } from '../fixtures/stand-in.ts';

const program = fileURLToPath(new URL('../fixtures/install-and-stop.ts', import.meta.url));

/* It stands still for ever, so a test that fails ends it, too. */
function start(t: TestContext, directory: string, ...stage: string[]): ChildProcess {
  const args = ['--conditions=@clawdfather/source', program, directory, ...stage];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => end(child));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return line;
}

for (const stage of ['prepare', 'fetch', 'check', 'publish']) {
  test(`killed at ${stage}, it is not installed, and the next one leaves only itself`, async (t) => {
    using directory = openDirectory();
    const options = optionsFor(directory.path);
    const child = start(t, directory.path, stage);
    assert.equal(await firstLine(child), `at ${stage}`);
    await end(child);
    assert.equal(findInstalled(standIn, options), undefined);
    const [draft = '', ...others] = readdirSync(directory.path);
    assert.match(draft, /^\.draft-/);
    assert.deepEqual(others, []);
    // npm, which nobody killed, writes on for a moment; its draft is swept after that.
    await npmEnded(join(directory.path, draft));

    const installed = await installAgent(standIn, options);
    assert.deepEqual(await verifyInstalled(installed), []);
    assert.deepEqual(readdirSync(directory.path).length, 1);
  });
}

test('a draft of a living installation is not swept, and the one that comes second takes what is there', async (t) => {
  using directory = openDirectory();
  const child = start(t, directory.path, 'publish');
  const lines = createInterface({ input: child.stdout! });
  await once(lines, 'line');
  const { place } = await installAgent(standIn, optionsFor(directory.path));
  assert.equal(readdirSync(directory.path).length, 2);
  const { ino } = statSync(place);
  child.stdin!.end('go');
  assert.deepEqual(await once(lines, 'line'), [`installed ${place}`]);
  // An agent may have been started from it by now, so it is not replaced.
  assert.equal(statSync(place).ino, ino);
  assert.equal(readdirSync(directory.path).length, 1);
});

test('two at once end as one installation, and both have it', async (t) => {
  using directory = openDirectory();
  const children = [start(t, directory.path), start(t, directory.path)];
  const lines = await Promise.all(children.map(firstLine));
  assert.equal(lines[0], lines[1]);
  const installed = findInstalled(standIn, optionsFor(directory.path));
  assert.equal(lines[0], `installed ${installed?.place}`);
  await Promise.all(children.map(async (child) => child.exitCode ?? once(child, 'close')));
  assert.deepEqual(await verifyInstalled(installed!), []);
  assert.deepEqual(readdirSync(directory.path).length, 1);
});

/* It is no child of ours, so there is no event: its entry in /proc goes. */
async function npmEnded(draft: string): Promise<void> {
  let mark: string;
  try {
    mark = readFileSync(join(draft, '.npm-process'), 'utf8');
  } catch {
    return;
  }
  const path = `/proc/${mark.split('.')[0]}/stat`;
  for (;;) {
    try {
      if (/\) [ZX] /.test(readFileSync(path, 'utf8'))) return;
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
