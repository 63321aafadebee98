/*
 * Errors as a person sees them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliError } from '../../src/errors.ts';
import { formatErrorText } from '../../src/render/error-text.ts';
import { createPaint } from '../../src/render/paint.ts';

test('a cause that was told already is not told again', () => {
  const cause = new Error('ENOSPC: no space left on device', {
    cause: new Error('the disk is small'),
  });
  const error = new CliError('run-not-found', `no directory: ${cause.message}`, { cause });
  assert.equal(
    formatErrorText(error, createPaint(false)),
    [
      'clf: no directory: ENOSPC: no space left on device',
      '  because: the disk is small',
      '  (run-not-found)',
      '',
    ].join('\n'),
  );
});
