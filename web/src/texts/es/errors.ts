import type { ErrorTexts } from '../translation.ts';

export const errors: ErrorTexts = {
  account_restricted: 'La situación de la cuenta no permite esta solicitud. Pregunte al operador del servicio.',
  address_taken: 'El nombre de la dirección Lightning está ocupado o reservado. Elija otro.',
  database_unavailable: 'La base de datos no está disponible ahora. Esta solicitud no registró nada. Inténtelo de nuevo en breve.',
  email_taken: 'El correo electrónico ya es de otra cuenta.',
  forbidden: 'Falta el permiso para esta solicitud.',
  insufficient_balance: 'El saldo disponible no cubre el importe con las comisiones.',
  invoice_cancelled: 'El monedero que emitió la factura la canceló.',
  invoice_expired: 'La factura ha vencido. Pida otra al destinatario.',
  invoice_paid: 'La factura ya está pagada o tiene otro pago pendiente.',
  ledger_busy: 'Demasiadas solicitudes esperan al libro mayor. Esta solicitud no registró nada. Inténtelo de nuevo en breve.',
  login_taken: 'La clave de acceso o el monedero Lightning ya sirve para iniciar sesión en una cuenta.',
  node_unavailable: 'No se puede acceder al nodo Lightning. Esta solicitud no envió nada. Inténtelo más tarde.',
  not_found: 'No existe o es de otra cuenta.',
  own_invoice: 'Un monedero no puede pagar su propia factura.',
  payee_restricted: 'La cuenta del destinatario no acepta dinero ahora. Esta solicitud no pagó nada.',
  rate_limited: 'Demasiadas solicitudes. Esta no se ejecutó; quizá sí una anterior con la misma clave. Inténtelo de nuevo en breve.',
  rate_unavailable:
    'No hay un tipo de cambio válido para la moneda. No se creó ni pagó nada. Inténtelo más tarde o indique el importe en sats.',
  restored:
    'El servicio se restauró a partir de una copia de seguridad y no envía dinero hasta que el operador lo acepte. Esta solicitud no envió nada.',
  same_wallet: 'El monedero de origen y el de destino son el mismo.',
  too_many_invoices: 'El monedero ha llegado al máximo de facturas abiertas. No se creó ninguna. Cancele algunas o espere a que venzan.',
  too_many_keys: 'La cuenta o el monedero ha llegado al máximo de claves activas. Revoque una primero.',
  too_many_logins: 'La cuenta ha llegado al máximo de claves de acceso o monederos vinculados. Quite uno primero.',
  too_many_payments: 'El monedero ha llegado al máximo de pagos en curso. Esta solicitud no envió nada. Espere a que termine uno.',
  too_many_wallets: 'La cuenta ha llegado al máximo de monederos. Pida al operador un límite mayor.',
  too_many_webhooks: 'La cuenta tiene 20 webhooks, el máximo. Elimine uno primero.',
  unauthorized: 'No hay una sesión iniciada o los datos de acceso son incorrectos.',
  wallet_inactive: 'El monedero está inactivo, o la situación de su cuenta no permite enviar.',
};
