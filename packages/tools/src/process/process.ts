/*
 * The `process` tool: one action on one of the caller's runs.
 */
import { type ProcessParams, processParamsSchema, type ProcessResult } from '@clawdfather/protocol';
import type { ToolCall, ToolsContext } from '../context.ts';
import { invalidParams } from '../exec/plan-exec.ts';
import { clear, kill, remove, resize, sendSignal, showScreen } from './control.ts';
import { paste, sendKeys, submit, writeInput } from './input.ts';
import { listRuns } from './list.ts';
import { readLog } from './log.ts';
import { pollRun } from './poll.ts';

export async function processTool(
  context: ToolsContext,
  params: ProcessParams,
  call: ToolCall,
): Promise<ProcessResult> {
  call.signal.throwIfAborted();
  const parsed = processParamsSchema.safeParse(params);
  if (!parsed.success) throw invalidParams(parsed.error);
  const asked = parsed.data;
  switch (asked.action) {
    case 'list':
      return listRuns(context, asked, call);
    case 'poll':
      return { action: 'poll', ...(await pollRun(context, asked, call)) };
    case 'log':
      return readLog(context, asked, call);
    case 'screen':
      return showScreen(context, asked, call);
    case 'write':
      return writeInput(context, asked, call);
    case 'send-keys':
      return sendKeys(context, asked, call);
    case 'submit':
      return submit(context, asked, call);
    case 'paste':
      return paste(context, asked, call);
    case 'resize':
      return resize(context, asked, call);
    case 'signal':
      return sendSignal(context, asked, call);
    case 'kill':
      return kill(context, asked, call);
    case 'clear':
      return clear(context, asked, call);
    case 'remove':
      return remove(context, asked, call);
  }
}
