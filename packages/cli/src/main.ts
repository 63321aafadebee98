/*
 * The process itself: reads argv and environment once, runs one command, ends
 * with its status. Imported by bin/clawdfather.cjs; this file is the only one
 * that does work on import.
 *
 * process.exit is not used. The loop drains by itself once the command has let
 * go of everything, and an exit in the middle of a write has been seen to hang.
 * Dying of a signal is done by that signal, with its default action.
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync, readlinkSync } from 'node:fs';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { runCli } from './cli.ts';
import { readCaller } from './config.ts';
import { exitOwnError } from './exit-status.ts';
import { createNodeIo } from './io/node-io.ts';
import { keepOwnCodeLater } from './keep-own-code.ts';

// Without top-level await, because the bundle is CommonJS. Should the loop run empty before the command has ended, that is no success.
process.exitCode = exitOwnError;
void main();

async function main(): Promise<void> {
  const clock = createSystemClock();
  keepOwnCodeLater(clock);
  const status = await runCli({
    caller: readCaller({
      argv: process.argv.slice(2),
      env: process.env,
      cwd: currentDirectory(),
      pid: process.pid,
      // Whatever we make is ours alone; commands get what the caller had.
      umask: process.umask(0o077),
      isArgvText: isArgvText(),
    }),
    io: createNodeIo(clock),
    clock,
    random: createSystemRandom(),
  });
  process.exitCode = status.kind === 'code' ? status.code : 0;
  if (status.kind === 'code') return;
  process.removeAllListeners(status.signal);
  process.kill(process.pid, status.signal);
}

/*
 * Node decodes arguments as UTF-8 and puts U+FFFD where that fails. The kernel
 * still has the bytes; looking is needed only when such a character is there.
 */
function isArgvText(): boolean {
  if (!process.argv.some((word) => word.includes('\ufffd'))) return true;
  return isUtf8(readFileSync('/proc/self/cmdline'));
}

/*
 * A directory that was deleted under us still has a name, and what fails in it
 * should say that name. The kernel's has "(deleted)" in it, so nothing is there;
 * a shell on the way may have forgotten its PWD.
 */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return readlinkSync('/proc/self/cwd');
  }
}
