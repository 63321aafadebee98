/*
 * Rule: nothing cites a document that is not in the repository.
 *
 * A reader cannot open it, so the comment says the reason itself or names a file that is here. The words below are refused
 * in comments, documents, titles of tests and the comments of YAML files, unless they are code in backticks.
 */
import { commentsOf, proseOf, testTitlesOf, withoutCodeSpans } from '../comments.ts';
import type { Finding, Tree } from '../tree.ts';

const absent: readonly RegExp[] = [
  /\bdocuments? 0\d\d\b/i,
  /\b(?:STYLE|DESIGN|INVARIANTS|CONTRACT|CHECKLIST)\b/,
  /\bcontracts?\b/i,
  // `docs/release-checklist.md` is here.
  /(?<!\brelease-)\bchecklists?\b/i,
  /\bthe design\b|\bdesign documents?\b/i,
  /\bissue #?\d+\b/i,
];

export function checkAbsentDocuments(tree: Tree): readonly Finding[] {
  return [...tree].flatMap(([path, text]) =>
    readableText(path, text)
      .split('\n')
      .flatMap((content, index) => {
        const cited = absent.map((pattern) => pattern.exec(content)?.[0]).find(Boolean);
        return cited === undefined
          ? []
          : [
              {
                path,
                message: `line ${index + 1} cites "${cited}", which is not in the repository`,
              },
            ];
      }),
  );
}

function readableText(path: string, text: string): string {
  if (path.endsWith('.md')) return proseOf(text);
  if (/\.ya?ml$/.test(path)) return yamlCommentsOf(text);
  if (!/\.(?:ts|tsx|js|mjs|c|h)$/.test(path)) return '';
  const comments = withoutCodeSpans(commentsOf(text));
  return path.includes('.test.') ? joinLines(comments, testTitlesOf(text)) : comments;
}

function yamlCommentsOf(text: string): string {
  return text
    .split('\n')
    .map((line) => /(?:^|\s)#(.*)$/.exec(line)?.[1] ?? '')
    .join('\n');
}

/* Two texts with the same lines as one. */
function joinLines(one: string, other: string): string {
  const lines = other.split('\n');
  return one
    .split('\n')
    .map((line, index) => `${line.trimEnd()} ${(lines[index] ?? '').trim()}`)
    .join('\n');
}
