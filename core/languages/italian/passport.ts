import type { PassportWords } from '../words.types.ts'
import { format } from './numerals.ts'

/** The Italian texts. No article stands before a day, because it would change with its number: il 7, l’8. */
export const passport: PassportWords = {
  title: (name) => `${name}: passaporto digitale del prodotto`,
  status: {
    published: 'Pubblicato',
    claimed: 'Intestato al proprietario',
    archived: 'Archiviato: non viene più aggiornato',
  },
  standing: {
    verified: {
      head: 'Certificato e verificato',
      text: () =>
        'Il nostro server ha appena verificato il certificato: firma, chiave, stato e registrazione sulla blockchain '
        + 'sono in regola.',
    },
    failed: {
      head: 'Certificato, ma la verifica non è riuscita',
      text: () =>
        'Il certificato non è affidabile. Il nostro server lo ha appena verificato, e quanto segue non è in regola:',
    },
    suspended: {
      head: 'Certificato sospeso',
      text: () => 'L’emittente ha sospeso il certificato. Fino al termine della sospensione non è affidabile.',
    },
    revoked: {
      head: 'Certificato revocato',
      text: () => 'L’emittente ha ritirato definitivamente il certificato. Non è affidabile.',
    },
    none: {
      head: 'Non certificato',
      text: (organization) => `Nulla di quanto segue è certificato: sono dichiarazioni di ${organization}.`,
    },
    pending: {
      head: 'Certificazione in corso',
      text: (organization) => `Nulla di quanto segue è ancora certificato: sono dichiarazioni di ${organization}.`,
    },
    unreachable: {
      head: 'Certificato, ma non verificato',
      text: () =>
        'Al momento il certificato non è raggiungibile e non è stato possibile verificarlo. Riprovare più tardi.',
    },
    unknown: {
      head: 'Certificato, ma al momento non valutabile',
      text: () =>
        'Nulla contraddice il certificato, ma al momento non è stato possibile verificarlo per intero. Riprovare più tardi.',
    },
    archived: {
      head: 'Non più certificato',
      text: () => 'Questo passaporto era certificato. Ora è archiviato e il suo certificato non è più disponibile.',
    },
  },
  hostedOutOfReach:
    'L’organizzazione conserva direttamente il certificato, che però non è raggiungibile, non c’è più o non è quello certificato.',
  renewing: 'Da allora qualcosa è cambiato: una nuova versione è in corso di certificazione.',
  notInOrder: 'Non in regola:',
  notChecked: 'Al momento non valutabile:',
  checkedOn: (day) => `Verificato in data ${day}.`,
  whatWasChecked: 'Che cosa è stato verificato',
  checks: {
    proof: { good: 'La firma corrisponde al contenuto.', bad: 'La firma non corrisponde al contenuto.' },
    issuer: { good: 'La chiave appartiene all’emittente.', bad: 'L’emittente non può essere confermato.' },
    key: { good: 'La chiave può firmare.', bad: 'La chiave non può firmare, o non può più farlo.' },
    status: {
      good: 'Non è né revocato né sospeso.',
      bad: 'È revocato o sospeso, oppure il suo stato non è leggibile.',
    },
    validity: { good: 'È valido oggi.', bad: 'Oggi non è valido.' },
    anchor: {
      good: 'La sua impronta digitale (hash) è sulla blockchain.',
      bad: 'La sua impronta digitale (hash) non è sulla blockchain.',
    },
    schema: { good: 'È completo secondo UNTP.', bad: 'Non è completo secondo UNTP.' },
  },
  mark: 'certificato',
  issuer: 'Emittente',
  byDomain: (domain) => `con il dominio ${domain}`,
  withoutDomain: 'una chiave senza dominio',
  keptBy: (organization) => `conservato da ${organization}`,
  certified: 'Data di certificazione',
  credential: 'Certificato',
  withProof: 'con la sua prova (JSON-LD)',
  asToken: 'come token (JWT)',
  receipt: 'Ricevuta',
  receiptLink: 'la ricevuta sulla blockchain',
  yes: 'Sì',
  no: 'No',
  more: (count) => `Altri ${format(count)}`,
  whole: 'Mostra tutto',
  belongsTo: 'Fa parte di',
  parents: { model: 'Modello', batch: 'Lotto' },
  claim: {
    head: 'Possiede questo articolo?',
    text: 'Questo articolo non è ancora intestato a nessuno. Per intestarlo a proprio nome ci sono due modi.',
    withLink: 'Ho un link',
    linkHead: 'Con il link o il codice ricevuto all’acquisto',
    field: 'Link ricevuto',
    button: 'Intesta a mio nome',
    wrong: 'Con questo link non è possibile intestare l’articolo. Va copiato per intero, così come è stato ricevuto.',
    without: {
      head: 'Senza link',
      text: (brand) =>
        `È necessario accedere. Se ${brand} conosce l’indirizzo o il numero di telefono dall’acquisto, l’intestazione è immediata. Altrimenti si può chiedere a ${brand}.`,
    },
  },
  onChain: 'Sulla blockchain',
  passport: 'Passaporto',
  token: 'Token',
  network: 'Rete',
  owner: 'Proprietario',
  contract: 'Contratto',
  minted: 'Emesso',
  notYet: 'Non ancora',
  history: 'Cronologia',
  historyLink: 'Tutta la cronologia in formato dati',
  events: { mint: 'Emesso', claim: 'Intestato', transfer: 'Ceduto' },
  from: 'da',
  to: 'a',
  transaction: 'transazione',
}
