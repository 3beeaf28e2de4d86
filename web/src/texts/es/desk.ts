import type { desk as english } from '../en-desk.ts';
import type { Shape } from '../lookup.ts';

export const desk = {
  oldestFirst: { newer: 'Atrás', older: 'Siguientes' },
  withdrawals: {
    stop: 'Detener retiros',
    stopTitle: '¿Detener todos los retiros?',
    stopText:
      'Nadie puede enviar ni cobrar un enlace de retiro hasta que los reanude. Recibir, las transferencias dentro del servicio y la lectura siguen.',
    inFlight: (count: number) =>
      count === 1 ? '1 pago en curso termina con normalidad.' : `${count} pagos en curso terminan con normalidad.`,
    stopReason: 'Motivo, que ven los clientes',
    stopHint: 'Queda en el registro con su nombre.',
    resume: 'Reanudar',
    resumeTitle: '¿Reanudar los retiros?',
    resumeText: 'Los pagos vuelven a salir del servicio, y los pagos múltiples continúan.',
    stopped: 'Los retiros están detenidos.',
    by: (name: string) => `Por ${name},`,
    quote: (reason: string) => `«${reason}»`,
    refused: (count: number) => (count === 1 ? 'Se rechazó 1 pago.' : `Se rechazaron ${count} pagos.`),
    receiving: 'Recibir funciona.',
  },
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
