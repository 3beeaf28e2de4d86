import type { push as english } from '../en-push.ts';
import type { Shape } from '../lookup.ts';

export const push = {
  title: 'Notificaciones',
  notify: 'Avisarme de los pagos',
  hint: 'Este navegador muestra el importe y el monedero de cada pago recibido, incluso con Satchel cerrado.',
  denied:
    'El navegador bloquea las notificaciones de esta página. Permítalas en los ajustes del navegador para esta página y vuelva a cargarla.',
  unsupported: 'Este navegador no muestra notificaciones de páginas web, o la dirección no empieza por https.',
  needsApp:
    'En un iPhone o iPad, añada primero Satchel a la pantalla de inicio (Compartir y después «Añadir a pantalla de inicio») y ábralo desde allí.',
  dismissed: 'El navegador no tiene permiso para mostrar notificaciones. Actívelas de nuevo para que vuelva a preguntar.',
  failed: 'El navegador no pudo conectar con su servicio push. Revise los ajustes del navegador e inténtelo de nuevo.',
  offer: 'Este navegador puede avisarle de los pagos, incluso con Satchel cerrado.',
  notNow: 'Ahora no',
  on: 'Este navegador ya le avisa de los pagos. Puede desactivarlo en los ajustes.',
  others: 'Otros navegadores de esta cuenta',
  remove: (browser) => `Desactivar en ${browser}`,
  turnOff: 'Desactivar',
} satisfies Shape<typeof english>;
