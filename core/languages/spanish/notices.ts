import type { NoticeWords, ResolverWords } from '../words.types.ts'

export const notices: NoticeWords = {
  unregistered: {
    serial: 'Este número de serie no consta en el registro del fabricante',
    batch: 'Este número de lote no consta en el registro del fabricante',
    text: (numbers) =>
      `El código escaneado indica ${numbers}. El fabricante no lo tiene registrado: es posible que el artículo no sea auténtico. `
      + 'Lo que sigue describe el producto en general, no el artículo que tiene en la mano.',
    numbers: { serial: (number) => `el número de serie ${number}`, batch: (number) => `el número de lote ${number}` },
    and: ' y ',
  },
  withdrawn: {
    own: {
      revocation: {
        head: 'Revocado por el fabricante',
        text: 'El fabricante ha revocado este pasaporte, así que no se puede registrar a su nombre.',
      },
      suspension: {
        head: 'Suspendido por el fabricante',
        text: 'El fabricante ha suspendido este pasaporte, así que por ahora no se puede registrar a su nombre.',
      },
    },
    batch: {
      revocation: {
        head: 'Su lote está revocado',
        text: 'El fabricante ha revocado el lote de este artículo. No confíe en el artículo.',
      },
      suspension: {
        head: 'Su lote está suspendido',
        text: 'El fabricante ha suspendido el lote de este artículo. Mientras dure la suspensión, no confíe en el artículo.',
      },
    },
    model: {
      revocation: {
        head: 'Su modelo está revocado',
        text: 'El fabricante ha revocado el modelo de este producto. No confíe en el producto.',
      },
      suspension: {
        head: 'Su modelo está suspendido',
        text: 'El fabricante ha suspendido el modelo de este producto. Mientras dure la suspensión, no confíe en el producto.',
      },
    },
  },
  archived: 'Este pasaporte está archivado: ya no se puede registrar a su nombre.',
  see: { batch: 'Ver el lote', model: 'Ver el modelo' },
  publisher: {
    byDomain: (domain) => `Publicado por ${domain}`,
    byGtin: (name, gtin) => `Publicado por ${name}, confirmado para el número de producto ${gtin}`,
    byName: (name) => `Firmado por ${name}, sin confirmar`,
  },
  contested: {
    head: '¿De quién es este producto?',
    text: (gtin) =>
      `Varias organizaciones publican el número de producto ${gtin} y todavía no se ha decidido de quién es. Antes de elegir, fíjese en quién está confirmado.`,
    nothing: 'Por ahora no publica nada con este número.',
  },
}

export const resolver: ResolverWords = {
  linksOf: (name) => `${name}: enlaces`,
  product: 'Producto',
  which: '¿Qué producto es?',
  choose: 'Varios productos tienen este número. Elija el que tiene en la mano.',
  unknown: {
    head: 'No hay información sobre este producto',
    text: 'Aquí no hay publicado ningún pasaporte con estos números.',
  },
  wrong: 'Esta no es la dirección de un producto',
  refusals: {
    gtin: 'El GTIN no es correcto: tiene 8, 12, 13 o 14 cifras, y la última sirve para comprobar las demás.',
    variant: 'La variante (22) tiene de 1 a 20 letras, cifras o signos del juego de caracteres GS1.',
    batch: 'El número de lote (10) tiene de 1 a 20 letras, cifras o signos del juego de caracteres GS1.',
    serial: 'El número de serie (21) tiene de 1 a 20 letras, cifras o signos del juego de caracteres GS1.',
    linkType: 'Este producto no tiene ningún enlace de este tipo.',
    path: 'Después del GTIN vienen 22 (variante), 10 (lote) y 21 (número de serie), en este orden.',
  },
}
