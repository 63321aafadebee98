/*
 * Callers that wait for the next time that something happens in a thread.
 */
interface Waiter<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

export class Waiters<Value> {
  #waiting: readonly Waiter<Value>[] = [];

  get hasAny(): boolean {
    return this.#waiting.length > 0;
  }

  next(): Promise<Value> {
    const { promise, ...waiter } = Promise.withResolvers<Value>();
    this.#waiting = [...this.#waiting, waiter];
    return promise;
  }

  settle(outcome: Value | Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve, reject } of waiting) {
      if (outcome instanceof Error) reject(outcome);
      else resolve(outcome);
    }
  }
}
