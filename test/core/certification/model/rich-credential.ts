import type { TestIssuer, Vc } from '../suites/signers.ts'

/** The context that every credential begins with, and what its file hashes to. Source: VC Data Model 2.0, appendix B.1. */
export const credentialsContext = 'https://www.w3.org/ns/credentials/v2'
const sha256 = '59955ced6697d61e03f2b2556febe5308ab16842846f5b586d7f1f7adec92734'
export const contextDigests = {
  digestSRI: 'sha384-l/HrjlBCNWyAX91hr6LFV2Y3heB5Tcr6IeE4/Tje8YyzYBM8IhqjHWiWpr8+ZbYU',
  digestMultibase: `u${Buffer.from(`1220${sha256}`, 'hex').toString('base64url')}`,
}

/** A credential that has each member of the data model, most of them several times. Nobody can be asked for its resources. */
export const createRichCredential = (issuer: TestIssuer): Vc =>
  issuer.credential({
    '@context': [
      credentialsContext,
      'https://brand.example/context/v1',
      {
        Repair: 'https://brand.example/terms#Repair',
        parts: { '@id': 'https://brand.example/parts', '@container': '@list' },
      },
    ],
    type: ['VerifiableCredential', 'DigitalProductPassport', 'https://brand.example/terms#BagPassport'],
    name: [
      { '@value': 'Passport of a bag', '@language': 'en', '@direction': 'ltr' },
      { '@value': 'Passeport d’un sac', '@language': 'fr-FR' },
    ],
    description: { '@value': 'حقيبة', '@language': 'ar', '@direction': 'rtl' },
    issuer: {
      type: ['CredentialIssuer'],
      id: issuer.did,
      name: 'Brand',
      description: [{ '@value': 'Makes bags', '@language': 'en' }],
    },
    validFrom: '2024-02-29T00:00:00+14:00',
    validUntil: '2999-12-31T24:00:00Z',
    credentialSubject: [
      {
        id: 'https://id.brand.example/01/09520123456788',
        type: ['Product'],
        name: 'Bag',
        weight: { value: 0.4, unit: 'KGM' },
      },
      {
        id: 'did:web:plant.example',
        type: 'Facility',
        confidenceMethod: { id: 'urn:uuid:0c07c1ce-57cb-41af-bef2-1b932b986873', type: 'Inspection' },
      },
      { description: 'Somebody without a name' },
    ],
    credentialSchema: [
      { id: 'https://brand.example/schemas/bag.json', type: 'JsonSchema', digestSRI: contextDigests.digestSRI },
      { id: 'urn:schema:2', type: ['JsonSchema', 'Strict'] },
    ],
    refreshService: { type: 'https://brand.example/terms#Refresh', id: 'https://brand.example/refresh' },
    termsOfUse: [
      { type: 'TrustFrameworkPolicy' },
      { type: 'TrustFrameworkPolicy', id: 'https://brand.example/terms/1' },
    ],
    evidence: [{ id: 'https://lab.example/reports/7', type: ['LabReport'], name: 'Tested' }, { type: 'Photo' }],
    confidenceMethod: { type: 'Inspection' },
    renderMethod: [{ type: 'RenderTemplate2024', id: 'https://brand.example/render/1' }],
    relatedResource: [
      { id: credentialsContext, mediaType: 'application/ld+json', ...contextDigests },
      { id: 'did:web:brand.example#logo', digestSRI: [`sha256-${'A'.repeat(43)}= sha512-${'A'.repeat(86)}==`] },
    ],
  })
