/*
 * The moment between listening and the new generation (G1). Requests that arrive in it wait, so that every answer says which gateway it
 * comes from, also the first ones after a restart, which clients that come back are waiting for.
 */
export interface StartGate {
  /* Undefined: it is open. It stays closed when the start fails; then the connections are closed. */
  readonly opening: Promise<void> | undefined;
  open(): void;
}

export function createStartGate(): StartGate {
  const { promise, resolve } = Promise.withResolvers<void>();
  let opening: Promise<void> | undefined = promise;
  return {
    get opening() {
      return opening;
    },
    open: () => {
      opening = undefined;
      resolve();
    },
  };
}

/* A hook, for the very beginning of a request. */
export function untilOpen(gate: StartGate) {
  return (_request: unknown, _reply: unknown, next: () => void): void => {
    const { opening } = gate;
    if (opening === undefined) return next();
    void waitThen(opening, next);
  };
}

async function waitThen(opening: Promise<void>, next: () => void): Promise<void> {
  await opening;
  next();
}
