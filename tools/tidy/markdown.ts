/*
 * The few things that rules read out of our documents.
 */

export interface Section {
  readonly title: string;
  readonly body: string;
}

/* The parts under `## ` headings, in order. */
export function sections(markdown: string): readonly Section[] {
  return markdown
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return end === -1
        ? { title: part.trim(), body: '' }
        : { title: part.slice(0, end).trim(), body: part.slice(end + 1) };
    });
}

/* Rows of tables whose first cell is code: that code, and the other cells. */
export function codeRows(
  markdown: string,
): readonly { readonly code: string; readonly cells: readonly string[] }[] {
  return [...markdown.matchAll(/^\|\s*`([^`]+)`\s*\|(.*)\|\s*$/gm)].map((match) => ({
    code: match[1] ?? '',
    cells: (match[2] ?? '').split('|').map((cell) => cell.trim()),
  }));
}
