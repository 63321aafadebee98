/*
 * The commands about what happened in a conversation (docs/threads.md).
 */
import { switchFlag, valueFlag } from '../args/flag.ts';
import { integer, text } from '../args/kinds.ts';
import { operand } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';
import { gatewayFlags } from './shared-flags.ts';

const seq = { ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), placeholder: 'SEQ' };

export const threadsReceiptSpec = defineCommand({
  name: 'threads receipt',
  summary: 'Tell what happened in a conversation since you saw it, and prove that nothing is lost',
  operands: { thread: operand(text('THREAD', 'threads')) },
  flags: {
    since: valueFlag(seq, {
      summary: 'since this event (default: the last that you have seen; 0: the beginning)',
    }),
    ...gatewayFlags,
  },
  examples: ['clf threads receipt 3k9q', 'clf threads receipt 3k9q --since 0 --json'],
});

export const threadsChangesSpec = defineCommand({
  name: 'threads changes',
  summary: 'Show what a turn has changed in files, as a diff; of a thread, its newest turn',
  operands: { turn: operand(text('THREAD|TURN', 'threads')) },
  flags: {
    stat: switchFlag({ summary: 'only the files, with lines added and removed' }),
    ...gatewayFlags,
  },
  examples: ['clf threads changes 3k9q | less', 'clf threads changes --stat 3k9q'],
});
