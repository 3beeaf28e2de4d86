import type { payers as english } from '../en-payers.ts';
import type { Shape } from '../lookup.ts';

export const payers = {
  page: 'Página',
  openPage: 'Abrir la página para quien paga',
  button: 'Botón para otros sitios',
  buttonText: 'Pagar con Lightning',
  buttonHint: 'Un enlace a la página para quien paga. En los sitios que indique el operador, abre un cuadro de diálogo.',
  copyCode: 'Copiar código',
} satisfies Shape<typeof english>;
