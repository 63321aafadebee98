/*
 * What can be done with runs, one function per action, each from its own parameters to its own answer.
 *
 * Parameters have been parsed by their schemas: callers with a wire do that where it ends, and `Tools.exec` and `Tools.process`
 * do it for programs (parse-params.ts). Nothing is parsed again here.
 */
import type {
  ExecParams,
  ExecResult,
  PaintedScreenResult,
  ProcessParams,
  ProcessResult,
} from '@clawdfather/protocol';
import type { ToolCall, ToolsContext } from './context.ts';
import { exec } from './exec/exec.ts';
import {
  clear,
  kill,
  paintScreen,
  remove,
  resize,
  sendSignal,
  showScreen,
} from './process/control.ts';
import { paste, sendKeys, submit, writeInput } from './process/input.ts';
import { listRuns } from './process/list.ts';
import { readLog } from './process/log.ts';
import { pollRun } from './process/poll.ts';
import type { ParamsOf, ResultOf } from './process/result-of.ts';

type Action<Name extends ProcessParams['action']> = (
  params: ParamsOf<Name>,
  call: ToolCall,
) => Promise<ResultOf<Name>>;

export interface RunActions {
  readonly exec: (params: ExecParams, call: ToolCall) => Promise<ExecResult>;
  readonly list: Action<'list'>;
  readonly poll: Action<'poll'>;
  readonly log: Action<'log'>;
  readonly screen: Action<'screen'>;
  /* The screen with the bytes that paint it. */
  readonly paintScreen: (
    params: ParamsOf<'screen'>,
    call: ToolCall,
  ) => Promise<PaintedScreenResult>;
  readonly write: Action<'write'>;
  readonly sendKeys: Action<'send-keys'>;
  readonly submit: Action<'submit'>;
  readonly paste: Action<'paste'>;
  readonly resize: Action<'resize'>;
  readonly signal: Action<'signal'>;
  readonly kill: Action<'kill'>;
  readonly clear: Action<'clear'>;
  readonly remove: Action<'remove'>;
}

/* `assertOpen` throws when the tools are closed. */
export function createRunActions(context: ToolsContext, assertOpen: () => void): RunActions {
  const action =
    <Params, Result>(
      act: (context: ToolsContext, params: Params, call: ToolCall) => Result | Promise<Result>,
    ) =>
    async (params: Params, call: ToolCall): Promise<Result> => {
      assertOpen();
      call.signal.throwIfAborted();
      return act(context, params, call);
    };
  return {
    exec: action(exec),
    list: action(listRuns),
    poll: action(pollRun),
    log: action(readLog),
    screen: action(showScreen),
    paintScreen: action(paintScreen),
    write: action(writeInput),
    sendKeys: action(sendKeys),
    submit: action(submit),
    paste: action(paste),
    resize: action(resize),
    signal: action(sendSignal),
    kill: action(kill),
    clear: action(clear),
    remove: action(remove),
  };
}

/* The `process` tool: does what the parameters name, and names it in the answer. */
export async function dispatch(
  actions: Omit<RunActions, 'exec'>,
  asked: ProcessParams,
  call: ToolCall,
): Promise<ProcessResult> {
  switch (asked.action) {
    case 'list':
      return { action: 'list', ...(await actions.list(asked, call)) };
    case 'poll':
      return { action: 'poll', ...(await actions.poll(asked, call)) };
    case 'log':
      return { action: 'log', ...(await actions.log(asked, call)) };
    case 'screen':
      return { action: 'screen', ...(await actions.screen(asked, call)) };
    case 'write':
      return { action: 'write', ...(await actions.write(asked, call)) };
    case 'send-keys':
      return { action: 'send-keys', ...(await actions.sendKeys(asked, call)) };
    case 'submit':
      return { action: 'submit', ...(await actions.submit(asked, call)) };
    case 'paste':
      return { action: 'paste', ...(await actions.paste(asked, call)) };
    case 'resize':
      return { action: 'resize', ...(await actions.resize(asked, call)) };
    case 'signal':
      return { action: 'signal', ...(await actions.signal(asked, call)) };
    case 'kill':
      return { action: 'kill', ...(await actions.kill(asked, call)) };
    case 'clear':
      return { action: 'clear', ...(await actions.clear(asked, call)) };
    case 'remove':
      return { action: 'remove', ...(await actions.remove(asked, call)) };
  }
}
