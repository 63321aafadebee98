/*
 * A promise that is settled from outside, with a look at whether it has been.
 */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly isSettled: boolean;
  /* The first call settles; later ones do nothing. */
  resolve(value: Value): void;
  reject(reason: Error): void;
}

export function deferred<Value = void>(): Deferred<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  let isSettled = false;
  return {
    promise,
    get isSettled() {
      return isSettled;
    },
    resolve: (value) => {
      isSettled = true;
      resolve(value);
    },
    reject: (reason) => {
      isSettled = true;
      reject(reason);
    },
  };
}
