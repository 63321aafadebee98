/*
 * Why a run stands still: the shim cannot keep its output and has stopped reading it (J3, J4). Pure.
 */

export const stalls = ['disk-full', 'disk-failing', 'not-consumed'] as const;

/** `not-consumed`: its journal is held for a reader that has not read it. */
export type Stall = (typeof stalls)[number];

/* As the kernel numbers them on Linux; the shim passes on what it was told. */
const noSpace: readonly (number | undefined)[] = [28, 122]; // ENOSPC, EDQUOT
const heldFull = 105; // ENOBUFS: docs/protocol/shim.md

export function stallOf(errno: number | undefined): Stall {
  if (noSpace.includes(errno)) return 'disk-full';
  return errno === heldFull ? 'not-consumed' : 'disk-failing';
}
