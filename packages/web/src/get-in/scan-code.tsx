/*
 * A QR code that another device or a terminal shows, read by the camera, where the browser can read them. Nothing of the picture leaves the page.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useApp } from '../app-context.ts';
import { Sheet } from '../parts/sheet.tsx';
import { isOfHere } from './parse-given.ts';

interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}

type DetectorType = new (options: { readonly formats: readonly string[] }) => Detector;

/* Often enough for a steady hand, and no work between. */
const lookMs = 250;

export function ScanCode({
  onFound,
  onClose,
}: {
  readonly onFound: (text: string) => void;
  readonly onClose: () => void;
}) {
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useScanning(video, { onFound, onProblem: setProblem });
  return (
    <Sheet title="Scan the QR code" onClose={onClose}>
      {/* Silent: there is nothing to hear. */}
      <video ref={video} class="camera" muted playsInline aria-label="What the camera sees" />
      <p role="status">
        {problem ?? 'Hold the code of your other device, or of the terminal, into the picture.'}
      </p>
    </Sheet>
  );
}

function useScanning(
  video: { readonly current: HTMLVideoElement | null },
  tell: { readonly onFound: (text: string) => void; readonly onProblem: (text: string) => void },
): void {
  const { clock } = useApp();
  useEffect(() => {
    const ending = new AbortController();
    let stream: MediaStream | undefined;
    const scan = async (): Promise<void> => {
      const media = { video: { facingMode: 'environment' } };
      stream = await navigator.mediaDevices.getUserMedia(media);
      const element = video.current;
      if (ending.signal.aborted || element === null) return stopCamera(stream);
      element.srcObject = stream;
      await element.play();
      const { BarcodeDetector } = window as unknown as { BarcodeDetector: DetectorType };
      const detector = new BarcodeDetector({ formats: ['qr_code'] });
      while (!ending.signal.aborted) {
        const [found] = await detector.detect(element);
        if (found !== undefined && isOfHere(found.rawValue, location.origin)) {
          return tell.onFound(found.rawValue);
        }
        if (found !== undefined) {
          tell.onProblem('This code is not of this gateway. Open the address that it shows.');
        }
        await clock.sleep(lookMs, ending.signal);
      }
    };
    scan().catch((error: unknown) => {
      if (!ending.signal.aborted) tell.onProblem(wordsOf(error));
    });
    return () => {
      ending.abort();
      stopCamera(stream);
    };
  }, [clock]);
}

function stopCamera(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

function wordsOf(error: unknown): string {
  const isDenied = error instanceof DOMException && error.name === 'NotAllowedError';
  return isDenied
    ? 'The camera is not allowed here. Allow it in the settings of the browser, or type the code.'
    : 'The camera cannot be used now. Type the code instead.';
}
