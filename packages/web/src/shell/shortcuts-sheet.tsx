/*
 * The keys that the app knows.
 */
import { Sheet } from '../parts/sheet.tsx';
import { shortcutWords } from './shortcuts.ts';

export function ShortcutsSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title="Keys" onClose={onClose}>
      <dl class="keys">
        {shortcutWords.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
