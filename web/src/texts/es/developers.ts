import type { developers as english } from '../en-developers.ts';
import type { Shape } from '../lookup.ts';

export const developers = {
  title: 'Desarrollo',
  api: 'API',
  apiText:
    'Los programas usan la API con una clave, en la cabecera X-Api-Key. Dé a cada programa su propia clave, con los permisos y el presupuesto que necesita.',
  copyAddress: 'Copiar la dirección de la API',
  reference: 'Referencia',
  openapi: 'OpenAPI 3.1',
  health: 'Estado',
  requests: 'Solicitudes para copiar',
  language: 'Lenguaje',
  wallet: 'Monedero',
  client: 'El cliente forma parte de Satchel: npm pack ./client crea un paquete. Tiene tipos para cada operación y ninguna dependencia.',
  copySnippet: (title) => `Copiar: ${title}`,
  snippets: {
    first: {
      title: 'Antes de empezar',
      text: 'Ponga una clave secreta de API, o la clave de administración del monedero, en lugar de sak_….',
    },
    balance: { title: 'Leer el saldo', text: 'balance es lo que el monedero puede gastar, en sats.' },
    invoice: { title: 'Crear una factura', text: 'Sin num_satoshis, el importe lo elige quien paga.' },
    wait: {
      title: 'Esperar a que se pague',
      text: 'El ID es el de la factura. La respuesta llega cuando status ya no es open, o a los 60 segundos.',
    },
    pay: {
      title: 'Pagar una factura',
      text: 'Si se pierde la conexión o llega un 5xx, repita la solicitud con el mismo Idempotency-Key: el servicio paga una sola vez. Cada pago necesita el suyo. Solo un 4xx en la primera solicitud significa que no se pagó nada; con un 4xx en una repetición, puede que el resultado siga sin conocerse.',
    },
    events: { title: 'Recibir eventos en tiempo real', text: 'Un flujo de lo que ocurre en el monedero.' },
    webhook: {
      title: 'Recibir webhooks',
      text: 'Necesita una clave secreta de API. El secreto de firma whsec_… está en la respuesta que crea el webhook.',
    },
  },
  webhooks: 'Firmas de los webhooks',
  webhooksText:
    'Cada entrega se firma según Standard Webhooks. Verifique el cuerpo sin modificar antes de interpretarlo, compare en tiempo constante y rechace marcas de tiempo de más de cinco minutos. Un evento puede llegar dos veces: recuerde su ID.',
  headers: [
    ['webhook-id', 'El ID del evento'],
    ['webhook-timestamp', 'La hora del intento, en segundos Unix'],
    [
      'webhook-signature',
      'v1 y el base64 de HMAC-SHA256 sobre id.timestamp.body. La clave es el base64 que sigue a whsec_. Durante una renovación hay varias firmas.',
    ],
  ],
  lnurl: 'LNURL y direcciones Lightning',
  lnurlPaths: [
    ['GET /.well-known/lnurlp/<name>', 'Lo que leen otros monederos antes de pagar la dirección'],
    ['POST /v1/wallet/<id>/lnurlp', 'Crea un enlace de pago. Con lnurlp_identifier, es una dirección Lightning'],
    ['POST /v1/wallet/<id>/lnurlp/pay', 'Paga una LNURL o una dirección Lightning'],
    ['POST /v1/wallet/<id>/lnurl/withdraw', 'Crea un enlace de retiro: el primer monedero que lo escanee recibe los sats'],
    ['POST /v1/lnurl-auth', 'Inicia la sesión de los usuarios de su aplicación con un monedero Lightning'],
  ],
} satisfies Shape<typeof english>;
