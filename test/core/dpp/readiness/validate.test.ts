import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { demoPassport } from '../../../../core/start/demo.passport.ts'
import type { Finding, Readiness } from '../../../../core/features/dpp/index.ts'
import { createUntpItem } from '../../../support/values/untp.ts'
import { getBody, createSerial, getRows, formatVerdict } from '../passports/fixtures.ts'
import { buildProductPassport, buildSheet, buildShop, type Shop } from '../../../support/world.ts'
import { createNested } from '../passports/products.ts'

describe('POST /v1/dpp/passports/validate', () => {
  let shop: Shop
  let other: Shop
  before(async () => {
    ;[shop, other] = await Promise.all([buildShop(), buildShop()])
  })

  const validate = async (body: unknown): Promise<Readiness> => {
    const answer = await shop.api.post('/v1/dpp/passports/validate', body)
    expect(answer.status, answer.text).to.equal(200)
    return getBody<Readiness>(answer)
  }
  const errors = async (body: unknown) => errorsOf((await validate(body)).findings)
  const errorsOf = (findings: Finding[]) =>
    findings.filter(({ severity }) => severity === 'error').map(({ code, path }) => `${code} ${path}`)
  const of = (product: object, more: object = {}) => ({ application: shop.application, product, ...more })
  const whole = (more: object = {}) => ({ ...createUntpItem(createSerial()), ...more })

  it('finds a complete product ready, and makes none', async () => {
    const body = of(whole(), { data: { color: 'red' }, certifiedPaths: ['color'] })
    const { ready, findings } = await validate(body)
    expect(ready).to.equal(true)
    expect(errorsOf(findings)).to.deep.equal([])
    expect(getRows(await shop.api.get('/v1/dpp/passports'))).to.deep.equal([])
  })

  it('answers what creating would refuse as findings, down to an empty object', async () => {
    expect(await errors({})).to.deep.equal(['passport_required product'])
    expect(await errors({ product: 7 })).to.deep.equal(['passport_type product'])
    expect(await errors({ product: 'x' })).to.deep.equal(['passport_format product'])
    expect(await errors({ product: whole() })).to.deep.equal(['passport_required application'])
    expect(await errors({ product: whole(), application: 'x', reference: '', network: 'Moon', more: 1 })).to.deep.equal(
      [
        'passport_format application',
        'passport_unknown_member more',
        'passport_enum network',
        'passport_min_length reference',
      ],
    )
    expect(await errors(of({}))).to.include.members([
      'untp_required product.name',
      'untp_required product.idGranularity',
    ])
  })

  it('finds nothing in the same way twice', async () => {
    const found = await errors(of({ idGranularity: 'lot', name: 7, id: 'no uri' }))
    expect(found).to.include.members([
      'untp_enum product.idGranularity',
      'untp_type product.name',
      'untp_format product.id',
    ])
    expect(found.filter((one) => one.startsWith('passport_'))).to.deep.equal([])
  })

  it('tells every kind of value that creating refuses', async () => {
    const refused: [object, string][] = [
      [of(whole({ type: ['Product'] })), 'passport_reserved product.type'],
      [of(whole({ characteristics: {} })), 'passport_reserved product.characteristics'],
      [of(whole(), { fields: {} }), 'passport_flow fields'],
      [
        of({ ...whole(), idGranularity: 'model', id: 'https://id.example.com/01/09520123456788' }),
        'passport_granularity product.itemNumber',
      ],
      [
        of({ ...whole(), idGranularity: 'batch', itemNumber: undefined, id: 'https://a.example/' }),
        'passport_required product.batchNumber',
      ],
      [of(whole(), { data: createNested(21) }), `passport_too_deep data${'.a'.repeat(20)}`],
      [of(whole(), { data: { text: 'x'.repeat(300_000) } }), 'passport_too_large data'],
      [of(whole(), { certifiedPaths: ['none..at'] }), 'passport_unknown_path certifiedPaths[0]'],
      [of(whole(), { data: { a: { '@id': 1 } }, certifiedPaths: ['a'] }), 'passport_not_certifiable data.a.@id'],
      [of(whole(), { data: [] }), 'passport_type data'],
      [of(whole(), { data: { opt_in_form: 'x' } }), 'passport_format data.opt_in_form'],
    ]
    for (const [body, code] of refused) {
      expect(await errors(body)).to.deep.equal([code])
      expect((await shop.api.post('/v1/dpp/passports', body)).status, code).to.be.oneOf([400, 422])
    }
  })

  it('tells an application and a sheet that are not the own, and what is taken', async () => {
    expect(await errors({ ...of(whole()), application: other.application })).to.deep.equal([
      'passport_not_found application',
    ])
    expect(await errors({ product: randomUUID() })).to.deep.equal(['passport_not_found product'])
    expect(await errors({ product: await buildSheet(other) })).to.deep.equal(['passport_not_found product'])
    const itemNumber = createSerial()
    await buildProductPassport(shop, { itemNumber }, { reference: itemNumber })
    expect(await errors(of(whole(), { reference: itemNumber }))).to.deep.equal(['passport_taken reference'])
    const twin = {
      ...whole({ itemNumber, id: `https://id.example.com/01/09520123456788/21/${itemNumber}` }),
      modelNumber: undefined,
    }
    expect(await errors(of(twin))).to.deep.equal(['passport_taken product'])
  })

  it('holds values of a sheet to its fields', async () => {
    const sheet = await buildSheet(shop, { certifiedPaths: ['serialNumber'] })
    const ofSheet = async (more: object) =>
      (await errors({ product: sheet, ...more })).filter((code) => !code.startsWith('untp_'))
    expect(await ofSheet({ fields: { serialNumber: 'A' } })).to.deep.equal([])
    expect(await ofSheet({ fields: { color: 'green', size: -1, shape: 1 }, certifiedPaths: ['shape'] })).to.deep.equal([
      'passport_unknown_path certifiedPaths[0]',
      'sheet_enum fields.color',
      'sheet_required fields.serialNumber',
      'sheet_unknown_member fields.shape',
      'sheet_min_value fields.size',
    ])
    expect(await ofSheet({ fields: { serialNumber: 'A' }, data: {}, application: other.application })).to.deep.equal([
      'passport_mismatch application',
      'passport_flow data',
    ])
  })

  it('finds codes that no list has, wherever UNTP has a country or a measure', async () => {
    const place = {
      streetAddress: 'A',
      postalCode: 'B',
      addressLocality: 'C',
      addressRegion: 'D',
      addressCountry: { countryCode: 'UK' },
    }
    const product = whole({
      gtin: '9520123456789',
      countryOfProduction: { countryCode: 'fr' },
      dimensions: { weight: { value: 1, unit: 'kg' }, height: { value: 1, unit: 'HAR' } },
      relatedParty: [{ role: 'manufacturer', party: { id: 'https://a.example/', name: 'A', partyAddress: place } }],
      extra: { countryCode: 'none', unit: 'none' },
    })
    const { findings } = await validate(of(product))
    expect(errorsOf(findings)).to.deep.equal([
      'country_code_unknown product.countryOfProduction.countryCode',
      'unit_unknown product.dimensions.weight.unit',
      'gtin_check_digit product.gtin',
      'country_code_unknown product.relatedParty[0].party.partyAddress.addressCountry.countryCode',
    ])
    expect(findings.map(({ code, path }) => `${code} ${path}`)).to.include.members([
      'unit_deprecated product.dimensions.height.unit',
      'eu_operator_identifier_missing product.relatedParty[0].party.registeredId',
    ])
  })

  it('asks of a battery what its regulation asks, and of no other product', async () => {
    const batteries = (all: Finding[]) =>
      all.map(({ code }) => code).filter((code) => code.startsWith('battery_') || code === 'cannot_tell')
    const found85 = async (category: object, data: object = {}, more: object = {}) => {
      const productCategory = [{ name: 'Packs', schemeId: 'https://taric.example/', schemeName: 'HS', ...category }]
      const product = whole({
        productionDate: '2026-01-31',
        dimensions: { weight: { value: 4, unit: 'KGM' } },
        productCategory,
        ...more,
      })
      return batteries((await validate(of(product, { data }))).findings)
    }
    const cells = { cell: { chemistry: 'LFP' }, ratedCapacity: 50 }
    expect(await found85({ code: '8507.60' }, cells)).to.deep.equal([
      'battery_carbon_footprint_missing',
      'battery_materials_missing',
    ])
    const cpc = { schemeId: 'https://unstats.un.org/unsd/classifications/Econ/cpc/', schemeName: 'UN CPC' }
    expect(await found85({ ...cpc, code: '46420' }, cells)).to.have.length(2)
    // Words decide nothing: names of categories, and of members that only sound like what is asked for.
    for (const [code, name] of [
      ['850440', 'Battery chargers'],
      ['850650', 'Lithium primary batteries'],
      ['850790', 'Parts of batteries'],
    ]) {
      expect(await found85({ code, name }), name).to.deep.equal([])
    }
    expect(await found85({ ...cpc, code: '46410', name: 'Primary cells and primary batteries' })).to.deep.equal([])
    expect(
      await found85({ code: 'B', name: 'Batteries', schemeId: 'https://a.example/', schemeName: 'Ours' }),
    ).to.deep.equal(['cannot_tell'])
    expect(
      await found85(
        { code: '850760' },
        { carbonSteelCase: true, capacitorCount: 4, biochemistry: 'none', chemistry: '' },
      ),
    ).to.deep.equal([
      'battery_capacity_missing',
      'battery_carbon_footprint_missing',
      'battery_chemistry_missing',
      'battery_materials_missing',
    ])
    expect(
      await found85({ code: '850760' }, { ...cells, 'carbon footprint': { value: 61.2, unit: 'KGM' } }),
    ).to.deep.equal(['battery_materials_missing'])
    const bag = [{ code: '4202', name: 'Bags', schemeId: 'https://taric.example/', schemeName: 'HS' }]
    const found = (await validate(of(whole({ productCategory: bag, countryOfProduction: { countryCode: 'CN' } }))))
      .findings
    expect(batteries(found)).to.deep.equal([])
    const codes = found.map(({ code }) => code)
    expect(codes).to.include('eu_importer_missing')
    expect(codes).not.to.include('eu_commodity_code_missing')
  })

  it('holds codes of customs and of the CPC to their form', async () => {
    const category = (code: string, schemeName: string) => ({
      code,
      name: 'A',
      schemeId: 'https://a.example/',
      schemeName,
    })
    const codes: [string, string, boolean][] = [
      ['850760', 'HS', true],
      ['8507.60', 'HS', true],
      ['8507', 'HS', true],
      ['85076', 'HS', false],
      ['8507600', 'HS', false],
      ['85076000', 'HS', false],
      ['85076000', 'CN', true],
      ['8507 60 00', 'Combined Nomenclature', true],
      ['8507600010', 'CN', false],
      ['8507600010', 'TARIC', true],
      ['00', 'HS', false],
      ['770000', 'HS', false],
      ['bags', 'HS', false],
      ['', 'HS', false],
      ['46410', 'CPC', true],
      ['464100', 'CPC', false],
      ['4641x', 'CPC', false],
      ['anything', 'Our own', true],
    ]
    for (const [code, scheme, isFormed] of codes) {
      const found = await errors(of(whole({ productCategory: [category(code, scheme)] })))
      expect(found, `${scheme} ${code}`).to.deep.equal(
        isFormed ? [] : ['commodity_code_malformed product.productCategory[0].code'],
      )
    }
  })

  it('tells contradictions of dates and of mass fractions without refusing them', async () => {
    const material = {
      name: 'Wool',
      originCountry: { countryCode: 'IT' },
      massFraction: 0.6,
      materialType: { code: '1', name: 'Wool', schemeId: 'https://a.example/', schemeName: 'A' },
    }
    const { ready, findings } = await validate(
      of(
        whole({
          productionDate: '2026-02-01',
          expiryDate: '2026-01-31',
          materialProvenance: [material, material],
        }),
      ),
    )
    expect(ready).to.equal(true)
    expect(findings.map(({ code, path }) => `${code} ${path}`)).to.include.members([
      'dates_out_of_order product.expiryDate',
      'mass_fractions_exceed_one product.materialProvenance',
    ])
  })

  it('tells at most 200 findings, errors before all others', async () => {
    const wrong = Array.from({ length: 300 }, () => ({ value: 1, unit: 'kg' }))
    const packaging = { description: 'A', dimensions: {}, materialUsed: wrong.map((mass) => ({ mass })) }
    const { ready, findings } = await validate(of(whole({ packaging })))
    expect(ready).to.equal(false)
    expect(findings).to.have.length(200)
    expect(findings.filter(({ severity }) => severity !== 'error')).to.deep.equal([])
  })

  it('has nothing against the passport that newcomers are shown', async () => {
    expect(await errors({ ...demoPassport, application: shop.application })).to.deep.equal([])
  })

  it('refuses only what is no object', async () => {
    for (const body of [[], 'x', 7, null]) {
      expect(formatVerdict(await shop.api.post('/v1/dpp/passports/validate', body))).to.equal('422 VALIDATION_FAILED')
    }
  })
})
