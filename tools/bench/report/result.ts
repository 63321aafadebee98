/*
 * What a scenario found: rows of numbers per contender, and how they stand against the aims.
 */
import { median } from '../measure/statistics.ts';

export interface Cell {
  /* Of the rounds. */
  readonly median: number;
  readonly rounds: readonly number[];
}

export interface Row {
  readonly measure: string;
  readonly unit: string;
  /* `neither`: a fact without a winner. */
  readonly better: 'higher' | 'lower' | 'neither';
  /* The first one is what the others are compared with. */
  readonly cells: ReadonlyMap<string, Cell>;
}

export interface Aim {
  readonly aim: string;
  readonly reached: string;
  readonly isMet: boolean;
}

export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly aims: readonly Aim[];
}

export function cellOf(rounds: readonly number[]): Cell {
  return { median: median(rounds), rounds };
}

/* How many times better the first contender is than the one in this cell. */
export function advantage(row: Row, name: string): number | undefined {
  const [first] = row.cells.values();
  const cell = row.cells.get(name);
  if (first === undefined || cell === undefined || cell === first) return undefined;
  if (row.better === 'neither') return undefined;
  return row.better === 'higher' ? first.median / cell.median : cell.median / first.median;
}

export interface AimedRatio {
  readonly text: string;
  readonly row: Row;
  readonly against: string;
  readonly atLeast: number;
}

export function aimOfRatio({ text, row, against, atLeast }: AimedRatio): Aim {
  const ratio = advantage(row, against) ?? Number.NaN;
  return { aim: text, reached: `${ratio.toFixed(2)}× ${against}`, isMet: ratio >= atLeast };
}

export interface AimedValue {
  readonly text: string;
  readonly value: number;
  readonly unit: string;
  readonly atMost: number;
}

export function aimOfValue({ text, value, unit, atMost }: AimedValue): Aim {
  return { aim: text, reached: `${formatNumber(value)} ${unit}`, isMet: value <= atMost };
}

/* Three digits are all that such a measurement has to say. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0 || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value
    .toPrecision(3)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}
