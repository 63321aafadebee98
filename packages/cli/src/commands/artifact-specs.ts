/*
 * The commands about what turns leave.
 */
import { switchFlag, valueFlag } from '../args/flag.ts';
import { directory, text } from '../args/kinds.ts';
import { operand, optionalOperandList } from '../args/operand.ts';
import { defineCommand } from '../args/spec.ts';
import { gatewayFlags } from './shared-flags.ts';

/* The newest turn of a thread is meant where a thread is named. */
const turn = text('THREAD|TURN', 'threads');

export const threadsArtifactsSpec = defineCommand({
  name: 'threads artifacts',
  summary: 'List the files that a turn has left, and what is missing; of a thread, its newest turn',
  operands: { turn: operand(turn) },
  flags: gatewayFlags,
  examples: ['clf threads artifacts 3k9q', 'clf threads artifacts --json 3k9q'],
});

export const threadsDownloadSpec = defineCommand({
  name: 'threads download',
  summary: 'Save the files that a turn has left, checked by their hashes; some, or all of them',
  operands: {
    turn: operand(turn),
    paths: optionalOperandList(text('PATH')),
  },
  flags: {
    output: valueFlag(directory, {
      short: 'o',
      summary: 'below this directory (default: this one)',
    }),
    force: switchFlag({ summary: 'replace files that are there' }),
    ...gatewayFlags,
  },
  examples: ['clf threads download 3k9q -o results', 'clf threads download 3k9q reports/a.pdf'],
});
