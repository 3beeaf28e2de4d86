import type { channels as english } from '../en-channels.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const channels = {
  title: 'Canales',
  peer: 'Par',
  send: 'Puede enviar',
  receive: 'Puede recibir',
  sendSats: 'Puede enviar, sats',
  receiveSats: 'Puede recibir, sats',
  capacity: 'Capacidad, sats',
  capacityOf: (sats) => `${sats} sats`,
  status: 'Estado',
  statuses: { active: 'Activo', inactive: 'Par sin conexión', opening: 'Abriéndose', closing: 'Cerrándose' },
  private: 'privado',
  unknown: 'desconocido',
  bar: (send, receive) => `Puede enviar ${send} sats y recibir ${receive} sats`,
  counts: (counts) =>
    [
      counts.active === 1 ? '1 activo' : `${formatCount(counts.active)} activos`,
      counts.inactive > 0 && `${formatCount(counts.inactive)} con el par sin conexión`,
      counts.opening > 0 && `${formatCount(counts.opening)} abriéndose`,
      counts.closing > 0 && `${formatCount(counts.closing)} cerrándose`,
    ]
      .filter(Boolean)
      .join(', '),
  estimate:
    'Estimaciones, descontadas las reservas de canal y las comisiones. Para un solo pago, puede que solo haya ruta con un importe menor. Los canales se abren y cierran con las herramientas del nodo.',
  more: (count) => `Mostrar ${formatCount(count)} más`,
  pubkey: 'Clave pública',
  id: 'Canal',
  network: 'Red',
  announced: 'Anunciado a la red',
  hidden: 'Privado, no anunciado a la red',
  showChannels: 'Mostrar canales',
  away: 'Todos los pares están sin conexión. Hasta que uno vuelva, el nodo no puede enviar ni recibir.',
  cannotSend: 'Los canales activos no pueden enviar nada, así que los pagos de los monederos de este nodo al exterior no encuentran ruta.',
  cannotReceive:
    'Los canales activos no pueden recibir nada, así que las facturas de los monederos de este nodo no se pueden pagar desde el exterior.',
  emptyTitle: 'No hay canales',
  empty: 'Sin canales, el nodo no puede enviar ni recibir. Abra uno hacia un par bien conectado con las herramientas del nodo:',
  emptyCommands: [
    ['LND', 'lncli openchannel'],
    ['Core Lightning', 'lightning-cli fundchannel'],
  ],
  notPermittedTitle: 'No permitido',
  notPermitted:
    'La credencial de LIGHTNING_URL no permite listar los canales. satchel node check muestra el comando que crea una adecuada.',
  unsupportedTitle: 'No disponible',
  unsupported: 'El servicio no puede listar los canales de este nodo.',
} satisfies Shape<typeof english>;
