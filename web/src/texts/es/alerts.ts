import type { alertTexts as english } from '../en-alerts.ts';
import type { Shape } from '../lookup.ts';

/** States of payments and accounts, as the service names them. */
const STATES: Readonly<Record<string, string>> = {
  pending: 'pendiente',
  settled: 'liquidado',
  failed: 'fallido',
  receive_only: 'limitada a recibir',
  frozen: 'congelada',
  closing: 'en cierre',
  closed: 'cerrada',
};
const quoted = (reason: string | undefined, before: string) => (reason === undefined ? '' : ` ${before}: «${reason}».`);

const channelNames: Readonly<Record<string, string>> = { email: 'por correo', telegram: 'a Telegram' };

export const alerts = {
  close: 'Cerrar',
  closeTitle: '¿Cerrar la alerta?',
  closeText: 'Si la causa persiste, el servicio volverá a crear la alerta.',
  closeAction: 'Cerrar alerta',
  more: 'Más',
  less: 'Menos',
  since: 'Desde',
  list: 'Alertas',
  unknown: { sats: 'una cantidad desconocida', wallet: 'un monedero', node: 'el nodo' },
  duration: (hours, minutes) => (hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`),
  days: (days) => (days === 1 ? '1 día' : `${days} días`),
  actions: {
    payment: 'Mostrar pago',
    payments: 'Mostrar pagos',
    customer: 'Mostrar cliente',
    channels: 'Mostrar canales',
    node: 'Mostrar nodo',
    reconciliation: 'Mostrar conciliación',
    jobs: 'Mostrar tareas',
    suspense: 'Asignar o devolver',
    apps: 'Mostrar conexiones',
    backups: 'Mostrar copias de seguridad',
    restore: 'Mostrar restauración',
    rate: 'Mostrar tipo de cambio',
    webhooks: 'Mostrar webhooks',
    withdrawals: 'Reanudar',
    notifications: 'Enviar una prueba',
  },
  other: { title: () => 'El servicio ha creado una alerta.', text: () => '' },
  sentences: {
    payment_stuck: {
      title: ({ age }) => `Un pago lleva ${age} pendiente.`,
      text: ({ sats, wallet, node, reason }) =>
        `Importe: ${sats}, de ${wallet}. Terminará cuando ${node} comunique el resultado; nunca lo reembolse a mano.${quoted(reason, 'El nodo comunica')}`,
    },
    payment_contradicted: {
      title: ({ sats }) => `El libro mayor y el nodo discrepan sobre un pago de ${sats}.`,
      text: ({ wallet, status, reason }) =>
        `Es de ${wallet} y en el libro mayor está ${STATES[status] ?? status}.${quoted(reason, 'El nodo comunica')} Compruebe en el nodo si el dinero salió.`,
    },
    payment_corrected: {
      title: ({ sats }) => `Un pago de ${sats} se completó después de haberse comunicado como fallido.`,
      text: ({ wallet, status, charged }) =>
        status === 'borne'
          ? `El saldo de ${wallet} no bastó para descontarlo de nuevo, así que lo asume el operador. Avise al cliente.`
          : `Se descontaron ${charged} de ${wallet}. Avise al cliente.`,
    },
    fee_above_limit: {
      title: ({ sats }) => `El nodo superó un límite de comisión en ${sats}; lo asume el operador.`,
      text: ({ wallet, charged }) =>
        `${wallet} pagó su límite de ${charged} por el enrutamiento. Averigüe por qué el nodo supera el límite.`,
    },
    invoice_contradicted: {
      title: ({ sats, status }) =>
        status === 'never_arrived'
          ? `El nodo comunicó ${sats} que nunca llegaron.`
          : status === 'credited_early'
            ? `Se abonaron ${sats} que nunca llegaron.`
            : `El libro mayor y el nodo discrepan sobre un cobro de ${sats}.`,
      text: ({ wallet, status, reason }) => {
        if (status === 'never_arrived') return `No se abonó nada a ${wallet}. Quien pagó ha recuperado el dinero; avise al cliente.`;
        if (status === 'credited_early') return 'Se abonaron antes de ser definitivos, así que los asume el operador.';
        if (status === 'credited') return `Se abonaron a ${wallet} tras otro aviso del nodo. Compare con el saldo del canal.`;
        return `Se hizo un abono a ${wallet}.${quoted(reason, 'El nodo comunica')} Si falta el dinero, detenga los retiros de ese monedero.`;
      },
    },
    payments_arriving: {
      title: ({ count, counted, sats }) =>
        count === 1
          ? `1 pago de ${sats}, comunicado por el nodo, aún no es definitivo.`
          : `${counted} pagos comunicados, por un total de ${sats}, aún no son definitivos.`,
      text: ({ node, age }) =>
        `Aún no se ha abonado nada. El más antiguo se comunicó hace ${age}. Compruebe que los canales de ${node} están activos y que el nodo guarda los resultados definitivos.`,
    },
    holds_overdue: {
      title: ({ count, counted }) =>
        count === 1
          ? '1 pago de una factura con retención sigue retenido pasado su plazo.'
          : `${counted} pagos de facturas con retención siguen retenidos pasado su plazo.`,
      text: ({ node, age }) =>
        `El más antiguo lleva ${age} de retraso. Si vence su HTLC, el par cerrará el canal. Compruebe que ${node} responde.`,
    },
    credits_unproven: {
      title: ({ count, counted, sats }) =>
        count === 1
          ? `Se abonó 1 pago de ${sats} sin prueba de que llegara.`
          : `Se abonaron ${counted} pagos, por un total de ${sats}, sin prueba de que llegaran.`,
      text: ({ node }) => `En diez minutos, ${node} no ha demostrado que el resultado sea definitivo. Compare los saldos de sus canales.`,
    },
    received_restricted: {
      title: ({ sats, wallet }) => `Llegaron ${sats} para ${wallet}, cuya cuenta no puede recibir.`,
      text: ({ status }) => `Se abonaron. La cuenta está ${STATES[status] ?? status}. Decida qué hacer con el dinero.`,
    },
    over_limit: {
      title: ({ sats, wallet }) => `Llegaron ${sats} para ${wallet} por encima de su límite.`,
      text: () => 'Se abonaron. Suba el límite o pida al cliente que retire dinero.',
    },
    settlement_unbooked: {
      title: ({ sats, wallet }) => `Llegaron ${sats} para ${wallet} y no se pudieron contabilizar.`,
      text: ({ reason }) => `Cada conciliación lo vuelve a intentar.${quoted(reason, 'Motivo')}`,
    },
    node_balance_fell: {
      title: ({ sats, node }) => `Salieron ${sats} de ${node} sin asiento en el libro mayor.`,
      text: ({ inFlight }) =>
        `Si cerró un canal o movió fondos propios, acepte el saldo. Si no, detenga los retiros y averigüe adónde fue el dinero.${inFlight === undefined ? '' : ` Además, pueden faltar o estar en curso hasta ${inFlight}.`}`,
    },
    event_unbooked: {
      title: ({ node }) => `No se pudo contabilizar un evento de ${node}.`,
      text: ({ name, reason }) => `Está guardado y se volverá a intentar: ${name}.${quoted(reason, 'Motivo')}`,
    },
    node_restored: {
      title: ({ node }) => `${node} se restauró a partir de una copia antigua.`,
      text: () =>
        'Todos sus eventos se leen de nuevo; nada se abona dos veces. Revise los pagos que sigan pendientes: puede que el nodo ya no tenga constancia de ellos aunque el dinero haya salido.',
    },
    node_holds_less: {
      title: ({ node, sats }) => `${node} tiene ${sats} menos de lo que se debe según el libro mayor.`,
      text: ({ inFlight }) =>
        `${inFlight === undefined ? 'Nada de esa diferencia puede estar en curso' : `De esa diferencia, pueden estar en curso hasta ${inFlight}`}. Detenga los retiros y averigüe adónde fue el dinero.`,
    },
    relay_unavailable: {
      title: ({ name }) => `El relé de Nostr ${name} no funciona.`,
      text: ({ reason }) => `Las aplicaciones que usan solo este relé no reciben respuestas.${quoted(reason, 'Respuesta del relé')}`,
    },
    job_failing: {
      title: ({ name, counted }) => `La tarea en segundo plano «${name}» ha fallado ${counted} veces seguidas.`,
      text: ({ reason }) => `Se volverá a intentar.${quoted(reason, 'Último motivo')}`,
    },
    suspense_not_empty: {
      title: ({ sats }) => `Llegaron ${sats} sin monedero de destino.`,
      text: () => 'Asigne el dinero a un monedero o devuélvalo a quien pagó.',
    },
    node_silent: {
      title: ({ node }) => `${node} no responde.`,
      text: ({ reason }) =>
        `Sus monederos no pueden enviar ni recibir, y el dinero de los pagos pendientes sigue retenido.${quoted(reason, 'Motivo')}`,
    },
    node_setting: {
      title: ({ node }) => `Un ajuste de ${node} puede hacer perder un canal o retrasar dinero recibido.`,
      text: ({ reason }) => `${reason ?? ''} Cámbielo y reinicie el nodo.`.trim(),
    },
    node_cannot_send: {
      title: ({ node, age }) => `${node} no puede enviar desde hace ${age}.`,
      text: ({ reason }) => `Los pagos de sus monederos a otros nodos se rechazan.${quoted(reason, 'Motivo')}`,
    },
    channel_lost: {
      title: ({ name, sats, status }) =>
        status === 'closing'
          ? `El canal con ${name} se está cerrando de forma unilateral.`
          : `El canal con ${name} (${sats}) está inactivo.`,
      text: ({ node, sats, age, status }) =>
        status === 'closing'
          ? `${sats} van camino del monedero on-chain de ${node}. Mantenga el nodo en marcha hasta que lleguen.`
          : `Su par está desconectado desde hace ${age}. Compruebe que esté en línea y conéctese a él.`,
    },
    node_not_synced: {
      title: ({ node, age }) => `${node} no está sincronizado con la cadena de bloques desde hace ${age}.`,
      text: () => 'Los pagos pueden fallar. Revise su nodo de Bitcoin.',
    },
    node_behind: {
      title: ({ node }) => `${node} está atrasado respecto a la cadena de bloques.`,
      text: ({ reason }) =>
        `Sus pagos se rechazan hasta que se ponga al día. Revise su nodo de Bitcoin o los pares de neutrino.${quoted(reason, 'Motivo')}`,
    },
    liquidity_low: {
      title: ({ node, sats, status }) =>
        status === 'sending' ? `${node} solo puede enviar ${sats} más.` : `${node} solo puede recibir ${sats} más.`,
      text: ({ status }) =>
        status === 'sending'
          ? 'Es menos de lo que sus monederos envían en un día medio.'
          : 'Es menos de lo que sus monederos reciben en un día medio.',
    },
    replication_broken: {
      title: () => 'Una transacción de la base de datos se confirmó sin esperar a la réplica.',
      text: () =>
        'Nada de lo que escribió se envió a un nodo antes de estar en una réplica. Recupere la réplica; tras una conmutación por error, concilie.',
    },
    backup_failed: {
      title: () => 'No se pudo escribir una copia de seguridad.',
      text: ({ reason }) => `La próxima copia correcta cerrará la alerta.${quoted(reason, 'Motivo')}`,
    },
    backup_old: {
      title: ({ age }) => (age === '' ? 'No hay copia de seguridad.' : `La copia de seguridad más reciente es de hace ${age}.`),
      text: () => 'Son más de tres intervalos. Averigüe por qué fallan las copias.',
    },
    restored: {
      title: () => 'El servicio se restauró a partir de una copia de seguridad y no envía dinero.',
      text: () => 'Sí recibe, y lee de sus nodos lo ocurrido desde entonces. Cuando termine, acepte la restauración.',
    },
    restore_shortfall: {
      title: ({ sats, wallet }) => `${wallet} tenía ${sats} menos de lo que costaron sus pagos.`,
      text: () =>
        'Al libro mayor restaurado le falta lo que había recibido, así que el operador asume la diferencia. Averigüe de qué monedero vino el dinero.',
    },
    fiat_rate: {
      title: ({ name }) => `El tipo de cambio de ${name} requiere revisión.`,
      text: ({ reason }) => reason ?? 'Los importes nunca se convierten con un tipo de cambio dudoso.',
    },
    withdrawals_stopped: {
      title: () => 'Los retiros están detenidos.',
      text: ({ reason }) => `Los clientes leen: «${reason ?? ''}». Se puede seguir recibiendo y transfiriendo.`,
    },
    proxy_address_unreadable: {
      title: ({ name }) => `El proxy ${name} no indica sus clientes.`,
      text: ({ reason }) =>
        `X-Forwarded-For contiene «${reason ?? ''}», que no es una dirección IP. Todos los clientes del proxy comparten los límites de una sola dirección.`,
    },
    webhook_disabled: {
      title: ({ name }) => `Se desactivó el webhook a ${name}.`,
      text: ({ status }) =>
        status === 'gone'
          ? 'Respondió con 410 Gone. Su titular puede reanudarlo.'
          : 'No se entregó nada durante tres días. Avise a su titular, que puede reanudarlo.',
    },
    webhook_secrets_unreadable: {
      title: ({ count, counted }) => (count === 1 ? 'Un webhook no recibe nada.' : `${counted} webhooks no reciben nada.`),
      text: () =>
        'Sus secretos se cifraron con otra SECRET_KEY. Restaure la clave anterior o pida a sus titulares que renueven los secretos.',
    },
    alert_channel_failing: {
      title: ({ name }) => `Las alertas no se pueden enviar ${channelNames[name] ?? `por ${name}`}.`,
      text: ({ reason }) => `Se volverán a enviar.${quoted(reason, 'Motivo')}`,
    },
  },
} satisfies Shape<typeof english>;
