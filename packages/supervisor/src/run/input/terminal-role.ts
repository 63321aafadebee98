/*
 * An attached terminal (E8): one connection that says "I am here" for as long as it lasts.
 *
 * The shim counts them and notes each change in the journal. The first one answers the program's questions; when
 * the connection goes, however it goes, so does the role, and the size that it gave the terminal.
 */
import { formatCursor } from '@clawdfather/shim';
import type { Cursor, TerminalRole } from '../../types.ts';
import type { ControlLine } from '../shim-link/control-line.ts';
import { unlessOver } from '../shim-link/refusal.ts';
import { holdSizeOn, isHoldUnsupported } from './held-size.ts';

export async function openTerminalRole(control: ControlLine): Promise<TerminalRole> {
  const link = await control.open();
  try {
    const { epoch } = link.hello;
    const ok = await link.request({ type: 'attach', epoch, isAttached: true });
    link.unref();
    return {
      answerer: ok.answersQueries,
      place: ok.terminalPlace,
      cursor: formatCursor({ offset: ok.journalLength, payloadOffset: 0 }) as Cursor,
      resize: async (size) => {
        await holdSizeOn(link, size)
          .catch((error: unknown) => {
            if (!isHoldUnsupported(error)) throw error;
            // An older shim: the size stays when we leave, as it did then.
            return control.request({ type: 'resize', cols: size.cols, rows: size.rows });
          })
          .catch(unlessOver);
      },
      close: async () => link.close(),
    };
  } catch (error) {
    link.close();
    throw error;
  }
}
