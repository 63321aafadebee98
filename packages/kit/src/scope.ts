/*
 * Nested lifetimes: what belongs together ends together, in reverse order.
 *
 * Stages of an end:
 *   1. the scope's signal aborts, so that whatever waits inside stops waiting;
 *   2. deferred work runs and used resources are disposed of, last in first out;
 *   3. a failure in one does not keep the others from running, and all are told.
 *
 * A parent's abort only aborts the child's signal. Disposal stays with the code
 * that opened the scope (`await using`), which is still on its way out then.
 */
export interface Scope extends AsyncDisposable {
  /* Aborts when the scope ends or when the parent's signal does. */
  readonly signal: AbortSignal;
  /* Runs when the scope ends. */
  defer(work: () => void | Promise<void>): void;
  /* Disposes of the resource when the scope ends; returns it. */
  use<Resource extends AsyncDisposable | Disposable>(resource: Resource): Resource;
}

export function createScope(parentSignal?: AbortSignal): Scope {
  const stack = new AsyncDisposableStack();
  const controller = new AbortController();
  const onParentAbort = (): void => controller.abort(parentSignal?.reason);

  if (parentSignal?.aborted) onParentAbort();
  else parentSignal?.addEventListener('abort', onParentAbort, { once: true });

  return {
    signal: controller.signal,
    defer: (work) => stack.defer(work),
    use: (resource) => stack.use(resource),
    [Symbol.asyncDispose]: async () => {
      parentSignal?.removeEventListener('abort', onParentAbort);
      controller.abort(new DOMException('The scope has ended.', 'AbortError'));
      await stack.disposeAsync();
    },
  };
}
