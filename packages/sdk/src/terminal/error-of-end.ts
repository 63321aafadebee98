/*
 * Why a terminal is over, as the error that those get who still want something of it.
 */
import { SdkError } from '../errors.ts';
import type { LinkEnd } from '../link/next-link.ts';
import { refusedError } from '../link/refused-error.ts';

export function errorOfEnd(end: LinkEnd): unknown {
  switch (end.kind) {
    case 'ended':
      return refusedError({ code: 'not_running', message: 'the run has ended' });
    case 'left':
      return new SdkError('terminal-closed', 'this terminal was closed before the run took it');
    case 'refused':
      return refusedError(end);
    case 'failed':
      return end.error;
  }
}
