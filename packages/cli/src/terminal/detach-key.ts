/*
 * The detach key: Ctrl-], or what the setting detachKey names, twice and quickly.
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

/* How it is pressed, for people; undefined when there is none. */
export function detachKeyText(name: string): string | undefined {
  return name === noKey ? undefined : `${name} ${name}`;
}

/* As stty writes it; undefined when there is none. */
export function detachLineEnd(name: string): string | undefined {
  return name === noKey ? undefined : `^${name.slice('Ctrl-'.length).toUpperCase()}`;
}

/* The setting's word for no detach key at all. */
const noKey = 'none';

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

interface KeyPatterns {
  readonly press: RegExp;
  readonly between: RegExp;
}

/*
 * A control byte; CSI code;5u with lock bits and event types; CSI 27;5;code~. Releases (`:3`) are no presses. Keys that
 * need Shift on most keyboards are reported with it (6), and behind the code of the key they are on.
 */
function patternsOf(name: string): KeyPatterns {
  const character = name.slice('Ctrl-'.length).toLowerCase();
  const code = character.charCodeAt(0);
  const byte = String.fromCharCode(code & 0x1f);
  const isShifted = '@^_'.includes(character);
  const modifiers = isShifted ? '5|6|69|70|133|134|197|198' : '5|69|133|197';
  const kitty = `(?:${isShifted ? String.raw`\d+:` : ''})?${code}(?::\\d*)*`;
  const csi = String.raw`\u001b\[`;
  return {
    press: new RegExp(
      `${byte}|${csi}${kitty};(?:${modifiers})(?::[12])?u|${csi}27;(?:${isShifted ? '[56]' : '5'});${code}~`,
    ),
    // Key releases and the Ctrl and Shift keys, which some encodings report between the two presses.
    between: new RegExp(`^(?:${csi}${kitty};\\d+:3u|${csi}574(?:4[1278])(?:;\\d+(?::\\d)?)?u)+`),
  };
}

const empty = new Uint8Array(0);

export function createDetachKey(name: string): DetachKey {
  if (name === noKey) {
    return {
      push: (bytes) => ({ pass: bytes, isHolding: false, isDetach: false }),
      release: () => empty,
    };
  }
  const { press, between } = patternsOf(name);
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
