import {
  formatListAddress,
  formatPlaceholder,
  type CallStep,
  type PlanPart,
  type ReadStep,
  type LeftoverEntry,
  type Step,
} from './plan.ts'
import type { DemoRequest } from './demo-request.ts'

/** The operations that the passport scenario calls and reads. */
export const passportOperations = [
  'list_applications',
  'get_application',
  'list_dpp_products',
  'create_dpp_product',
  'get_dpp_product',
  'get_dpp_product_stats',
  'update_dpp_product',
  'delete_dpp_product',
  'list_dpp_passports',
  'create_dpp_passport',
  'get_dpp_passport',
  'update_dpp_passport',
  'delete_dpp_passport',
  'publish_dpp_passports',
  'get_dpp_passport_magic_token',
  'mint_dpp_product',
  'get_job',
]

const applicationPlaceholder = formatPlaceholder('application')
const createNumbers = (size: number) => Array.from({ length: size }, (_, at) => at + 1)
const padNumber = (number: number) => String(number).padStart(3, '0')

/**
 * Creates the plan part with two sheets of the application. The passports of the first are created one by one,
 * published, certified and claimable by a link; the passports of the second are minted as a batch.
 */
export function createPassportPart(demo: DemoRequest): PlanPart {
  const single = createSingleSheetPart(demo)
  const batch = createBatchSheetPart(demo)
  return {
    steps: [createNotTornDownStep(demo), ...single.steps, ...batch.steps],
    checks: [...single.checks, ...batch.checks],
    teardown: [...batch.teardown, ...single.teardown],
    stays: batch.stays,
  }
}

const getSheetName = ({ runId }: DemoRequest, kind: 'single' | 'batch') => `Demo ${kind} (${runId})`

/**
 * Checks that the run was not torn down before: minted sheets can only be archived, so their names cannot be used
 * again.
 */
function createNotTornDownStep(demo: DemoRequest): ReadStep {
  const conditions = { 'application.id': applicationPlaceholder, name: getSheetName(demo, 'batch'), status: 'ARCHIVED' }
  return {
    id: 'not torn down before',
    read: formatListAddress(demo.getAddress('/v1/dpp/products'), conditions),
    expect: { '/total': 0 },
  }
}

function createSheetSteps(demo: DemoRequest, kind: 'single' | 'batch'): CallStep[] {
  const name = getSheetName(demo, kind)
  const sheet = `${kind}Sheet`
  const list = formatListAddress(demo.getAddress('/v1/dpp/products'), {
    'application.id': applicationPlaceholder,
    name,
  })
  const one = demo.getAddress(`/v1/dpp/products/${formatPlaceholder(sheet)}`)
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
      arguments: { application: applicationPlaceholder, network: demo.network, name, ...content },
      expect: { '/name': name, '/network': demo.network, '/status': 'DRAFT' },
      keep: { [sheet]: '/id' },
    },
    {
      id: `${kind} sheet in use`,
      unless: { read: one, matches: { '/status': 'ACTIVE' } },
      tool: 'update_dpp_product',
      arguments: { id: formatPlaceholder(sheet), status: 'ACTIVE' },
      expect: { '/status': 'ACTIVE' },
    },
  ]
}

function createSingleSheetPart(demo: DemoRequest): Omit<PlanPart, 'stays'> {
  const passports = demo.getAddress('/v1/dpp/passports')
  const product = formatPlaceholder('singleSheet')
  const all = createNumbers(demo.size)
  return {
    steps: [
      ...createSheetSteps(demo, 'single'),
      ...all.map((number) => createPassportStep(demo, number)),
      {
        id: 'publish',
        unless: { read: formatListAddress(passports, { product, status: 'draft' }), matches: { '/total': 0 } },
        tool: 'publish_dpp_passports',
        arguments: {
          filters: [createEqualFilter('product', product), createEqualFilter('status', 'draft')],
          skipCertification: false,
        },
        expect: {},
        keep: { publishJob: '/jobId' },
        until: createJobCondition(demo, 'publishJob'),
      },
      {
        id: 'claim link',
        unless: { read: `${passports}/${formatPlaceholder('passport001')}`, matches: { '/status': 'claimed' } },
        tool: 'get_dpp_passport_magic_token',
        arguments: { id: formatPlaceholder('passport001') },
        expect: {},
        keep: { claimLink: '/url' },
      },
    ],
    checks: [
      {
        id: 'passports by reference',
        read: formatListAddress(passports, { product }),
        expect: { '/total': demo.size },
      },
      {
        id: 'no draft left',
        read: formatListAddress(passports, { product, status: 'draft' }),
        expect: { '/total': 0 },
      },
      {
        id: 'certified and anchored',
        read: formatListAddress(passports, { product, 'certifyJob.status': 'completed' }),
        expect: { '/total': demo.size },
      },
    ],
    teardown: [
      ...all.toReversed().map((number) => createRemovePassportStep(demo, number)),
      createRemoveSheetStep(demo, 'single'),
    ],
  }
}

function createPassportStep(demo: DemoRequest, number: number): CallStep {
  const reference = `demo-${demo.runId}-${padNumber(number)}`
  const list = formatListAddress(demo.getAddress('/v1/dpp/passports'), {
    'application.id': applicationPlaceholder,
    reference,
  })
  const name = `passport${padNumber(number)}`
  return {
    id: `passport ${reference}`,
    unless: { read: list, matches: { '/data/0/reference': reference }, keep: { [name]: '/data/0/id' } },
    tool: 'create_dpp_passport',
    arguments: {
      product: formatPlaceholder('singleSheet'),
      application: applicationPlaceholder,
      reference,
      fields: { serialNumber: `${demo.runId}-${padNumber(number)}` },
    },
    expect: { '/status': 'draft', '/reference': reference },
    keep: { [name]: '/id' },
  }
}

/** Creates the step that deletes a passport. A claimed passport has a token, so it can only be archived. */
function createRemovePassportStep(demo: DemoRequest, number: number): CallStep {
  const id = formatPlaceholder(`passport${padNumber(number)}`)
  return {
    id: `delete passport ${padNumber(number)}`,
    unless: { read: demo.getAddress(`/v1/dpp/passports/${id}`), missing: true },
    tool: 'delete_dpp_passport',
    arguments: { id },
    expect: { '/id': id },
    refused: {
      DPP_PASSPORT_ALREADY_MINTED: {
        ...createArchiveCall(id),
        stays:
          `Passport ${padNumber(number)}, archived: its token is on chain, in the account of who claimed it, `
          + 'which stays too.',
      },
    },
  }
}

const createArchiveCall = (id: string) => ({
  tool: 'update_dpp_passport',
  arguments: { id, status: 'archived' },
  expect: { '/status': 'archived' },
})

/** Creates the step that deletes a sheet, or archives it if it still has passports. */
function createRemoveSheetStep(demo: DemoRequest, kind: 'single' | 'batch'): CallStep {
  const id = formatPlaceholder(`${kind}Sheet`)
  return {
    id: `delete ${kind} sheet`,
    unless: { read: demo.getAddress(`/v1/dpp/products/${id}`), missing: true },
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

function createBatchSheetPart(demo: DemoRequest): PlanPart {
  const passports = demo.getAddress('/v1/dpp/passports')
  const product = formatPlaceholder('batchSheet')
  const all = createNumbers(demo.size)
  const minted = all.map((number) => [`minted${padNumber(number)}`, `/data/${number - 1}/id`] as const)
  return {
    steps: [
      ...createSheetSteps(demo, 'batch'),
      {
        id: 'mint',
        unless: { read: formatListAddress(passports, { product }), matches: { '/data/0/product': product } },
        tool: 'mint_dpp_product',
        arguments: {
          id: product,
          items: all.map((number) => ({ serialNumber: `${demo.runId}-B${padNumber(number)}` })),
        },
        expect: {},
        keep: { mintJob: '/jobId' },
        until: createJobCondition(demo, 'mintJob'),
      },
      {
        id: 'minted passports',
        read: formatListAddress(passports, { product }, demo.size),
        expect: { '/total': demo.size },
        keep: Object.fromEntries(minted),
      },
    ],
    checks: [
      {
        id: 'tokens on chain',
        read: demo.getAddress(`/v1/dpp/products/${product}/stats`),
        expect: { '/minted': demo.size, '/passports/total': demo.size },
      },
    ],
    teardown: [
      ...minted.toReversed().map(([name]) => createArchiveStep(demo, name)),
      createRemoveSheetStep(demo, 'batch'),
    ],
    stays: createBatchLeftovers(demo, product),
  }
}

function createArchiveStep(demo: DemoRequest, name: string): Step {
  const id = formatPlaceholder(name)
  const unless = { read: demo.getAddress(`/v1/dpp/passports/${id}`), matches: { '/status': 'archived' } }
  return { id: `archive ${name}`, unless, ...createArchiveCall(id) }
}

function createBatchLeftovers(demo: DemoRequest, product: string): LeftoverEntry[] {
  return [
    {
      what: `${demo.size} minted passports, archived: their tokens are on chain.`,
      read: formatListAddress(demo.getAddress('/v1/dpp/passports'), { product, status: 'archived' }),
      expect: { '/total': demo.size },
    },
    {
      what: `The sheet ${JSON.stringify(getSheetName(demo, 'batch'))}, ARCHIVED: it has passports.`,
      read: demo.getAddress(`/v1/dpp/products/${product}`),
      expect: { '/status': 'ARCHIVED' },
    },
    {
      what: `The token contract of the application on ${demo.network}, in its dppSettings.tokens.`,
      read: demo.getAddress(`/v1/applications/${applicationPlaceholder}`),
      expect:
        demo.applicationId === null
          ? { '/dppSettings/tokens/0/network': demo.network }
          : { '/id': applicationPlaceholder },
    },
  ]
}

const createEqualFilter = (field: string, value: string) => ({ field, operator: 'eq', value })

const createJobCondition = (demo: DemoRequest, job: string) => ({
  read: demo.getAddress(`/v1/jobs/${formatPlaceholder(job)}`),
  matches: { '/status': 'completed' },
})
