import type { PassingOnWords } from '../passing-on.types.ts'

export const passingOn: PassingOnWords = {
  action: 'Cedi',
  title: (name) => `Cedi: ${name}`,
  head: 'Cedere questo articolo',
  intro: 'La persona indicata diventa proprietaria di questo articolo appena accetta.',
  prove: 'Prima di cedere qualcosa occorre dimostrare la propria identità: accedere con un nuovo codice.',
  email: 'Il suo indirizzo e-mail',
  offerByEmail: 'Offri per e-mail',
  callingCode: 'Prefisso del paese',
  phone: 'Il suo numero di telefono',
  offerByPhone: 'Offri per SMS',
  note: (days) =>
    `Riceve un messaggio con un link che vale ${days} giorni. Finché non accetta, l’articolo resta al proprietario, che può ritirare l’offerta.`,
  notYours: {
    head: 'Questo articolo è di un’altra persona',
    text: 'Solo il proprietario di un articolo può cederlo. Accedere con l’indirizzo con cui è stato intestato.',
  },
  closed: {
    head: 'Questo articolo non si può cedere',
    text: 'È già offerto a qualcuno, archiviato o ritirato dal produttore, oppure su una rete dove i proprietari non cambiano.',
  },
  back: 'Torna al passaporto',
  refusals: {
    DPP_PASSPORT_NOT_TRANSFERABLE: 'Al momento non si può cedere: forse è già offerto a qualcuno.',
    AUTH_FRESH_CODE_REQUIRED: 'Il codice ha più di 10 minuti. Accedere con uno nuovo.',
    VALIDATION_FAILED: 'Controllare l’indirizzo: deve esistere ed essere di un’altra persona.',
    RATE_LIMITED: 'Oggi sono partiti troppi messaggi. Riprovare domani.',
    DPP_TRANSFER_NOT_ALLOWED: 'È per un’altra persona, non per chi ha effettuato l’accesso.',
  },
  refused: 'Non ha funzionato. Riprovare.',
  link: {
    title: (name) => `${name}: un’offerta`,
    intro: (brand) => `Il proprietario di questo articolo vuole cederlo. ${brand} tiene nota di chi ne è proprietario.`,
    signIn: 'Accedere con l’indirizzo che ha ricevuto il messaggio, poi accettare o rifiutare.',
    text: 'Il suo token passa nel portafoglio di chi accetta, che ne diventa proprietario.',
    accept: 'Accetta',
    decline: 'Rifiuta',
    other:
      'Questa offerta è per un indirizzo diverso da quello dell’accesso. Uscire e usare l’indirizzo che ha ricevuto il messaggio.',
    declined: { head: 'Offerta rifiutata', text: 'L’articolo resta al suo proprietario.' },
    broken: {
      head: 'Questo link non funziona',
      text: 'È scaduto o non è stato copiato per intero, oppure l’offerta è stata accettata, rifiutata o ritirata.',
    },
  },
  job: {
    waiting: {
      head: 'È in arrivo…',
      text: 'L’articolo viene consegnato. Ci vogliono pochi secondi; la pagina si aggiorna da sola.',
      bar: 'Consegna in corso',
    },
    done: { head: 'Fatto', text: 'L’articolo è stato ceduto e il suo token è nel portafoglio del nuovo proprietario.' },
    failed: {
      head: 'Non ha funzionato',
      text: 'L’articolo non è stato ceduto.',
      again: 'Non è andato perso nulla: è ancora del suo proprietario, che può offrirlo di nuovo.',
    },
  },
  list: {
    head: 'Cessioni',
    to: (address) => `a ${address}`,
    received: 'in arrivo',
    until: (day) => `fino al ${day}`,
    made: {
      open: 'offerto',
      accepted: 'accettato, in arrivo',
      completed: 'ceduto',
      failed: 'non ha funzionato, resta al proprietario',
      declined: 'rifiutato',
      withdrawn: 'ritirato',
      expired: 'scaduto',
    },
    got: {
      open: 'aperto: usare il link del messaggio',
      accepted: 'accettato, in arrivo',
      completed: 'ricevuto',
      failed: 'non ha funzionato',
      declined: 'rifiutato',
      withdrawn: 'ritirato',
      expired: 'scaduto',
    },
    withdraw: 'Ritira l’offerta',
    sent: 'Il messaggio è partito. Qui si vede quando viene accettato.',
  },
  message: {
    subject: (product) => `${product}: un’offerta`,
    mail: (product, brand, address, days) => [
      `Il proprietario di ${product} (${brand}) vuole cederlo a questo indirizzo.`,
      { label: 'Accetta o rifiuta', address },
      `Accedere con questo indirizzo e-mail per accettare o rifiutare. Il link vale ${days} giorni. Se non è chiaro di che cosa si tratta, ignorare questo messaggio: non succede nulla.`,
    ],
    text: (product, brand, address) => `${product} (${brand}) viene ceduto a questo numero: ${address}`,
  },
}
