/*
 * Results as tables for people. A peer's cell says how many times better the supervisor is: `517 (2.1×)`.
 */
import { advantage, formatNumber, type Aim, type Row, type ScenarioResult } from './result.ts';

export function formatResult(result: ScenarioResult): string {
  const names = [...new Set(result.rows.flatMap((row) => [...row.cells.keys()]))];
  const lines = [['', ...names], ...result.rows.map((row) => lineOf(row, names))];
  const parts = [`\n${result.title}\n`, formatTable(lines)];
  if (result.aims.length > 0) parts.push('\n', formatAims(result.aims));
  return parts.join('');
}

export function formatAims(aims: readonly Aim[]): string {
  const lines = aims.map(({ aim, reached, isMet }) => [isMet ? '  met' : '  MISSED', aim, reached]);
  return formatTable(lines);
}

function lineOf(row: Row, names: readonly string[]): readonly string[] {
  const cells = names.map((name) => {
    const cell = row.cells.get(name);
    if (cell === undefined) return '';
    const times = advantage(row, name);
    const value = formatNumber(cell.median);
    return times === undefined ? value : `${value} (${times.toFixed(times < 10 ? 2 : 0)}×)`;
  });
  return [`  ${row.measure}, ${row.unit}`, ...cells];
}

function formatTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
