import type { shortcuts as english } from '../en-shortcuts.ts';
import type { Shape } from '../lookup.ts';

export const shortcuts = {
  title: 'Atajos de teclado',
  keys: [
    ['Ctrl K', 'Buscar páginas, monederos y acciones'],
    ['/', 'Buscar o filtrar en esta página'],
    ['G, luego W L C K H E S', 'Monederos, enlaces, aplicaciones, claves, webhooks, eventos, ajustes'],
    ['R S T', 'En un monedero: recibir, enviar, transferir'],
    ['J K', 'Fila siguiente y anterior'],
    ['Intro', 'Abrir la fila'],
    ['Esc', 'Cerrar'],
    ['?', 'Esta lista'],
  ],
  operatorKeys: ['G, luego O', 'Resumen del operador'],
  paste: 'Para abrir Enviar en un monedero, pegue una factura, una dirección o un enlace fuera de un campo.',
} satisfies Shape<typeof english>;
