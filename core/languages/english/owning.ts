import type { OwningWords } from '../passing-on.types.ts'
import { claiming } from './claim.ts'

export const owning: OwningWords = {
  action: 'I own this',
  head: 'Ask for this passport',
  text: (brand) =>
    `${brand} has not named this address for the item. If it is yours, ask: somebody there looks at it and answers you by a message.`,
  field: 'How did you get it?',
  fieldUse: (brand) => `For example where and when you bought it. ${brand} sees it with your address.`,
  button: 'Ask for it',
  tooMany: 'Too many questions have come in a short time. Please try again later.',
  sent: {
    head: 'You have asked',
    text: (brand) => `${brand} looks at it. If they say yes, you get a message with a link.`,
  },
  message: {
    approved: {
      subject: (product) => `${product} can be yours`,
      mail: (product, brand, address) => [
        `${brand} says that ${product} is yours.`,
        { label: claiming.button, address },
        'Open the link and sign in to claim it. It works once; keep it to yourself.',
      ],
      text: (product, brand, address) => `${product} (${brand}) can be yours: ${address}`,
    },
    declined: {
      subject: (product) => `About ${product}`,
      mail: (product, brand) => [
        `You asked ${brand} for the passport of ${product}. They could not confirm that it is yours. If you think that is wrong, write to them with your receipt.`,
      ],
      text: (product, brand) => `${brand} could not confirm that ${product} is yours.`,
    },
  },
}
