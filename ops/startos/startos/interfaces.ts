import { PORT } from './container';
import { sdk } from './sdk';

export const setInterfaces = sdk.setupInterfaces(async ({ effects }) => {
  const origin = await sdk.MultiHost.of(effects, 'main').bindPort(PORT, { protocol: 'http' });
  const dashboard = sdk.createInterface(effects, {
    name: 'Dashboard and API',
    id: 'main',
    description: 'The dashboard for people, and the API for programs',
    type: 'ui',
    masked: false,
    schemeOverride: null,
    username: null,
    path: '',
    query: {},
  });
  return [await origin.export([dashboard])];
});
