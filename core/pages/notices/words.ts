import type { Withdrawal } from '../../features/dpp/index.ts'
import type { Language } from '../../kernel/text/languages.ts'

/** The texts of pages about what is unknown, withdrawn or not proven about a product. */
export interface NoticeWords {
  unregistered: {
    serial: string
    batch: string
    /** What was scanned, and what the page shows instead. */
    text: (numbers: string) => string
    numbers: { serial: (number: string) => string; batch: (number: string) => string }
    and: string
  }
  withdrawn: Record<Withdrawal['level'], Record<Withdrawal['purpose'], { head: string; text: string }>>
  /** The text for a passport that cannot be claimed because it is archived. */
  archived: string
  /** The text of a link to the batch or the model that is withdrawn. */
  see: Record<'batch' | 'model', string>
  publisher: {
    byDomain: (domain: string) => string
    byGtin: (name: string, gtin: string) => string
    byName: (name: string) => string
  }
  contested: { head: string; text: (gtin: string) => string; nothing: string }
}

const english: NoticeWords = {
  unregistered: {
    serial: 'This serial number is not registered by the maker',
    batch: 'This batch number is not registered by the maker',
    text: (numbers) =>
      `The code that you scanned names ${numbers}, which the maker has not registered: the item may not be genuine. `
      + 'What follows describes the product in general, not the item in your hand.',
    numbers: { serial: (number) => `the serial number ${number}`, batch: (number) => `the batch number ${number}` },
    and: ' and ',
  },
  withdrawn: {
    own: {
      revocation: {
        head: 'Revoked by the maker',
        text: 'The maker has revoked this passport, so it cannot be claimed.',
      },
      suspension: {
        head: 'Suspended by the maker',
        text: 'The maker has suspended this passport, so it cannot be claimed at present.',
      },
    },
    batch: {
      revocation: {
        head: 'Its batch is revoked',
        text: 'The maker has revoked the batch that this item is of. Do not rely on the item.',
      },
      suspension: {
        head: 'Its batch is suspended',
        text: 'The maker has suspended the batch that this item is of. Until that ends, do not rely on the item.',
      },
    },
    model: {
      revocation: {
        head: 'Its model is revoked',
        text: 'The maker has revoked the model that this is of. Do not rely on it.',
      },
      suspension: {
        head: 'Its model is suspended',
        text: 'The maker has suspended the model that this is of. Until that ends, do not rely on it.',
      },
    },
  },
  archived: 'This passport is archived: it is no longer offered for claiming.',
  see: { batch: 'See the batch', model: 'See the model' },
  publisher: {
    byDomain: (domain) => `Published by ${domain}`,
    byGtin: (name, gtin) => `Published by ${name}, confirmed for the product number ${gtin}`,
    byName: (name) => `Signed by ${name}, not confirmed`,
  },
  contested: {
    head: 'Whose product is it?',
    text: (gtin) =>
      `Several organizations publish the product number ${gtin}, and it is not decided yet whose it is. Look at who is confirmed before you choose.`,
    nothing: 'Publishes nothing under this number at present.',
  },
}

const french: NoticeWords = {
  unregistered: {
    serial: 'Ce numéro de série n’est pas enregistré par le fabricant',
    batch: 'Ce numéro de lot n’est pas enregistré par le fabricant',
    text: (numbers) =>
      `Le code que vous avez scanné indique ${numbers}, que le fabricant n’a pas enregistré\u00a0: l’article n’est peut-être pas authentique. `
      + 'Ce qui suit décrit le produit en général, et non l’article que vous avez en main.',
    numbers: { serial: (number) => `le numéro de série ${number}`, batch: (number) => `le numéro de lot ${number}` },
    and: ' et ',
  },
  withdrawn: {
    own: {
      revocation: {
        head: 'Révoqué par le fabricant',
        text: 'Le fabricant a révoqué ce passeport\u00a0: il ne peut pas être revendiqué.',
      },
      suspension: {
        head: 'Suspendu par le fabricant',
        text: 'Le fabricant a suspendu ce passeport\u00a0: il ne peut pas être revendiqué en ce moment.',
      },
    },
    batch: {
      revocation: {
        head: 'Son lot est révoqué',
        text: 'Le fabricant a révoqué le lot de cet article. Ne vous fiez pas à cet article.',
      },
      suspension: {
        head: 'Son lot est suspendu',
        text: 'Le fabricant a suspendu le lot de cet article. Tant que cela dure, ne vous fiez pas à cet article.',
      },
    },
    model: {
      revocation: {
        head: 'Son modèle est révoqué',
        text: 'Le fabricant a révoqué le modèle de ce produit. Ne vous y fiez pas.',
      },
      suspension: {
        head: 'Son modèle est suspendu',
        text: 'Le fabricant a suspendu le modèle de ce produit. Tant que cela dure, ne vous y fiez pas.',
      },
    },
  },
  archived: 'Ce passeport est archivé\u00a0: il n’est plus proposé à la revendication.',
  see: { batch: 'Voir le lot', model: 'Voir le modèle' },
  publisher: {
    byDomain: (domain) => `Publié par ${domain}`,
    byGtin: (name, gtin) => `Publié par ${name}, confirmé pour le numéro de produit ${gtin}`,
    byName: (name) => `Signé par ${name}, non confirmé`,
  },
  contested: {
    head: 'À qui est ce produit\u00a0?',
    text: (gtin) =>
      `Plusieurs organisations publient le numéro de produit ${gtin}, et rien n’a encore été décidé. Regardez qui est confirmé avant de choisir.`,
    nothing: 'Ne publie rien sous ce numéro en ce moment.',
  },
}

export const noticeWords: Record<Language, NoticeWords> = { en: english, fr: french }
