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
