import type { payers as english } from '../en-payers.ts';
import type { Shape } from '../lookup.ts';

export const payers = {
  page: 'Página',
  openPage: 'Abrir la página para quien paga',
  button: 'Botón para otros sitios',
  buttonText: 'Pagar con Lightning',
  buttonHint: 'Un enlace a la página para quien paga. En los sitios que indique el operador, abre un cuadro de diálogo.',
  copyCode: 'Copiar código',
  statuses: { all: 'Todos', active: 'Activos', inactive: 'Inactivos' },
  payments: 'Pagos',
  paymentsOf: (count) => `${count} ${count === '1' ? 'pago' : 'pagos'}`,
  lastUse: 'Último uso',
  never: 'nunca',
  received: 'Recibido',
  receivedSats: 'Recibido, sats',
  anyAmount: 'cualquiera',
  noneYet: 'nada aún',
  receivedBy: (links) => `Recibido por ${links === '1' ? 'el enlace' : `los ${links} enlaces`} de esta lista:`,
  paidOutBy: (links) => `Pagado por ${links === '1' ? 'el enlace' : `los ${links} enlaces`} de esta lista:`,
  noneTitle: 'Ningún enlace coincide con el filtro',
  none: 'Elija otro estado o todos los monederos.',
} satisfies Shape<typeof english>;
