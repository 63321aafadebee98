/*
 * The detach key: Ctrl-] twice, quickly.
 *
 * Once alone is too precious (vim jumps to a tag with it), Ctrl-P Ctrl-Q would
 * delay every Ctrl-P in a shell, and Ctrl-\ kills programs when it gets through.
 * The first press is held back for `detachPairMs`; then, or with any other key,
 * it goes to the program.
 *
 * A program may have asked for other encodings of keys (kitty's, xterm's
 * modifyOtherKeys); those are known too, when they arrive in one piece, as
 * terminals send them.
 */

/* Two presses of a person are 100 to 250 ms apart; a lone Ctrl-] is late by no more than this. */
export const detachPairMs = 400;

export const detachKeyName = 'Ctrl-] Ctrl-]';

export interface KeyStep {
  /* What goes to the program now. */
  readonly pass: Uint8Array;
  /* A press is held back: call `release` after `detachPairMs` unless more keys come. */
  readonly isHolding: boolean;
  readonly isDetach: boolean;
}

export interface DetachKey {
  push(bytes: Uint8Array): KeyStep;
  /* The time is over: what was held back. */
  release(): Uint8Array;
}

/* 0x1d; CSI 93;5u with lock bits and event types; CSI 27;5;93~. Releases (`:3`) are no presses. */
const press =
  // oxlint-disable-next-line no-control-regex -- keys are control characters
  /\u001d|\u001b\[93(?::\d*)*;(?:5|69|133|197)(?::[12])?u|\u001b\[27;5;93~/;
// Key releases and the Ctrl key itself, which some encodings report between the two presses.
const between =
  // oxlint-disable-next-line no-control-regex -- keys are control characters
  /^(?:\u001b\[93(?::\d*)*;\d+:3u|\u001b\[574(?:42|48)(?:;\d+(?::\d)?)?u)+/;

const empty = new Uint8Array(0);

export function createDetachKey(): DetachKey {
  let held = '';

  return {
    push: (bytes) => {
      // Latin-1 keeps every byte one character.
      let rest = Buffer.from(bytes).toString('latin1');
      let pass = '';
      while (rest !== '') {
        if (held !== '') {
          const noise = between.exec(rest)?.[0] ?? '';
          held += noise;
          rest = rest.slice(noise.length);
          if (rest === '') break;
          if (press.exec(rest)?.index === 0) {
            held = '';
            return { pass: Buffer.from(pass, 'latin1'), isHolding: false, isDetach: true };
          }
          pass += held;
          held = '';
        }
        const match = press.exec(rest);
        const until = match?.index ?? rest.length;
        pass += rest.slice(0, until);
        held = match?.[0] ?? '';
        rest = rest.slice(until + held.length);
      }
      return {
        pass: pass === '' ? empty : Buffer.from(pass, 'latin1'),
        isHolding: held !== '',
        isDetach: false,
      };
    },
    release: () => {
      const released = Buffer.from(held, 'latin1');
      held = '';
      return released;
    },
  };
}
