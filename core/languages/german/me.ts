import type { MeWords } from '../words.types.ts'
import { choose, format } from './numerals.ts'

export const me: MeWords = {
  title: (application) => `Ihr Bereich bei ${application}`,
  intro: 'Melden Sie sich mit einem Code an, um Ihre Punkte und Produktpässe zu sehen.',
  unnamed: {
    head: 'Um welchen Händler geht es?',
    text: 'Öffnen Sie diese Seite über den Link Ihres Händlers: Er zeigt, um welchen es geht.',
  },
  signOut: 'Abmelden',
  points: 'Punkte',
  pointsAfter: (points) => choose(points, { one: 'Punkt', other: 'Punkte' }),
  pending: (points) => `und ${format(points)} später ${choose(points, { one: 'einlösbarer', other: 'einlösbare' })}`,
  waiting: (points) => `${choose(points, { one: '1 weiterer', other: `${format(points)} weitere` })} ab`,
  expiring: (points) => `${format(points)} ${choose(points, { one: 'verfällt', other: 'verfallen' })} am`,
  below: 'Es wurden mehr Punkte zurückgenommen, als Sie hatten. Ihre nächsten Punkte gleichen das aus.',
  tier: 'Stufe',
  visits: 'Besuche',
  toNextTier: (visits, tier) =>
    `noch ${format(visits)} ${choose(visits, { one: 'Besuch', other: 'Besuche' })} bis ${tier}`,
  entries: 'Letzte Buchungen',
  noEntries: 'Noch keine Punkte.',
  kinds: {
    mint: 'Punktegutschrift',
    burn: 'Eingelöste Punkte',
    order: 'Einkauf',
    welcome: 'Willkommensbonus',
    assignment: 'Frühere Punkte',
    adjust: 'Korrektur',
    expire: 'Verfallen',
    reverse: 'Erstattung',
    visit: 'Besuch',
  },
  what: 'Buchung',
  balance: 'Stand',
  passports: 'Ihre Produktpässe',
  noPassports: 'Noch kein Produktpass. Einen Artikel übernehmen Sie mit dem Link, den Sie dazu erhalten haben.',
  since: (day) => `übernommen am ${day}`,
  archived: 'archiviert',
  morePassports: (count) => `Das sind die ${format(count)} neuesten.`,
}
