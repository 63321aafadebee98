/*
 * Sizes for people, in powers of two with the short names everybody uses.
 */
const units = ['B', 'K', 'M', 'G', 'T'] as const;

/* `0B`, `812B`, `1.5K`, `64M`. */
export function formatBytes(bytes: number): string {
  let amount = Math.max(0, bytes);
  let unit = 0;
  while (amount >= 1_024 && unit < units.length - 1) {
    amount /= 1_024;
    unit += 1;
  }
  // 1023.7K would round up to the awkward 1024K.
  if (unit > 0 && Math.round(amount) >= 1_024 && unit < units.length - 1) {
    amount /= 1_024;
    unit += 1;
  }
  const text = unit === 0 || amount >= 10 ? String(Math.round(amount)) : amount.toFixed(1);
  return `${text.replace(/\.0$/, '')}${units[unit] ?? ''}`;
}
