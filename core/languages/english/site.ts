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
  problems: {
    pages: {
      400: { heading: 'This address is not right', message: 'It is incomplete or contains an error.' },
      401: { heading: 'You are not signed in', message: 'Sign in and try again.' },
      403: { heading: 'No access', message: 'You are not allowed to do this here.' },
      404: {
        heading: 'Page not found',
        message: 'There is nothing at this address, or you are not allowed to see it.',
      },
      406: { heading: 'Format not available', message: 'This page does not exist in the requested format.' },
      408: { heading: 'Too slow', message: 'Your request did not arrive completely in time. Please try again.' },
      409: { heading: 'Not possible right now', message: 'Reload the page and try again.' },
      413: { heading: 'Too large', message: 'What you sent is too large.' },
      415: { heading: 'Format not supported', message: 'What you sent cannot be read here.' },
      422: { heading: 'Something is not valid', message: 'Check what you entered and try again.' },
      429: { heading: 'Too many requests', message: 'Wait a moment and try again.' },
      500: { heading: 'Something went wrong', message: 'The fault is on our side. Please try again later.' },
      503: { heading: 'Service unavailable', message: 'Part of the service is not responding. Try again in a moment.' },
    },
    product: {
      heading: 'We do not know this product',
      message:
        'The address may be incomplete, or its passport is not published. Scan the code on the product again; if this page comes back, ask the brand or the shop.',
    },
    ways: {
      start: 'Go to the start page',
      console: 'Go to the console',
      reference: 'Open the API reference',
      again: 'Try again',
    },
    request: 'Request',
  },
  code: {
    subject: (code, sender) => `${code} is your code for ${sender}`,
    mail: (code, sender, minutes) => [
      { code, sentence: `${code} is your code to sign in to ${sender}.` },
      `It can be used once, within ${minutes} minutes. `
        + 'If you did not ask for it, leave this message be: nothing happens without the code.',
    ],
    text: (code, sender, minutes) =>
      `${code} is your code to sign in to ${sender}. Use it once, within ${minutes} minutes.`,
  },
}
