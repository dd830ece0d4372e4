import type { OwningWords } from '../passing-on.types.ts'
import { claiming } from './claim.ts'

export const owning: OwningWords = {
  action: 'Il est à moi',
  head: 'Demander ce passeport',
  text: (brand) =>
    `${brand} n’a pas nommé cette adresse pour l’article. S’il est à vous, demandez\u00a0: quelqu’un l’examine et vous répond par message.`,
  field: 'Comment l’avez-vous obtenu\u00a0?',
  fieldUse: (brand) => `Par exemple où et quand vous l’avez acheté. ${brand} le voit avec votre adresse.`,
  button: 'Le demander',
  tooMany: 'Trop de demandes sont arrivées en peu de temps. Réessayez plus tard.',
  sent: {
    head: 'Votre demande est partie',
    text: (brand) => `${brand} l’examine. Si la réponse est oui, vous recevez un message avec un lien.`,
  },
  message: {
    approved: {
      subject: (product) => `${product} peut être à vous`,
      mail: (product, brand, address) => [
        `${brand} confirme que ${product} est à vous.`,
        { label: claiming.button, address },
        'Ouvrez le lien et connectez-vous pour le réclamer. Il fonctionne une seule fois\u00a0; gardez-le pour vous.',
      ],
      text: (product, brand, address) => `${product} (${brand}) peut être à vous\u00a0: ${address}`,
    },
    declined: {
      subject: (product) => `À propos de ${product}`,
      mail: (product, brand) => [
        `Vous avez demandé à ${brand} le passeport de ${product}. Il n’a pas été possible de confirmer que l’article est à vous. Si vous pensez que c’est une erreur, écrivez-leur avec votre reçu.`,
      ],
      text: (product, brand) => `${brand} n’a pas pu confirmer que ${product} est à vous.`,
    },
  },
}
