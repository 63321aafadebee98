/*
 * The last lines that an agent wrote beside its answers: who looks for a cause needs those.
 */
const linesMax = 8;

export function keepLines(lines: string[], text: string): void {
  lines.push(...text.split('\n').filter((line) => line.trim() !== ''));
  lines.splice(0, Math.max(0, lines.length - linesMax));
}
