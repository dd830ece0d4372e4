import fc from 'fast-check'

/** PostgreSQL stores no NUL in a text. */
const hasNoNul = (value: unknown) => !JSON.stringify(value).includes('\\u0000')

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter(hasNoNul)
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const instant = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())
const values = fc
  .dictionary(
    fc.oneof(text, fc.constantFrom('opt_in_form', '__proto__', '1')),
    fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 2 }),
    { maxKeys: 4 },
  )
  .filter(hasNoNul)

const units = (kind: string) => ({
  [`${kind}_job`]: nullable(fc.uuid()),
  [`${kind}_job_status`]: nullable(fc.constantFrom('pending', 'completed', 'failed')),
  [`${kind}_job_error`]: nullable(text),
})

/** Rows of `passports`, also such as nobody writes: every column has every value, whatever its neighbours have. */
export const createRows = (own: { applications: string[]; accounts: string[]; products: object[] }) =>
  fc.record({
    id: fc.uuid(),
    token_id: text,
    organization: fc.uuid(),
    application: fc.constantFrom(...own.applications),
    network: fc.constantFrom('Sepolia', 'BaseSepolia'),
    status: fc.constantFrom('draft', 'published', 'claimed', 'archived'),
    source: fc.constantFrom('manual', 'import', 'ecommerce'),
    sheet: fc.uuid(),
    sheet_version: nullable(fc.integer({ min: 1, max: 9 })),
    fields: values,
    product: nullable(fc.constantFrom(...own.products)),
    data: nullable(values),
    certified_paths: fc.array(text, { maxLength: 3 }),
    certificate_uri: nullable(text),
    reference: nullable(text),
    allowed_claim_email: nullable(text),
    allowed_claim_phone_number: nullable(text),
    minted_to: nullable(fc.constantFrom(...own.accounts)),
    token_contract: nullable(text),
    token_transaction: nullable(text),
    token_owner: nullable(text),
    certification_status: fc.constantFrom('none', 'pending', 'certified', 'error'),
    certified_at: nullable(instant),
    content_hash: nullable(text),
    ipfs_cid: nullable(text),
    ...units('structure'),
    ...units('certify'),
    trust_enrolled_at: nullable(instant),
    trust_url: nullable(text),
    created_at: instant,
    updated_at: instant,
  })
