/*
 * What the screen model says to questions about windows and colours: a plain
 * dark terminal with cells of 8 × 16 pixels. Programs that ask want to know
 * "dark or light" and "how many cells"; a steady answer serves them better than
 * silence, which costs each of them a timeout.
 */
import type { TerminalSize } from './terminal-size.ts';

const ST = '\u001b\\';
const cellPixels = { width: 8, height: 16 };

/* XTGETTCAP: "not a capability I know", which ends the asking. */
export const deniedCapability = `\u001bP0+r${ST}`;

export function answerWindowReport(kind: number, size: TerminalSize): string | undefined {
  const { cols, rows } = size;
  switch (kind) {
    case 11:
      return '\u001b[1t';
    case 14:
      return `\u001b[4;${rows * cellPixels.height};${cols * cellPixels.width}t`;
    case 16:
      return `\u001b[6;${cellPixels.height};${cellPixels.width}t`;
    case 18:
      return `\u001b[8;${rows};${cols}t`;
    case 19:
      return `\u001b[9;${rows};${cols}t`;
    default:
      return undefined;
  }
}

/* Foreground, background, cursor. */
const dynamicColours: Readonly<Record<number, string>> = {
  10: 'ffffff',
  11: '000000',
  12: 'ffffff',
};

/* Undefined when nothing is asked: the sequence sets a colour. */
export function answerColourQuery(number: number, body: string): string | undefined {
  const fields = body.split(';');
  if (number !== 4) {
    const colour = dynamicColours[number];
    return fields[0] === '?' && colour !== undefined
      ? `\u001b]${number};${formatRgb(colour)}${ST}`
      : undefined;
  }
  let answers = '';
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const index = Number(fields[at]);
    if (fields[at + 1] === '?' && Number.isInteger(index) && index >= 0 && index < 256) {
      answers += `\u001b]4;${index};${formatRgb(paletteColour(index))}${ST}`;
    }
  }
  return answers === '' ? undefined : answers;
}

/* xterm's own palette: 16 named ones, a 6 × 6 × 6 cube, 24 greys. */
export function paletteColour(index: number): string {
  if (index < 16) return namedColours[index] ?? '000000';
  if (index >= 232) return hex(8 + 10 * (index - 232)).repeat(3);
  const cube = index - 16;
  const level = (value: number): number => (value === 0 ? 0 : 55 + 40 * value);
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6]
    .map((value) => hex(level(value)))
    .join('');
}

const namedColours =
  '000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff'.split(
    ' ',
  );

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/* X11's form with 16 bits per channel. */
function formatRgb(colour: string): string {
  const channels = colour.match(/../g) ?? [];
  return `rgb:${channels.map((channel) => channel + channel).join('/')}`;
}
