import type { WalletWords } from '../wallets.types.ts'

export const wallets: WalletWords = {
  head: 'Ihre Karte',
  text: 'Mit der Karte im Wallet Ihres Telefons haben Sie Ihre Punkte und Ihre Nummer immer dabei.',
  add: { 'apple-wallet': 'Zu Apple Wallet hinzufügen', 'google-wallet': 'Zu Google Wallet hinzufügen' },
  wallets: { 'apple-wallet': 'Apple Wallet', 'google-wallet': 'Google Wallet' },
  held: 'In Ihrem Wallet',
  notHeld: 'Noch nicht in Ihrem Wallet',
  messagesOn: 'Der Händler darf Nachrichten an sie senden.',
  messagesOff: 'An sie kommen keine Nachrichten.',
  optOut: 'Keine Nachrichten mehr',
  optIn: 'Nachrichten erlauben',
  action: 'Zum Wallet hinzufügen',
  back: 'Zurück zu Ihren Punkten',
  failure: {
    head: 'Die Karte kann nicht ausgestellt werden',
    notConfigured: 'Dieser Händler stellt zurzeit keine Karten für dieses Wallet aus.',
    unavailable: 'Das Wallet antwortet nicht. Versuchen Sie es in einigen Minuten noch einmal.',
  },
}
