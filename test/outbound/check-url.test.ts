import { describe, expect, it } from 'vitest';
import { OutboundError } from '../../src/core/outbound/outbound.ts';
import { createWorld } from './world.ts';

describe('a URL that is stored for later requests', () => {
  const { outbound } = createWorld();

  it.each([
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://localhost/',
    'https://a.localhost/',
    'http://pay.test/',
    'https://pay.test:25/',
    'https://user@pay.test/',
    'ftp://pay.test/',
    '',
  ])('is refused without a request: %s', (url) => {
    expect(() => outbound.checkUrl(url)).toThrow(OutboundError);
  });

  it.each(['https://pay.test/path?secret=1', 'https://93.184.215.14:8443/'])('is accepted: %s', (url) => {
    expect(() => outbound.checkUrl(url)).not.toThrow();
  });

  it('is accepted where the operator allows its host', () => {
    const { outbound: allowing } = createWorld({ allow: 'localhost,10.0.0.0/8' });
    for (const url of ['http://localhost:3000/', 'https://10.1.1.1/']) expect(() => allowing.checkUrl(url)).not.toThrow();
    expect(() => allowing.checkUrl('https://127.0.0.1/')).toThrow(OutboundError);
  });

  it.each(['http://localhost:3000/', 'http://127.0.0.1:3000/', 'http://[::1]:3000/'])(
    'on this machine is refused with the setting that allows it: %s',
    (url) => {
      const { host } = new URL(url);
      expect(() => outbound.checkUrl(url)).toThrow(`For a receiver on this machine, the operator sets OUTBOUND_ALLOW=${host}.`);
      expect(() => createWorld({ allow: host }).outbound.checkUrl(url)).not.toThrow();
    },
  );

  it('may name this machine where the settings say so, by localhost and loopback addresses with a port from 1024 on', () => {
    let may = true;
    const { outbound: local } = createWorld({ mayReachLoopback: () => may });
    const urls = [
      'http://localhost:3000/',
      'https://localhost:3000/',
      'http://127.0.0.1:3000/',
      'http://127.9.9.9:1024/',
      'http://[::1]:3000/',
    ];
    for (const url of urls) expect(() => local.checkUrl(url)).not.toThrow();
    const others = ['http://localhost/', 'https://localhost/', 'http://127.0.0.1:25/', 'http://10.0.0.1:3000/', 'http://a.localhost:3000/'];
    for (const url of [...others, 'http://localhost.pay.test:3000/', 'http://[::ffff:127.0.0.1]:3000/'])
      expect(() => local.checkUrl(url)).toThrow(OutboundError);
    may = false;
    for (const url of urls) expect(() => local.checkUrl(url)).toThrow(OutboundError);
  });
});
