/*
 * How deeply JSON is nested, seen before it is parsed. Parsing takes any depth; what checks, stores or compares the value later needs a stack
 * as deep as it, and runs out of it.
 */

const [quote, backslash] = [0x22, 0x5c];
const [brace, braceEnd, bracket, bracketEnd] = [0x7b, 0x7d, 0x5b, 0x5d];

/* What is no JSON is none the worse for it: it is refused by who parses it. */
export function isTooDeep(text: string, depthMax: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (isInString) {
      if (character === backslash) index += 1;
      else if (character === quote) isInString = false;
    } else if (character === quote) isInString = true;
    else if (character === brace || character === bracket) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (character === braceEnd || character === bracketEnd) depth -= 1;
  }
  return false;
}
