/*
 * Rule: the number of a rule means one thing in the whole project.
 *
 * A rule is declared by a line that begins with its number: `- **O1** …` or `| B1 | …` in a document, `O1 The …` in a comment,
 * where the sentence begins with a capital so that "C1 controls …" is no declaration. No number is declared twice. A number
 * that a comment, a document or a test's title cites is declared somewhere. Code, also within backticks, is not looked at.
 */
import { commentsOf, proseOf, testTitlesOf, withoutCodeSpans } from '../comments.ts';
import type { Finding, Tree } from '../tree.ts';

/* What looks like a rule's number and is the name of something else. */
const otherNames: Readonly<Record<string, string>> = {
  C17: 'the C standard',
  F5: 'a key',
  P1: 'the severity of an alert',
  P2: 'the severity of an alert',
  P3: 'the severity of an alert',
  V8: 'the JavaScript engine',
  VT52: 'a terminal',
  X11: 'the window system',
};

const number = '[A-Z]{1,2}[1-9]\\d?';
const inDocument = new RegExp(`^\\s*(?:[-*] \\*\\*(${number})\\*\\* |\\| (${number})\\s*\\|)`);
const inComment = new RegExp(`^\\s*(?:/?\\*+|//)?\\s*(${number})\\s+[A-Z\`]`);
const anywhere = new RegExp(`\\b${number}\\b`, 'g');

interface Mention {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

export function checkRuleNumbers(tree: Tree): readonly Finding[] {
  const readable = [...tree].map(([path, text]) => readableText(path, text));
  const declared = new Map<string, Mention>();
  const findings: Finding[] = [];
  for (const mention of readable.flatMap(declarationsIn)) {
    const first = declared.get(mention.id);
    if (first === undefined) declared.set(mention.id, mention);
    else findings.push(declaredTwice(mention, first));
  }
  for (const { id, path, line } of readable.flatMap(citationsIn)) {
    if (declared.has(id) || otherNames[id] !== undefined) continue;
    findings.push({ path, message: `line ${line} cites ${id}, which is declared nowhere` });
  }
  return findings;
}

/* What people read of a file, line by line. A test's title cites and never declares. */
interface Readable {
  readonly path: string;
  readonly text: string;
  readonly titles: string;
}

function readableText(path: string, text: string): Readable {
  if (path.endsWith('.md')) return { path, text: proseOf(text), titles: '' };
  if (!/\.(?:ts|tsx|js|mjs|c|h)$/.test(path)) return { path, text: '', titles: '' };
  const titles = path.includes('.test.') ? testTitlesOf(text) : '';
  return { path, text: commentsOf(text), titles };
}

function declarationsIn({ path, text }: Readable): readonly Mention[] {
  const pattern = path.endsWith('.md') ? inDocument : inComment;
  return mentionsIn(path, text, (line) => {
    const match = pattern.exec(line);
    const id = match?.[1] ?? match?.[2];
    return id === undefined || otherNames[id] !== undefined ? [] : [id];
  });
}

function citationsIn({ path, text, titles }: Readable): readonly Mention[] {
  return [text, titles].flatMap((part) =>
    mentionsIn(path, part, (line) =>
      [...withoutCodeSpans(line).matchAll(anywhere)].map(([id]) => id),
    ),
  );
}

function mentionsIn(
  path: string,
  text: string,
  idsIn: (line: string) => readonly string[],
): readonly Mention[] {
  return text
    .split('\n')
    .flatMap((content, index) => idsIn(content).map((id) => ({ id, path, line: index + 1 })));
}

function declaredTwice({ id, path, line }: Mention, first: Mention): Finding {
  return {
    path,
    message: `line ${line} declares ${id}, which ${first.path} declares in line ${first.line}`,
  };
}
