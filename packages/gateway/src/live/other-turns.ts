/*
 * Lets the event loop do everything else once.
 */
export function otherTurns(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
