/*
 * `acp.capabilities`: what a client has to know before it asks for anything. Nothing in it is secret, and nothing is looked up in the database.
 */
import { deadlineMs } from '@clawdfather/agents';
import { rpcLimits, rpcMethods } from '@clawdfather/protocol/acp';
import { pollTimes } from '@clawdfather/threads';
import { ApiError } from '../http/api-error.ts';
import { keepAliveMs, threadsFollowedMax } from './limits.ts';
import type { RpcHandler } from './rpc-call.ts';

/* Of this wire. It grows when something changes its meaning. */
const protocolVersion = 1;

export const showCapabilities: RpcHandler<'acp.capabilities'> = async ({ deps }) => {
  const { catalogue } = deps.agentThreads;
  const gateway = deps.instance.identity;
  if (gateway === undefined) throw new ApiError('unavailable');
  const agents = catalogue.list();
  const installed = agents.filter(({ isInstalled }) => isInstalled);
  return {
    result: {
      protocolVersion,
      gateway,
      agents: agents.map(({ name, title, isInstalled }) => ({ name, title, isInstalled })),
      defaultAgent: catalogue.defaultName() ?? null,
      methods: Object.keys(rpcMethods),
      limits: {
        messageBytesMax: rpcLimits.messageBytesMax,
        batchMax: rpcLimits.batchMax,
        depthMax: rpcLimits.depthMax,
        threadsFollowedMax,
        keepAliveMs,
        deadlinesMs: { ...deadlineMs },
      },
      poll: {
        intervalMs: pollTimes.runningEveryMs,
        waitingIntervalMs: pollTimes.waitingEveryMs,
        afterDeadlineMs: pollTimes.afterDeadlineMs,
      },
      // Older clients choose between running by themselves and running at a gateway; here there is only the gateway.
      availableExecutionTargets: ['gateway'],
      providerCatalog: installed.map(({ name, title }) => ({ id: name, name: title })),
      gatewayProviders: installed.map(({ name }) => name),
      permissionRelay: true,
    },
  };
};
