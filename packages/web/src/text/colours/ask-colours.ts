/*
 * The page's side of the worker that knows languages. It is started with the first question.
 */
import { trustedAddress } from '../../worker/trusted-address.ts';
import type { CodeKind } from './code-kinds.ts';
// The bundler makes the default export, for the name with its query.
// oxlint-disable-next-line import/default
import address from './worker.ts?worker&url';

export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly kind: CodeKind;
}

export interface ColourQuestion {
  readonly text: string;
  readonly language: string;
}

type Answer = { readonly id: number; readonly stretches: readonly Stretch[] };

let worker: Worker | undefined;
let lastId = 0;
const waiting = new Map<number, (stretches: readonly Stretch[]) => void>();

export function askColours(question: ColourQuestion): Promise<readonly Stretch[]> {
  worker ??= startWorker();
  const id = (lastId += 1);
  worker.postMessage({ id, ...question });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function startWorker(): Worker {
  const started = new Worker(trustedAddress(address), { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    waiting.get(data.id)?.(data.stretches);
    waiting.delete(data.id);
  });
  return started;
}
