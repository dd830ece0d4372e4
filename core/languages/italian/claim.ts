import type { ClaimWords } from '../words.types.ts'

export const claiming: ClaimWords = {
  title: (name) => `Intestazione di ${name}`,
  intro: 'Questo articolo può essere intestato a proprio nome: basta accedere con un codice e confermare.',
  email: 'Indirizzo e-mail',
  sendCode: 'Invia il codice',
  callingCode: 'Prefisso internazionale',
  phone: 'Numero di telefono',
  textCode: 'Invia il codice via SMS',
  withGoogle: 'Continua con Google',
  withBrand: (brand) => `Continua con l’account ${brand}`,
  lookFirst: 'Vedi prima il passaporto',
  sentTo: 'Abbiamo inviato sei cifre a',
  goodFor: 'Sono valide per 10 minuti.',
  code: 'Codice',
  signIn: 'Accedi',
  anotherCode: 'Invia un altro codice',
  signedIn: 'Accesso effettuato.',
  signedInAs: 'Accesso effettuato come',
  once: 'Il token di questo passaporto viene trasferito nel wallet personale. Avviene una sola volta.',
  onceByLink:
    'Il token di questo passaporto viene trasferito nel wallet personale. Avviene una sola volta, e il link smette di funzionare.',
  button: 'Intesta a mio nome',
  refusals: {
    AUTH_INVALID_OTP: 'Questo codice è errato o non è più valido. Cercare il messaggio più recente.',
    VALIDATION_FAILED: 'Controllare i dati inseriti: l’indirizzo o il numero non è valido.',
    DPP_CLAIM_NOT_ALLOWED:
      'Il venditore non ha indicato questo indirizzo per l’articolo. Usarne un altro o chiedere un link.',
    DPP_PASSPORT_NOT_CLAIMABLE: 'Al momento questo articolo non può essere intestato.',
    DPP_MAGIC_TOKEN_INVALID: 'Il link è già stato usato, è scaduto o non è completo.',
    QUOTA_EXCEEDED: 'Il piano dell’organizzazione non consente altre operazioni per questo mese.',
    RATE_LIMITED: 'Troppe richieste. Attendere qualche istante e riprovare.',
  },
  refused: 'Qualcosa non ha funzionato. Riprovare tra poco o chiedere al negozio.',
  broken: {
    head: 'Questo link non funziona',
    text: 'È già stato usato, è scaduto o non è stato copiato per intero. Il negozio può inviarne uno nuovo.',
    see: 'Vedi il passaporto',
  },
  closed: {
    head: 'Intestazione non possibile',
    text: 'Questo articolo non esiste, ha già un proprietario o non è disponibile per l’intestazione.',
  },
  waiting: {
    head: 'Intestazione in corso…',
    text: 'Il passaporto sta cambiando intestatario. Bastano pochi secondi; la pagina si aggiorna da sola.',
    bar: 'Intestazione in corso',
  },
  done: {
    head: 'Intestazione completata',
    text: 'Il passaporto è stato intestato e il suo token è nel wallet personale.',
    transaction: 'Transazione',
    token: 'Token',
    see: 'Vedi il passaporto',
    all: 'Tutti i passaporti e i punti',
  },
  failed: {
    head: 'Qualcosa non ha funzionato',
    text: 'L’intestazione non è riuscita.',
    again: 'Nulla è andato perso: si può ricominciare, oppure chiedere al negozio.',
  },
}
