/*
 * How a key gets onto a host: a command to run there, copied, shared, or the key as a QR code for a second device.
 */
import { useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { useResource } from '../data/use-resource.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Qr } from '../parts/qr.tsx';
import { ResourceView } from '../parts/resource-view.tsx';

export function InstallKey({ keyId }: { readonly keyId: string }) {
  const { client } = useApp();
  const [isQrShown, setIsQrShown] = useState(false);
  const command = useResource(`key-install/${keyId}`, () =>
    client.keys.installCommand({ params: { id: keyId } }),
  );
  return (
    <ResourceView resource={command}>
      {({ command: line, public_key: publicKey }) => (
        <div class="copyable">
          <Copyable text={line} name="Install command" />
          <button
            type="button"
            class="button small"
            aria-expanded={isQrShown}
            onClick={() => setIsQrShown(!isQrShown)}
          >
            {isQrShown ? 'Hide the QR code' : 'Public key as a QR code'}
          </button>
          {isQrShown && <Qr text={publicKey} name="The public key as a QR code" />}
        </div>
      )}
    </ResourceView>
  );
}
