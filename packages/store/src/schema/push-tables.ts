/*
 * The tables of push and of presence (migration 18).
 */
import type { NoticeClass } from './feed-tables.ts';
import type { JsonText } from './json-text.ts';

export type PushClasses = Readonly<Record<NoticeClass, boolean>>;

export interface PushKeysTable {
  id: string;
  /** The point, in base64url. */
  public_key: string;
  private_enc: string;
  made_at_ms: number;
  retired_at_ms: number | null;
}

export interface PushSubscriptionsTable {
  account_id: string;
  device_id: string;
  /** Of this subscription: a later one of the device has another. */
  id: string;
  /** The key that the browser subscribed with. */
  key_id: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  classes_json: JsonText<PushClasses>;
  created_at_ms: number;
  sent_at_ms: number | null;
  failure: string | null;
  failed_at_ms: number | null;
}

export interface DevicePresenceTable {
  account_id: string;
  device_id: string;
  visible_until_ms: number;
}
