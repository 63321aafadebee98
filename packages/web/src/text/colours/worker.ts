/*
 * Runs in a worker: code in, the kinds of its words out. Sixteen languages; of another one nothing is said.
 */
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { ColourQuestion, Stretch } from './ask-colours.ts';
import { type CodeKind, kindOfClasses } from './code-kinds.ts';

const known = createLowlight({
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
});
known.registerAlias({ bash: ['sh', 'shell', 'zsh', 'console'], typescript: ['tsx'] });

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly children?: readonly Node[];
  readonly properties?: { readonly className?: unknown };
}

addEventListener('message', ({ data }: MessageEvent<ColourQuestion & { readonly id: number }>) => {
  const { id, text, language } = data;
  const name = language.toLowerCase();
  const stretches = known.registered(name) ? stretchesOf(known.highlight(name, text)) : [];
  postMessage({ id, stretches });
});

function stretchesOf(root: Node): readonly Stretch[] {
  const found: Stretch[] = [];
  let at = 0;
  const walk = (node: Node, outer: CodeKind | undefined): void => {
    if (typeof node.value === 'string') {
      const to = at + node.value.length;
      if (outer !== undefined) found.push({ from: at, to, kind: outer });
      at = to;
      return;
    }
    const classes = node.properties?.className;
    const kind = Array.isArray(classes) ? kindOfClasses(classes) : undefined;
    for (const child of node.children ?? []) walk(child, kind ?? outer);
  };
  walk(root, undefined);
  return found;
}
