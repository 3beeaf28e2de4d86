import type { steps as english } from '../en-steps.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const steps = {
  title: 'Primeros pasos',
  progress: (done, all) => `${formatCount(done)} de ${formatCount(all)}`,
  progressLabel: (done, all) => `${formatCount(done)} de ${formatCount(all)} pasos completados`,
  done: 'Hecho: ',
  next: 'Siguiente: ',
  recognized: 'Los pasos completados se detectan solos, también los hechos por la API.',
  hide: 'Ocultar',
  names: {
    node: 'Conectar un nodo',
    wallet: 'Crear un monedero',
    receive: 'Recibir',
    send: 'Enviar un pago',
    address: 'Crear una dirección',
    key: 'Crear una clave',
    webhook: 'Añadir un webhook',
    backup: 'Hacer una copia de seguridad',
  },
  texts: {
    playground: {
      wallet: 'Para usted, un dispositivo o un cliente',
      receive: 'El pagador de la zona de pruebas envía 21 000 sats.',
      send: 'La zona de pruebas tiene una tienda que emite una factura para pagar.',
      key: 'Para su programa, con presupuesto',
      webhook: 'Aquí se permite un receptor en esta máquina.',
      backup: 'Ejecute este comando y restaure la copia para ver la cuarentena.',
    },
    node: {
      node: 'El resumen muestra si responde.',
      wallet: 'Para usted, un dispositivo o un cliente',
      receive: 'Un importe pequeño, desde un monedero de la misma red',
      send: 'Como mucho 100 sats en el primer intento',
      key: 'Con presupuesto y solo los permisos necesarios',
      webhook: 'Su programa se entera de cada pago.',
      backup: 'Sin una copia en otra máquina, si falla el disco se pierden los saldos. BACKUP_DIR programa las copias.',
    },
  },
  address: (domain) => `nombre@${domain}, se usa como una dirección de correo`,
  actions: {
    node: 'Resumen',
    wallet: 'Nuevo monedero',
    receive: 'Recibir',
    send: 'Enviar',
    address: 'Dirección',
    key: 'Nueva clave',
    webhook: 'Añadir webhook',
  },
  fund: 'Recibir 21 000 sats',
  getInvoice: 'Obtener una factura',
  copyCommand: 'Copiar el comando',
  ready: '¿Todo listo para el dinero?',
  readyText: 'Este comando comprueba el reloj, el disco, el nodo, su liquidez, la dirección y las copias de seguridad.',
} satisfies Shape<typeof english>;
