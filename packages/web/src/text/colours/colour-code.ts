/*
 * Colours code that is on the screen: the worker says which letters are of which kind, and the browser paints them as highlights. No
 * node is made for them. A browser without highlights, or without workers here, shows the code plain.
 */
import { askColours, type Stretch } from './ask-colours.ts';

export interface CodeToColour {
  readonly node: Text;
  readonly text: string;
  readonly language: string;
}

/* Longer lines are data, not code. */
const charactersMax = 50_000;

/* The end of it: the colours go. */
export function colourCode({ node, text, language }: CodeToColour): () => void {
  let isOver = false;
  const undo: (() => void)[] = [];
  if (typeof Highlight === 'undefined' || language === '' || text.length > charactersMax) {
    return () => undefined;
  }
  askColours({ text, language })
    .then((stretches) => {
      if (isOver || node.data !== text) return;
      undo.push(...stretches.map((stretch) => paint(node, stretch)));
    })
    // Colours are an ornament: without them nothing is missing.
    .catch(() => undefined);
  return () => {
    isOver = true;
    for (const act of undo) act();
  };
}

function paint(node: Text, { from, to, kind }: Stretch): () => void {
  const name = `code-${kind}`;
  const highlight = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlight);
  const range = new StaticRange({
    startContainer: node,
    startOffset: from,
    endContainer: node,
    endOffset: to,
  });
  highlight.add(range);
  return () => void highlight.delete(range);
}
