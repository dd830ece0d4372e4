import type { OwningWords } from '../passing-on.types.ts'

export const owning: OwningWords = {
  action: 'È mio',
  head: 'Chiedi questo passaporto',
  text: (brand) =>
    `${brand} non ha indicato questo indirizzo per l’articolo. Se è tuo, chiedi: qualcuno lo esamina e ti risponde con un messaggio.`,
  field: 'Come l’hai avuto?',
  fieldUse: (brand) => `Per esempio dove e quando l’hai comprato. ${brand} lo vede insieme al tuo indirizzo.`,
  button: 'Chiedilo',
  tooMany: 'Sono arrivate troppe richieste in poco tempo. Riprova più tardi.',
  sent: {
    head: 'Hai chiesto',
    text: (brand) => `${brand} lo esamina. Se la risposta è sì, ricevi un messaggio con un link.`,
  },
  message: {
    approved: {
      subject: (product) => `${product} può essere tuo`,
      mail: (product, brand, address) =>
        `${brand} conferma che ${product} è tuo.\n\n${address}\n\nApri il link e accedi per ottenerlo. Funziona una volta sola; tienilo per te.\n`,
      text: (product, brand, address) => `${product} (${brand}) può essere tuo: ${address}`,
    },
    declined: {
      subject: (product) => `A proposito di ${product}`,
      mail: (product, brand) =>
        `Hai chiesto a ${brand} il passaporto di ${product}. Non è stato possibile confermare che sia tuo. Se pensi che sia un errore, scrivi loro con la ricevuta.\n`,
      text: (product, brand) => `${brand} non ha potuto confermare che ${product} sia tuo.`,
    },
  },
}
