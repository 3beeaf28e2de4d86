import type { found as english } from '../en-found.ts';
import type { Shape } from '../lookup.ts';

export const found = {
  types: {
    account: 'Cuenta',
    wallet: 'Monedero',
    pay_link: 'Enlace de pago',
    withdraw_link: 'Enlace de retiro',
    key: 'Clave',
    lightning_transaction: 'Pago o factura',
    wallet_transaction: 'Transacción',
  },
} satisfies Shape<typeof english>;
