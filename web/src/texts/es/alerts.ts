import type { alertTexts as english } from '../en-alerts.ts';
import type { Shape } from '../lookup.ts';

const payments = (count: number) => (count === 1 ? '1 pago' : `${count} pagos`);
const quoted = (reason: string | undefined, before: string) => (reason === undefined ? '' : ` ${before}: «${reason}».`);

export const alerts = {
  close: 'Cerrar',
  closeTitle: '¿Cerrar la alerta?',
  closeText: 'Si la causa continúa, el servicio la vuelve a crear.',
  closeAction: 'Cerrar alerta',
  more: 'Más',
  less: 'Menos',
  since: 'Desde',
  list: 'Alertas',
  unknown: { sats: 'Dinero', wallet: 'un monedero', node: 'el nodo' },
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
    rate: 'Mostrar cambio',
    webhooks: 'Mostrar webhooks',
    withdrawals: 'Reanudar',
    notifications: 'Enviar una prueba',
  },
  other: { title: () => 'El servicio ha creado una alerta.', text: () => '' },
  sentences: {
    payment_stuck: {
      title: ({ age }) => `Un pago lleva ${age} pendiente.`,
      text: ({ sats, wallet, node, reason }) =>
        `${sats} de ${wallet}. Termina cuando ${node} comunica el resultado; nunca lo reembolse a mano.${quoted(reason, 'El nodo comunica')}`,
    },
    payment_contradicted: {
      title: ({ sats }) => `El libro mayor y el nodo no coinciden en un pago de ${sats}.`,
      text: ({ wallet, status, reason }) =>
        `Es de ${wallet} y en el libro mayor está ${status}.${quoted(reason, 'El nodo comunica')} Compruebe en el nodo si el dinero salió.`,
    },
    payment_corrected: {
      title: ({ sats }) => `Un pago de ${sats} se completó después de comunicarse como fallido.`,
      text: ({ wallet, status, charged }) =>
        status === 'borne'
          ? `${wallet} no pudo pagarlo otra vez, así que lo asume el operador. Avise al cliente.`
          : `A ${wallet} se le cobraron ${charged}. Avise al cliente.`,
    },
    fee_above_limit: {
      title: ({ sats }) => `El nodo superó un límite de comisión en ${sats}, que asume el operador.`,
      text: ({ wallet, charged }) =>
        `${wallet} pagó su límite de ${charged} por el enrutamiento. Averigüe por qué el nodo supera su límite.`,
    },
    invoice_contradicted: {
      title: ({ sats, status }) =>
        status === 'never_arrived'
          ? `${sats} que comunicó el nodo nunca llegaron.`
          : status === 'credited_early'
            ? `${sats} se abonaron y nunca llegaron.`
            : `El libro mayor y el nodo no coinciden en ${sats} recibidos.`,
      text: ({ wallet, status, reason }) => {
        if (status === 'never_arrived') return `No se abonó nada a ${wallet}. Quien pagó tiene el dinero de vuelta; avise al cliente.`;
        if (status === 'credited_early') return 'Se abonaron antes de ser definitivos, así que los asume el operador.';
        if (status === 'credited') return `Se abonaron a ${wallet} tras otra comunicación del nodo. Compare con el saldo del canal.`;
        return `Se hizo un abono a ${wallet}.${quoted(reason, 'El nodo comunica')} Si falta el dinero, detenga sus retiros.`;
      },
    },
    payments_arriving: {
      title: ({ count, sats }) => `${payments(count)} por ${sats} sin carácter definitivo todavía.`,
      text: ({ node, age }) =>
        `No están abonados. El más antiguo se comunicó hace ${age}. Compruebe que los canales de ${node} están activos y que guarda los resultados definitivos.`,
    },
    holds_overdue: {
      title: ({ count }) => `${payments(count)} de facturas con retención siguen retenidos tras su plazo.`,
      text: ({ node, age }) =>
        `El más antiguo lleva ${age} de retraso. Si su HTLC vence, el par cierra el canal. Compruebe que ${node} responde.`,
    },
    credits_unproven: {
      title: ({ count, sats }) => `${payments(count)} por ${sats} con abono y sin prueba de llegada.`,
      text: ({ node }) => `${node} no ha mostrado en diez minutos que sean definitivos. Compare los saldos de sus canales.`,
    },
    received_restricted: {
      title: ({ sats, wallet }) => `${sats} llegaron para ${wallet}, cuya cuenta no puede recibir.`,
      text: ({ status }) => `Se abonaron. La cuenta está ${status}. Decida qué ocurre con el dinero.`,
    },
    over_limit: {
      title: ({ sats, wallet }) => `${sats} llegaron para ${wallet} por encima de su límite.`,
      text: () => 'Se abonaron. Pida al cliente que retire, o suba el límite.',
    },
    settlement_unbooked: {
      title: ({ sats, wallet }) => `${sats} llegaron para ${wallet} y no se pudieron anotar.`,
      text: ({ reason }) => `Cada conciliación lo intenta de nuevo.${quoted(reason, 'El motivo')}`,
    },
    node_balance_fell: {
      title: ({ sats, node }) => `${sats} salieron de ${node} sin apunte en el libro mayor.`,
      text: ({ inFlight }) =>
        `Si cerró un canal o movió fondos propios, acepte el saldo. Si no, detenga los retiros y averigüe adónde fue.${inFlight === undefined ? '' : ` Hasta ${inFlight} más pueden faltar o estar en curso.`}`,
    },
    event_unbooked: {
      title: ({ node }) => `Un evento de ${node} no se pudo anotar.`,
      text: ({ name, reason }) => `Está guardado y se intenta de nuevo: ${name}.${quoted(reason, 'El motivo')}`,
    },
    node_restored: {
      title: ({ node }) => `${node} se restauró desde una copia antigua.`,
      text: () =>
        'Todos sus eventos se leen de nuevo; nada se abona dos veces. Revise los pagos que siguen pendientes: el nodo puede haberlos perdido aunque el dinero saliera.',
    },
    node_holds_less: {
      title: ({ node, sats }) => `${node} tiene ${sats} menos de lo que debe el libro mayor.`,
      text: ({ inFlight }) =>
        `${inFlight === undefined ? 'Nada' : `Hasta ${inFlight}`} de eso puede estar en curso. Detenga los retiros y averigüe adónde fue el dinero.`,
    },
    relay_unavailable: {
      title: ({ name }) => `El relé de Nostr ${name} no funciona.`,
      text: ({ reason }) => `Las aplicaciones que usan solo este relé no reciben respuestas.${quoted(reason, 'El relé')}`,
    },
    job_failing: {
      title: ({ name, count }) => `La tarea en segundo plano «${name}» ha fallado ${count} veces seguidas.`,
      text: ({ reason }) => `Se intenta de nuevo.${quoted(reason, 'El último motivo')}`,
    },
    suspense_not_empty: {
      title: ({ sats }) => `${sats} llegaron sin monedero.`,
      text: () => 'Asigne el dinero a un monedero o devuélvalo a quien pagó.',
    },
    node_silent: {
      title: ({ node }) => `${node} no responde.`,
      text: ({ reason }) =>
        `Sus monederos no pueden enviar ni recibir, y los pagos pendientes siguen retenidos.${quoted(reason, 'El motivo')}`,
    },
    node_setting: {
      title: ({ node }) => `Un ajuste de ${node} puede costar un canal o retrasar dinero recibido.`,
      text: ({ reason }) => `${reason ?? ''} Cámbielo y reinicie el nodo.`.trim(),
    },
    replication_broken: {
      title: () => 'Un commit no esperó a la réplica de la base de datos.',
      text: () =>
        'Lo que escribió no se envió a ningún nodo antes de que lo tuviera una réplica. Recupere la réplica; tras un failover, concilie.',
    },
    backup_failed: {
      title: () => 'No se escribió una copia de seguridad.',
      text: ({ reason }) => `La siguiente cierra la alerta.${quoted(reason, 'El motivo')}`,
    },
    backup_old: {
      title: ({ age }) => (age === '' ? 'No hay copia de seguridad.' : `La copia de seguridad más reciente es de hace ${age}.`),
      text: () => 'Son más de tres intervalos. Averigüe por qué fallan las copias.',
    },
    restored: {
      title: () => 'El servicio se restauró desde una copia y no envía dinero.',
      text: () => 'Recibe, y lee de sus nodos lo ocurrido desde entonces. Después acepte la restauración.',
    },
    restore_shortfall: {
      title: ({ sats, wallet }) => `${wallet} tenía ${sats} menos de lo que costaron sus pagos.`,
      text: () =>
        'Al libro mayor restaurado le falta lo que había recibido, así que el operador asume la diferencia. Averigüe de qué monedero vino el dinero.',
    },
    fiat_rate: {
      title: ({ name }) => `El cambio de ${name} requiere revisión.`,
      text: ({ reason }) => reason ?? 'Los importes nunca se convierten con un cambio dudoso.',
    },
    withdrawals_stopped: {
      title: () => 'Los retiros están detenidos.',
      text: ({ reason }) => `Los clientes leen: «${reason ?? ''}» Recibir y las transferencias funcionan.`,
    },
    webhook_disabled: {
      title: ({ name }) => `El webhook a ${name} se desactivó.`,
      text: ({ status }) =>
        status === 'gone'
          ? 'Respondió con 410 Gone. Su dueño puede reanudarlo.'
          : 'Nada se entregó durante tres días. Avise a su dueño, que puede reanudarlo.',
    },
    webhook_secrets_unreadable: {
      title: ({ count }) => (count === 1 ? 'Un webhook no recibe nada.' : `${count} webhooks no reciben nada.`),
      text: () => 'Sus secretos se cifraron con otra SECRET_KEY. Restaure la clave anterior o pida a sus dueños que renueven los secretos.',
    },
  },
} satisfies Shape<typeof english>;
