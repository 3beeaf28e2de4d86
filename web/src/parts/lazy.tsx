import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { probeService, useServiceState } from '../api/service-state.ts';
import { t } from '../texts/texts.ts';
import { Note } from './note.tsx';

/** A second failure within this time is not one of the network: after an update of the service, the files of the old version are gone. */
const RELOAD_INTERVAL_MS = 60_000;
const RELOADED_AT = 'satchel.reloadedAt';

/**
 * Returns a component whose code is loaded when it is first shown. Browsers do not load a file of code again after a failure, so the page is
 * reloaded once the service responds. A second failure is thrown to the error boundary.
 */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [isLoaded, setIsLoaded] = useState(Loaded !== undefined);
    const [failure, setFailure] = useState<unknown>();
    useEffect(() => {
      if (isLoaded) return;
      load().then((component) => {
        Loaded = component;
        setIsLoaded(true);
      }, setFailure);
    }, [isLoaded]);
    if (failure !== undefined) return <NotLoaded reason={failure} />;
    return Loaded ? <Loaded {...props} /> : null;
  };
}

function NotLoaded({ reason }: { reason: unknown }) {
  const { isReachable } = useServiceState();
  const [isProbed, setIsProbed] = useState(false);
  const [isFinal, setIsFinal] = useState(false);
  useEffect(() => void probeService().then(() => setIsProbed(true)), []);
  useEffect(() => {
    if (!isProbed || !isReachable) return;
    if (mayReload()) location.reload();
    else setIsFinal(true);
  }, [isProbed, isReachable]);
  if (isFinal) throw reason;
  return <Note>{t.common.partNotLoaded}</Note>;
}

/** A reload would lose what a person types in a sheet. */
function mayReload(): boolean {
  const now = Date.now();
  const isRepeated = now - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_INTERVAL_MS;
  if (isRepeated || document.querySelector('dialog[open]')) return false;
  sessionStorage.setItem(RELOADED_AT, String(now));
  return true;
}
