import { createZaps, type ZapOptions } from './nostr/zaps.ts';
import { createPayLinks, type PayLinkOptions } from './pay/pay-links.ts';
import { OwnLinks } from './remote/own-links.ts';
import { createRemoteLinks } from './remote/remote-links.ts';
import { createWithdrawLinks, type WithdrawLinkOptions } from './withdraw/withdraw-links.ts';

interface LinkOptions extends Omit<PayLinkOptions, 'zaps'>, Omit<WithdrawLinkOptions, 'payLinks'>, Omit<ZapOptions, 'outbound'> {
  /** The client for relays that payers choose. Those that never answer must not use the connections of other requests. */
  readonly relayOutbound: ZapOptions['outbound'];
}

/** The modules of links and addresses of this service and of others. */
export function createLinkModules({ relayOutbound, ...options }: LinkOptions) {
  const zaps = createZaps({ ...options, outbound: relayOutbound });
  const payLinks = createPayLinks({ ...options, zaps });
  const ownLinks = new OwnLinks(options);
  return {
    zaps,
    payLinks,
    links: createWithdrawLinks({ ...options, payLinks }),
    ownLinks,
    remoteLinks: createRemoteLinks({ ...options, links: ownLinks }),
  };
}
