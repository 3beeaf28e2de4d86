import type { phone as english } from '../en-phone.ts';
import type { Shape } from '../lookup.ts';

export const phone = {
  allPages: 'Todas las páginas',
  choose: {
    open: '¿Qué monedero abrir?',
    titles: { receive: '¿En qué monedero recibir?', send: '¿Desde qué monedero enviar?' },
    search: 'Buscar un monedero',
  },
  receivers: 'Destinatarios recientes',
  contacts: {
    title: 'Contactos',
    all: 'Todos los contactos',
    add: 'Nuevo contacto',
    change: (name) => `Cambiar ${name}`,
    remove: (name) => `Eliminar ${name}`,
    removed: (name) => `Se ha eliminado ${name}.`,
    undo: 'Deshacer',
    name: 'Nombre',
    address: 'Dirección Lightning',
    save: 'Guardar contacto',
    isStored: (name: string) => `${name} es un contacto`,
    emptyTitle: 'Aún no hay contactos',
    empty: 'Nombres para direcciones Lightning, para no tener que escribirlas ni escanearlas de nuevo.',
  },
  share: { share: 'Compartir', png: 'Código QR como PNG', svg: 'como SVG', failed: 'El navegador no pudo compartirlo. Cópielo.' },
  scan: {
    camera: 'Cámara',
    start: 'Iniciar la cámara',
    startAgain: 'Probar la cámara de nuevo',
    starting: 'Iniciando la cámara',
    stop: 'Detener',
    light: 'Luz',
    hold: 'Mantenga el código dentro del marco',
    paste: 'Pegar',
    picture: 'De una imagen',
    text: 'Factura, dirección o enlace',
    found: 'Contiene:',
    unknown:
      'Este código no es una factura, una dirección Lightning, una LNURL ni una clave de nodo, así que no hay nada que pagar ni que recibir.',
    nothingCopied: 'No hay nada copiado. Copie primero una factura, una dirección o un enlace.',
    pasteInField: 'Este navegador no deja que la página lea lo copiado. Péguelo en el campo de abajo.',
    noCode: 'No se encontró ningún código QR en la imagen. Elija una en la que el código entero esté nítido y recto.',
    noPicture: 'El archivo no se puede leer como imagen. Elija un archivo PNG, JPEG o WebP.',
    problems: {
      insecure: 'Los navegadores solo permiten la cámara en direcciones https. Use «Pegar», una imagen o el campo de abajo.',
      refused: 'El navegador no permite la cámara. Permítala para esta página en los ajustes del navegador, o use «Pegar» o una imagen.',
      missing: 'Este dispositivo no tiene cámara. Use «Pegar», una imagen o el campo de abajo.',
      busy: 'Otro programa está usando la cámara. Ciérrelo e inténtelo de nuevo, o use «Pegar» o una imagen.',
      failed: 'La cámara no se inició. Inténtelo de nuevo, o use «Pegar» o una imagen.',
    },
  },
} satisfies Shape<typeof english>;
