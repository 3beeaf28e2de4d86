import { sdk } from './sdk';

export const setDependencies = sdk.setupDependencies(async () => ({
  // The first version whose REST interface has the host id that `main` reads.
  lnd: { kind: 'running', versionRange: '>=0.21.1-beta:4', healthChecks: ['lnd'] },
}));
