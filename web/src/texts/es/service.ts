import type { service as english } from '../en-service.ts';
import type { Shape } from '../lookup.ts';

const days = (count: number) => {
  if (count < 1) return 'menos de un día';
  if (count === 1) return '1 día';
  return count > 365 ? 'más de un año' : `${count} días`;
};

export const service = {
  liquidity: {
    title: 'Liquidez de todos los nodos',
    counted: (counted, nodes) => `Sumas de ${counted} de ${nodes} nodos: los demás no muestran sus canales ahora.`,
    none: 'Ningún nodo muestra sus canales ahora.',
    receiving: 'Recibir dura',
    sending: 'Enviar dura',
    days,
    received: (sats) => `entraron ${sats} sats por día, la media de los últimos siete días`,
    sent: (sats) => `salieron ${sats} sats por día con comisiones de enrutamiento, la media de los últimos siete días`,
    unknown: 'desconocido',
    tooLittle: 'se muestra con siete días de pagos',
    noneIn: 'no entró nada en los últimos siete días',
    noneOut: 'no salió nada en los últimos siete días',
    covers: 'Los pagos en sentido contrario vuelven a dejar espacio y no se cuentan.',
    was: 'Lo que podía enviar y recibir en su última respuesta,',
  },
} satisfies Shape<typeof english>;
