import type { desk as english } from '../en-desk.ts';
import type { Shape } from '../lookup.ts';

export const desk = {
  oldestFirst: { newer: 'Atrás', older: 'Siguientes' },
  payments: {
    title: 'Pagos sin terminar',
    one: 'Pago',
    which: 'Qué pagos',
    statuses: { stuck: 'Atascados', pending: 'Todos los pendientes' },
    states: { pending: 'Pendiente', settled: 'Liquidado', failed: 'Fallido' },
    state: 'Situación',
    details: 'Detalles',
    customer: 'Mostrar cliente',
    wallet: 'Monedero',
    started: 'Iniciado',
    failure: 'Por qué falló',
    node: 'Nodo',
    id: 'ID',
    emptyPending: 'No hay pagos pendientes',
    emptyPendingText: 'Todos los pagos han terminado.',
  },
} satisfies Shape<typeof english>;
