/*
 * Looking at the terminal of a gateway's run, and typing into it.
 */
import type { OpenSocket } from '@clawdfather/sdk';
import type { Place, Run } from '../place.ts';
import type { GatewayHandleDeps } from './gateway-handle.ts';
import { createInputSender } from './input-sender.ts';

export interface TypingDeps extends GatewayHandleDeps {
  /* With a pinned certificate; undefined: the usual socket. */
  readonly socket: OpenSocket | undefined;
}

type Typing = Pick<
  Place,
  'screen' | 'sendKeys' | 'paste' | 'resize' | 'sendInput' | 'openTerminal'
>;

export function createTyping(deps: TypingDeps): Typing {
  const { client, ask } = deps;
  const paramsOf = ({ runId }: Pick<Run, 'runId'>) => ({ params: { id: runId } });
  return {
    screen: (run) => ask(() => client.runs.screen(paramsOf(run))),
    sendKeys: async (run, { literal, hex, keys }) => {
      const body = {
        ...(literal === undefined ? {} : { literal }),
        ...(hex === undefined ? {} : { hex: [...hex] }),
        ...(keys === undefined ? {} : { keys: [...keys] }),
      };
      const { bytes } = await ask(() => client.runs.keys({ ...paramsOf(run), body }));
      return bytes;
    },
    paste: async (run, text) => {
      const body = { paste: text };
      const { bytes, isBracketed = false } = await ask(() =>
        client.runs.keys({ ...paramsOf(run), body }),
      );
      return { bytes, isBracketed };
    },
    resize: async (run, { cols, rows }) =>
      void (await ask(() => client.runs.resize({ ...paramsOf(run), body: { cols, rows } }))),
    sendInput: (run, bytes, { isEof }) =>
      ask(async () => {
        const isTerminal = run.mode !== 'child';
        const { runId } = run;
        const sender = createInputSender({ ...deps, runId, isOurs: false, isTerminal });
        await sender.send(bytes);
        if (isEof) await sender.end();
      }),
    openTerminal: async (handle, options) => {
      const { openFeedAtGateway } = await import('./feed-at-gateway.ts');
      return openFeedAtGateway(deps, handle, options);
    },
  };
}
