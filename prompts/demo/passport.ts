import { filtered, kept, type CallStep, type Part, type ReadStep, type Stay, type Step } from './plan.ts'
import type { Demo } from './request.ts'

/** What the passport scenario calls and reads. */
export const passportNeeds = [
  'list_applications', 'get_application', 'list_dpp_products', 'create_dpp_product', 'get_dpp_product',
  'get_dpp_product_stats', 'update_dpp_product', 'delete_dpp_product', 'list_dpp_passports', 'create_dpp_passport',
  'get_dpp_passport', 'update_dpp_passport', 'delete_dpp_passport', 'publish_dpp_passports',
  'get_dpp_passport_magic_token', 'mint_dpp_product', 'get_job',
]

const application = kept('application')
const numbers = (size: number) => Array.from({ length: size }, (_, at) => at + 1)
const padded = (number: number) => String(number).padStart(3, '0')

/**
 * Two sheets in the application: one whose passports are made one by one, published, certified and claimable by a link, and one
 * whose passports are minted as a batch.
 */
export function passportPart(demo: Demo): Part {
  const single = singleSheet(demo)
  const batch = batchSheet(demo)
  return {
    steps: [notTornDown(demo), ...single.steps, ...batch.steps],
    checks: [...single.checks, ...batch.checks],
    teardown: [...batch.teardown, ...single.teardown],
    stays: batch.stays,
  }
}

const sheetName = ({ runId }: Demo, kind: 'single' | 'batch') => `Demo ${kind} (${runId})`

/** What was minted can only be archived, so a run that was torn down cannot be set up again under its name. */
function notTornDown(demo: Demo): ReadStep {
  const conditions = { 'application.id': application, name: sheetName(demo, 'batch'), status: 'ARCHIVED' }
  return {
    id: 'not torn down before',
    read: filtered(demo.address('/v1/dpp/products'), conditions),
    expect: { '/total': 0 },
  }
}

function sheetSteps(demo: Demo, kind: 'single' | 'batch'): CallStep[] {
  const name = sheetName(demo, kind)
  const sheet = `${kind}Sheet`
  const list = filtered(demo.address('/v1/dpp/products'), { 'application.id': application, name })
  const one = demo.address(`/v1/dpp/products/${kept(sheet)}`)
  const content = {
    productFields: [{ name: 'material', type: 'string' }],
    passportsFields: [{ name: 'serialNumber', type: 'string', required: true }],
    certifiedPaths: ['serialNumber'],
    fields: { material: 'Brushed steel' },
  }
  return [
    {
      id: `${kind} sheet`,
      unless: { read: list, matches: { '/data/0/name': name }, keep: { [sheet]: '/data/0/id' } },
      tool: 'create_dpp_product',
      arguments: { application, network: demo.network, name, ...content },
      expect: { '/name': name, '/network': demo.network, '/status': 'DRAFT' },
      keep: { [sheet]: '/id' },
    },
    {
      id: `${kind} sheet in use`,
      unless: { read: one, matches: { '/status': 'ACTIVE' } },
      tool: 'update_dpp_product',
      arguments: { id: kept(sheet), status: 'ACTIVE' },
      expect: { '/status': 'ACTIVE' },
    },
  ]
}

function singleSheet(demo: Demo): Omit<Part, 'stays'> {
  const passports = demo.address('/v1/dpp/passports')
  const product = kept('singleSheet')
  const all = numbers(demo.size)
  return {
    steps: [
      ...sheetSteps(demo, 'single'),
      ...all.map((number) => createStep(demo, number)),
      {
        id: 'publish',
        unless: { read: filtered(passports, { product, status: 'draft' }), matches: { '/total': 0 } },
        tool: 'publish_dpp_passports',
        arguments: { filters: [isEqual('product', product), isEqual('status', 'draft')], skipCertification: false },
        expect: {},
        keep: { publishJob: '/jobId' },
        until: done(demo, 'publishJob'),
      },
      {
        id: 'claim link',
        unless: { read: `${passports}/${kept('passport001')}`, matches: { '/status': 'claimed' } },
        tool: 'get_dpp_passport_magic_token',
        arguments: { id: kept('passport001') },
        expect: {},
        keep: { claimLink: '/url' },
      },
    ],
    checks: [
      { id: 'passports by reference', read: filtered(passports, { product }), expect: { '/total': demo.size } },
      { id: 'no draft left', read: filtered(passports, { product, status: 'draft' }), expect: { '/total': 0 } },
      {
        id: 'certified and anchored',
        read: filtered(passports, { product, 'certifyJob.status': 'completed' }),
        expect: { '/total': demo.size },
      },
    ],
    teardown: [...all.toReversed().map((number) => removeStep(demo, number)), removeSheet(demo, 'single')],
  }
}

function createStep(demo: Demo, number: number): CallStep {
  const reference = `demo-${demo.runId}-${padded(number)}`
  const list = filtered(demo.address('/v1/dpp/passports'), { 'application.id': application, reference })
  const name = `passport${padded(number)}`
  return {
    id: `passport ${reference}`,
    unless: { read: list, matches: { '/data/0/reference': reference }, keep: { [name]: '/data/0/id' } },
    tool: 'create_dpp_passport',
    arguments: {
      product: kept('singleSheet'), application, reference, fields: { serialNumber: `${demo.runId}-${padded(number)}` },
    },
    expect: { '/status': 'draft', '/reference': reference },
    keep: { [name]: '/id' },
  }
}

/** One that was claimed has a token and can only be archived. */
function removeStep(demo: Demo, number: number): CallStep {
  const id = kept(`passport${padded(number)}`)
  return {
    id: `delete passport ${padded(number)}`,
    unless: { read: demo.address(`/v1/dpp/passports/${id}`), missing: true },
    tool: 'delete_dpp_passport',
    arguments: { id },
    expect: { '/id': id },
    refused: {
      DPP_PASSPORT_ALREADY_MINTED: {
        ...archive(id),
        stays:
          `Passport ${padded(number)}, archived: its token is on chain, in the account of who claimed it, `
          + 'which stays too.',
      },
    },
  }
}

const archive = (id: string) => ({
  tool: 'update_dpp_passport', arguments: { id, status: 'archived' }, expect: { '/status': 'archived' },
})

/** The sheet is archived where passports of it stay. */
function removeSheet(demo: Demo, kind: 'single' | 'batch'): CallStep {
  const id = kept(`${kind}Sheet`)
  return {
    id: `delete ${kind} sheet`,
    unless: { read: demo.address(`/v1/dpp/products/${id}`), missing: true },
    tool: 'delete_dpp_product',
    arguments: { id },
    expect: { '/id': id },
    refused: {
      DPP_PRODUCT_HAS_PASSPORTS: {
        tool: 'update_dpp_product',
        arguments: { id, status: 'ARCHIVED' },
        expect: { '/status': 'ARCHIVED' },
        stays: `The ${kind} sheet, ARCHIVED: it has passports.`,
      },
    },
  }
}

function batchSheet(demo: Demo): Part {
  const passports = demo.address('/v1/dpp/passports')
  const product = kept('batchSheet')
  const all = numbers(demo.size)
  const minted = all.map((number) => [`minted${padded(number)}`, `/data/${number - 1}/id`] as const)
  return {
    steps: [
      ...sheetSteps(demo, 'batch'),
      {
        id: 'mint',
        unless: { read: filtered(passports, { product }), matches: { '/data/0/product': product } },
        tool: 'mint_dpp_product',
        arguments: { id: product, items: all.map((number) => ({ serialNumber: `${demo.runId}-B${padded(number)}` })) },
        expect: {},
        keep: { mintJob: '/jobId' },
        until: done(demo, 'mintJob'),
      },
      {
        id: 'minted passports',
        read: filtered(passports, { product }, demo.size),
        expect: { '/total': demo.size },
        keep: Object.fromEntries(minted),
      },
    ],
    checks: [
      {
        id: 'tokens on chain',
        read: demo.address(`/v1/dpp/products/${product}/stats`),
        expect: { '/minted': demo.size, '/passports/total': demo.size },
      },
    ],
    teardown: [...minted.toReversed().map(([name]) => archiveStep(demo, name)), removeSheet(demo, 'batch')],
    stays: batchStays(demo, product),
  }
}

function archiveStep(demo: Demo, name: string): Step {
  const id = kept(name)
  const unless = { read: demo.address(`/v1/dpp/passports/${id}`), matches: { '/status': 'archived' } }
  return { id: `archive ${name}`, unless, ...archive(id) }
}

function batchStays(demo: Demo, product: string): Stay[] {
  return [
    {
      what: `${demo.size} minted passports, archived: their tokens are on chain.`,
      read: filtered(demo.address('/v1/dpp/passports'), { product, status: 'archived' }),
      expect: { '/total': demo.size },
    },
    {
      what: `The sheet ${JSON.stringify(sheetName(demo, 'batch'))}, ARCHIVED: it has passports.`,
      read: demo.address(`/v1/dpp/products/${product}`),
      expect: { '/status': 'ARCHIVED' },
    },
    {
      what: `The token contract of the application on ${demo.network}, in its dppSettings.tokens.`,
      read: demo.address(`/v1/applications/${application}`),
      expect: demo.applicationId === null ? { '/dppSettings/tokens/0/network': demo.network } : { '/id': application },
    },
  ]
}

const isEqual = (field: string, value: string) => ({ field, operator: 'eq', value })

const done = (demo: Demo, job: string) => ({
  read: demo.address(`/v1/jobs/${kept(job)}`), matches: { '/status': 'completed' },
})
