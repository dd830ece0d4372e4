/** The answer of the upstream in the comparison, as large as real passports. */
export const passport = {
  id: '0198c0de-0000-7000-8000-000000000001',
  tokenId: `0x${'5e'.repeat(32)}`,
  application: { id: '0198c0de-0000-7000-8000-000000000002', name: 'Measured shop' },
  network: 'EthereumAnvil',
  status: 'published',
  source: 'manual',
  product: '0198c0de-0000-7000-8000-000000000003',
  fields: { serialNumber: 'SN-000000001', color: 'red', size: 42, origin: { country: 'FR', year: 2026 } },
  certifiedPaths: ['serialNumber', 'origin.country'],
  certificateUri: null,
  mintedTo: null,
  token: { contract: `0x${'ab'.repeat(20)}`, transactionHash: `0x${'cd'.repeat(32)}`, owner: `0x${'ef'.repeat(20)}` },
  certificationStatus: 'none',
  certifiedAt: null,
  contentHash: null,
  ipfsCid: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

export const token = { token: 'a'.repeat(43), expiresAt: '2027-01-01T00:00:00.000Z' }

/** A draft of about 1 KiB. */
export const draft = {
  product: passport.product,
  fields: { ...passport.fields, note: 'A bag that was measured. '.repeat(36) },
}
