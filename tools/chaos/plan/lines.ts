/*
 * What a writer says: numbered lines with a checksum, of random sizes, on both streams, the same for the same seed.
 *
 *   o 17 92 abcdefgh… 1c291ca3      stream, number, length of the text, the text, its CRC-32
 *
 * A checker can make the whole output again and compare byte by byte; number and checksum are for the person who then
 * has to find out what happened to a line.
 */
import { crc32 } from 'node:zlib';
import { type Chance, createChance } from './chance.ts';

export type StreamName = 'stdout' | 'stderr';

export interface PlannedLine {
  readonly stream: StreamName;
  readonly text: string;
  /* To wait before it is written. */
  readonly pauseMs: number;
}

export interface WriterPlan {
  readonly seed: number;
  /* Without an end when absent. */
  readonly lines: number | undefined;
  readonly exitCode: number;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';
const pauseMsMax = 25;
const shortMax = 100;
const longMax = 4_000;
/* More than a pipe holds, so that a write is cut in pieces. */
const hugeMax = 100_000;

export function* plannedLines({ seed, lines = Infinity }: WriterPlan): Generator<PlannedLine> {
  const chance = createChance(seed);
  const filler = alphabet.repeat(Math.ceil(hugeMax / alphabet.length) + 1);
  for (let number = 0; number < lines; number += 1) {
    const stream = chance.isLucky(0.3) ? 'stderr' : 'stdout';
    const start = chance.between(0, alphabet.length - 1);
    const words = filler.slice(start, start + lengthFor(chance));
    const crc = crc32(words).toString(16).padStart(8, '0');
    const text = `${stream === 'stdout' ? 'o' : 'e'} ${number} ${words.length} ${words} ${crc}\n`;
    const pauseMs = chance.isLucky(0.5) ? chance.between(1, pauseMsMax) : 0;
    yield { stream, text, pauseMs };
  }
}

function lengthFor(chance: Chance): number {
  if (chance.isLucky(0.7)) return chance.between(1, shortMax);
  return chance.between(1, chance.isLucky(0.97) ? longMax : hugeMax);
}

/* All that one stream will carry; a terminal has one stream and ends lines in its own way. */
export function expectedText(plan: WriterPlan, stream: StreamName | 'terminal'): string {
  let text = '';
  for (const line of plannedLines(plan)) {
    if (stream === 'terminal') text += line.text.replace('\n', '\r\n');
    else if (line.stream === stream) text += line.text;
  }
  return text;
}
