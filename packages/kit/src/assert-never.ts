/*
 * The end of a switch over a union: the compiler proves it is not reached,
 * and if a wrong value from outside gets here all the same, it is named.
 */
export function assertNever(value: never): never {
  throw new TypeError(`unexpected value: ${JSON.stringify(value)}`);
}
