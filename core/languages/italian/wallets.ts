import type { WalletWords } from '../wallets.types.ts'

export const wallets: WalletWords = {
  head: 'La tessera',
  text: 'Con la tessera nel wallet del telefono, punti e numero sono sempre a portata di mano.',
  add: { 'apple-wallet': 'Aggiungi ad Apple Wallet', 'google-wallet': 'Aggiungi a Google Wallet' },
  wallets: { 'apple-wallet': 'Apple Wallet', 'google-wallet': 'Google Wallet' },
  held: 'Nel wallet',
  notHeld: 'Non ancora nel wallet',
  messagesOn: 'Il negozio può inviarvi messaggi.',
  messagesOff: 'Non vi arrivano messaggi.',
  optOut: 'Non ricevere messaggi',
  optIn: 'Consenti i messaggi',
  action: 'Aggiungi al wallet',
  back: 'Torna ai punti',
  failure: {
    head: 'La tessera non può essere rilasciata',
    notConfigured: 'Al momento questo negozio non rilascia tessere per questo wallet.',
    unavailable: 'Il wallet non risponde. Riprovare tra qualche minuto.',
  },
}
