/*
 * What a worker tells main over their channel.
 */
export type WorkerMessage =
  | { readonly type: 'ready'; readonly openMs: number }
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly error: string };
