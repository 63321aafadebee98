/*
 * Looking at the terminal of a gateway's run, and typing into it.
 */
import type { OpenSocket } from '@clawdfather/sdk';
import { noTerminal, runEnded } from '../../runs/run-refusals.ts';
import type { Place, Run } from '../place.ts';
import type { GatewayHandleDeps } from './gateway-handle.ts';
import { createInputSender } from './input-sender.ts';

export interface TypingDeps extends GatewayHandleDeps {
  /* Over a connection that is looked at first; undefined: the usual socket. */
  readonly socket: OpenSocket | undefined;
  /* What follows `clf COMMAND` to mean this gateway. */
  readonly flag: string;
}

type Typing = Pick<
  Place,
  'screen' | 'sendKeys' | 'paste' | 'resize' | 'sendInput' | 'openTerminal'
>;

export function createTyping(deps: TypingDeps): Typing {
  const { client, ask, flag } = deps;
  // As on this machine; the gateway would refuse them in words for programs.
  const checkLives = (run: Run): void => {
    if (run.exit !== undefined) throw runEnded(run, flag);
  };
  const checkTerminal = (run: Run): void => {
    if (run.mode === 'child') throw noTerminal(run, flag);
  };
  const paramsOf = ({ runId }: Pick<Run, 'runId'>) => ({ params: { id: runId } });
  return {
    screen: async (run) => {
      checkTerminal(run);
      return ask(() => client.runs.screen(paramsOf(run)));
    },
    sendKeys: async (run, input) => {
      checkLives(run);
      const { checkKeys } = await import('../../runs/type-into-run.ts');
      checkKeys(input);
      const { literal, hex, keys } = input;
      const body = {
        ...(literal === undefined ? {} : { literal }),
        ...(hex === undefined ? {} : { hex: [...hex] }),
        ...(keys === undefined ? {} : { keys: [...keys] }),
      };
      const { bytes } = await ask(() => client.runs.keys({ ...paramsOf(run), body }));
      return bytes;
    },
    paste: async (run, text) => {
      checkLives(run);
      const body = { paste: text };
      const { bytes, isBracketed = false } = await ask(() =>
        client.runs.keys({ ...paramsOf(run), body }),
      );
      return { bytes, isBracketed };
    },
    resize: async (run, { cols, rows }) => {
      checkTerminal(run);
      checkLives(run);
      await ask(() => client.runs.resize({ ...paramsOf(run), body: { cols, rows } }));
    },
    sendInput: async (run, bytes, { isEof }) => {
      checkLives(run);
      const isTerminal = run.mode !== 'child';
      const { runId } = run;
      const sender = createInputSender({ ...deps, runId, isOurs: false, isTerminal });
      await ask(async () => {
        await sender.send(bytes);
        if (isEof) await sender.end();
      });
    },
    openTerminal: async (handle, options) => {
      const { openFeedAtGateway } = await import('./feed-at-gateway.ts');
      return openFeedAtGateway(deps, handle, options);
    },
  };
}
