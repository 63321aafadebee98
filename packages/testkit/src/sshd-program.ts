/*
 * The listening process of a test's sshd: start, log, reload.
 *
 * It says "Server listening on" when it listens, and again when SIGHUP has made it execute itself anew under the same pid.
 */
import { type ChildProcess, spawn } from 'node:child_process';

export interface SshdProgram {
  readonly pid: number;
  log(): string;
  logs(text: string): Promise<void>;
  /** Reads its files again. */
  reload(): Promise<void>;
  /** Resolves when it is gone. */
  readonly ended: Promise<void>;
}

/** The machine's, or the one that `SSHD=` names; absolute, because it executes itself anew for each connection. */
export function sshdPath(): string {
  return process.env['SSHD'] || '/usr/sbin/sshd';
}

const readyWords = 'Server listening on';
const logBytesMax = 1_048_576;

export async function startSshd(command: readonly string[]): Promise<SshdProgram> {
  /* A test run that is killed takes its server along. */
  const child = spawn('/usr/bin/setpriv', ['--pdeathsig', 'TERM', ...command], {
    cwd: '/',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = collectLog(child);
  const gone = Promise.withResolvers<void>();
  child.once('exit', () => gone.resolve());
  child.once('error', gone.reject);
  const failed = gone.promise.then(() => {
    throw new Error(`sshd did not start:\n${log.text()}`);
  });
  await Promise.race([log.until(() => log.count(readyWords) > 0), failed]);
  failed.catch(() => {}); /* From here on its end is what the test wants. */
  const { pid } = child;
  if (pid === undefined) throw new Error('sshd has no pid');
  return {
    pid,
    log: log.text,
    logs: (text) => log.until(() => log.text().includes(text)),
    reload: async () => {
      const before = log.count(readyWords);
      child.kill('SIGHUP');
      const lost = gone.promise.then(() => {
        throw new Error(`sshd ended when it was reloaded:\n${log.text()}`);
      });
      await Promise.race([log.until(() => log.count(readyWords) > before), lost]);
      lost.catch(() => {}); /* As above. */
    },
    ended: gone.promise,
  };
}

function collectLog(child: ChildProcess) {
  let said = '';
  const waiters = new Set<() => void>();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-logBytesMax);
    for (const look of waiters) look();
  });
  return {
    text: () => said,
    count: (words: string) => said.split(words).length - 1,
    until: (isSo: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isSo()) return;
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
  };
}
