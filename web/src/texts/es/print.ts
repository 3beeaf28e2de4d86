import type { print as english } from '../en-print.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const print = {
  receiptAction: 'Imprimir recibo',
  receipt: 'Recibo',
  sent: 'Pago enviado',
  received: 'Pago recibido',
  heldParts: { paid: 'Pagado', released: 'Liberado', feeReserve: 'Reserva para comisiones' },
  serviceFee: 'Comisión del servicio',
  insideOnly:
    'Solo los monederos de este servicio pueden pagar esta factura: se cerró en su nodo para un pago que después se rechazó. Para quien paga desde fuera, cree otra.',
  date: 'Fecha',
  preimage: 'Preimagen, la prueba de pago',
  printed: (host, time) => `${host}, impreso el ${time}`,
  voucherAction: 'Imprimir vale',
  vouchersAction: 'Imprimir vales',
  voucher: 'Vale',
  voucherText: 'Escanee el código con un monedero Lightning. El primer monedero que lo escanee recibe los sats.',
  manyText: 'Escanee el código con un monedero Lightning para recibir los sats.',
  until: (time) => `Válido hasta el ${time}`,
  more: 'Más opciones',
  copies: 'Vales',
  copiesHint: 'Más de 1: enlaces separados para imprimir; cada uno se puede cobrar una sola vez.',
  copiesError: 'Un número entero de 1 a 60.',
  created: (count) => `Se han creado ${formatCount(count)} vales`,
  copyLinks: 'Copiar los enlaces',
  cardAction: 'Imprimir tarjeta',
  cardText: 'Escanee el código o introduzca la dirección en un monedero Lightning.',
  linkCardText: 'Para pagar, escanee el código con un monedero Lightning.',
} satisfies Shape<typeof english>;
