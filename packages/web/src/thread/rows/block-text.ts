/*
 * What a block says, as text to be taken elsewhere.
 *
 * What is copied or shared is the original, with whatever it hides. A quotation is written where it is read before it is sent, so it has what
 * is shown: what hides or turns text stands there by its code.
 */
import type { Block, ToolBlock } from '@clawdfather/protocol/history';
import { formatOutput } from '../../text/reader-text.ts';
import { textOf, titleOf } from '../facts.ts';
import { saidText } from './said-text.ts';
import { diffsOf, givenOf, outputOf, signed } from './tool-words.ts';

export function textOfBlock(block: Block): string {
  switch (block.kind) {
    case 'user':
      return saidText(block);
    case 'text':
      return block.text;
    case 'tool':
      return textOfTool(block);
    case 'plan':
      return textOf(block.plan);
    case 'content':
      return textOf(block.content);
    case 'event':
      return textOf(block.payload);
  }
}

function textOfTool({ call }: ToolBlock): string {
  const changes = diffsOf(call).map(({ path, oldText, newText }) =>
    [path, oldText && signed('-', oldText), signed('+', newText)].filter(Boolean).join('\n'),
  );
  return [titleOf(call), givenOf(call), ...changes, outputOf(call)].filter(Boolean).join('\n');
}

/* The gateway has more of it than is here. */
export function isPartOfIt(block: Block): boolean {
  if (block.cut.length > 0) return true;
  return block.kind === 'text' && (block.begins_seq ?? block.first_seq) < block.first_seq;
}

/* Ends with an empty line: what is typed next is no part of it. */
export function quoteOf(text: string): string {
  const lines = formatOutput(text).trimEnd().split('\n');
  return `${lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n')}\n\n`;
}
