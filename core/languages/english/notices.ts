import type { NoticeWords, ResolverWords } from '../words.types.ts'

export const notices: NoticeWords = {
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

export const resolver: ResolverWords = {
  linksOf: (name) => `${name}: links`,
  product: 'Product',
  which: 'Which one is it?',
  choose: 'Several products have this number. Choose the one you have in hand.',
  unknown: { head: 'Nothing is known of this product', text: 'No passport with these numbers is published here.' },
  wrong: 'This is no address of a product',
  refusals: null,
}
