import type { PassingOnWords } from '../passing-on.types.ts'

export const passingOn: PassingOnWords = {
  action: 'Cedilo',
  title: (name) => `Cedi: ${name}`,
  head: 'Cedilo',
  intro: 'La persona che indichi diventa proprietaria di questo articolo appena accetta.',
  prove: 'Prima di cedere qualcosa, mostra che sei tu: accedi con un nuovo codice.',
  email: 'Il suo indirizzo e-mail',
  offerByEmail: 'Offrilo per e-mail',
  callingCode: 'Prefisso del paese',
  phone: 'Il suo numero di telefono',
  offerByPhone: 'Offrilo per SMS',
  note: (days) =>
    `Riceve un messaggio con un link che vale ${days} giorni. Finché non accetta, l’articolo resta tuo e puoi ritirare l’offerta.`,
  notYours: {
    head: 'Questo articolo non è tuo',
    text: 'Solo il proprietario di un articolo può cederlo. Accedi con l’indirizzo con cui l’hai ottenuto.',
  },
  closed: {
    head: 'Questo articolo non si può cedere',
    text: 'È già offerto a qualcuno, archiviato o ritirato dal produttore, oppure su una rete dove i proprietari non cambiano.',
  },
  back: 'Torna al passaporto',
  refusals: {
    DPP_PASSPORT_NOT_TRANSFERABLE: 'Al momento non si può cedere: forse è già offerto a qualcuno.',
    AUTH_FRESH_CODE_REQUIRED: 'Il tuo codice ha più di 10 minuti. Accedi con uno nuovo.',
    VALIDATION_FAILED: 'Controlla l’indirizzo: deve esistere e non essere il tuo.',
    RATE_LIMITED: 'Oggi sono partiti troppi messaggi. Riprova domani.',
    DPP_TRANSFER_NOT_ALLOWED: 'Questo è per qualcun altro, non per chi ha effettuato l’accesso.',
  },
  refused: 'Non ha funzionato. Riprova.',
  link: {
    title: (name) => `${name} per te`,
    intro: (brand) => `Il proprietario di questo articolo lo cede a te. ${brand} tiene nota di chi ne è proprietario.`,
    signIn: 'Accedi con l’indirizzo che ha ricevuto il messaggio, poi accetta o rifiuta.',
    text: 'Il suo token va nel tuo portafoglio qui, e ne diventi proprietario.',
    accept: 'Accettalo',
    decline: 'Rifiuta',
    other:
      'Questa offerta è per un indirizzo diverso da quello con cui hai effettuato l’accesso. Esci e usa l’indirizzo che ha ricevuto il messaggio.',
    declined: { head: 'Hai rifiutato', text: 'L’articolo resta al suo proprietario.' },
    broken: {
      head: 'Questo link non funziona',
      text: 'È scaduto o non è stato copiato per intero, oppure l’offerta è stata accettata, rifiutata o ritirata.',
    },
  },
  job: {
    waiting: {
      head: 'È in arrivo…',
      text: 'L’articolo ti viene consegnato. Ci vogliono pochi secondi; la pagina si aggiorna da sola.',
      bar: 'Consegna in corso',
    },
    done: { head: 'È tuo', text: 'L’articolo ti è stato ceduto e il suo token è nel tuo portafoglio.' },
    failed: {
      head: 'Non ha funzionato',
      text: 'L’articolo non è stato ceduto.',
      again: 'Non è andato perso nulla: è ancora del suo proprietario, che può offrirlo di nuovo.',
    },
  },
  list: {
    head: 'Cessioni',
    to: (address) => `a ${address}`,
    received: 'per te',
    until: (day) => `fino al ${day}`,
    made: {
      open: 'offerto',
      accepted: 'accettato, in arrivo',
      completed: 'ceduto',
      failed: 'non ha funzionato, è ancora tuo',
      declined: 'rifiutato',
      withdrawn: 'ritirato',
      expired: 'scaduto',
    },
    got: {
      open: 'aperto: usa il link del messaggio',
      accepted: 'accettato, in arrivo',
      completed: 'tuo',
      failed: 'non ha funzionato',
      declined: 'hai rifiutato',
      withdrawn: 'ritirato',
      expired: 'scaduto',
    },
    withdraw: 'Ritira l’offerta',
    sent: 'Il messaggio è partito. Qui vedrai quando viene accettato.',
  },
  message: {
    subject: (product) => `${product} è per te`,
    mail: (product, brand, address, days) =>
      `Il proprietario di ${product} (${brand}) lo cede a te.\n\n${address}\n\nAccedi con questo indirizzo e-mail per accettare o rifiutare. Il link vale ${days} giorni. Se non sai di che cosa si tratta, ignora questo messaggio: non succede nulla.\n`,
    text: (product, brand, address) => `${product} (${brand}) viene ceduto a te: ${address}`,
  },
}
