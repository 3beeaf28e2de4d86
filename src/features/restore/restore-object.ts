import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';

function amount(description: string) {
  return Type.Integer({ description: `${description}, in millisatoshis` });
}

function time(description: string) {
  return nullable(Type.Integer({ description: `${description}, in Unix seconds` }));
}

function count(description: string) {
  return Type.Integer({ description });
}

const ReadBackObject = Type.Object(
  {
    status: oneOf(['running', 'complete'], { description: 'The status of all nodes together' }),
    nodes: Type.Array(
      Type.Object({
        ln_node_id: Type.String({ description: 'The node, `lnd_…`' }),
        status: oneOf(['waiting', 'running', 'complete'], { description: '`waiting`: the service has not begun' }),
        step: oneOf(['receipts', 'payments', 'late_payments'], {
          description:
            '`late_payments`: it waits until no request of the lost service can be executed any more, and then reads the payments again',
        }),
        read_receipts: count('The receipts that were read'),
        read_payments: count('The payments that were read'),
        foreign: count('The receipts and payments among them that name no wallet, such as those of other programs'),
        error: nullable(Type.String({ description: 'Why it does not go on; it is tried again. Null: nothing is wrong' })),
      }),
      { description: 'The progress at each node' },
    ),
  },
  { description: 'How far the records of the nodes have been read back' },
);

export const RestoreObject = namedObject('Restore', {
  quarantined: Type.Boolean({ description: 'Whether the service was restored and sends no money until `satchel restore accept`' }),
  backup_created_at: time('The time of the backup; 0 if everything was lost. Null: this database was never restored'),
  restored_at: time('When it was restored; null if that is unknown'),
  lost_from: time('The beginning of the time from which transfers between wallets and other changes are lost'),
  lost_until: time('Its end'),
  read_back: ReadBackObject,
  receipts: Type.Object(
    { count: count('Their number'), num_msat: amount('Their sum') },
    { description: 'Receipts of wallets that were booked since the restore' },
  ),
  payments: Type.Object(
    {
      count: count('Their number'),
      num_msat: amount('Their sum without fees'),
      fee_msat: amount('Their routing fees'),
      pending: count('Those that were read back and have not ended'),
    },
    { description: 'Payments to the network that were booked since the restore' },
  ),
  shortfalls: Type.Object(
    {
      num_msat: amount('The sum, which the operator bears'),
      items: Type.Array(
        Type.Object({
          wallet_id: Type.String({ description: 'The wallet' }),
          payment_id: Type.String({ description: 'The payment, `lntx_…`' }),
          num_msat: amount('What the wallet lacked for it'),
        }),
        { description: 'At most 100' },
      ),
    },
    { description: 'What wallets had spent and lacked after the restore' },
  ),
  recovered_wallets: Type.Object(
    {
      count: count('Their number'),
      account_id: nullable(Type.String({ description: 'The account that has them, `acc_…`; null if there are none' })),
      items: Type.Array(Type.String(), { description: 'Their ids, at most 100' }),
    },
    { description: 'Wallets that were in the records of a node and not in the ledger' },
  ),
  reconciliation: Type.Object(
    {
      status: oneOf(['waiting', 'agrees', 'differs'], { description: '`waiting`: none has ended since the records were read back' }),
      detail: Type.String({ description: 'A sentence' }),
    },
    { description: 'The last reconciliation after the records were read back' },
  ),
  not_recovered: Type.Array(Type.String(), { description: 'What is lost, as sentences' }),
});

export type Restore = Static<typeof RestoreObject>;
