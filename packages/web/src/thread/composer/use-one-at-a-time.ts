/*
 * Runs one piece of work at a time. Asked for again meanwhile, it runs once more afterwards, with what is shown then: who presses Enter while
 * the message before is still being kept on the device has sent the next one.
 */
import { useEffect, useRef, useState } from 'preact/hooks';

export function useOneAtATime(work: () => Promise<void>): () => void {
  const isRunning = useRef(false);
  const isAskedAgain = useRef(false);
  const [round, setRound] = useState(0);
  const run = async (): Promise<void> => {
    if (isRunning.current) {
      isAskedAgain.current = true;
      return;
    }
    isRunning.current = true;
    try {
      await work();
    } finally {
      isRunning.current = false;
      if (isAskedAgain.current) setRound((last) => last + 1);
      isAskedAgain.current = false;
    }
  };
  // After the next paint `work` is the one of then.
  useEffect(() => {
    if (round > 0) void run();
  }, [round]);
  return () => void run();
}
