import type { MeWords } from '../words.types.ts'
import { choose, format } from './numerals.ts'

/** The Italian texts. No article stands before a day, because it would change with its number: il 7, l’8. */
export const me: MeWords = {
  title: (application) => `Area personale: ${application}`,
  intro: 'Accedere con un codice per vedere punti e passaporti.',
  unnamed: {
    head: 'Di quale negozio si tratta?',
    text: 'Aprire questa pagina con il link del negozio: indica di quale si tratta.',
  },
  signOut: 'Esci',
  points: 'Punti',
  pointsAfter: (points) => choose(points, { one: 'punto', other: 'punti' }),
  pending: (points) =>
    `e ${format(points)} ${choose(points, { one: 'utilizzabile', other: 'utilizzabili' })} più avanti`,
  waiting: (points) =>
    `${choose(points, { one: 'Un altro punto', other: `Altri ${format(points)} punti` })} in arrivo:`,
  expiring: (points) => `${format(points)} ${choose(points, { one: 'punto', other: 'punti' })} in scadenza:`,
  below: 'Sono stati ripresi più punti di quanti ce n’erano. I prossimi punti compenseranno la differenza.',
  tier: 'Livello',
  visits: 'Visite',
  toNextTier: (visits, tier) =>
    `${choose(visits, { one: 'ancora una visita', other: `ancora ${format(visits)} visite` })} per il livello ${tier}`,
  entries: 'Ultimi movimenti',
  noEntries: 'Ancora nessun punto.',
  kinds: {
    mint: 'Punti accreditati',
    burn: 'Punti usati',
    order: 'Acquisto',
    welcome: 'Bonus di benvenuto',
    assignment: 'Punti precedenti',
    adjust: 'Rettifica',
    expire: 'Punti scaduti',
    reverse: 'Rimborso',
    visit: 'Visita',
  },
  what: 'Movimento',
  balance: 'Saldo',
  passports: 'Passaporti',
  noPassports:
    'Ancora nessun passaporto. Quello di un articolo si intesta a proprio nome con il link ricevuto all’acquisto.',
  since: (day) => `intestato in data ${day}`,
  archived: 'archiviato',
  morePassports: (count) => `Questi sono i ${format(count)} più recenti.`,
}
