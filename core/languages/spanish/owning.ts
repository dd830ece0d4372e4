import type { OwningWords } from '../passing-on.types.ts'
import { claiming } from './claim.ts'

export const owning: OwningWords = {
  action: 'Es mío',
  head: 'Pedir este pasaporte',
  text: (brand) =>
    `${brand} no ha indicado esta dirección para el artículo. Si es suyo, pídalo: alguien lo mira y le responde con un mensaje.`,
  field: '¿Cómo lo consiguió?',
  fieldUse: (brand) => `Por ejemplo, dónde y cuándo lo compró. ${brand} lo ve con su dirección.`,
  button: 'Pedirlo',
  tooMany: 'Han llegado demasiadas peticiones en poco tiempo. Inténtelo más tarde.',
  sent: {
    head: 'Petición enviada',
    text: (brand) => `${brand} lo mira. Si dicen que sí, recibirá un mensaje con un enlace.`,
  },
  message: {
    approved: {
      subject: (product) => `${product} puede ser suyo`,
      mail: (product, brand, address) => [
        `${brand} confirma que ${product} es suyo.`,
        { label: claiming.button, address },
        'Abra el enlace e inicie sesión para registrarlo a su nombre. Funciona una vez; no lo comparta.',
      ],
      text: (product, brand, address) => `${product} (${brand}) puede ser suyo: ${address}`,
    },
    declined: {
      subject: (product) => `Sobre ${product}`,
      mail: (product, brand) => [
        `Usted pidió a ${brand} el pasaporte de ${product}. No han podido confirmar que sea suyo. Si cree que es un error, escríbales con su recibo.`,
      ],
      text: (product, brand) => `${brand} no ha podido confirmar que ${product} sea suyo.`,
    },
  },
}
