import { request } from 'node:http';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { onFakeNode } from '../support/app.ts';

/** Returns the status and the location of a response, also for a Host header that `fetch` does not send. */
function locationOf(url: string, headers: Record<string, string>): Promise<[number | undefined, string | undefined]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers.location]);
    });
    sent.on('error', reject).end();
  });
}

it('has localhost in its default URL where a browser reaches it there', () => {
  const urlOf = (HOST: string) => readConfig({ HOST, PORT: '4021' }).publicUrl;
  for (const host of ['127.0.0.1', '::1', 'localhost', '0.0.0.0', '::']) expect(urlOf(host)).toBe('http://localhost:4021');
  expect(urlOf('192.0.2.7')).toBe('http://192.0.2.7:4021');
  expect(readConfig({ PUBLIC_URL: 'https://wallets.example/' }).publicUrl).toBe('https://wallets.example');
});

it('lists the hosts under which this machine reaches the service', () => {
  const hostsOf = (HOST: string, PORT = '4021') => readConfig({ HOST, PORT }).localHosts;
  expect(hostsOf('127.0.0.1')).toEqual(['localhost:4021', '127.0.0.1:4021']);
  expect(hostsOf('::1')).toEqual(['localhost:4021', '[::1]:4021']);
  expect(hostsOf('0.0.0.0')).toEqual(['localhost:4021', '127.0.0.1:4021']);
  expect(hostsOf('::')).toEqual(['localhost:4021', '127.0.0.1:4021', '[::1]:4021']);
  expect(hostsOf('192.0.2.7')).toEqual(['192.0.2.7:4021']);
  expect(hostsOf('127.0.0.1', '80')).toEqual(['localhost', '127.0.0.1']);
});

onFakeNode(
  'the dashboard on the default address',
  ({ client }) => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

    it('is opened at localhost, because browsers allow no passkeys at an IP address', async () => {
      const moved = client.url.replace('127.0.0.1', 'localhost');
      for (const path of ['/', '/wallets?label=till', '/wallets/wal_1/send', '/setup', '/playground'])
        expect([path, ...(await locationOf(`${client.url}${path}`, browser))]).toEqual([path, 307, `${moved}${path}`]);
      expect(await locationOf(`${moved}/wallets`, browser)).toEqual([200, undefined]);
    });

    it('is not redirected for programs, payers and other hosts, such as that of a tunnel', async () => {
      expect(await locationOf(`${client.url}/`, { accept: 'application/json' })).toEqual([200, undefined]);
      expect(await locationOf(`${client.url}/v1/version`, browser)).toEqual([200, undefined]);
      for (const host of ['evil.example', '127.0.0.1:1', 'localhost:1'])
        expect(await locationOf(`${client.url}/wallets`, { ...browser, host })).toEqual([200, undefined]);
    });
  },
  { PUBLIC_URL: '' },
);
