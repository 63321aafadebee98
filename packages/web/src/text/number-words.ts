/*
 * Numbers in words that fit a row.
 */

/* 1st, 2nd, 3rd, 11th */
export function ordinal(position: number): string {
  const tens = position % 100;
  const ending =
    tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][position % 10] ?? 'th');
  return `${position}${ending}`;
}
