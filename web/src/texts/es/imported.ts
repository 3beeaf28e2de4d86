import type { imported as english } from '../en-imported.ts';
import type { Shape } from '../lookup.ts';

export const imported = {
  title: 'Antes de la importación',
  remark: (program) => `De ${program}. Estas filas están en el saldo inicial y no cuentan en ningún otro lugar.`,
  programs: { lnbits: 'LNbits', lndhub: 'lndhub.go', lnpay: 'LNPay' },
  kinds: { lightning: 'Lightning', internal: 'Entre monederos', other: 'Otro apunte' },
  statuses: { settled: 'Liquidado', pending: 'Estaba pendiente', open: 'Estaba abierto', failed: 'Fallido' },
  unbooked: { pending: 'desde entonces un pago', open: 'desde entonces una factura', failed: 'no cobrado' },
  settled: 'Liquidado',
  kind: 'Tipo',
  fee: 'Comisión',
  id: (program) => `ID en ${program}`,
  fields: (program) => `Más campos de ${program}`,
} satisfies Shape<typeof english>;
