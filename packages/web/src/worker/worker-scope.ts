/*
 * What the worker uses of its browser. The types of pages and of workers cannot be had in one project, so those few are written here.
 */
export interface WorkerScope {
  readonly location: Pick<Location, 'origin'>;
  readonly clients: WorkerClients;
  readonly registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  addEventListener(name: 'install' | 'activate', listener: (event: LastingEvent) => void): void;
  addEventListener(name: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(name: 'message', listener: (event: WorkerMessage) => void): void;
  addEventListener(name: 'sync', listener: (event: SyncEvent) => void): void;
  addEventListener(name: 'push', listener: (event: PushMessage) => void): void;
  addEventListener(name: 'notificationclick', listener: (event: NotificationTap) => void): void;
  addEventListener(name: 'pushsubscriptionchange', listener: (event: LastingEvent) => void): void;
}

export interface LastingEvent {
  waitUntil(work: Promise<unknown>): void;
}

export interface FetchEvent extends LastingEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

export interface SyncEvent extends LastingEvent {
  readonly tag: string;
}

export interface WorkerMessage extends LastingEvent {
  readonly data: unknown;
  readonly ports: readonly MessagePort[];
}

export interface PushMessage extends LastingEvent {
  readonly data: { text(): string } | null;
}

export interface NotificationTap extends LastingEvent {
  /* Empty: the notification itself was tapped. */
  readonly action: string;
  readonly notification: { readonly data: unknown; close(): void };
}

export interface WorkerClients {
  claim(): Promise<void>;
  matchAll(options: {
    readonly type: 'window';
    readonly includeUncontrolled?: boolean;
  }): Promise<readonly WorkerClient[]>;
  openWindow(path: string): Promise<unknown>;
}

export interface WorkerClient {
  readonly url: string;
  focus(): Promise<WorkerClient>;
  postMessage(message: unknown): void;
}

export const scope = globalThis as unknown as WorkerScope;
