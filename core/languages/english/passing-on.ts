import type { PassingOnWords } from '../passing-on.types.ts'

export const passingOn: PassingOnWords = {
  action: 'Pass it on',
  title: (name) => `Pass on: ${name}`,
  head: 'Pass it on',
  intro: 'Whoever you name becomes the owner of this item on record, as soon as they accept.',
  prove: 'Before you give something away, show that it is you: sign in with a new code.',
  email: 'Their e-mail address',
  offerByEmail: 'Offer it by e-mail',
  callingCode: 'Country calling code',
  phone: 'Their phone number',
  offerByPhone: 'Offer it by text message',
  note: (days) =>
    `They get a message with a link that works for ${days} days. It stays yours until they accept, and you can take the offer back until then.`,
  notYours: {
    head: 'This is not yours',
    text: 'Only the owner of an item passes it on. Sign in with the address that you claimed it with.',
  },
  closed: {
    head: 'This cannot be passed on',
    text: 'It is offered to somebody already, archived or withdrawn by its maker, or on a network where owners stay as they are.',
  },
  back: 'Back to the passport',
  refusals: {
    DPP_PASSPORT_NOT_TRANSFERABLE: 'It cannot be passed on at present: perhaps it is offered to somebody already.',
    AUTH_FRESH_CODE_REQUIRED: 'Your code is older than 10 minutes. Sign in with a new one.',
    VALIDATION_FAILED: 'Check the address: it has to be one that works, and not your own.',
    RATE_LIMITED: 'Too many messages went out today. Please try again tomorrow.',
    DPP_TRANSFER_NOT_ALLOWED: 'This is for somebody else than you signed in as.',
  },
  refused: 'That did not work. Please try again.',
  link: {
    title: (name) => `${name} for you`,
    intro: (brand) => `The owner of this item passes it on to you. ${brand} keeps who owns it.`,
    signIn: 'Sign in with the address that the message came to, then accept or decline.',
    text: 'Its token goes to your wallet here, and you are its owner on record.',
    accept: 'Accept it',
    decline: 'Decline',
    other:
      'This offer is for another address than the one that you are signed in with. Sign out and use the address that the message came to.',
    declined: { head: 'You declined', text: 'The item stays with its owner.' },
    broken: {
      head: 'This link does not work',
      text: 'It has expired or was not copied whole, or the offer was accepted, declined or taken back.',
    },
  },
  job: {
    waiting: {
      head: 'It is on its way…',
      text: 'The item is being handed over to you. This takes a few seconds; the page looks by itself.',
      bar: 'Handover in progress',
    },
    done: { head: 'It is yours', text: 'The item was passed on to you, and its token is in your wallet.' },
    failed: {
      head: 'It did not work',
      text: 'The item was not passed on.',
      again: 'Nothing was lost: it is still with its owner, who can offer it again.',
    },
  },
  list: {
    head: 'Passed on',
    to: (address) => `to ${address}`,
    received: 'for you',
    until: (day) => `until ${day}`,
    made: {
      open: 'offered',
      accepted: 'accepted, on its way',
      completed: 'passed on',
      failed: 'did not work, still yours',
      declined: 'declined',
      withdrawn: 'taken back',
      expired: 'expired',
    },
    got: {
      open: 'open: use the link in the message',
      accepted: 'accepted, on its way',
      completed: 'yours',
      failed: 'did not work',
      declined: 'you declined',
      withdrawn: 'taken back',
      expired: 'expired',
    },
    withdraw: 'Take it back',
    sent: 'The message is on its way. You see here when it is accepted.',
  },
  message: {
    subject: (product) => `${product} is for you`,
    mail: (product, brand, address, days) => [
      `The owner of ${product} (${brand}) passes it on to you.`,
      { label: 'Accept or decline', address },
      `Sign in there with this e-mail address to accept or decline. The link works for ${days} days. If you do not know what this is about, leave this message be: nothing happens.`,
    ],
    text: (product, brand, address) => `${product} (${brand}) is passed on to you: ${address}`,
  },
}
