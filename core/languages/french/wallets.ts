import type { WalletWords } from '../wallets.types.ts'

export const wallets: WalletWords = {
  head: 'Votre carte',
  text: 'Avec la carte dans le wallet de votre téléphone, vos points et votre numéro sont toujours à portée de main.',
  add: { 'apple-wallet': 'Ajouter à Apple Wallet', 'google-wallet': 'Ajouter à Google Wallet' },
  wallets: { 'apple-wallet': 'Apple Wallet', 'google-wallet': 'Google Wallet' },
  held: 'Dans votre wallet',
  notHeld: 'Pas encore dans votre wallet',
  messagesOn: 'Le magasin peut y envoyer des messages.',
  messagesOff: 'Aucun message n’y arrive.',
  optOut: 'Ne plus recevoir de messages',
  optIn: 'Autoriser les messages',
  action: 'Ajouter au wallet',
  back: 'Retour à vos points',
  failure: {
    head: 'La carte ne peut pas être délivrée',
    notConfigured: 'Ce magasin ne délivre pas de carte pour ce wallet actuellement.',
    unavailable: 'Le wallet ne répond pas. Réessayez dans quelques minutes.',
  },
}
