/*
 * What a line is called that holds something for programs, or what is not known here. Pure.
 */
import { type Facts, wordOf } from '../facts.ts';

const streams: Readonly<Record<string, string>> = {
  stderr: 'The agent wrote to its error output',
  stdout: 'The agent wrote what is not of its protocol',
};

export function rawTitle(type: string, payload: Facts): string {
  const ofStream = streams[wordOf(payload['stream']) ?? ''];
  if (ofStream !== undefined) return ofStream;
  const what = type === 'noise' ? 'The agent sent what is not known here' : type;
  const about = wordOf(payload['update']) ?? wordOf(payload['method']);
  return about === undefined ? what : `${what}: ${about}`;
}
