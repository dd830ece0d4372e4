import type { WalletWords } from '../wallets.types.ts'

export const wallets: WalletWords = {
  head: 'Your card',
  text: 'With the card in your phone’s wallet, you have your points and your number at hand.',
  add: { 'apple-wallet': 'Add to Apple Wallet', 'google-wallet': 'Save to Google Wallet' },
  wallets: { 'apple-wallet': 'Apple Wallet', 'google-wallet': 'Google Wallet' },
  held: 'In your wallet',
  notHeld: 'Not in your wallet yet',
  messagesOn: 'The shop may send messages to it.',
  messagesOff: 'No messages come to it.',
  optOut: 'No messages, please',
  optIn: 'Allow messages',
  action: 'Add to wallet',
  back: 'Back to your points',
  failure: {
    head: 'The card cannot be given out',
    notConfigured: 'This shop gives out no cards for this wallet at the moment.',
    unavailable: 'The wallet does not answer. Try again in a few minutes.',
  },
}
