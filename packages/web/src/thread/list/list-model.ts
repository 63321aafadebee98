/*
 * Where the rows of a long list are: heights that were measured, guesses for the others, and what stands where because of them.
 *
 * Heights are kept by the key of a row, so a row that comes back has the height that it had.
 */
export interface ListedRow {
  readonly key: string;
  /* Until it is measured. */
  readonly guessPx: number;
  /* Drawn as one with the row above: without a space between them. */
  readonly isJoined?: boolean;
}

export interface ListModel<Row extends ListedRow> {
  readonly rows: readonly Row[];
  setRows(rows: readonly Row[]): void;
  /* By how much it is higher than was taken, and whether that was a guess. Undefined: it is as high, or gone. */
  measure(key: string, px: number): Growth | undefined;
  /* The top of a row, from the top of the first; of the number of rows: the end of the last. */
  topOf(index: number): number;
  heightOf(index: number): number;
  /* The row at this distance from the top; the first or last one, if there is none. */
  indexAt(px: number): number;
  indexOf(key: string): number | undefined;
}

export interface Growth {
  readonly index: number;
  readonly px: number;
  readonly wasGuess: boolean;
}

/* Less than this cannot be seen. */
const samePx = 0.05;

export function createListModel<Row extends ListedRow>(): ListModel<Row> {
  const measured = new Map<string, number>();
  let rows: readonly Row[] = [];
  let indexes: Map<string, number> | undefined;
  let tops: readonly number[] | undefined;
  const heightOf = (index: number): number => {
    const row = rows[index];
    return row === undefined ? 0 : (measured.get(row.key) ?? row.guessPx);
  };
  const indexOf = (key: string): number | undefined => {
    indexes ??= new Map(rows.map((row, index) => [row.key, index]));
    return indexes.get(key);
  };
  const allTops = (): readonly number[] => {
    if (tops !== undefined) return tops;
    const made = [0];
    let top = 0;
    for (let index = 0; index < rows.length; index += 1) {
      top += heightOf(index);
      made.push(top);
    }
    tops = made;
    return made;
  };
  return {
    get rows() {
      return rows;
    },
    setRows: (next) => {
      if (next === rows) return;
      rows = next;
      indexes = undefined;
      tops = undefined;
    },
    measure: (key, px) => {
      const index = indexOf(key);
      if (index === undefined) return undefined;
      const wasGuess = !measured.has(key);
      const growth = { index, px: px - heightOf(index), wasGuess };
      if (!wasGuess && Math.abs(growth.px) < samePx) return undefined;
      measured.set(key, px);
      tops = undefined;
      return growth;
    },
    topOf: (index) => allTops()[Math.max(0, Math.min(index, rows.length))] ?? 0,
    heightOf,
    indexAt: (px) => {
      const known = allTops();
      let low = 0;
      let high = rows.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if ((known[middle] ?? 0) <= px) low = middle;
        else high = middle - 1;
      }
      return Math.max(0, low);
    },
    indexOf,
  };
}
