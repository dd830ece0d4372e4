import { randomUUID } from 'node:crypto'
import { getCredentialPath, createBody } from '../../core/certification/credentials/certified.ts'
import {
  buildApplication,
  buildBuyer,
  buildCertifiedPassport,
  buildPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../support/world.ts'
import { createEmail, createUniqueName } from '../../core/identity/people.ts'
import { createImport, createMapper } from '../../core/imports/intake/intake.maker.ts'
import { waitForJob } from '../../core/dpp/passports/fixtures.ts'
import { createGtin } from '../../core/dpp/gs1/gtin-values.ts'
import { createFamily } from '../../core/dpp/gs1/gtins.ts'
import { createApiClient } from '../../support/client.ts'
import { proveDomain } from '../../support/network/domains.ts'

type Arguments = Record<string, unknown>

/** An organization with something of everything, and arguments with which each tool succeeds once. */
export interface Stage {
  readonly shop: Shop
  /** Of tools that only read. */
  readonly reads: Readonly<Record<string, Arguments>>
  /** Of tools that may be called again, each with things of its own, in an order in which none disturbs another. */
  readonly again: Readonly<Record<string, Arguments>>
}

export async function createStage(): Promise<Stage> {
  const shop = await buildShop()
  const sheet = await buildSheet(shop)
  const started = await shop.api.post(`/v1/dpp/products/${sheet}/mint`, [{ serialNumber: 'M-1' }])
  const jobId = String(started.body['jobId'])
  await waitForJob(shop.api, `/v1/jobs/${jobId}`)
  const certified = await buildCertifiedPassport(shop)
  return { shop, reads: await readsOf(shop, sheet, jobId, certified), again: await againOf(shop, sheet, certified) }
}

/** Assigns points to somebody without an account. @returns the assignment */
async function assign({ api, application }: Shop): Promise<string> {
  const made = await api.post('/v1/account-assignments', { application, email: createEmail(), optimisticBalance: 5 })
  return String(made.body['id'])
}

let nextVisits = 1
/** Creates a tier that no visits lead to yet. @returns the tier */
async function createTier({ api, application }: Shop): Promise<string> {
  const tier = {
    application,
    name: createUniqueName('Tier'),
    requiredVisits: 1_000 + nextVisits++,
    currencyToPointRatio: 1,
  }
  const made = await api.post('/v1/loyalty/reward-tiers', tier)
  return String(made.body['id'])
}

/** Creates a point of sale. @returns it */
async function createPointOfSale({ api, application }: Shop): Promise<string> {
  const made = await api.post('/v1/points-of-sale', { application, name: 'Centre', timeZone: 'Europe/Rome' })
  return String(made.body['id'])
}

async function readsOf(shop: Shop, sheet: string, jobId: string, certified: string): Promise<Stage['reads']> {
  const { application } = shop
  const { text } = await createApiClient().get(getCredentialPath(certified))
  const credential = JSON.parse(text) as {
    issuer: { id: string }
    credentialStatus: { statusListCredential: string }[]
  }
  const list = credential.credentialStatus[0]?.statusListCredential.split('/').at(-1)
  const [mapper, imported] = [await createMapper(shop), await createImport(shop, [{}])]
  const ofPassport = { id: certified }
  return {
    get_account: { id: (await buildBuyer(shop)).account },
    get_account_assignment: { id: await assign(shop) },
    get_loyalty_reward_tier: { id: await createTier(shop) },
    get_point_of_sale: { id: await createPointOfSale(shop) },
    get_application: { appId: application },
    get_organization: { id: shop.organization },
    get_dpp_mint_job: { id: sheet, jobId },
    get_dpp_passport: ofPassport,
    get_dpp_passport_anchor: ofPassport,
    get_dpp_passport_history: ofPassport,
    get_dpp_passport_ownership: { id: (await buildPublishedPassport(shop, sheet)).id },
    get_dpp_passport_qr_code: { ...ofPassport, format: 'svg' },
    get_dpp_passport_readiness: ofPassport,
    get_dpp_passport_vc: ofPassport,
    get_dpp_product: { id: sheet },
    get_dpp_product_stats: { id: sheet },
    get_dpp_status_list: { id: list },
    get_import: { id: imported },
    get_import_mapper: { id: mapper },
    get_import_report: { id: imported },
    get_issuer_keys: { did: credential.issuer.id },
    get_job: { jobId },
    list_application_domains: { appId: application },
    list_dpp_passports: { filters: { status: { eq: 'published' } }, sorters: { createdAt: 'asc' }, pageSize: 5 },
    list_loyalty_ledger: { id: (await buildBuyer(shop)).account },
    list_running_import_mappers: { application },
    lookup_application_id: { name: 'shop' },
    preview_import_mapper: { mapperId: mapper, sample: 'ref,name\nA-1,Bag\n' },
    suggest_import_mapping: { application, fields: [{ id: 'EAN', example: '4028171042106' }] },
    validate_dpp_passport: { body: { application, product: { name: 'Bag' } } },
    verify_dpp_credential: { body: { credential } },
  }
}

async function againOf(shop: Shop, sheet: string, certified: string): Promise<Stage['again']> {
  const draft = async (more: object = {}) => (await buildPassport(shop, sheet, more)).id
  const byId = (id: string) => ({ filters: { id: { eq: id } } })
  const uncertified = await shop.api.post('/v1/dpp/passports', createBody(shop))
  const publish = '/v1/dpp/passports/publish?skipCertification=true'
  const published = await shop.api.post(`${publish}&filters[id][eq]=${uncertified.body['id']}`)
  await waitForJob(shop.api, `/v1/jobs/${published.body['jobId']}`)
  const domain = `${createUniqueName('shop')}.example`
  await proveDomain(shop.api, shop.application, domain)
  const gtin = createGtin()
  await createFamily(await buildShop(), gtin)
  const content = Buffer.from('%PDF-1.7\nhello').toString('base64')
  return {
    delete_account: { id: (await buildBuyer(shop)).account },
    update_account: { id: (await buildBuyer(shop)).account, loyalty: { visits: 3, customerId: createUniqueName('C') } },
    update_loyalty_reward_tier: { id: await createTier(shop), name: createUniqueName('Changed') },
    delete_loyalty_reward_tier: { id: await createTier(shop) },
    update_account_assignment: { id: await assign(shop), optimisticBalance: 7 },
    delete_account_assignment: { id: await assign(shop) },
    update_point_of_sale: { id: await createPointOfSale(shop), status: 'inactive' },
    delete_point_of_sale: { id: await createPointOfSale(shop) },
    update_pos_integration_settings: { webhookSecret: 'a-secret-of-tests' },
    update_organization: { id: shop.organization, name: createUniqueName('Changed') },
    update_application: { appId: await buildApplication(shop.organization), name: createUniqueName('Changed') },
    delete_application: { appId: await buildApplication(shop.organization) },
    upload_dpp_opt_in_form: {
      application: shop.application,
      fileName: 'form.pdf',
      contentType: 'application/pdf',
      content,
    },
    update_dpp_passport: { id: await draft(), reference: createUniqueName('ref'), fields: { color: 'blue' } },
    delete_dpp_passport: { id: await draft() },
    delete_dpp_passports: byId(await draft()),
    archive_dpp_passports: byId(await draft()),
    publish_dpp_passports: { skipCertification: true, ...byId(await draft()) },
    certify_dpp_passports: byId(String(uncertified.body['id'])),
    get_dpp_passport_magic_token: { id: (await buildPublishedPassport(shop, sheet)).id },
    set_dpp_passport_status: { id: certified, purpose: 'suspension', value: true, reason: 'recalled' },
    update_dpp_product: { id: await buildSheet(shop), name: 'Another bag' },
    delete_dpp_product: { id: await buildSheet(shop) },
    update_import_mapper: { id: await createMapper(shop), name: randomUUID() },
    delete_import_mapper: { id: await createMapper(shop) },
    check_application_domain: { appId: shop.application, domain },
    contest_gtin: { gtin, reason: 'It stands on our products.' },
    set_did_web_config: { domain: `${createUniqueName('org')}.example` },
    verify_did_web_config: {},
  }
}
