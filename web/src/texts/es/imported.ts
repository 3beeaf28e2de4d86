import type { imported as english } from '../en-imported.ts';
import type { Shape } from '../lookup.ts';

export const imported = {
  title: 'Antes de la importación',
  remark: (program) => `De ${program}. Estas filas ya están en el saldo inicial y no se cuentan en ningún otro lugar.`,
  programs: { lnbits: 'LNbits', lndhub: 'lndhub.go', lnpay: 'LNPay' },
  kinds: { lightning: 'Lightning', internal: 'Entre monederos', other: 'Otro asiento' },
  statuses: { settled: 'Liquidado', pending: 'Estaba pendiente', open: 'Estaba abierta', failed: 'Fallido' },
  unbooked: { pending: 'ahora es un pago', open: 'ahora es una factura', failed: 'no descontado' },
  settled: 'Liquidado',
  kind: 'Tipo',
  fee: 'Comisión',
  id: (program) => `ID en ${program}`,
  fields: (program) => `Más campos de ${program}`,
} satisfies Shape<typeof english>;
