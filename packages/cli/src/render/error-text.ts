/*
 * An error as a person should see it: what happened, and what can be done.
 * A mistake of ours (neither our code nor the kernel's) shows where it came from,
 * so that it can be reported.
 */
import { CodedError } from '@clawdfather/kit';
import type { Paint } from './paint.ts';
import type { Json } from './run-json.ts';
import { makeVisible } from '@clawdfather/tools/text';

/* Causes deeper than this are of no use to the person in front of the screen. */
const causesMax = 3;

export function formatErrorText(error: unknown, paint: Paint): string {
  const lines = [`${paint.bad('clf:')} ${makeVisible(messageOf(error))}`];
  for (const cause of causesOf(error)) lines.push(`  because: ${makeVisible(cause)}`);
  if (error instanceof CodedError) {
    if (error.hint !== undefined) lines.push(`  ${makeVisible(error.hint)}`);
    if (error.code !== 'usage') lines.push(paint.dim(`  (${makeVisible(error.code)})`));
  } else if (error instanceof Error && error.stack !== undefined && !isSystemError(error)) {
    lines.push('  This is a mistake in clawdfather; please report it with these lines:');
    lines.push(
      ...error.stack
        .split('\n')
        .slice(0, 6)
        .map((line) => paint.dim(`  ${line}`)),
    );
  }
  return `${lines.join('\n')}\n`;
}

export function formatErrorJson(error: unknown): Json {
  const isCoded = error instanceof CodedError;
  return {
    error: {
      code: isCoded ? error.code : 'internal',
      message: messageOf(error),
      hint: isCoded ? (error.hint ?? null) : null,
    },
  };
}

/* What the kernel refused: a full disk, a missing right. The world's fault, not ours. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/* Some errors quote their cause; nobody needs to read it twice. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  let told = messageOf(error);
  let current = error instanceof Error ? error.cause : undefined;
  while (current instanceof Error && causes.length < causesMax) {
    if (!told.includes(current.message)) causes.push(current.message);
    told = current.message;
    current = current.cause;
  }
  return causes;
}
