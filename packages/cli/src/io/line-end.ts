/*
 * A key that ends a line on the terminal as Enter does, and is handed over with it (termios: VEOL). A terminal in its ordinary mode
 * keeps what is typed until Enter; the detach key has to arrive at once.
 *
 * Node cannot set this; stty can. Where there is no stty the key arrives with the next Enter, and nothing else changes.
 */
import { spawn, spawnSync } from 'node:child_process';

/* A terminal that does not answer is not waited for. */
const timeoutMs = 2_000;

export interface LineEndDeps {
  /* A job in the background would be stopped by the kernel for changing the terminal (SIGTTOU). */
  readonly isForegroundJob: () => boolean;
  /* After Ctrl-Z the shell has put its own modes on the terminal. */
  readonly onContinue: (handler: () => void) => Disposable;
  readonly onProcessEnd: (work: () => void) => Disposable;
}

/* `key` as stty writes it: ^]. */
export function openLineEnd(key: string, deps: LineEndDeps): Disposable {
  let before: string | undefined;
  let isOpen = true;
  const set = (): void => {
    if (!isOpen || !deps.isForegroundJob()) return;
    stty(['-g'], (saved) => {
      if (!isOpen || !deps.isForegroundJob()) return;
      before ??= saved;
      stty(['eol', key], () => {});
    });
  };
  const giveBack = (): void => {
    if (!isOpen) return;
    isOpen = false;
    if (before === undefined || !deps.isForegroundJob()) return;
    spawnSync('stty', [before], { stdio: ['inherit', 'ignore', 'ignore'], timeout: timeoutMs });
  };
  set();
  const onContinue = deps.onContinue(set);
  const onEnd = deps.onProcessEnd(giveBack);
  return {
    [Symbol.dispose]: () => {
      onContinue[Symbol.dispose]();
      onEnd[Symbol.dispose]();
      giveBack();
    },
  };
}

/* Calls back only when it has worked. */
function stty(args: readonly string[], onDone: (answer: string) => void): void {
  const child = spawn('stty', args, { stdio: ['inherit', 'pipe', 'ignore'], timeout: timeoutMs });
  let answer = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  child.on('error', () => {});
  child.on('close', (code) => {
    if (code === 0) onDone(answer.trim());
  });
}
