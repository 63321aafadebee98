/*
 * A ring that empties while a request waits. The words beside it say the same.
 */
export function ExpiryRing({ share }: { readonly share: number }) {
  const length = 2 * Math.PI * 9;
  return (
    <svg class="expiry-ring" width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="9" class="whole" />
      <circle
        cx="12"
        cy="12"
        r="9"
        class={share < 1 / 6 ? 'left short' : 'left'}
        stroke-dasharray={`${length * share} ${length}`}
        transform="rotate(-90 12 12)"
      />
    </svg>
  );
}
