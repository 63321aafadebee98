/*
 * Why it is denied, in words that the agent gets to read.
 */
export function ReasonLayer({
  reason,
  onReason,
}: {
  readonly reason: string;
  readonly onReason: (reason: string) => void;
}) {
  return (
    <label class="field">
      <span>Why not? The agent reads this.</span>
      <textarea
        rows={2}
        maxLength={500}
        value={reason}
        // One line is what is kept.
        onInput={({ currentTarget }) => onReason(currentTarget.value.replaceAll(/\s*\n\s*/g, ' '))}
      />
    </label>
  );
}
