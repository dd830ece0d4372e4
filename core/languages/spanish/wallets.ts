import type { WalletWords } from '../wallets.types.ts'

export const wallets: WalletWords = {
  head: 'Su tarjeta',
  text: 'Con la tarjeta en la cartera de su teléfono, tiene sus puntos y su número siempre a mano.',
  add: { 'apple-wallet': 'Añadir a Apple Wallet', 'google-wallet': 'Añadir a Google Wallet' },
  wallets: { 'apple-wallet': 'Apple Wallet', 'google-wallet': 'Google Wallet' },
  held: 'En su cartera',
  notHeld: 'Aún no está en su cartera',
  messagesOn: 'La tienda puede enviarle mensajes.',
  messagesOff: 'No le llegan mensajes.',
  optOut: 'No recibir mensajes',
  optIn: 'Permitir mensajes',
  action: 'Añadir a la cartera',
  back: 'Volver a sus puntos',
  failure: {
    head: 'No se puede entregar la tarjeta',
    notConfigured: 'Esta tienda no entrega tarjetas para esta cartera por el momento.',
    unavailable: 'La cartera no responde. Inténtelo de nuevo en unos minutos.',
  },
}
