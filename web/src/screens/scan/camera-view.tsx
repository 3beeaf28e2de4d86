import { Button } from '../../parts/button.tsx';
import { phone } from '../../texts/en-phone.ts';
import { useCamera } from './use-camera.ts';

/** The picture of the camera with a frame for the code, or the button that starts it. */
export function CameraView({ onText }: { onText: (text: string) => void }) {
  const { state, problem, video, light, start, stop } = useCamera(onText);
  return (
    <section class="camera" aria-label={phone.scan.camera}>
      <video ref={video} muted playsInline hidden={state !== 'on'} />
      <div class="camera-frame" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </div>
      {state !== 'on' && (
        <div class="camera-start">
          {problem !== undefined && <p role="alert">{phone.scan.problems[problem]}</p>}
          {problem !== 'insecure' && (
            <Button kind="primary" icon="scan" disabled={state === 'starting'} onClick={start}>
              {problem === undefined ? phone.scan.start : phone.scan.startAgain}
            </Button>
          )}
        </div>
      )}
      <p class="camera-hint small" role="status">
        {state === 'on' && phone.scan.hold}
        {state === 'starting' && phone.scan.starting}
      </p>
      {state === 'on' && (
        <div class="camera-actions">
          {light && (
            <Button size="small" icon="lightning" aria-pressed={light.isOn} onClick={light.toggle}>
              {phone.scan.light}
            </Button>
          )}
          <Button size="small" icon="stop" onClick={stop}>
            {phone.scan.stop}
          </Button>
        </div>
      )}
    </section>
  );
}
