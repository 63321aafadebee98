/*
 * How much a phone has to load, from the manifest of a build and the sizes of its packed files: the first load is the page, its script with
 * all that this imports at once, its style and its pictures; a part that comes later counts with what it brings beyond that.
 */
export interface ManifestChunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

export type Manifest = Readonly<Record<string, ManifestChunk>>;

export interface Build {
  readonly manifest: Manifest;
  /* The page as it is served. */
  readonly page: string;
  /* Of the file at this address, packed with gzip. */
  readonly bytesOf: (path: string) => number;
}

export interface BudgetRow {
  readonly what: string;
  readonly is: number;
  /* Undefined: written down, and not bounded. */
  readonly atMost: number | undefined;
  readonly unit: 'kB' | 'requests';
}

/* Of the first load, in thousands of bytes. */
const firstMax = { js: 60, css: 12, all: 90, requests: 8 };

/* What later parts may bring, by their source. */
const laterMax: Readonly<Record<string, { readonly name: string; readonly kB: number }>> = {
  'src/screens/thread.tsx': { name: 'thread', kB: 35 },
  'src/terminal/terminal-view.tsx': { name: 'terminal', kB: 95 },
};

export function measureBuild({ manifest, page, bytesOf }: Build): readonly BudgetRow[] {
  const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry === true);
  if (entry === undefined) throw new Error('the manifest names no entry');
  const first = withImports(manifest, entry);
  const scripts = filesOf(manifest, first);
  const linked = [...page.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  const others = [...new Set(linked)].filter((path) => !scripts.includes(path));
  const sum = (paths: readonly string[]): number =>
    paths.reduce((total, path) => total + bytesOf(path), 0) / 1_000;
  const css = others.filter((path) => path.endsWith('.css'));
  return [
    row('first load: script', sum(scripts), firstMax.js),
    row('first load: style', sum(css), firstMax.css),
    row('first load: all', sum(['/index.html', ...scripts, ...others]), firstMax.all),
    {
      what: 'first load: files',
      is: 1 + scripts.length + others.length,
      atMost: firstMax.requests,
      unit: 'requests',
    },
    ...laterRows(manifest, first, sum),
  ];
}

export function isWithin({ is, atMost }: BudgetRow): boolean {
  return atMost === undefined || is <= atMost;
}

export function formatRows(rows: readonly BudgetRow[]): string {
  const lines = rows.map((one) => {
    const limit = one.atMost === undefined ? '' : `of ${one.atMost}`;
    const verdict = isWithin(one) ? '' : '  TOO MUCH';
    const amount = one.unit === 'kB' ? one.is.toFixed(1) : String(one.is);
    return `${one.what.padEnd(32)}${amount.padStart(8)} ${limit.padEnd(7)}${one.unit}${verdict}`;
  });
  return `${lines.join('\n')}\n`;
}

function laterRows(
  manifest: Manifest,
  first: ReadonlySet<string>,
  sum: (paths: readonly string[]) => number,
): readonly BudgetRow[] {
  const later = new Set(
    Object.values(manifest).flatMap(({ dynamicImports = [] }) => dynamicImports),
  );
  return [...later].toSorted().map((key) => {
    const bound = laterMax[key];
    const brought = [...withImports(manifest, key)].filter((part) => !first.has(part));
    const name = bound?.name ?? key.replace(/^src\//, '');
    return row(`later: ${name}`, sum(filesOf(manifest, new Set(brought))), bound?.kB);
  });
}

function row(what: string, is: number, atMost: number | undefined): BudgetRow {
  return { what, is, atMost, unit: 'kB' };
}

/* Of one part: itself and whatever it imports at once, however deep. */
function withImports(manifest: Manifest, key: string, found = new Set<string>()): Set<string> {
  if (found.has(key)) return found;
  found.add(key);
  for (const imported of manifest[key]?.imports ?? []) withImports(manifest, imported, found);
  return found;
}

function filesOf(manifest: Manifest, keys: ReadonlySet<string>): readonly string[] {
  return [...keys].map((key) => `/${manifest[key]?.file ?? key}`);
}
