/*
 * A size that a terminal of the run has for as long as a connection to its shim lasts (Z1): when that goes, however it goes, the
 * size goes back to the one who had it before.
 *
 * Holding a size is an operator's command (O4), so a connection that has seen another owner come asks again with the owner's epoch.
 */
import { type ControlLink, ShimRefusedError } from '@clawdfather/shim';
import { SupervisorError } from '../../errors.ts';
import type { SizeHold, TerminalSize } from '../../types.ts';
import type { ControlLine } from '../shim-link/control-line.ts';
import { refusalOf } from '../shim-link/refusal.ts';

/* Rejects with the shim's refusal: `unsupported` is a shim of before there were held sizes. */
export async function holdSizeOn(link: ControlLink, size: TerminalSize): Promise<void> {
  const { cols, rows } = size;
  const ask = (epoch: number) => link.request({ type: 'hold-size', epoch, cols, rows });
  await ask(link.hello.epoch).catch((error: unknown) => {
    if (error instanceof ShimRefusedError && error.refusal === 'stale-epoch') {
      return ask(error.epoch);
    }
    throw error;
  });
}

export async function openSizeHold(control: ControlLine, size: TerminalSize): Promise<SizeHold> {
  const link = await control.open();
  try {
    await holdSizeOn(link, size).catch(explain);
    link.unref();
    return {
      resize: (wanted) => holdSizeOn(link, wanted).catch(explain),
      close: async () => link.close(),
    };
  } catch (error) {
    link.close();
    throw error;
  }
}

/* A run without a terminal is refused in the same way; who asks knows which of the two it is. */
export function isHoldUnsupported(error: unknown): boolean {
  return error instanceof ShimRefusedError && error.refusal === 'unsupported';
}

function explain(error: unknown): never {
  if (!isHoldUnsupported(error)) throw refusalOf(error);
  throw new SupervisorError(
    'size-not-held',
    'the run has no terminal, or was started by an older version that cannot give its size back',
    { cause: error },
  );
}
