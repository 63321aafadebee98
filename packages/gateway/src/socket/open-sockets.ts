/*
 * WebSockets on the gateway's own server (docs/protocol/websocket.md, docs/decisions/0014-plain-ws.md).
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { rpcLimits } from '@clawdfather/protocol/acp';
import { socketCloseCodes, socketMessageBytesMax } from '@clawdfather/protocol/api';
import type { Supervisor } from '@clawdfather/supervisor';
import { WebSocketServer } from 'ws';
import type { AccountPlaces } from '../accounts/account-places.ts';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { createTokenWatch } from '../auth/token-watch.ts';
import type { AllowedNames } from '../http/allowed-names.ts';
import { ApiError, toApiError } from '../http/api-error.ts';
import { clientNetworkOf } from '../http/client-network.ts';
import { type GatewayHeader, gatewayHeadersOf } from '../http/gateway-header.ts';
import type { StartGate } from '../http/start-gate.ts';
import type { LiveCounts } from '../live/live-hub.ts';
import { createBeats } from './beats.ts';
import { checkUpgrade } from './check-upgrade.ts';
import { type ClientAddress, createClientAddress } from './client-address.ts';
import { Connection } from './connection.ts';
import { closeAllMs, closeMs, type SocketLimits, socketLimits } from './limits.ts';
import { refuseUpgrade } from './refuse-upgrade.ts';
import { createSessionWatch } from './session-watch.ts';
import { createSharedRuns } from './shared-runs.ts';
import type { SocketContext, SocketPorts } from './socket-context.ts';
import { createSocketTally, type SocketCounts } from './socket-counts.ts';

export interface SocketsDeps extends SocketPorts {
  readonly names: AllowedNames;
  readonly gatewayHeader: GatewayHeader;
  readonly startGate: StartGate;
  readonly trustedProxies: readonly string[];
  readonly tokens: LiveTokens;
  readonly supervisor: Supervisor;
  readonly limits?: Partial<SocketLimits> | undefined;
  readonly places: AccountPlaces;
}

export interface Sockets extends AsyncDisposable {
  counts(): SocketCounts & { readonly live: LiveCounts };
  /* How many clients are connected, over all kinds. */
  signedIn(): number;
  close(): Promise<void>;
}

const serverOptions = {
  noServer: true,
  clientTracking: false,
  // A context per socket costs hundreds of kB, and output that matters is a few lines.
  perMessageDeflate: false,
  maxPayload: socketMessageBytesMax,
  // The library's own answers to pings queue without end for a client that does not read them; ours are counted.
  autoPong: false,
  // A subprotocol is not needed, and one that is echoed is how tokens end up in headers.
  handleProtocols: () => false as const,
  closeTimeout: closeMs,
} as const;

export function openSockets(server: Server, deps: SocketsDeps): Sockets {
  const context = contextOf(deps);
  const connections = new Set<Connection>();
  const upgrades = new WebSocketServer(serverOptions);
  // Prompts are as long as the body of a request; whoever has not said who it is may not send that much.
  const longUpgrades = new WebSocketServer({
    ...serverOptions,
    maxPayload: rpcLimits.messageBytesMax,
  });
  const admission = { deps, context, addressOf: createClientAddress(deps.trustedProxies) };
  let isClosing = false;

  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    try {
      if (isClosing || deps.startGate.opening !== undefined) throw new ApiError('unavailable');
      const admitted = admit(admission, request);
      const { seat } = admitted;
      // Until there is a WebSocket, the connection itself gives way.
      seat.onGiveWay(() => socket.destroy());
      socket.once('close', () => seat.leave());
      const server = admitted.authorization === undefined ? upgrades : longUpgrades;
      server.handleUpgrade(request, socket, head, (ws) => {
        const connection = new Connection(context, {
          ws,
          socket,
          ...admitted,
          onClosed: () => void connections.delete(connection),
        });
        connections.add(connection);
      });
    } catch (error) {
      const refusal = toApiError(error);
      context.tally.countRefusal(refusal.code);
      refuseUpgrade(socket, refusal, gatewayHeadersOf(deps.gatewayHeader));
    }
  };
  server.on('upgrade', onUpgrade);
  // For clients that see it, which pages do not.
  for (const one of [upgrades, longUpgrades]) {
    one.on('headers', (lines) => {
      for (const [name, value] of Object.entries(gatewayHeadersOf(deps.gatewayHeader))) {
        lines.push(`${name}: ${value}`);
      }
    });
  }

  const close = async (): Promise<void> => {
    isClosing = true;
    for (const connection of connections) {
      connection.close(socketCloseCodes.goingAway, 'the gateway stops');
    }
    await untilEmpty(connections, deps);
    for (const connection of connections) connection.terminate();
    server.off('upgrade', onUpgrade);
    context.beats.close();
    context.tokenWatch.close();
    context.sessionWatch.close();
  };
  return {
    counts: () => ({ ...context.tally.counts(), live: context.hub.counts() }),
    signedIn: () => {
      const { session, run, acp } = context.tally.counts();
      return session + run + acp;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function contextOf(deps: SocketsDeps): SocketContext {
  const { clock, store, tokens, supervisor } = deps;
  return {
    ...deps,
    sharedRuns: createSharedRuns(supervisor),
    sessionWatch: createSessionWatch({ store, clock }),
    tokenWatch: createTokenWatch({ tokens, clock }),
    beats: createBeats(clock),
    tally: createSocketTally({ ...socketLimits, ...deps.limits }, deps.places),
  };
}

interface Admission {
  readonly deps: SocketsDeps;
  readonly context: SocketContext;
  readonly addressOf: ClientAddress;
}

/* Throws an `ApiError`. */
function admit({ deps, context, addressOf }: Admission, request: IncomingMessage) {
  const { cookie, origin, authorization } = request.headers;
  const target = checkUpgrade(request, deps.names);
  const address = addressOf(request);
  const seat = context.tally.enter(target, clientNetworkOf(address));
  return {
    target,
    address,
    seat,
    cookie: origin === undefined ? undefined : cookie,
    authorization: target.kind === 'acp' ? authorization : undefined,
  };
}

/* A client has a moment to say goodbye; one that does not is cut off. */
async function untilEmpty(
  connections: ReadonlySet<Connection>,
  { clock }: SocketsDeps,
): Promise<void> {
  const stop = new AbortController();
  const lookAgainMs = 10;
  const untilMs = clock.monotonicMs() + closeAllMs;
  while (connections.size > 0 && clock.monotonicMs() < untilMs) {
    await clock.sleep(lookAgainMs, stop.signal);
  }
}
