import { mounts, PORT, settings, USER } from './container';
import { sdk } from './sdk';

export const main = sdk.setupMain(async ({ effects }) => {
  const env = await settings(effects);
  return sdk.Daemons.of(effects).addDaemon('primary', {
    subcontainer: sdk.SubContainer.of(effects, { imageId: 'satchel' }, mounts, 'satchel'),
    // A payment that waits is answered with 202 after at most 25 seconds.
    exec: { command: sdk.useEntrypoint(), env, user: USER, sigtermTimeout: 60_000 },
    ready: {
      display: 'Dashboard and API',
      gracePeriod: 60_000,
      fn: () =>
        sdk.healthCheck.checkPortListening(effects, PORT, {
          successMessage: 'The service answers',
          errorMessage: 'The service does not answer',
        }),
    },
    requires: [],
  });
});
