import type { service as english } from '../en-service.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

const days = (count: number) => {
  if (count < 1) return 'menos de un día';
  if (count === 1) return '1 día';
  return count > 365 ? 'más de un año' : `${formatCount(count)} días`;
};

export const service = {
  liquidity: {
    title: 'Liquidez de todos los nodos',
    counted: (counted, nodes) =>
      `Sumas de ${formatCount(counted)} de ${formatCount(nodes)} nodos. Los demás no comunican sus canales en este momento.`,
    none: 'Ningún nodo comunica sus canales en este momento.',
    receiving: 'Se puede recibir durante',
    sending: 'Se puede enviar durante',
    days,
    received: (sats) => `entraron ${sats} sats al día, de media en los últimos siete días`,
    sent: (sats) => `salieron ${sats} sats al día, de media en los últimos siete días, con comisiones de enrutamiento`,
    unknown: 'desconocido',
    tooLittle: 'se muestra después de siete días con pagos',
    noneIn: 'no entró nada en los últimos siete días',
    noneOut: 'no salió nada en los últimos siete días',
    covers: 'Los pagos en sentido contrario restablecen capacidad, pero no se cuentan.',
    was: 'Lo que podía enviar y recibir en su última respuesta,',
  },
  cover: {
    title: 'Dinero adeudado y cobertura',
    period: 'Periodo',
    periods: { day: '24 horas', week: '7 días', month: '30 días', year: '1 año' },
    over: { day: 'en 24 horas', week: 'en 7 días', month: 'en 30 días', year: 'en un año' },
    owed: 'Dinero adeudado, sats',
    owedTo: (sats, wallets, inFlight) =>
      `${sats} a ${formatCount(wallets)} ${wallets === 1 ? 'monedero' : 'monederos'}, de ellos ${inFlight} en curso`,
    suspense: (sats, count) => `y ${sats} en la cuenta transitoria (${count === 1 ? '1 pago' : `${formatCount(count)} pagos`})`,
    cover: 'Cobertura',
    coverRemark: 'fondos de los nodos divididos por el dinero adeudado',
    nothingOwed: 'no se debe nada',
    assets: 'En los nodos, sats',
    measured: 'medido',
    own: 'Fondos propios, sats',
    ownRemark: 'por encima de lo que se debe',
    unknown: 'desconocido',
    noHistory: 'El gráfico empieza con la primera conciliación.',
    noCover: 'El gráfico empieza con la primera conciliación que mida todos los nodos cuando haya dinero adeudado.',
    owedChart: (over, now) => `Dinero adeudado ${over}, en la última medición ${now} sats`,
    ratioChart: (over, lowest, highest, isBelow) =>
      `Cobertura ${over}, mínima ${lowest}, máxima ${highest}, ${isBelow ? 'a veces por debajo de 1' : 'nunca por debajo de 1'}`,
    lowestOf: {
      day: 'medida cada hora',
      week: 'medida cada hora',
      month: 'la mínima de 6 mediciones, una por hora',
      year: 'la mínima de las mediciones de cada hora del día',
    },
    limit: '1,00: los nodos tienen todo el dinero adeudado',
    peak: (ratio) => `hasta ${ratio}`,
  },
  health: {
    answers: 'Responde en',
    answer: (ms, median) => `${formatCount(ms)} ms, mediana de las últimas respuestas ${formatCount(median)} ms`,
    answered: 'Última respuesta',
    block: 'Bloque',
    synced: 'sincronizado',
    behind: 'no sincronizado',
  },
  backups: {
    last: 'Las últimas copias de seguridad',
    checked: 'Comprobada',
    failed: 'Fallida',
    result: (megabytes, seconds) => `${megabytes} MB en ${formatCount(seconds)} s`,
  },
  checks: {
    title: 'Comprobaciones',
    allGood: 'Comprobaciones superadas',
    good: (count) => (count === 1 ? '1 comprobación superada' : `${formatCount(count)} comprobaciones superadas`),
    subjects: {
      node: 'Nodo',
      liquidity: 'Liquidez',
      backup: 'Copia de seguridad',
      'public URL': 'Dirección pública',
      proxy: 'Servidor proxy',
      alerts: 'Alertas',
      disk: 'Disco',
      files: 'Archivos',
    },
  },
  webhooks: {
    title: 'Webhooks de todas las cuentas',
    waiting: 'Entregas en espera',
    active: (count) => `${count} webhooks activos`,
    failed: 'Fallidas en las últimas 24 h',
    failedRemark: 'abandonadas tras el último intento',
    retrying: 'Fallidas, en reintento',
    retryingRemark: 'de las que esperan; se cuentan hasta 10 000',
    disabled: (count) => `${formatCount(count)} desactivados`,
    show: 'Sus webhooks',
  },
  limits: {
    title: 'Comisiones y límites',
    defaults:
      'Si ni un monedero, ni su cuenta, ni una cuenta superior tienen comisiones o límites, el servicio no cobra nada ni limita importes. Se fijan en la página de un cliente.',
    show: 'Todos los límites',
    customers: 'Clientes',
  },
} satisfies Shape<typeof english>;
