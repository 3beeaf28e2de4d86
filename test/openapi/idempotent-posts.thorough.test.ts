import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { UNREACHABLE_MAIL_SERVER } from '../support/alert-channel.ts';
import { onFakeNode } from '../support/app.ts';
import { operationsOf, servedApi } from './conformance/operations.ts';
import { send } from './conformance/send.ts';
import { createWorld, UNAVAILABLE } from './conformance/world.ts';

/** The operations that control the test network, those of logins, and one that only reads. They take no Idempotency-Key. */
const EXEMPT = [
  'probeWithdrawLink',
  'playgroundPay',
  'playgroundFund',
  'playgroundKeysend',
  'playgroundInvoice',
  'playgroundHold',
  'playgroundPayLink',
  'playgroundClaim',
  'logIn',
  'setUpLogin',
  'changePassword',
  'beginTotp',
  'confirmTotp',
  'renewRecoveryCodes',
  'removeTotp',
  'beginWalletLogin',
  'completeWalletLogin',
  'beginWalletLink',
  'completeWalletLink',
  'beginPasskey',
  'addPasskey',
  'beginPasskeyLogin',
  'logInWithPasskey',
  'beginSetupPasskey',
  'setUpPasskey',
  'logInWithRecoveryCode',
  'createRecoveryCodes',
];

onFakeNode(
  'every POST',
  (service) => {
    const { client } = service;
    it('is executed once per Idempotency-Key', async () => {
      const walk = operationsOf(await servedApi(client));
      const world = await createWorld(service, walk);
      const posts = walk.filter(({ method }) => method === 'POST');
      const problems: string[] = [];
      const exempt: string[] = [];
      for (const post of posts) {
        const { operationId = '' } = post.operation;
        const values = await world.goodValues(post, 'least');
        const withKey = { ...values, header: { ...values.header, 'Idempotency-Key': randomUUID() } };
        const first = await send(client, post, withKey, { key: client.secretKey });
        if (first.status >= 300 && !UNAVAILABLE.has(operationId)) problems.push(`${operationId} is rejected: ${first.text}`);
        const second = await send(client, post, withKey, { key: client.secretKey });
        if (post.path.startsWith('/v1/session')) expect(post.fields.map(({ name }) => name)).not.toContain('Idempotency-Key');
        const isReplayed = second.headers.get('idempotency-replayed') === 'true';
        if (EXEMPT.includes(operationId)) exempt.push(operationId);
        else if (!isReplayed) problems.push(`${operationId} was executed twice: ${second.status} ${second.text}`);
      }
      expect(problems, 'run the handler in `runIdempotent`').toEqual([]);
      expect(exempt.toSorted()).toEqual(EXEMPT.toSorted());
      expect(posts.length).toBeGreaterThan(10);
    });
  },
  { PAYMENT_WAIT_SECONDS: '0', PROOF_INTERVAL_SECONDS: '1', OUTBOUND_ALLOW: '127.0.0.1', ...UNREACHABLE_MAIL_SERVER },
);
