/*
 * The gatekeeper decides whether a command that was asked for may start: policy, allowlist, approvals.
 *
 * `check` answers at once: it may run, it may not, or a person is asked and the run is held. A held run has its id
 * already; a decision starts it exactly once, in whatever process is alive by then, because the request was stored with the
 * approval. An agent never reaches `decide`.
 */
import type { ApprovalDecision, ApprovalState, Ask, Security } from '@clawdfather/protocol';
import type { Confinement, HostProgram } from '@clawdfather/supervisor';
import type { Binding } from './binding.ts';
import type { Asker } from './requester.ts';
import type { SeenFiles } from './seen-files.ts';

/* What a person approves; the approval is bound to a hash of exactly this. */
export interface ProposedAction {
  /* A shell line and the shell that will read it, or a program and its arguments. */
  readonly command: HostProgram;
  readonly cwd: string;
  readonly envAdditions: Readonly<Record<string, string>>;
  /* What it is given to read at its start: to a shell or an interpreter that is the command. */
  readonly stdin?: string | undefined;
  readonly host: string;
  /* What people call that host; absent for this machine. */
  readonly hostName?: string | undefined;
  readonly account: string;
  /* The Unix user that it runs as, if that is not the one we run as. */
  readonly runAs?: string | undefined;
}

export interface Proposal {
  readonly action: ProposedAction;
  /* The id the run will have if it starts. */
  readonly runId: string;
  /* Of the session: what starter programs may read. */
  readonly directory?: string | undefined;
  /* Bounds the look at directories that may hang. */
  readonly patience?: AbortSignal | undefined;
  /* PATH of the run: what a bare program name is looked up in. */
  readonly searchPath: string;
  /* Where it finds what it names; absent, or undefined: where we do. Asked only where the answer depends on it. */
  readonly seen?: (() => Promise<SeenFiles | undefined>) | undefined;
  /* Everything needed to start the run later, in another process. JSON; opaque here. */
  readonly request: string;
  /* Kept as long as the approval is, and short: what tells one request from another. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /* Who asks, for people: `mcp:claude-code`, `cli`. */
  readonly requester: string;
  /* The credential of the request, if an agent may hold it: `token:ID`. It may not decide this request. */
  readonly credential?: string | undefined;
  /* Only at a gateway. */
  readonly asker?: Asker | undefined;
  /* A person has said that nothing on its host is asked about. */
  readonly isHostFullyAllowed?: boolean | undefined;
  /* A caller can only make it stricter. */
  readonly stricter?: { readonly security?: Security | undefined; readonly ask?: Ask | undefined };
}

export type Verdict =
  | {
      readonly kind: 'allowed';
      readonly rule: string;
      /* Ids of the rules of `allow --always` among what let it through. */
      readonly rules: readonly string[];
      /* What it is confined to; absent: it reaches all that its user may. */
      readonly confine?: Confinement;
    }
  | { readonly kind: 'denied'; readonly rule: string; readonly by: string }
  /* There is no such program: nobody is asked about what cannot run. */
  | { readonly kind: 'absent'; readonly program: string }
  | {
      readonly kind: 'held';
      readonly approvalId: string;
      readonly expiresAtMs: number;
      /* Why a person is asked, for whoever asked. */
      readonly why: string;
    };

/* What every list and look reads: short, whatever was asked for. */
export interface ApprovalSummary {
  readonly approvalId: string;
  readonly runId: string;
  readonly state: ApprovalState;
  readonly actionHash: string;
  readonly account: string;
  /* As people call it. */
  readonly host: string;
  readonly cwd: string;
  /* Cut where it is long. */
  readonly command: ProposedAction['command'];
  readonly labels: Readonly<Record<string, string>>;
  readonly requester: string;
  readonly asker?: Asker | undefined;
  /* Which parts of the line were not on the allowlist, or why it was asked about anyway. */
  readonly why: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly decision: ApprovalDecision | undefined;
  readonly decidedBy: string | undefined;
  readonly decidedAtMs: number | undefined;
  /* What the person said with it. */
  readonly reason: string | undefined;
  /* What was another at the start, so that nothing started: `script.sh has changed`. */
  readonly changed: string | undefined;
  /* The request that was made instead. */
  readonly askedAgainAs: string | undefined;
}

export interface ApprovalRecord extends ApprovalSummary {
  /* Whole while it may start. Once it is over: the command, cut, and where it was to run. */
  readonly action: ProposedAction;
  /* Undefined once it is over. */
  readonly request: string | undefined;
  /* The directory and the files that it is bound to; undefined once it is over, and where nothing could be bound. */
  readonly binding: Binding | undefined;
  /* How much was kept until it was over; undefined before. */
  readonly droppedBytes: number | undefined;
}

export interface HeldFilter {
  readonly states?: readonly ApprovalState[];
  /* Default all: for the owner of the machine. */
  readonly accounts?: readonly string[];
  readonly idPrefix?: string;
  readonly runIdPrefix?: string;
}

export interface HeldPage extends HeldFilter {
  readonly limit: number;
  readonly offset?: number;
}

/* Whether what was approved is still what would run. */
export type Confirmation =
  | { readonly kind: 'same' }
  /* It ended as `changed`, now or before. */
  | { readonly kind: 'changed'; readonly approval: ApprovalSummary }
  /* It may not start, for another reason: its state says which. */
  | { readonly kind: 'over' }
  /* It could not be looked at in time; it stays as it is. */
  | { readonly kind: 'unknown' };

export interface Reconsideration {
  /* The request for the same command under another run id, for asking again. */
  readonly requestFor: (runId: string) => string;
  /* As of a proposal. */
  readonly seen?: (() => Promise<SeenFiles | undefined>) | undefined;
  readonly signal: AbortSignal;
}

export interface Gatekeeper {
  check(proposal: Proposal): Promise<Verdict>;
  approval(approvalId: string): ApprovalSummary | undefined;
  /* The approval that holds this run id, decided or not; expiry is applied on reading. */
  approvalOf(runId: string): ApprovalSummary | undefined;
  /* With all that a person decides about, checked against its hash (A4). */
  wholeApproval(approvalId: string): ApprovalRecord | undefined;
  /* Newest first; pages are cut after state and account are looked at. */
  list(page: HeldPage): readonly ApprovalSummary[];
  count(filter: HeldFilter): number;
  /* Right before the start: looks again at what it is bound to (A6). A difference ends it, and asks again in the same write. */
  confirm(approval: ApprovalRecord, again: Reconsideration): Promise<Confirmation>;
  /* The requester takes it back, which counts as a denial. False when it is decided already. */
  withdraw(approvalId: string, by: string): Promise<boolean>;
  /* Records approvals that have lapsed, so that their requests are dropped. */
  settleLapsed(): Promise<void>;
  /* Resolves once the approval is no longer pending: decided by any process, or expired. Does not poll if it can be avoided. */
  settled(approvalId: string, signal: AbortSignal): Promise<ApprovalSummary>;
}
