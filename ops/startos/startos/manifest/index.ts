import { setupManifest } from '@start9labs/start-sdk';

export const manifest = setupManifest({
  id: 'satchel',
  title: 'Satchel',
  license: 'MIT',
  packageRepo: 'https://satchel.example/source',
  upstreamRepo: 'https://satchel.example/source',
  marketingUrl: 'https://satchel.example',
  donationUrl: null,
  description: {
    short: 'A Lightning wallet for every user, app or device',
    long: 'Satchel gives every user, app or device its own wallet in satoshis, on your Lightning node, with an HTTP API and a dashboard.',
  },
  volumes: ['main', 'startos'],
  images: {
    satchel: {
      // Set at release: the published image.
      source: { dockerTag: 'satchel.example/satchel:0.1.0' },
      arch: ['x86_64', 'aarch64'],
    },
  },
  dependencies: {
    lnd: {
      description: 'The Lightning node that receives and sends the money of all wallets',
      optional: false,
      metadata: {
        title: 'LND',
        icon: 'https://raw.githubusercontent.com/Start9Labs/lnd-startos/refs/heads/master/icon.svg',
      },
    },
  },
});
