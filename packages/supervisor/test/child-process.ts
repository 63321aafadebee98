/*
 * A Node child for tests that need a real second process: it is killed, by its
 * own id, when the test ends, and its lines of output are awaited, never slept for.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

export interface TestChild {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The next line of its standard output. */
  line(): Promise<string>;
  /** Resolves when it is gone. */
  readonly exited: Promise<unknown>;
}

/** `program` is a URL of a script; its arguments follow. */
export function startChild(t: TestContext, program: URL, args: readonly string[] = []): TestChild {
  const child = spawn(
    process.execPath,
    ['--conditions=@clawdfather/source', fileURLToPath(program), ...args],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  t.after(async () => {
    // SIGKILL also ends one that the test has stopped.
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { pid } = child;
  if (pid === undefined) throw new Error('the child did not start');
  return {
    process: child,
    pid,
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error('the child ended without a word');
      return next.value;
    },
    exited,
  };
}
