import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Returns a component whose code is loaded when it is first shown. A failure is thrown to the error boundary. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [isLoaded, setIsLoaded] = useState(Loaded !== undefined);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (isLoaded) return;
      load().then((component) => {
        Loaded = component;
        setIsLoaded(true);
      }, setError);
    }, [isLoaded]);
    // After an update of the service, the files of the old version are gone.
    if (error !== undefined) throw error;
    return Loaded ? <Loaded {...props} /> : null;
  };
}
