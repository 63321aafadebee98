/*
 * The messages that mean the same on every socket.
 */
import type { runClientMessageSchema } from '@clawdfather/protocol/api';
import type { z } from 'zod';
import { checkAccess } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import { newTrace } from '../observe/trace-context.ts';
import type { FaceOptions } from './face.ts';
import type { Terminals } from './terminals.ts';

type CommonMessage = z.infer<typeof runClientMessageSchema>;

export async function handleCommon(
  { context, caller, address, outbox }: FaceOptions,
  terminals: Terminals,
  message: CommonMessage,
): Promise<void> {
  switch (message.type) {
    case 'heartbeat':
      outbox.send({
        type: 'heartbeat_ack',
        server_time: formatTime(context.clock.wallMs()),
      });
      return;
    case 'approve': {
      checkAccess(caller, 'approve');
      const trace = context.currentTrace() ?? newTrace(context.random);
      const state = await context.decide({
        approvalId: message.approval_id,
        decision: message.decision,
        optionId: message.option_id,
        reason: message.reason,
        caller,
        ip: address,
        traceId: trace.traceId,
      });
      outbox.send({ type: 'approved', approval_id: message.approval_id, state });
      return;
    }
    default:
      await terminals.handle(message);
  }
}
