import type { OwningWords } from '../passing-on.types.ts'
import { claiming } from './claim.ts'

export const owning: OwningWords = {
  action: 'È mio',
  head: 'Chiedere questo passaporto',
  text: (brand) =>
    `${brand} non ha indicato questo indirizzo per l’articolo. Il proprietario può chiederlo: qualcuno esamina la richiesta e risponde con un messaggio.`,
  field: 'Come è stato acquistato o ricevuto?',
  fieldUse: (brand) => `Per esempio dove e quando è stato comprato. ${brand} lo vede insieme all’indirizzo.`,
  button: 'Invia la richiesta',
  tooMany: 'Sono arrivate troppe richieste in poco tempo. Riprovare più tardi.',
  sent: {
    head: 'Richiesta inviata',
    text: (brand) => `${brand} la esamina. Se la risposta è sì, arriva un messaggio con un link.`,
  },
  message: {
    approved: {
      subject: (product) => `${product}: richiesta accolta`,
      mail: (product, brand, address) => [
        `${brand} conferma la proprietà di ${product}.`,
        { label: claiming.button, address },
        'Aprire il link e accedere per intestarlo a proprio nome. Funziona una volta sola e non va inoltrato.',
      ],
      text: (product, brand, address) => `${product} (${brand}) può essere intestato: ${address}`,
    },
    declined: {
      subject: (product) => `A proposito di ${product}`,
      mail: (product, brand) => [
        `${brand} ha ricevuto la richiesta del passaporto di ${product}. Non è stato possibile confermarne la proprietà. In caso di errore, scrivere al marchio allegando la ricevuta.`,
      ],
      text: (product, brand) => `${brand} non ha potuto confermare la proprietà di ${product}.`,
    },
  },
}
