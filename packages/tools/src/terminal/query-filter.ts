/*
 * The output of a run, for a terminal that watches but does not answer (E8):
 * everything passes except queries, which the terminal would answer.
 *
 * Streaming: cutting the input at any byte gives the same output. A sequence is
 * held until it is whole, which a terminal would do as well.
 */
import { harmlessModes, isCsiQuery, isEscapeQuery, isHarmlessString } from './query-table.ts';
import { createScanner, type Token } from './sequences.ts';

export interface QueryFilter {
  /* What of these bytes, and of those held before, may be shown. */
  push(bytes: Uint8Array): Uint8Array;
}

const ENQ = 0x05;
const stringTerminator = Uint8Array.of(0x1b, 0x5c);

export function createQueryFilter(): QueryFilter {
  let pieces: Uint8Array[] = [];
  let isLongStringShown = false;

  const show = (bytes: Uint8Array): void => {
    if (bytes.length > 0) pieces.push(withoutEnquiry(bytes));
  };

  const onToken = (token: Token): void => {
    switch (token.kind) {
      case 'text':
        show(token.raw);
        return;
      case 'escape':
        if (!isEscapeQuery(token)) show(token.raw);
        return;
      case 'csi':
        show(visibleCsi(token));
        return;
      case 'string':
        if (isHarmlessString(token)) show(token.raw);
        return;
      case 'string-head':
        isLongStringShown = isHarmlessString(token);
        if (isLongStringShown) show(token.raw);
        return;
      case 'string-part':
        if (isLongStringShown) show(token.raw);
        return;
      case 'string-end':
        // What cut it off may be filtered out, and must not leave the terminal inside the string.
        if (isLongStringShown) show(token.raw.length > 0 ? token.raw : stringTerminator);
        return;
      case 'malformed':
        show(token.controls);
        return;
    }
  };

  const scanner = createScanner(onToken);
  return {
    push: (bytes) => {
      scanner.push(bytes);
      const shown = pieces;
      pieces = [];
      return shown.length === 1 ? (shown[0] ?? Buffer.alloc(0)) : Buffer.concat(shown);
    },
  };
}

function visibleCsi(token: Extract<Token, { kind: 'csi' }>): Uint8Array {
  if (isCsiQuery(token)) return token.controls;
  const isModeChange =
    token.prefix === '?' && token.intermediates === '' && /^[hl]$/.test(token.final);
  if (!isModeChange) return token.raw;
  const modes = harmlessModes(token);
  if (modes.length === token.parameters.split(';').length) return token.raw;
  if (modes.length === 0) return token.controls;
  return Buffer.concat([
    token.controls,
    Buffer.from(`\u001b[?${modes.join(';')}${token.final}`, 'latin1'),
  ]);
}

function withoutEnquiry(bytes: Uint8Array): Uint8Array {
  return bytes.includes(ENQ) ? bytes.filter((byte) => byte !== ENQ) : bytes;
}
