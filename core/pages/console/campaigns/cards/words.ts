import type { ConsoleLanguage } from '../../../../kernel/text/languages.ts'

const english = {
  apple: 'Apple Wallet',
  google: 'Google Wallet',
  news: 'News',
  messages: 'Messages',
  cardOf: (program: string) => `${program} card`,
  noHeadline: 'Headline',
  noBody: 'What the message says',
  exampleTier: 'Gold',
  exampleHeadline: 'A coffee on us',
  exampleBody: 'This week your second espresso is a present. Show your card at the till.',
}

/** The texts in the pictures of cards. */
export type CardWords = typeof english

const french: CardWords = {
  apple: 'Apple Wallet',
  google: 'Google Wallet',
  news: 'Actualité',
  messages: 'Messages',
  cardOf: (program) => `Carte ${program}`,
  noHeadline: 'Titre',
  noBody: 'Ce que dit le message',
  exampleTier: 'Or',
  exampleHeadline: 'Un café offert',
  exampleBody: 'Cette semaine, votre deuxième expresso est offert. Montrez votre carte à la caisse.',
}

/** The texts in the pictures of cards, in each language. */
export const cardWords: Readonly<Record<ConsoleLanguage, CardWords>> = { en: english, fr: french }
