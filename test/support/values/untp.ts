/** Creates an item with the members that UNTP 0.7.0 requires of a product. @param serial the item number */
export const createUntpItem = (serial: string) => ({
  id: `https://id.example.com/01/09520123456788/21/${serial}`,
  name: 'Cell pack 48V',
  idScheme: { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'GS1 GTIN' },
  idGranularity: 'item',
  modelNumber: 'CP48',
  itemNumber: serial,
  productCategory: [
    {
      code: '46410',
      name: 'Primary cells and primary batteries',
      schemeId: 'https://unstats.un.org/unsd/classifications/Econ/cpc/',
      schemeName: 'UN Central Product Classification (CPC)',
    },
  ],
  producedAtFacility: { type: ['Facility'], id: 'https://id.example.com/414/9520123456788', name: 'Plant A' },
  countryOfProduction: { countryCode: 'FR', countryName: 'France' },
})

const untpVocabulary = 'https://vocabulary.uncefact.org/untp/'
const createTerms = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { '@id': `${untpVocabulary}${name}` }]))
const createCodeTerm = (name: string, vocabulary: string) => ({
  [name]: {
    '@id': `${untpVocabulary}${name}`,
    '@type': '@vocab',
    '@context': { '@vocab': `${untpVocabulary}${vocabulary}#` },
  },
})

/**
 * The address of UNTP's context, and a small context that maps the members of `createUntpItem` as UNTP's does. It
 * leaves out DigitalProductPassport.
 */
export const untpContextAddress = 'https://vocabulary.uncefact.org/untp/0.7.0/context/'
export const untpContext = {
  '@context': {
    '@version': 1.1,
    '@protected': true,
    CredentialIssuer: `${untpVocabulary}CredentialIssuer`,
    IdentifierScheme: `${untpVocabulary}IdentifierScheme`,
    Facility: `${untpVocabulary}Facility`,
    Product: {
      '@id': `${untpVocabulary}Product`,
      '@context': {
        '@protected': true,
        ...createTerms('modelNumber', 'batchNumber', 'itemNumber', 'idScheme', 'producedAtFacility', 'characteristics'),
        ...createCodeTerm('idGranularity', 'ProductIDGranularity'),
        productCategory: {
          '@id': `${untpVocabulary}productCategory`,
          '@context': createTerms('code', 'schemeId', 'schemeName'),
        },
        countryOfProduction: {
          '@id': `${untpVocabulary}countryOfProduction`,
          '@context': { ...createCodeTerm('countryCode', 'CountryId'), ...createTerms('countryName') },
        },
      },
    },
  },
}
