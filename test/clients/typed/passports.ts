import type { Client } from 'tessera-client'
import { asStream, assertThat, unwrap, waitForJob, type Stage } from './stage.ts'

/** Sheets, from their making to their end, and minting. @returns a sheet whose passports can be claimed */
export async function callSheets(api: Client, { application }: Stage): Promise<string> {
  const passportsFields = [{ name: 'serialNumber', type: 'string' as const, required: true }]
  const body = { application, name: 'Bag', network: 'EthereumAnvil', status: 'ACTIVE', passportsFields } as const
  const sheet = await unwrap(api.POST('/v1/dpp/products', { body: { ...body, passportsFields: [...passportsFields] } }))
  const path = { id: sheet.id }
  await unwrap(api.PATCH('/v1/dpp/products/{id}', { params: { path }, body: { name: 'Weekend bag' } }))
  const { name } = await unwrap(api.GET('/v1/dpp/products/{id}', { params: { path } }))
  assertThat(name === 'Weekend bag', 'the name is changed')
  const filters = api.toQuery([{ field: 'name', operator: 'contains', value: 'weekend' }])
  const { total } = await unwrap(api.GET('/v1/dpp/products', { params: { query: { filters } } }))
  assertThat(total === 1, 'a filter by name finds one sheet')
  const minted = await unwrap(api.POST('/v1/dpp/products/{id}/mint', { params: { path }, body: [{ serialNumber: 'M-1' }] }))
  assertThat('jobId' in minted, 'rows are minted as a job')
  const ofJob = { id: sheet.id, jobId: minted.jobId }
  await unwrap(api.GET('/v1/dpp/products/{id}/mint/{jobId}/status/sse', { params: { path: ofJob }, ...asStream }))
  const job = await unwrap(api.GET('/v1/dpp/products/{id}/mint/{jobId}/status', { params: { path: ofJob } }))
  assertThat(job.completed === 1, 'one passport is minted')
  const stats = await unwrap(api.GET('/v1/dpp/products/{id}/stats', { params: { path } }))
  assertThat(stats.minted === 1, 'the sheet counts it')
  await unwrap(api.GET('/v1/dpp/products/stats'))
  const other = await unwrap(api.POST('/v1/dpp/products', { body: { application, name: 'Never used' } }))
  await unwrap(api.DELETE('/v1/dpp/products/{id}', { params: { path: { id: other.id } } }))
  return sheet.id
}

/** Passports of a product, from draft to credential. */
export async function callPassports(api: Client, { application, newGtin }: Stage): Promise<void> {
  const number = `typed-${Date.now()}`
  const product = {
    idGranularity: 'item' as const, id: `https://id.example.com/${number}`, name: 'Cell pack', itemNumber: number,
    idScheme: { type: ['IdentifierScheme'], id: 'https://id.gs1.org/01/', name: 'GS1 GTIN' },
    productCategory: [{ code: '46410', name: 'Batteries', schemeId: 'https://unstats.un.org/unsd/classifications/Econ/cpc/', schemeName: 'CPC' }],
    producedAtFacility: { type: ['Facility'], id: 'https://id.example.com/plant', name: 'Plant A' },
    countryOfProduction: { countryCode: 'FR', countryName: 'France' },
  }
  const body = { application, product, data: { color: 'red' }, certifiedPaths: ['color'] }
  await unwrap(api.POST('/v1/dpp/passports/validate', { body }))
  await unwrap(api.POST('/v1/dpp/passports/build-vc', { body }))
  const { id } = await unwrap(api.POST('/v1/dpp/passports', { body }))
  const params = { path: { id } }
  await unwrap(api.PATCH('/v1/dpp/passports/{id}', { params, body: { reference: number } }))
  await unwrap(api.GET('/v1/dpp/passports/{id}/readiness', { params }))
  const condition = [{ field: 'reference', operator: 'eq', value: number }] as const
  const { data: [listed] } = await unwrap(api.GET('/v1/dpp/passports', {
    params: { query: { filters: api.toQuery([{ operator: 'or', value: condition }]), sorters: api.toQuery([{ field: 'id', order: 'asc' }]) } },
  }))
  assertThat(listed?.id === id, 'a group of filters finds the passport')
  const query = { filters: api.toQuery(condition) }
  const published = await unwrap(api.POST('/v1/dpp/passports/publish', { params: { query } }))
  assertThat('jobId' in published, 'passports are published as a job')
  await waitForJob(api, published.jobId)
  const certified = await unwrap(api.POST('/v1/dpp/passports/certify', { params: { query } }))
  assertThat('jobId' in certified, 'passports are certified as a job')
  await waitForJob(api, certified.jobId)
  const preview = await unwrap(api.POST('/v1/dpp/passports/certify', { params: { query: { ...query, dryRun: true } } }))
  assertThat('willChange' in preview && preview.willChange === 0, 'a dry run has nothing left to certify')
  const passport = await unwrap(api.GET('/v1/dpp/passports/{id}', { params }))
  assertThat(passport.certificationStatus === 'certified', 'the passport is certified')
  const code = await unwrap(api.GET('/v1/dpp/passports/{id}/qr-code', { params: { ...params, query: { format: 'svg' } }, parseAs: 'text' }))
  assertThat(code.includes('<svg'), 'the code is a picture')
  await unwrap(api.GET('/v1/dpp/passports/{id}/anchor', { params }))
  await unwrap(api.POST('/v1/dpp/passports/{id}/reports', { params, body: { kind: 'defect', text: 'It does not charge.' } }))
  await callCredentials(api, id)
  const form = { application, fileName: 'opt-in.pdf', contentType: 'application/pdf' as const }
  await unwrap(api.POST('/v1/dpp/opt-in-forms', { body: { ...form, content: Buffer.from('%PDF-1.7\nyes').toString('base64') } }))
  const model = { idGranularity: 'model' as const, name: 'Pack', modelNumber: number, gtin: newGtin() }
  const draft = await unwrap(api.POST('/v1/dpp/passports', { body: { application, product: model } }))
  await unwrap(api.DELETE('/v1/dpp/passports/{id}', { params: { path: { id: draft.id } } }))
  await callManyPassports(api, application)
}

/** What is asked and done of many passports at once, and the history of one. */
async function callManyPassports(api: Client, application: string): Promise<void> {
  const reference = `typed-many-${Date.now()}`
  const product = { idGranularity: 'model' as const, name: 'Pack', modelNumber: reference }
  const { id } = await unwrap(api.POST('/v1/dpp/passports', { body: { application, product, reference } }))
  const query = { filters: api.toQuery([{ field: 'reference', operator: 'eq', value: reference }]) }
  const readiness = await unwrap(api.GET('/v1/dpp/readiness', { params: { query: { ...query, severity: 'error' } } }))
  assertThat(readiness.passports === 1 && readiness.ready === 0, 'one passport is judged, which is not ready')
  const archived = await unwrap(api.POST('/v1/dpp/passports/archive', { params: { query } }))
  assertThat('jobId' in archived, 'passports are archived as a job')
  await waitForJob(api, archived.jobId)
  const history = await unwrap(api.GET('/v1/dpp/passports/{id}/history', { params: { path: { id } } }))
  assertThat(history.data[0]?.type === 'update', 'the history begins with the newest entry')
  const deleted = await unwrap(api.POST('/v1/dpp/passports/delete', { params: { query } }))
  assertThat('jobId' in deleted, 'passports are deleted as a job')
  await waitForJob(api, deleted.jobId)
}

interface Named { '@context': string[]; credentialStatus: { statusListCredential: string }[] }
const lastStep = (address = '') => address.split('/').at(-1) ?? ''

/** The credential of a passport, and what it names. */
async function callCredentials(api: Client, id: string): Promise<void> {
  const params = { path: { id } }
  const credential = await unwrap(api.GET('/v1/dpp/passports/{id}/vc.jsonld', { params, headers: { Accept: 'application/ld+json' } }))
  const { verified } = await unwrap(api.POST('/v1/dpp/credentials/verify', { body: { credential: credential as Record<string, never> } }))
  assertThat(verified === true, 'the credential is good')
  const named = credential as unknown as Named
  await unwrap(api.GET('/v1/dpp/contexts'))
  await unwrap(api.GET('/v1/dpp/contexts/{sha256}', { params: { path: { sha256: lastStep(named['@context'].at(-1)) } } }))
  const list = lastStep(named.credentialStatus[0]?.statusListCredential)
  await unwrap(api.GET('/v1/dpp/status-lists/{id}', { params: { path: { id: list } }, headers: { Accept: 'application/ld+json' } }))
  await unwrap(api.POST('/v1/dpp/passports/{id}/status', { params, body: { purpose: 'suspension', value: true, reason: 'A look at it' } }))
}

/** Claims by address and by magic token. @returns the passport that the buyer claimed by address */
export async function callClaims(api: Client, sheet: string, { buyer, email }: { buyer: Client; email: string }): Promise<string> {
  const make = async (serialNumber: string, more: { allowedClaimEmail?: string } = {}) => {
    const { id } = await unwrap(api.POST('/v1/dpp/passports', { body: { product: sheet, fields: { serialNumber }, ...more } }))
    const query = { filters: api.toQuery([{ field: 'id', operator: 'eq', value: id }]), skipCertification: true }
    const started = await unwrap(api.POST('/v1/dpp/passports/publish', { params: { query } }))
    assertThat('jobId' in started, 'passports are published as a job')
    await waitForJob(api, started.jobId)
    return { id, params: { path: { id } } }
  }
  const mine = await make('C-1', { allowedClaimEmail: email })
  const { jobId } = await unwrap(buyer.POST('/v1/dpp/claim', { body: { passport: mine.id } }))
  const params = { path: { jobId } }
  await unwrap(buyer.GET('/v1/dpp/claim/{jobId}/status/sse', { params, ...asStream }))
  const { status } = await unwrap(buyer.GET('/v1/dpp/claim/{jobId}/status', { params }))
  assertThat(status === 'completed', 'the claim is completed')
  const [owner] = await unwrap(buyer.GET('/v1/dpp/passports/{id}/ownership', { params: mine.params }))
  assertThat(owner !== undefined, 'the passport has an owner')
  const other = await make('C-2')
  await unwrap(buyer.POST('/v1/dpp/claim/requests', { body: { passport: other.id, text: 'Bought in Lyon.' } }))
  await unwrap(api.GET('/v1/dpp/passports/{id}/magic-token', { params: other.params }))
  await unwrap(api.POST('/v1/dpp/passports/{id}/magic-token/revoke', { params: other.params }))
  const { token } = await unwrap(api.GET('/v1/dpp/passports/{id}/magic-token', { params: other.params }))
  const claimed = await unwrap(buyer.POST('/v1/dpp/claim/magicToken', { body: { magicToken: token } }))
  await unwrap(buyer.GET('/v1/dpp/claim/{jobId}/status/sse', { params: { path: { jobId: claimed.jobId } }, ...asStream }))
  return mine.id
}
