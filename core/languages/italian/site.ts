import type { SiteWords } from '../words.types.ts'
import { region } from './numerals.ts'

export const site: SiteWords = {
  name: 'Italiano',
  region,
  skip: 'Vai al contenuto',
  language: 'Lingua',
  inLanguage: (language) => `In ${language}`,
  help: 'Aiuto',
  front: {
    head: 'Passaporti digitali per ogni prodotto',
    text: 'Tessera dà a ogni prodotto un passaporto che chiunque può scansionare e verificare, e a ogni cliente punti fedeltà.',
    enter: 'Accedi o registrati',
    enterText: 'Con un indirizzo e-mail e un codice, senza password.',
    developersHead: 'Per gli sviluppatori',
    reference: 'Documentazione dell’API',
    buyersHead: 'Ha acquistato un prodotto?',
    buyersText:
      'Basta scansionare il codice sul prodotto: si apre il passaporto, con le istruzioni per intestarlo a proprio nome.',
  },
  callback: {
    title: 'Accesso non effettuato',
    failures: {
      ended: 'Questo accesso è già stato usato, è scaduto o è stato avviato in un altro browser. Occorre ricominciare.',
      refused: 'La risposta ricevuta non dimostra l’identità di chi accede. Occorre ricominciare.',
      unproven:
        'L’indirizzo e-mail non è ancora confermato presso il servizio scelto. Occorre prima confermarlo, oppure accedere in un altro modo.',
      unavailable: 'Il servizio scelto per l’accesso non risponde. Riprovare più tardi o accedere in un altro modo.',
      notEnabled: 'Questo modo di accedere non è più disponibile qui. È possibile sceglierne un altro.',
    },
    again: 'Torna all’accesso',
  },
  problems: {
    pages: {
      400: { heading: 'Richiesta non valida', message: 'Questo indirizzo è incompleto o contiene un errore.' },
      401: { heading: 'Accesso non effettuato', message: 'Effettuare l’accesso e riprovare.' },
      403: { heading: 'Accesso negato', message: 'Questa operazione non è consentita.' },
      404: { heading: 'Pagina non trovata', message: 'A questo indirizzo non c’è nulla, o non è possibile vederlo.' },
      406: { heading: 'Formato non disponibile', message: 'Questa pagina non esiste nel formato richiesto.' },
      408: { heading: 'Tempo scaduto', message: 'La richiesta non è arrivata per intero in tempo. Riprovare.' },
      409: { heading: 'Al momento non è possibile', message: 'Ricaricare la pagina e riprovare.' },
      413: { heading: 'Dimensioni eccessive', message: 'Il contenuto inviato è troppo grande.' },
      415: { heading: 'Formato non supportato', message: 'Il contenuto inviato non può essere letto qui.' },
      422: { heading: 'Dati non validi', message: 'Controllare i dati inseriti e riprovare.' },
      429: { heading: 'Troppe richieste', message: 'Attendere qualche istante e riprovare.' },
      500: {
        heading: 'Errore del servizio',
        message: 'Qualcosa non ha funzionato da parte nostra. Riprovare più tardi.',
      },
      503: {
        heading: 'Servizio non disponibile',
        message: 'Una parte del servizio non risponde. Riprovare tra qualche istante.',
      },
    },
    product: {
      heading: 'Non conosciamo questo prodotto',
      message:
        'L’indirizzo potrebbe essere incompleto o il passaporto non pubblicato. Scansionare di nuovo il codice sul prodotto; se questa pagina ricompare, chiedere al marchio o al negozio.',
    },
    ways: {
      start: 'Vai alla pagina iniziale',
      console: 'Vai alla console',
      reference: 'Apri il riferimento dell’API',
      again: 'Riprova',
    },
    request: 'Richiesta',
  },
  code: {
    subject: (code, sender) => `${code} è il codice per ${sender}`,
    mail: (code, sender, minutes) => [
      { code, sentence: `${code} è il codice per accedere a ${sender}.` },
      `Si può usare una sola volta, entro ${minutes} minuti. `
        + 'Se non è stato richiesto, ignorare questo messaggio: senza il codice non succede nulla.',
    ],
    text: (code, sender, minutes) =>
      `${code} è il codice di accesso per ${sender}. Valido una sola volta, per ${minutes} minuti.`,
  },
}
