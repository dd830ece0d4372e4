import type { OwningWords } from '../passing-on.types.ts'

export const owning: OwningWords = {
  action: 'Es mío',
  head: 'Pedir este pasaporte',
  text: (brand) =>
    `${brand} no ha indicado esta dirección para el artículo. Si es tuyo, pídelo: alguien lo mira y te responde con un mensaje.`,
  field: '¿Cómo lo conseguiste?',
  fieldUse: (brand) => `Por ejemplo, dónde y cuándo lo compraste. ${brand} lo ve con tu dirección.`,
  button: 'Pedirlo',
  tooMany: 'Han llegado demasiadas peticiones en poco tiempo. Inténtalo más tarde.',
  sent: {
    head: 'Lo has pedido',
    text: (brand) => `${brand} lo mira. Si dicen que sí, recibes un mensaje con un enlace.`,
  },
  message: {
    approved: {
      subject: (product) => `${product} puede ser tuyo`,
      mail: (product, brand, address) =>
        `${brand} confirma que ${product} es tuyo.\n\n${address}\n\nAbre el enlace e inicia sesión para reclamarlo. Funciona una vez; guárdalo para ti.\n`,
      text: (product, brand, address) => `${product} (${brand}) puede ser tuyo: ${address}`,
    },
    declined: {
      subject: (product) => `Sobre ${product}`,
      mail: (product, brand) =>
        `Pediste a ${brand} el pasaporte de ${product}. No han podido confirmar que sea tuyo. Si crees que es un error, escríbeles con tu recibo.\n`,
      text: (product, brand) => `${brand} no ha podido confirmar que ${product} sea tuyo.`,
    },
  },
}
