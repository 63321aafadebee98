/*
 * The channels of the settings, the sender that uses them, and the followers that take over what the registry of this machine knows.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { AccountId, Sender, Store } from '@clawdfather/store';
import type { SupervisorObserver } from '@clawdfather/supervisor';
import { followApprovals } from '../feed/follow-approvals.ts';
import { followRuns, type RunFollower } from '../feed/follow-runs.ts';
import type { GatewayConfig, NotifyConfig } from '../gateway-config.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { NoticeChannel } from './channel.ts';
import { createNtfy } from './channels/ntfy.ts';
import { createWebhook } from './channels/webhook.ts';
import { type NoticeSenderDeps, openNoticeSender } from './notice-sender.ts';
import type { PostDeps } from './post-message.ts';

export function createChannels(
  { webhook, ntfy }: NotifyConfig,
  deps: PostDeps,
): readonly NoticeChannel[] {
  return [
    ...(webhook === undefined ? [] : [createWebhook(webhook, deps)]),
    ...(ntfy === undefined ? [] : [createNtfy(ntfy, deps)]),
  ];
}

export interface NoticesDeps {
  readonly config: Pick<GatewayConfig, 'notify'>;
  /* Of the supervisor; it hears everything that ours hears. */
  readonly observer: SupervisorObserver;
  readonly ownerId: AccountId;
  /* Counts attempts. */
  readonly metrics: Pick<Metrics, 'notice'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface NoticesGround {
  readonly store: Store;
  readonly runs: Pick<Runs, 'approvals' | 'supervisor'>;
  readonly sender: Sender;
  /* To devices. */
  readonly push: NoticeChannel;
}

export interface Notices {
  /* For the supervisor, which is opened before. */
  readonly observer: SupervisorObserver;
  readonly channels: readonly NoticeChannel[];
  /* Once this gateway is the one of its state directory. */
  open(ground: NoticesGround): AsyncDisposable;
}

export function createNotices(deps: NoticesDeps): Notices {
  const { config, observer, metrics } = deps;
  const onAttempt: Required<NoticeSenderDeps>['onAttempt'] = (channel, end) =>
    metrics.notice(channel, end);
  const channels = createChannels(config.notify ?? {}, deps);
  const showsTitles = config.notify?.showsTitles === true;
  let follower: RunFollower | undefined;
  return {
    channels,
    observer: {
      count: (count) => observer.count(count),
      event: (event) => {
        observer.event(event);
        if (event.type === 'started' || event.type === 'exit') follower?.note(event.runId);
      },
    },
    open: ({ store, runs, sender, push }) => {
      const opened = new AsyncDisposableStack();
      const ground = { ...deps, ...runs, store };
      opened.use(followApprovals({ ...ground, instanceId: sender.instanceId }));
      follower = opened.use(followRuns(ground));
      opened.use(
        openNoticeSender({
          ...ground,
          channels: [...channels, push],
          sender,
          showsTitles,
          onAttempt,
        }),
      );
      return opened;
    },
  };
}
