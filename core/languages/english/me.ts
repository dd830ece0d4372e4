import type { MeWords } from '../words.types.ts'
import { choose, format } from './numerals.ts'

export const me: MeWords = {
  title: (application) => `Yours at ${application}`,
  intro: 'Sign in with a code to see your points and your passports.',
  unnamed: {
    head: 'Whose customer are you?',
    text: 'Open this page with the link of your shop: it says which shop it is.',
  },
  signOut: 'Sign out',
  points: 'Points',
  pointsAfter: (points) => choose(points, { one: 'point', other: 'points' }),
  pending: (points) => `and ${format(points)} that you can use later`,
  waiting: (points) => `${format(points)} more from`,
  expiring: (points) => `${format(points)} ${choose(points, { one: 'expires', other: 'expire' })} on`,
  below: 'More was taken back than you had. What you earn next makes up for it.',
  tier: 'Level',
  visits: 'Visits',
  toNextTier: (visits, tier) =>
    `${format(visits)} more ${choose(visits, { one: 'visit', other: 'visits' })} to ${tier}`,
  entries: 'What happened last',
  noEntries: 'No points yet.',
  kinds: {
    mint: 'Points for you',
    burn: 'Points used',
    order: 'Purchase',
    welcome: 'Welcome bonus',
    assignment: 'From before',
    adjust: 'Correction',
    expire: 'Expired',
    reverse: 'Refund',
    visit: 'Visit',
  },
  what: 'What',
  balance: 'Balance',
  passports: 'Your passports',
  noPassports: 'No passport yet. Claim the one of an item with the link that came with it.',
  since: (day) => `yours since ${day}`,
  archived: 'archived',
  morePassports: (count) => `These are the newest ${format(count)}.`,
}
