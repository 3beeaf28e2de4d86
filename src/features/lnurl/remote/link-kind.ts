import { Refusal } from '../../../core/kernel/refusal.ts';

/** What a link of another service is for. The service states it as the `tag` of its response, and some links as their URL scheme. */
export type LinkKind = 'pay' | 'withdraw' | 'login' | 'channel';

/** The kinds that this service can use. */
export type UsableKind = 'pay' | 'withdraw';

/** Sources: LUD-02, LUD-03, LUD-04, LUD-06, LUD-07. */
const KIND_OF_TAG: ReadonlyMap<unknown, LinkKind> = new Map([
  ['payRequest', 'pay'],
  ['withdrawRequest', 'withdraw'],
  ['login', 'login'],
  ['channelRequest', 'channel'],
  ['hostedChannelRequest', 'channel'],
]);

/** Returns the kind that a `tag` names; undefined for an unknown one. */
export function kindOfTag(tag: unknown): LinkKind | undefined {
  return KIND_OF_TAG.get(tag);
}

/** What to do with a link of another kind than the request needs. */
const REMEDY: Readonly<Record<LinkKind, string>> = {
  pay: 'This is a pay link, not a withdraw link. Pay it with `POST /v1/wallet/{key}/lnurlp/pay`.',
  withdraw: 'This is a withdraw link, not a pay link. Receive from it with `POST /v1/wallet/{key}/lnurl/pull`.',
  login: 'This is a login link (LNURL-auth). This service does not log in at other services.',
  channel: 'This is a channel link. This service does not open channels on request.',
};

/** @throws Refusal `lnurl_invalid` with the remedy, unless the kind is the one that the request needs. */
export function requireKind(found: LinkKind, wanted: UsableKind): void {
  if (found !== wanted) throw new Refusal('lnurl_invalid', REMEDY[found]);
}
