/*
 * A script without its comments: same length, same lines, blanks in their place.
 *
 * A scanner and not a parser. It knows strings, templates (their inner code
 * included), both kinds of comment, and regular expressions by the one
 * question that tells them from a division: can a value end right here?
 */
interface Scan {
  readonly out: string[];
  index: number;
  braces: number;
  /* The last word or sign of code: tells a regular expression from a division. */
  before: string;
  /* For each open template, the depth of braces at which its inner code began. */
  readonly templates: number[];
}

export function stripComments(text: string): string {
  const scan: Scan = { out: text.split(''), index: 0, braces: 0, before: '', templates: [] };
  while (scan.index < scan.out.length) step(scan);
  return scan.out.join('');
}

function step(scan: Scan): void {
  const here = scan.out[scan.index] ?? '';
  const next = scan.out[scan.index + 1];
  if (here === '/' && (next === '/' || next === '*')) blankComment(scan);
  else if (here === '`') skipTemplate(scan);
  else if (here === '}' && scan.templates.at(-1) === scan.braces) {
    scan.templates.pop();
    skipTemplate(scan);
  } else if (here === "'" || here === '"' || (here === '/' && !canEndValue(scan.before))) {
    scan.index = quotedEnd(scan.out, scan.index, here);
    scan.before = "'";
  } else stepOverCode(scan, here);
}

function blankComment(scan: Scan): void {
  const end = commentEnd(scan.out, scan.index);
  for (; scan.index < end; scan.index += 1) {
    if (scan.out[scan.index] !== '\n') scan.out[scan.index] = ' ';
  }
}

function skipTemplate(scan: Scan): void {
  scan.index = templateEnd(scan.out, scan.index + 1);
  const opensInner = scan.out[scan.index - 1] === '{';
  if (opensInner) scan.templates.push(scan.braces);
  scan.before = opensInner ? '{' : "'";
}

function stepOverCode(scan: Scan, here: string): void {
  if (here === '{') scan.braces += 1;
  if (here === '}') scan.braces -= 1;
  if (here.trim() !== '') scan.before = wordEndingAt(scan.before, here);
  scan.index += 1;
}

function commentEnd(out: readonly string[], start: number): number {
  if (out[start + 1] === '/') {
    const newline = out.indexOf('\n', start);
    return newline === -1 ? out.length : newline;
  }
  for (let index = start + 2; index < out.length; index += 1) {
    if (out[index] === '*' && out[index + 1] === '/') return index + 2;
  }
  return out.length;
}

/* Past the closing quote; inside a regular expression's class a slash does not close. */
function quotedEnd(out: readonly string[], start: number, quote: string): number {
  let isInClass = false;
  for (let index = start + 1; index < out.length; index += 1) {
    const here = out[index];
    if (here === '\\') index += 1;
    else if (quote === '/' && here === '[') isInClass = true;
    else if (quote === '/' && here === ']') isInClass = false;
    else if ((here === quote && !isInClass) || here === '\n') return index + 1;
  }
  return out.length;
}

/* Past the closing backtick, or past the brace that opens inner code. */
function templateEnd(out: readonly string[], start: number): number {
  for (let index = start; index < out.length; index += 1) {
    if (out[index] === '\\') index += 1;
    else if (out[index] === '`') return index + 1;
    else if (out[index] === '$' && out[index + 1] === '{') return index + 2;
  }
  return out.length;
}

function wordEndingAt(before: string, here: string): string {
  return /\w/.test(here) && /\w$/.test(before) ? before + here : here;
}

function canEndValue(before: string): boolean {
  if (before === 'return' || before === 'typeof' || before === 'case') return false;
  return /[\w)\]}'$]$/.test(before);
}
