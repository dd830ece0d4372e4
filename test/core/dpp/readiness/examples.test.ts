import { expect } from 'chai'
import { readinessCodes } from '../../../support/dpp/readiness-codes.ts'
import type { Finding, Readiness } from '../../../../core/features/dpp/index.ts'
import {
  buildDescribedPassport,
  buildModelTree,
  buildProductPassport,
  buildPublishedPassport,
  buildSheet,
  buildShop,
  type Shop,
} from '../../../support/world.ts'
import { createUntpItem } from '../../../support/values/untp.ts'
import { createSerial, getBody, waitForJob } from '../passports/fixtures.ts'
import { publishPassports } from '../passports/products.ts'
import { completeBody, completeFields, completeProduct, passportsFields } from './complete.ts'
import { createMutations, fieldWays, productWays } from './mutate.ts'

type Json = Record<string, unknown>

/** Rules that no value of the passport meets: another passport, a key, a chain, a copy or a document elsewhere does. */
const rulesWithoutExample = [
  'gtin_of_another',
  'model_not_linked',
  'batch_not_linked',
  'batch_of_other_model',
  'parent_not_published',
  'parent_not_certified',
  'archived',
  'revoked',
  'suspended',
  'parent_revoked',
  'parent_suspended',
  'key_revoked',
  'anchor_lost',
  'did_document_missing',
  'did_document_lacks_key',
  'backup_copy_missing',
]

const mutationsOfProducts = 400
const mutationsOfFields = 100
/** Requests at a time. */
const maxConcurrent = 8

/** A copy of a body with the example of a finding in its place; a member whose example is null goes. */
function putExample(body: object, { path, example }: Finding): Json {
  const copy = structuredClone(body) as Json
  const parts = path.split(/\.|(?=\[)/).map((part) => part.replace(/^\[(\d+)\]$/, '$1'))
  const last = String(parts.pop())
  let holder = copy
  for (const part of parts) {
    holder[part] ??= {}
    holder = holder[part] as Json
  }
  if (example === null) delete holder[last]
  else holder[last] = example
  return copy
}

describe('Findings: examples', function () {
  this.timeout(120_000)
  let shop: Shop
  const seen = new Set<string>()
  const seenWithNull = new Set<string>()
  before(async () => {
    shop = await buildShop()
  })

  const validate = async (body: object): Promise<Finding[]> => {
    const answer = await shop.api.post('/v1/dpp/passports/validate', body)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Readiness>(answer).findings
  }
  const find = (findings: readonly Finding[], code: string, path?: string) =>
    findings.find((one) => one.code === code && (path === undefined || one.path === path))

  /** Puts the example of a finding in place. @returns the findings that are still there at the path of the rule */
  async function follow(body: object, code: string, path?: string): Promise<string[]> {
    const finding = find(await validate(body), code, path)
    if (!finding) return [`${code} ${path} was not found`]
    seen.add(code)
    if (finding.example === null) seenWithNull.add(code)
    const after = find(await validate(putExample(body, finding)), code, finding.path)
    return after ? [`${code} ${finding.path}: ${JSON.stringify(finding.example)}`] : []
  }

  async function followAll(all: readonly { body: object; code: string; path: string }[]): Promise<string[]> {
    const wrong: string[] = []
    const queue = all.values()
    await Promise.all(
      Array.from({ length: maxConcurrent }, async () => {
        for (const { body, code, path } of queue) wrong.push(...(await follow(body, code, path)))
      }),
    )
    return wrong
  }

  it('meet the rule that a product, or another member, breaks in one place', async () => {
    const base = { ...completeBody, application: shop.application }
    expect(await followAll(createMutations(base, productWays, mutationsOfProducts, 7))).to.deep.equal([])
  })

  it('meet the definition that a value of a sheet does not meet', async () => {
    const base = {
      product: await buildSheet(shop, { passportsFields, certifiedPaths: ['serial'] }),
      fields: completeFields,
    }
    expect(await followAll(createMutations(base, fieldWays, mutationsOfFields, 7))).to.deep.equal([])
  })

  it('meet the rules about identifiers, codes, dates, and what the Union asks for', async () => {
    const of = (more: object, data: object = {}) => ({
      application: shop.application,
      product: { ...createUntpItem('1'), modelNumber: undefined, ...more },
      data,
    })
    const id = 'https://id.example.com/01/09520123456788'
    const category = { code: '8507600', name: 'Packs', schemeId: 'https://taric.example/', schemeName: 'HS' }
    const battery = (more: object = {}) => of({ productCategory: [{ ...category, code: '850760' }], ...more })
    const [material] = completeProduct['materialProvenance'] as object[]
    const place = { id: 'https://a.example/', name: 'A' }
    const cases: [string, object][] = [
      ['gtin_check_digit', of({ id: `${id.slice(0, -1)}9/21/1` })],
      ['gtin_check_digit', of({ gtin: '4006381333930' })],
      ['gtin_length', of({ gtin: '95201' })],
      ['gtin_length', of({ id: 'https://id.example.com/01/0952012345/21/1' })],
      ['gtin_mismatch', of({ gtin: '4006381333931' })],
      ['gln_check_digit', of({ producedAtFacility: { ...place, id: 'https://id.example.com/414/9520123456780' } })],
      ['identifier_number_mismatch', of({ itemNumber: '2' })],
      ['identifier_number_mismatch', of({ id: `${id}/10/A/21/1`, batchNumber: 'B' })],
      ['identifier_too_fine', of({ idGranularity: 'model', modelNumber: 'M', itemNumber: undefined })],
      ['identifier_too_coarse', of({ id })],
      ['identifier_too_coarse', of({ id, idGranularity: 'batch', batchNumber: 'a/b', itemNumber: undefined })],
      ['country_code_unknown', of({ countryOfProduction: { countryCode: 'UK' } })],
      ['unit_unknown', of({ dimensions: { height: { value: 1, unit: 'm' } } })],
      ['unit_deprecated', of({ dimensions: { height: { value: 1, unit: 'HAR' } } })],
      ['commodity_code_malformed', of({ productCategory: [category] })],
      ['commodity_code_malformed', of({ productCategory: [{ ...category, schemeName: 'CN', code: 'x' }] })],
      ['commodity_code_malformed', of({ productCategory: [{ ...category, schemeName: 'TARIC', code: 'x' }] })],
      [
        'commodity_code_malformed',
        of({ productCategory: [{ ...category, schemeId: 'https://a.example/', schemeName: 'CPC', code: 'x' }] }),
      ],
      ['dates_out_of_order', of({ productionDate: '2026-12-31', expiryDate: '2026-01-31' })],
      ['mass_fractions_exceed_one', of({ materialProvenance: [material, { ...material, massFraction: 0.9 }] })],
      ['no_parent', of({})],
      ['nothing_to_certify', of({}, { color: 'red' })],
      ['certified_path_empty', { ...of({}, { color: 'red' }), certifiedPaths: ['size'] }],
      ['passport_unknown_path', { ...of({}, { color: 'red' }), certifiedPaths: ['a..b'] }],
      ['passport_required', {}],
      ['passport_type', { product: 7 }],
      ['passport_format', of({}, { opt_in_form: 'x' })],
      ['passport_invalid', of({}, { link: 'javascript:alert(1)' })],
      ['passport_reserved', of({ type: ['Product'] })],
      ['passport_granularity', of({ idGranularity: 'batch', batchNumber: 'B', modelNumber: 'M', id })],
      ['passport_flow', { ...of({}), fields: {} }],
      ['passport_unknown_member', { ...of({}), more: 1 }],
      ['eu_gtin_missing', of({ id: 'https://a.example/' })],
      ['eu_commodity_code_missing', of({})],
      ['eu_documents_missing', of({})],
      ['eu_manufacturer_missing', of({})],
      ['eu_operator_identifier_missing', of({ relatedParty: [{ role: 'manufacturer', party: place }] })],
      ['eu_operator_address_missing', of({ relatedParty: [{ role: 'manufacturer', party: place }] })],
      ['eu_facility_identifier_missing', of({})],
      ['eu_importer_missing', of({ countryOfProduction: { countryCode: 'CN' } })],
      ['cannot_tell', of({ productCategory: [{ ...category, schemeId: 'https://a.example/', schemeName: 'Ours' }] })],
      ['battery_not_an_item', battery({ idGranularity: 'model', modelNumber: 'M', itemNumber: undefined, id })],
      ['battery_manufacturing_date_missing', battery()],
      ['battery_weight_missing', battery()],
      ['battery_capacity_missing', battery()],
      ['battery_chemistry_missing', battery()],
      ['battery_materials_missing', battery()],
      ['battery_carbon_footprint_missing', battery()],
    ]
    const wrong = []
    for (const [code, body] of cases) wrong.push(...(await follow(body, code)))
    expect(wrong).to.deep.equal([])
  })

  it('meet what a sheet lacks of UNTP, as fields of the sheet', async () => {
    const findingsOf = async (sheet: string) => validate({ product: sheet, fields: { serialNumber: '1' } })
    const lacking = (findings: Finding[]) => findings.filter(({ code }) => code === 'untp_member_no_field')
    const found = lacking(await findingsOf(await buildSheet(shop, { certifiedPaths: ['serialNumber'] })))
    expect(found).to.have.length(4)
    const names = found.map(({ path }) => path.replace('product.', ''))
    const sheet = await buildSheet(shop, {
      productFields: names.map((name) => ({ name, type: 'json' })),
      fields: Object.fromEntries(found.map(({ example }, at) => [names[at], example])),
      certifiedPaths: [...names, 'serialNumber'],
    })
    const after = await findingsOf(sheet)
    expect(after.filter(({ severity }) => severity === 'error')).to.deep.equal([])
    seen.add('untp_member_no_field')
  })

  it('are what the state of a passport has to become, what the sheet takes now, and a model that has the batch', async () => {
    const readiness = async (id: string) =>
      getBody<Readiness>(await shop.api.get(`/v1/dpp/passports/${id}/readiness`)).findings
    const { id } = await buildProductPassport(shop, createUntpItem(createSerial()))
    const drafted = await readiness(id)
    expect(find(drafted, 'not_published')?.example).to.equal('published')
    expect(find(drafted, 'not_certified')?.example).to.equal('certified')
    await publishPassports(shop, id)
    expect(find(await readiness(id), 'not_published')).to.equal(undefined)

    const sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber'] })
    const ofSheet = await buildPublishedPassport(shop, sheet)
    const changed = await shop.api.patch(`/v1/dpp/products/${sheet}`, {
      passportsFields: [
        { name: 'serialNumber', type: 'string', required: true },
        { name: 'weight', type: 'number', required: true, min: 3 },
      ],
      migrate: true,
    })
    await waitForJob(shop.api, String(changed.headers['location']))
    const old = find(await readiness(ofSheet.id), 'sheet_version_old')
    expect([old?.path, old?.example]).to.deep.equal(['fields.weight', 3])
    const patched = await shop.api.patch(`/v1/dpp/passports/${ofSheet.id}`, { fields: { weight: old?.example } })
    expect(patched.status, patched.text).to.equal(200)
    expect(find(await readiness(ofSheet.id), 'sheet_version_old')).to.equal(undefined)

    const tree = await buildModelTree(shop)
    const { batchNumber } = tree
    await buildDescribedPassport(shop, { idGranularity: 'batch', name: 'B', modelNumber: createSerial(), batchNumber })
    const body = {
      application: shop.application,
      product: { ...createUntpItem(createSerial()), modelNumber: undefined, batchNumber },
    }
    expect(await follow(body, 'batch_of_several_models')).to.deep.equal([])
    for (const code of ['not_published', 'not_certified', 'sheet_version_old']) seen.add(code)
  })

  it('are a text that no other passport has where a reference is taken, and the application of the sheet', async () => {
    const reference = createSerial()
    await buildProductPassport(shop, {}, { reference })
    const body = { application: shop.application, product: createUntpItem(createSerial()), reference }
    expect(await follow(body, 'passport_taken')).to.deep.equal([])
    const other = await buildShop()
    const sheet = await buildSheet(shop)
    const mixed = { product: sheet, application: other.application, fields: { serialNumber: '1' } }
    expect(await follow(mixed, 'passport_mismatch')).to.deep.equal([])
  })

  it('are null only for rules that no value meets', async () => {
    const own = readinessCodes.filter(
      (code) => !/^(?:untp|sheet|passport)_/.test(code) || code === 'untp_member_no_field',
    )
    expect(own.filter((code) => !seen.has(code)).sort()).to.deep.equal([...rulesWithoutExample].sort())
    expect([...seenWithNull].sort()).to.deep.equal([
      'passport_flow',
      'passport_granularity',
      'passport_reserved',
      'passport_unknown_member',
      'sheet_unknown_member',
      'untp_unknown_member',
    ])
    const kinds = new Set(readinessCodes.filter((code) => /^untp_/.test(code)).map((code) => code.slice(5)))
    const seenKinds = new Set([...seen].map((code) => code.replace(/^(?:untp|sheet|passport)_/, '')))
    expect([...kinds].filter((kind) => !seenKinds.has(kind) && kind !== 'member_no_field')).to.have.members([
      'max_items',
      'min_items',
      'name',
      'not_certifiable',
      'not_found',
      'too_deep',
      'too_large',
      'unique',
    ])
  })

  it('come with the path to send, and with the resource of the shape where UNTP decides it', async () => {
    const product = { idGranularity: 'item', name: 'Bag', itemNumber: '1', id: 'https://a.example/' }
    const findings = await validate({ application: shop.application, product })
    const facility = find(findings, 'untp_required', 'product.producedAtFacility')
    expect(facility?.fix).to.equal('Add product.producedAtFacility.')
    expect(facility?.schemaUri).to.equal('tessera://schemas/untp-product')
    expect(find(findings, 'eu_documents_missing')?.schemaUri).to.equal('tessera://schemas/untp-product')
    expect(find(findings, 'eu_gtin_missing')).not.to.have.property('schemaUri')
    for (const { fix, path, code } of findings) expect(fix, code).to.contain(path)
  })
})
