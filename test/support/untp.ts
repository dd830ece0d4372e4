/** Members that UNTP 0.7.0 demands of a product, and the numbers of an item. @param serial its item number */
export const untpItem = (serial: string) => ({
  id: `https://id.example.com/01/09520123456788/21/${serial}`,
  name: 'Cell pack 48V',
  idScheme: { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'GS1 GTIN' },
  idGranularity: 'item',
  modelNumber: 'CP48',
  itemNumber: serial,
  productCategory: [{
    code: '46410', name: 'Primary cells and primary batteries',
    schemeId: 'https://unstats.un.org/unsd/classifications/Econ/cpc/', schemeName: 'UN Central Product Classification (CPC)',
  }],
  producedAtFacility: { type: ['Facility'], id: 'https://id.example.com/414/9520123456788', name: 'Plant A' },
  countryOfProduction: { countryCode: 'FR', countryName: 'France' },
})

const untp = 'https://vocabulary.uncefact.org/untp/'
const terms = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { '@id': `${untp}${name}` }]))
const code = (name: string, vocabulary: string) => ({ [name]: { '@id': `${untp}${name}`, '@type': '@vocab', '@context': { '@vocab': `${untp}${vocabulary}#` } } })

/** The address of UNTP's context, and a small one that maps what `untpItem` has, in the way in which UNTP's does: it leaves out DigitalProductPassport. */
export const untpContextAddress = 'https://vocabulary.uncefact.org/untp/0.7.0/context/'
export const untpContext = {
  '@context': {
    '@version': 1.1, '@protected': true,
    CredentialIssuer: `${untp}CredentialIssuer`,
    IdentifierScheme: `${untp}IdentifierScheme`, Facility: `${untp}Facility`,
    Product: {
      '@id': `${untp}Product`,
      '@context': {
        '@protected': true,
        ...terms('modelNumber', 'batchNumber', 'itemNumber', 'idScheme', 'producedAtFacility', 'characteristics'),
        ...code('idGranularity', 'ProductIDGranularity'),
        productCategory: { '@id': `${untp}productCategory`, '@context': terms('code', 'schemeId', 'schemeName') },
        countryOfProduction: { '@id': `${untp}countryOfProduction`, '@context': { ...code('countryCode', 'CountryId'), ...terms('countryName') } },
      },
    },
  },
}
