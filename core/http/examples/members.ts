/*
 * The examples of the document tell one story: Alba, a maker of bags, and Ada, who buys one. What a member is called
 * says what stands in it; `Title.member` where the same name means something else in one schema.
 */
const passport = '018f3f6e-7b1a-7c3d-9e2f-0123456789ab'
const product = '018f3f6e-2c4d-7a10-8b55-5f0c2a9d7e31'
const application = '018f3f6d-91aa-7d02-b6c4-3b7e8f2a1c60'
const organization = '018f3f6d-0b2e-7f44-a1d9-6e5c4b3a2f10'
const job = '018f3f70-44c8-7e19-8a3b-c2d1e0f9a8b7'
const hex = (digits: string) => `0x${digits.repeat(64 / digits.length)}`
const address = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const kid = 'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
const rows = [
  { destination: 'reference', kind: 'field', source: 'sku', required: true },
  { destination: 'product.name', kind: 'field', source: 'title', transforms: ['trim'] },
  { destination: 'product.idGranularity', kind: 'constant', value: 'item' },
  { destination: 'product.itemNumber', kind: 'field', source: 'sku' },
]
const described = { idGranularity: 'item', name: 'Weekend bag', itemNumber: 'BAG-0001', modelNumber: 'WB-48' }
const claimed = { serialNumber: 'BAG-0001', color: 'cognac' }
const email = 'ada@example.com'

/** The example of a body, or of a part of one, by its title. */
export const byTitle: Readonly<Record<string, unknown>> = {
  Product: described,
  FieldDefinition: { name: 'serialNumber', type: 'string', label: 'Serial number', required: true, maxLength: 40 },
  NewApplication: {
    name: 'Alba Bags', slug: 'alba-bags', domains: ['shop.example.com'], websiteUrl: 'https://shop.example.com/',
    theme: { primaryColor: '#0a7d54' },
  },
  ApplicationPatch: { name: 'Alba Bags Milano', theme: { primaryColor: '#0a7d54' } },
  SendMemberCode: { email, type: 'sign-in' },
  SendCode: { application, type: 'email-otp', email },
  VerifyCode: { application, type: 'email-otp', email, otp: '492039' },
  SetActive: { organizationId: organization },
  NewSheet: {
    application, name: 'Weekend bag', network: 'EthereumAnvil', status: 'ACTIVE',
    passportsFields: [
      { name: 'serialNumber', type: 'string', label: 'Serial number', required: true, maxLength: 40 },
      { name: 'color', type: 'enum', variants: ['cognac', 'black'] },
    ],
    certifiedPaths: ['serialNumber'],
  },
  SheetPatch: { name: 'Weekend bag, large', status: 'ACTIVE' },
  NewPassport: {
    application, product: described, data: { color: 'cognac', leather: { origin: 'IT' } }, reference: 'BAG-0001',
    certifiedPaths: ['color', 'leather.origin'], allowedClaimEmail: email,
  },
  PassportToValidate: { application, product: described, data: { color: 'cognac' }, certifiedPaths: ['color'] },
  PassportPatch: { data: { color: 'black' }, allowedClaimEmail: email },
  NewClaim: { passport },
  NewTokenClaim: { magicToken: 'mt_8Jf2kQvX1sT7wZb4' },
  GtinContest: { reason: 'We make this product; the other publisher sells it.' },
  CredentialStatusChange: { purpose: 'revocation', value: true, reason: 'The bag was destroyed after its recall.' },
  KeyRevocation: { reason: 'A laptop with a copy of the key was lost.', compromisedAt: '2026-01-30T08:00:00.000Z' },
  DidWebDomain: { domain: 'brand.example' },
  NewOptInForm: { application, fileName: 'opt-in.pdf', contentType: 'application/pdf', content: 'JVBERi0xLjcKeWVzCg==' },
  NewImportMapper: {
    application, type: 'url', name: 'Bags of the shop', format: 'csv', rows,
    url: 'https://shop.example.com/bags.csv', schedule: '0 4 * * *',
  },
  ImportMapperPatch: { name: 'Bags of the shop, each night', schedule: '0 3 * * *' },
  ImportPreviewRequest: { mapper: { format: 'csv', rows }, application, sample: 'sku,title\nBAG-0001,Weekend bag\n' },
  ImportMappingQuestion: {
    application, fields: [{ id: 'sku', example: 'BAG-0001', distinct: 200 }, { id: 'title', example: 'Weekend bag' }],
  },
  NoBody: {},
}

/** The example of a member, by its name; undefined where it is left out. */
export const byMember: Readonly<Record<string, unknown>> = {
  application, applicationId: application, organization, organizationId: organization, product, passport, jobId: job,
  appId: application, mapperId: '018f3f71-5e6f-7a21-9c0d-1f2e3d4c5b6a', parent: null, id: passport,
  'ApplicationRef.id': application, 'Application.id': application, 'ApplicationView.id': application,
  'Membership.id': organization, 'Sheet.id': product, 'Job.id': job, 'ImportJob.id': job, 'AcceptedImport.id': job,
  'MintJob.id': job, 'PassportUnit.id': job, 'PassportParent.id': '018f3f6e-6a00-7b11-8c22-9d33ae44bf55',
  'Account.id': '018f3f6f-1a2b-7c3d-8e4f-5a6b7c8d9e0f', 'MintedTo.id': '018f3f6f-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  'DidDocument.id': 'did:web:brand.example', 'DidService.id': 'did:web:brand.example#keys',
  'VerificationMethod.id': `did:web:brand.example#${kid}`, 'ImportSourceField.id': 'sku',
  name: 'Weekend bag', label: 'Serial number', description: 'A bag for two nights, of Italian leather.',
  'Application.name': 'Alba Bags', 'ApplicationView.name': 'Alba Bags', 'ApplicationRef.name': 'Alba Bags',
  'Membership.name': 'Alba', 'ApplicationTheme.title': 'Alba Bags', 'AccountUser.name': 'Ada', 'SessionUser.name': 'Ada',
  'ImportMapper.name': 'Bags of the shop', 'RunningImportMapper.name': 'Bags of the shop', 'ApplicationToken.name': 'Alba Points',
  'ImportJob.name': 'batch', 'AcceptedImport.name': 'batch',
  email, phoneNumber: '+393331234567', allowedClaimEmail: email, allowedClaimPhoneNumber: null,
  slug: 'alba-bags', 'Membership.slug': 'alba', domains: ['shop.example.com'], domain: 'shop.example.com',
  'DidWebConfig.domain': 'brand.example', 'ActiveDidWebDomain.domain': 'brand.example', websiteUrl: 'https://shop.example.com/',
  features: ['loyalty'], symbol: 'ALBA', googleFont: 'Inter', logoUrl: 'https://shop.example.com/logo.svg',
  bgImageUrl: 'https://shop.example.com/background.jpg', passTypeIdentifier: 'pass.com.example.shop',
  teamIdentifier: 'A1B2C3D4E5', issuerId: '3388000000012345678', pointsConversionThreshold: '100', welcomeBonus: '50',
  network: 'EthereumAnvil', caip2: 'eip155:31337', defaultNetwork: 'EthereumAnvil', status: 'completed', 'Passport.status': 'claimed',
  'Sheet.status': 'ACTIVE', 'ImportJob.status': 'completed', 'CertificationKey.status': 'active', 'IssuerKey.status': 'active',
  'KeyRegistration.status': 'registered', 'ApplicationDomain.status': 'proven', 'DidWebConfig.status': 'active',
  'DidWebCheck.status': 'failed', 'AcceptedImport.status': 'pending', certificationStatus: 'certified',
  source: 'sku', 'Passport.source': 'manual', 'ImportData.source': 'upload', reference: 'BAG-0001',
  fields: claimed, data: { color: 'cognac' }, 'Passport.product': product, 'Passport.data': {},
  'Sheet.fields': { material: 'leather' }, certifiedPaths: ['serialNumber'], certificateUri: null,
  idGranularity: 'item', granularity: 'item', number: 'BAG-0001', serialNumber: 'BAG-0001',
  modelNumber: 'WB-48', batchNumber: 'L-2026-01', itemNumber: 'BAG-0001', default: 'cognac',
  address, owner: address, to: address, from: null, contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  'ListedSession.address': '203.0.113.7', agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', token: 'st_Qm9Yx2Lr8Vd4',
  'MagicToken.token': 'mt_8Jf2kQvX1sT7wZb4', magicToken: 'mt_8Jf2kQvX1sT7wZb4',
  'MagicToken.url': 'https://passports.example.com/claim?token=mt_8Jf2kQvX1sT7wZb4', url: 'https://shop.example.com/bags.csv',
  'PassportTrust.url': 'https://passports.example.com/p/018f3f6e-7b1a-7c3d-9e2f-0123456789ab',
  tokenId: hex('7c3d9e2f01234567'), root: hex('5e884898da280471'), leaf: hex('2cf24dba5fb0a30e'), proof: [hex('9f86d081884c7d65')],
  transactionHash: hex('4bf5122f344554c5'), contentHash: hex('ef2d127de37b942b'), blockNumber: 4211,
  ipfsCid: 'bafkreih4kq6dxrfzqkfp3jvd6qk2l3oyb4cnzv7mj2n5ulqu3qkqz4x7wi',
  kid, publicKeyMultibase: kid, x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', did: 'did:web:brand.example',
  dids: ['did:web:brand.example', `did:key:${kid}`], controller: 'did:web:brand.example',
  '@context': ['https://www.w3.org/ns/did/v1'], assertionMethod: [`did:web:brand.example#${kid}`],
  'DidService.type': 'IssuerKeys', serviceEndpoint: 'https://passports.example.com/v1/dpp/issuers/did:web:brand.example/keys',
  rotatedAt: null, revokedAt: null, compromisedAt: null, validUntil: null, missingSince: null, rotationDueAt: null,
  'KeyRevocation.reason': 'lost', 'DomainProofRecord.name': '_tessera.shop.example.com',
  'DomainProofRecord.value': 'tessera=5f2b7c1d9e8a4036', nextCursor: null, nextPage: null, total: 1, completed: 1, matched: 1,
  progress: 1, initError: null, result: { created: 1 }, 'ImportData.mapperId': null, fileName: 'bags.csv',
  currentPage: 1, pageSize: 10, line: 2, path: 'product.itemNumber', code: 'required', 'JobError.code': 'DPP_PASSPORT_DUPLICATE_REFERENCE',
  'ImportInitError.code': 'IMPORT_ROW_CAP_EXCEEDED', message: 'is required', 'JobError.message': 'The reference is taken.',
  'ImportInitError.message': 'The file has more rows than this installation takes.', value: 'BAG-0001',
  'Finding.code': 'untp_required', rule: 'UNTP 0.7.0, Product', fix: 'Say where it was made in product.producedAtFacility.',
  'Finding.path': 'product.producedAtFacility', 'Finding.message': 'UNTP demands the facility.', 'FieldDefinition.default': 'cognac',
  'CredentialVerification.verified': true, 'CredentialCheck.ok': true, 'CredentialStatus.value': true, 'CredentialStatus.revoked': true,
  'ApplicationDomain.reason': undefined, totalIsEstimate: undefined, 'ImportData.format': 'csv', 'ImportMapper.format': 'csv',
  'ImportMapper.type': 'url', 'ImportJob.type': 'import', 'AcceptedImport.type': 'import', 'ImportJob.total': 2, 'ImportJob.failed': 1,
  'AcceptedImport.total': 0, 'AcceptedImport.completed': 0, 'AcceptedImport.progress': 0, 'AcceptedImport.result': null,
  'AcceptedImport.errors': [], 'AcceptedImport.finishedAt': null, 'Job.errors': [], 'MintJob.errors': [],
  'Job.result': null, 'MintJob.result': null, 'MintResult.line': 0, 'Sheet.productFields': [{ name: 'material', type: 'string' }],
  'Event.subject': 'dppPassport', 'Event.type': 'claim', 'PassportCounts.claimed': 1, 'SheetCounts.ACTIVE': 1, minted: 1, scans: 12,
  visitsWindowDays: 365, conversionWindowDays: 30, frequencyCapPer24h: 2, expiresAt: '2026-03-02T12:00:00.000Z', ended: 2,
  reason: 'The bag was destroyed after its recall.', detail: 'The signature is good.', newer: null,
  existing: passport, requestId: '018f3f72-0a1b-7c2d-8e3f-4a5b6c7d8e9f', instance: '/v1/dpp/passports', resource: 'dpp', action: 'create',
  destination: 'product.name', transforms: ['trim'], evidence: 'The heading and the values look like a name.', example: 'Weekend bag',
  'ImportPreviewRow.passport': { product: described, reference: 'BAG-0001' }, 'Event.passport': { id: passport, status: 'claimed' },
  encoding: 'utf-8', delimiter: ';', sheet: 'Bags', unusedColumns: ['notes'], columns: ['sku', 'title'], 'ImportDialect.columns': 2, 'ImportMapper.rows': rows, lookup: { L: 'large' }, lookupDefault: 'small',
  schedule: '0 4 * * *', headers: { authorization: null }, nextRunAt: '2026-02-01T04:00:00.000Z',
  'PassportUnit.error': 'The network did not answer in time.', uri: 'ipfs://bafkreih4kq6dxrfzqkfp3jvd6qk2l3oyb4cnzv7mj2n5ulqu3qkqz4x7wi',
  'OptInForm.size': 182044, cryptosuites: ['eddsa-jcs-2022'], otp: '492039', sha256: '5e884898da28047151d0e56f8dc62927'.repeat(2),
  cursor: 'eyJpZCI6IjAxOGYzZjZlIn0', entityName: 'DppPassport', 'Idempotency-Key': 'order-4711',
  'Idempotency-Window': 600, version: 1, file: 'sku,title\nBAG-0001,Weekend bag\n',
}
