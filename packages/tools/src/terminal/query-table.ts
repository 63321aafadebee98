/*
 * Which control sequences make a terminal talk back.
 *
 * A terminal that only watches a run must not answer: its reply would be typed
 * into the live program (E8). Control strings are judged by an allowlist, since
 * terminals keep inventing new ones that reply; CSI by the table of those that
 * ask, since most of them only draw.
 */
import type { Token } from './sequences.ts';

interface CsiQuery {
  readonly name: string;
  readonly prefix: string;
  readonly intermediates: string;
  readonly final: string;
  /* Only with one of these first parameters; absent: always. */
  readonly first?: readonly string[];
}

export const csiQueries: readonly CsiQuery[] = [
  { name: 'DSR, CPR', prefix: '', intermediates: '', final: 'n' },
  { name: 'DEC DSR, DECXCPR, colour scheme', prefix: '?', intermediates: '', final: 'n' },
  { name: 'DA1', prefix: '', intermediates: '', final: 'c' },
  { name: 'DA2', prefix: '>', intermediates: '', final: 'c' },
  { name: 'DA3', prefix: '=', intermediates: '', final: 'c' },
  { name: 'DECRQM', prefix: '', intermediates: '$', final: 'p' },
  { name: 'DECRQM private', prefix: '?', intermediates: '$', final: 'p' },
  { name: 'DECSR', prefix: '', intermediates: '+', final: 'p' },
  { name: 'XTVERSION', prefix: '>', intermediates: '', final: 'q' },
  { name: 'DECREQTPARM', prefix: '', intermediates: '', final: 'x' },
  {
    name: 'window reports',
    prefix: '',
    intermediates: '',
    final: 't',
    first: ['11', '13', '14', '15', '16', '18', '19', '20', '21'],
  },
  { name: 'kitty keyboard flags', prefix: '?', intermediates: '', final: 'u' },
  { name: 'DECRQTSR', prefix: '', intermediates: '$', final: 'u' },
  { name: 'DECRQUPSS', prefix: '', intermediates: '&', final: 'u' },
  { name: 'DECRQDE', prefix: '', intermediates: '"', final: 'v' },
  { name: 'DECRQPSR', prefix: '', intermediates: '$', final: 'w' },
  { name: 'DECRQCRA', prefix: '', intermediates: '*', final: 'y' },
  { name: 'DECRQLP', prefix: '', intermediates: "'", final: '|' },
  { name: 'XTREPORTSGR', prefix: '', intermediates: '#', final: '|' },
  { name: 'XTREPORTCOLORS', prefix: '', intermediates: '#', final: 'R' },
  { name: 'XTTITLEPOS', prefix: '', intermediates: '#', final: 'S' },
  { name: 'XTSMGRAPHICS', prefix: '?', intermediates: '', final: 'S' },
  { name: 'XTQMODKEYS', prefix: '?', intermediates: '', final: 'm' },
];

/* OSC that only tell the terminal something: titles, directory, links, notices, prompts, images. */
const oscTold = new Set(['0', '1', '2', '7', '8', '9', '133', '633', '777']);
/* OSC that set colours when their values are not `?`; 104 and on put them back. */
const oscColours = new Set(['4', '5', '10', '11', '12', '13', '14', '15', '16', '17', '18', '19']);
const oscColourResets = new Set(['104', '105', '110', '111', '112', '117', '119']);

const queryFinals = new Set(csiQueries.map(({ final }) => final));

export function isCsiQuery(token: Extract<Token, { kind: 'csi' }>): boolean {
  // Most sequences draw, and are known by their last letter alone.
  if (!queryFinals.has(token.final)) return false;
  const first = token.parameters.split(/[;:]/)[0] ?? '';
  return csiQueries.some(
    (query) =>
      query.prefix === token.prefix &&
      query.intermediates === token.intermediates &&
      query.final === token.final &&
      (query.first === undefined || query.first.includes(String(Number(first)))),
  );
}

/* DECID is the one plain escape that is answered. */
export function isEscapeQuery(token: Extract<Token, { kind: 'escape' }>): boolean {
  return token.intermediates === '' && token.final === 'Z';
}

/* True for a string that a watching terminal may see. `isWhole` is false for a long one's head. */
export function isHarmlessString(
  token: Extract<Token, { kind: 'string' | 'string-head' }>,
): boolean {
  if (token.type === 'dcs') return isHarmlessDcs(token.body);
  return token.type === 'osc' && isHarmlessOsc(token.body, token.kind === 'string');
}

/* Sixel images, synchronised updates and soft fonts; everything else asks or runs something. */
function isHarmlessDcs(body: string): boolean {
  return /^[0-9;]*q/.test(body) || /^=[12]s/.test(body) || /^[0-9;]*\{/.test(body);
}

function isHarmlessOsc(body: string, isWhole: boolean): boolean {
  const [number = '', ...fields] = body.split(';');
  if (oscTold.has(number)) return true;
  if (number === '1337') return /^1337;(File|MultipartFile|FilePart|FileEnd)\b/.test(body);
  if (!isWhole) return false;
  if (oscColourResets.has(number)) return true;
  return oscColours.has(number) && !fields.some((field) => field.trim().startsWith('?'));
}

/*
 * Modes that make the terminal report by itself, at once or later: focus,
 * colour scheme, in-band size; and those that change its parser (VT52, Tektronix).
 */
const reportingModes = new Set([1004, 2031, 2048, 38]);
const parserModesReset = new Set([2]);

/* The parameters of a DECSET or DECRST that a watching terminal may see. */
export function harmlessModes(token: Extract<Token, { kind: 'csi' }>): string[] {
  const refused = token.final === 'h' ? reportingModes : parserModesReset;
  return token.parameters.split(';').filter((mode) => !refused.has(Number(mode)));
}
