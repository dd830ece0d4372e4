import type { SiteWords } from '../words.types.ts'
import { region } from './numerals.ts'

export const site: SiteWords = {
  name: 'English',
  region,
  skip: 'To the content',
  language: 'Language',
  inLanguage: (language) => `In ${language}`,
  help: 'Help',
  front: {
    head: 'Passports for your products',
    text: 'Tessera gives each product a passport that everybody can scan and check, and each customer points for coming back.',
    enter: 'Sign in or sign up',
    enterText: 'With your e-mail address and a code. There is no password.',
    developersHead: 'For developers',
    reference: 'API reference',
    buyersHead: 'Have you bought something?',
    buyersText: 'Scan the code on it. Its passport opens, and says how to claim it.',
  },
  callback: {
    title: 'You are not signed in',
    failures: {
      ended: 'This sign-in was used already, has expired, or was begun in another browser. Please begin once more.',
      refused: 'The answer that came back does not prove who you are. Please begin once more.',
      unproven: 'Your e-mail address is not confirmed there yet. Confirm it first, or sign in another way.',
      unavailable: 'The service that you wanted to sign in with does not answer. Try again later, or another way.',
      notEnabled: 'This way to sign in is no longer offered here. Please use another one.',
    },
    again: 'Back to the sign-in',
  },
  problems: { pages: null, request: 'Request' },
  code: {
    subject: (code, sender) => `${code} is your code for ${sender}`,
    mail: (code, sender, minutes) =>
      `${code} is your code to sign in to ${sender}.\n\n`
      + `It can be used once, within ${minutes} minutes. `
      + 'If you did not ask for it, leave this message be: nothing happens without the code.\n',
    text: (code, sender, minutes) =>
      `${code} is your code to sign in to ${sender}. Use it once, within ${minutes} minutes.`,
  },
}
