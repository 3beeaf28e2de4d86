import type { texts as english } from '../en-fiat.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const fiat = {
  rate: (price, age) => `1 BTC = ${price}, fijado por el operador hace ${age}`,
  rateFrom: (price, source, age) => `1 BTC = ${price}, según ${source}, hace ${age}`,
  minutes: (minutes) => (minutes === 0 ? 'menos de un minuto' : `${formatCount(minutes)} min`),
  hours: (hours) => `${formatCount(hours)} h`,
  days: (days) => (days === 1 ? '1 día' : `${formatCount(days)} días`),
  old: (age) => `cambio de hace ${age}`,
  oldShort: (age) => `hace ${age}`,
  unit: (currency) => `sats y ${currency}`,
  currency: 'Moneda',
  noCurrency: 'Ninguna',
  currencyHint: 'Se guarda en la cuenta. Permite introducir importes en esa moneda al enviar, recibir y transferir.',
  entry: (label, currency) => `${label} en ${currency}`,
  entryHint: 'El servicio lo convierte a su tipo de cambio.',
  about: (sats) => `Aprox. ${sats} sats al cambio actual.`,
  entryError: (currency) => `Un número mayor que 0, sin más decimales de los que tiene ${currency}.`,
  removed: 'El operador ha quitado el tipo de cambio. Los importes están en sats.',
  card: {
    title: 'Tipo de cambio',
    hint: 'Quien elija una moneda en sus ajustes verá el valor de los importes a este cambio. Es solo orientativo: los importes, los límites y las comisiones nunca dependen de él.',
    none: 'No hay tipo de cambio.',
    old: (age) => `El cambio es de hace ${age} y se marca como antiguo en todas partes. Fíjelo de nuevo o quítelo.`,
    currency: 'Moneda',
    price: 'Precio de 1 BTC',
    priceHint: 'Por ejemplo, 61234,50.',
    priceError: 'Un número mayor que 0, por ejemplo 61234,50.',
    set: 'Fijar cambio',
    remove: 'Quitar cambio',
  },
} satisfies Shape<typeof english>;
