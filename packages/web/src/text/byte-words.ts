/*
 * Amounts of bytes, short enough for a row.
 */
const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/* 12 bytes, 4.2 kB, 310 MB */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (amount >= 1_000 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || amount >= 10 ? amount.toFixed(0) : amount.toFixed(1);
  return `${digits} ${units[unit] ?? ''}`;
}
