import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Why there is no picture of the camera. */
export type CameraProblem = 'insecure' | 'refused' | 'missing' | 'busy' | 'failed';

export interface Camera {
  readonly state: 'off' | 'starting' | 'on';
  readonly problem: CameraProblem | undefined;
  /** The element that shows the picture. */
  readonly video: RefObject<HTMLVideoElement>;
  /** Undefined if the camera has no light. */
  readonly light: { readonly isOn: boolean; toggle(): void } | undefined;
  start(): void;
  stop(): void;
}

const EVERY_MS = 120;

/** The light of a camera is not in the types of TypeScript. */
type LightTrack = Omit<MediaStreamTrack, 'getCapabilities'> & { getCapabilities?: () => { torch?: boolean } };

/** Reads QR codes with the camera, which starts only when the person asks for it, and stops when the page is left or hidden. */
export function useCamera(onText: (text: string) => void): Camera {
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<Camera['state']>('off');
  const [problem, setProblem] = useState<CameraProblem>();
  const [track, setTrack] = useState<LightTrack>();
  const [isLit, setIsLit] = useState(false);
  const own = useRef<AbortController>();
  const receive = useRef(onText);
  receive.current = onText;

  function stop() {
    own.current?.abort();
    own.current = undefined;
    setState('off');
    setTrack(undefined);
    setIsLit(false);
  }

  async function start() {
    stop();
    setProblem(undefined);
    if (!isSecureContext || !navigator.mediaDevices) return setProblem('insecure');
    const started = new AbortController();
    const { signal } = started;
    own.current = started;
    setState('starting');
    try {
      // The decoder is loaded while the person is asked.
      const [{ readFrame }, stream] = await Promise.all([import('./decode.ts'), openStream(signal)]);
      const element = video.current;
      if (signal.aborted || !element) return;
      element.srcObject = stream;
      await element.play();
      if (signal.aborted) return;
      setState('on');
      setTrack(stream.getVideoTracks()[0] as LightTrack | undefined);
      const timer = setInterval(() => {
        const text = readFrame(element);
        if (text !== undefined && !signal.aborted) receive.current(text);
      }, EVERY_MS);
      signal.addEventListener('abort', () => clearInterval(timer));
    } catch (error) {
      if (signal.aborted) return;
      stop();
      setProblem(problemOf(error));
    }
  }

  useEffect(() => {
    const onHidden = () => document.hidden && stop();
    document.addEventListener('visibilitychange', onHidden);
    return () => {
      document.removeEventListener('visibilitychange', onHidden);
      own.current?.abort();
    };
  }, []);

  const light = track?.getCapabilities?.().torch === true ? { isOn: isLit, toggle: () => void toggleLight(track) } : undefined;
  async function toggleLight(lit: LightTrack) {
    await lit.applyConstraints({ advanced: [{ torch: !isLit } as MediaTrackConstraintSet] });
    setIsLit(!isLit);
  }
  return { state, problem, video, light, start: () => void start(), stop };
}

/** Opens the camera at the back. It is released when `signal` aborts. */
async function openStream(signal: AbortSignal): Promise<MediaStream> {
  const wanted = { facingMode: { ideal: 'environment' }, width: { ideal: 1280 }, height: { ideal: 960 } };
  const stream = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: false });
  const release = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  if (signal.aborted) release();
  else signal.addEventListener('abort', release);
  return stream;
}

function problemOf(error: unknown): CameraProblem {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'failed';
}
