/*
 * The comments of a source file, and the sentences of a document: what people read, without the code around it.
 *
 * Both keep every line in its place, with blanks where the code was, so that a line's number is that of the file.
 */
import { stripComments } from './strip-comments.ts';

/* A script's or C file's comments alone. */
export function commentsOf(text: string): string {
  const code = stripComments(text);
  return text
    .split('')
    .map((here, index) => (here === '\n' || code[index] !== here ? here : ' '))
    .join('');
}

/* A document without its fenced blocks and code spans. */
export function proseOf(markdown: string): string {
  return withoutCodeSpans(markdown.replaceAll(/^ *```[\s\S]*?^ *```/gm, blank));
}

export function withoutCodeSpans(text: string): string {
  return text.replaceAll(/`[^`\n]*`/g, blank);
}

/* What tests are called: the first argument of `test` and its kind, where it is a plain text. */
export function testTitlesOf(text: string): string {
  let titles = blank(text);
  const pattern = /\b(?:test|it|describe|suite)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g;
  for (const match of text.matchAll(pattern)) {
    const title = match[2] ?? '';
    const end = match.index + match[0].length - 1;
    titles = titles.slice(0, end - title.length) + title + titles.slice(end);
  }
  return titles;
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
