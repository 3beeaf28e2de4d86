import type { push as english } from '../en-push.ts';
import type { Shape } from '../lookup.ts';

export const push = {
  title: 'Notificaciones',
  notify: 'Avisarme de los pagos',
  hint: 'Este navegador muestra el importe y el monedero de cada pago recibido, también con Satchel cerrado.',
  denied: 'El navegador bloquea las notificaciones de esta página. Permítelas en sus ajustes para esta página y vuelve a cargarla.',
  unsupported: 'Este navegador no muestra notificaciones de páginas web, o la dirección no empieza por https.',
  needsApp:
    'En un iPhone o iPad, añade primero Satchel a la pantalla de inicio (Compartir y después «Añadir a pantalla de inicio») y ábrelo desde allí.',
  dismissed: 'El navegador no tiene permiso para mostrar notificaciones. Actívalas de nuevo para que vuelva a preguntar.',
  failed: 'El navegador no pudo conectar con su servicio push. Revisa sus ajustes e inténtalo de nuevo.',
  offer: 'Este navegador puede avisarte de los próximos pagos, también con Satchel cerrado.',
  notNow: 'Ahora no',
  on: 'Este navegador ya te avisa de los pagos. Se desactiva en los ajustes.',
  others: 'Otros navegadores de esta cuenta',
  remove: (browser) => `Desactivar en ${browser}`,
  turnOff: 'Desactivar',
} satisfies Shape<typeof english>;
