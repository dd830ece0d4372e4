import { examplesByMember } from './members.ts'

const passports = 'https://passports.example.com/v1/dpp/passports/018f3f6e-7b1a-7c3d-9e2f-0123456789ab'
const lists = 'https://passports.example.com/v1/dpp/status-lists/018f3f73-1b2c-7d3e-8f40-5a6b7c8d9e0f'
const issuerMembers = {
  issuer: { type: ['CredentialIssuer'], id: 'did:web:brand.example', name: 'Alba' },
  validFrom: '2026-01-31T12:00:00.000Z',
}
const vocabulary = 'https://www.w3.org/ns/credentials/v2'

/** A signed credential. Its proof is shortened. */
const credential = {
  '@context': [vocabulary, 'https://vocabulary.uncefact.org/untp/0.7.0/context/'],
  type: ['VerifiableCredential', 'DigitalProductPassport'],
  id: `${passports}/vc.jsonld`,
  ...issuerMembers,
  credentialStatus: [
    {
      id: `${lists}#94567`,
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '94567',
      statusListCredential: lists,
    },
  ],
  credentialSubject: {
    type: ['Product'],
    id: 'https://id.example.com/BAG-0001',
    name: 'Weekend bag',
    itemNumber: 'BAG-0001',
  },
  proof: {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-jcs-2022',
    created: '2026-01-31T12:00:00Z',
    proofPurpose: 'assertionMethod',
    verificationMethod: `did:web:brand.example#${String(examplesByMember['kid'])}`,
    proofValue: 'z3FXQjecWufY46yg5abdVZsXqLhxhueuSoZgNSARiKBk9czhSePTFehP8c3PGfb6a22gkfUKods5D2UAUL5n2Brbx',
  },
}
const { credentialStatus: _, ...unsignedCredential } = credential
const statusList = {
  ...credential,
  '@context': [vocabulary],
  type: ['VerifiableCredential', 'BitstringStatusListCredential'],
  id: lists,
  credentialStatus: undefined,
  credentialSubject: {
    id: `${lists}#list`,
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: 'uH4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA',
  },
}
const signedCredential = {
  value: 'eyJhbGciOiJFZERTQSIsInR5cCI6InZjK2p3dCJ9.eyJ0eXBlIjpbIlZlcmlmaWFibGVDcmVkZW50aWFsIl19.c2lnbmF0dXJl',
  summary: 'A compact JWS; the signature is no real one.',
}
const rows = [
  { product: { idGranularity: 'item', name: 'Weekend bag', itemNumber: 'BAG-0001' }, reference: 'BAG-0001' },
]
const jsonLines = rows.map((row) => JSON.stringify(row)).join('\n')
const job = { id: examplesByMember['jobId'], status: 'completed', total: 200, completed: 200, failed: 0 }

/** Examples of content without a schema, by operation and media type, or by media type alone. */
export const examplesByMedia: Readonly<Record<string, { value: unknown; summary?: string }>> = {
  'create_import application/json': { value: rows },
  'create_import application/x-ndjson': { value: `${jsonLines}\n` },
  'create_import text/csv': { value: 'sku,title\nBAG-0001,Weekend bag\n' },
  'create_import application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    value: 'UEsDBBQAAAAIAA==',
    summary: 'How the bytes of a workbook begin, which JSON can only show in Base64.',
  },
  'create_import multipart/form-data': { value: { file: 'sku,title\nBAG-0001,Weekend bag\n' } },
  'mint_dpp_product application/json': { value: [{ serialNumber: 'BAG-0001', color: 'cognac' }] },
  'get_import_report text/csv': {
    value:
      'line,path,code,message,value,severity,count\n'
      + ',data.color,column_missing,"The mapper reads ""color"", which the file does not have: no row has a value here.",,warning,1\n'
      + '2,product.itemNumber,required,is required,,error,\n',
  },
  'build_dpp_passport_vc application/ld+json': { value: unsignedCredential },
  'get_dpp_context application/ld+json': {
    value: { '@context': { '@protected': true, color: 'https://passports.example.com/terms#color' } },
  },
  'get_dpp_status_list application/ld+json': { value: statusList },
  'get_dpp_status_list application/vc': { value: statusList },
  'application/ld+json': { value: credential },
  'application/vc': { value: credential },
  'application/vc+jwt': signedCredential,
  'text/event-stream': {
    value: `id: 3\ndata: ${JSON.stringify(job)}\n\n`,
    summary: 'One event: what the status route answers.',
  },
  'image/svg+xml': {
    value: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 33 33"><path fill="#fff" d="M0 0h33v33H0z"/></svg>',
  },
  'application/vnd.apple.pkpass': {
    value: 'UEsDBBQAAAgAAAAAIQA=',
    summary: 'The bytes of a file, which JSON can only show in Base64: here its beginning.',
  },
  'image/png': {
    value: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
    summary: 'The bytes of an image, which JSON can only show in Base64.',
  },
}
