/*
 * The channels of the settings, the sender that uses them, and the followers that take over what the registry of this machine knows.
 */
import type { Clock, Log, Random } from '@clawdfather/kit';
import type { AccountId, Sender, Store } from '@clawdfather/store';
import type { SupervisorObserver } from '@clawdfather/supervisor';
import { followApprovals } from '../feed/follow-approvals.ts';
import { followRuns, type RunFollower } from '../feed/follow-runs.ts';
import type { GatewayConfig, NotifyConfig } from '../gateway-config.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { NoticeChannel } from './channel.ts';
import { createNtfy } from './channels/ntfy.ts';
import { createWebhook } from './channels/webhook.ts';
import { openNoticeSender } from './notice-sender.ts';
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

/* What the supervisor says of runs, also to whoever is opened after it. */
export interface RunNews {
  readonly observer: SupervisorObserver;
  bind(follower: Pick<RunFollower, 'note'>): void;
}

export function createRunNews(observer: SupervisorObserver): RunNews {
  let follower: Pick<RunFollower, 'note'> | undefined;
  return {
    observer: {
      count: (count) => observer.count(count),
      event: (event) => {
        observer.event(event);
        if (event.type === 'started' || event.type === 'exit') follower?.note(event.runId);
      },
    },
    bind: (bound) => {
      follower = bound;
    },
  };
}

export interface NoticesDeps {
  readonly config: Pick<GatewayConfig, 'notify'>;
  readonly store: Store;
  readonly runs: Pick<Runs, 'approvals' | 'supervisor'>;
  readonly channels: readonly NoticeChannel[];
  readonly runNews: RunNews;
  readonly sender: Sender;
  readonly ownerId: AccountId;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function openNotices(deps: NoticesDeps): AsyncDisposable {
  const { runs, sender, config } = deps;
  const opened = new AsyncDisposableStack();
  opened.use(followApprovals({ ...deps, ...runs, instanceId: sender.instanceId }));
  const runFollower = opened.use(followRuns({ ...deps, ...runs }));
  deps.runNews.bind(runFollower);
  opened.use(openNoticeSender({ ...deps, showsTitles: config.notify?.showsTitles === true }));
  return opened;
}
