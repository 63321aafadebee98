/*
 * A promise that is settled from outside, with a look at whether it has been. `Promise.withResolvers` is too new for some browsers that the
 * app works in.
 */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly isSettled: boolean;
  /* The first call settles; later ones do nothing. */
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: Error) => void;
}

export function deferred<Value = void>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (reason: Error) => void;
  const promise = new Promise<Value>((settle, refuse) => {
    resolve = settle;
    reject = refuse;
  });
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
