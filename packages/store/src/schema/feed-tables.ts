/*
 * The tables of an account's events and notices (migration 12).
 */
import type { Generated } from 'kysely';
import type { Json, JsonText } from './json-text.ts';

type Payload = { readonly [key: string]: Json | undefined };

export const accountEventTypes = [
  'thread_created',
  'thread_changed',
  'turn_queued',
  'turn_changed',
  'turn_started',
  'turn_ended',
  'ask_opened',
  'ask_closed',
  'approval_opened',
  'approval_closed',
  'run_started',
  'run_ended',
  'session_started',
  'session_ended',
  'connection_tested',
  'connection_changed',
  'device_added',
  'device_changed',
  'device_removed',
  'login_code_changed',
  'seen',
  'notice',
  'notice_resolved',
] as const;
export type AccountEventType = (typeof accountEventTypes)[number];

export const noticeClasses = ['approval', 'question', 'done', 'failed', 'host_lost'] as const;
export type NoticeClass = (typeof noticeClasses)[number];

/** Why a notice wants nothing more. */
export type NoticeResolution =
  /** What was asked has been answered, by whomever. */
  | 'answered'
  /** What was asked needs no answer any more. */
  | 'withdrawn'
  /** A person has looked. */
  | 'seen'
  /** More was said in the thread, or a newer turn of it has ended. */
  | 'continued'
  | 'archived'
  /** The host can be reached again. */
  | 'back'
  /** Nobody has looked for a month. */
  | 'old';

export type DeliveryState = 'pending' | 'sending' | 'sent' | 'failed' | 'skipped';

export interface AccountEventHeadsTable {
  account_id: string;
  seq: number;
  kept_from_seq: Generated<number>;
}

export interface AccountEventsTable {
  account_id: string;
  seq: number;
  type: AccountEventType;
  thread_id: string | null;
  /** The turn, ask, run … that it is about. */
  subject_id: string;
  payload_json: JsonText<Payload>;
  key: string | null;
  at_ms: number;
}

export interface NoticesTable {
  account_id: string;
  id: string;
  class: NoticeClass;
  key: string;
  thread_id: string | null;
  /** The number of the thread's newest event when it was made: who has seen that has seen what it is about. */
  thread_seq: number | null;
  subject_id: string;
  detail_json: JsonText<Payload>;
  created_at_ms: number;
  seen_at_ms: number | null;
  resolved_at_ms: number | null;
  resolution: NoticeResolution | null;
  /** Since when it is decided on which channels it is told. */
  planned_at_ms: number | null;
}

export interface NoticeDeliveriesTable {
  account_id: string;
  notice_id: string;
  /** Of a push: `push:` and the device. */
  channel: string;
  /** Of a push. */
  device_id: string | null;
  state: DeliveryState;
  /** How often it was begun. The number of the one that is under way fences its sender. */
  attempts: number;
  /** When it may be tried; while it is being sent: when another may take it for abandoned. */
  due_at_ms: number;
  sender_id: string | null;
  sender_generation: number | null;
  /** Why it was not sent. */
  reason: string | null;
  settled_at_ms: number | null;
}
