import { expect } from 'chai'
import { imports, parseImports, sources, type Import } from './source-files.ts'

/** A layer: its files, and what they may import in addition to their own files and packages. */
interface Layer {
  name: string
  files: RegExp
  allowedFiles: RegExp
  forbiddenImports?: RegExp
}

const drivers = /^(koa|@koa\/router|koa-body|viem|@stellar\/stellar-sdk|starknet|bee-queue)$/

const verifiers = /^test\/independent\/(dids|main|mutate|offline|receipt|strict|verify)\.ts$/

const layers: Layer[] = [
  { name: 'kernel', files: /^core\/kernel\//, allowedFiles: /^core\/kernel\//, forbiddenImports: drivers },
  {
    name: 'languages',
    files: /^core\/languages\//,
    allowedFiles: /^core\/(languages|kernel)\//,
    forbiddenImports: drivers,
  },
  {
    name: 'http',
    files: /^core\/http\//,
    allowedFiles: /^core\/(http|kernel)\/|^core\/languages\/index\.ts$/,
    forbiddenImports: /^(objection|viem|@stellar\/stellar-sdk|starknet|bee-queue)$/,
  },
  {
    name: 'features',
    files: /^core\/features\//,
    forbiddenImports: drivers,
    allowedFiles:
      /^core\/(kernel|database|ledger|meters|queue|outbound|features)\/|^core\/chains\/(port|networks)\.ts$|^prompts\/demo\/index\.ts$|^core\/languages\/index\.ts$/,
  },
  {
    name: 'chains',
    files: /^core\/chains\//,
    allowedFiles: /^core\/(kernel|chains)\//,
    forbiddenImports: /^(koa|@koa\/router|koa-body|objection|bee-queue)$/,
  },
  {
    name: 'database',
    files: /^core\/database\//,
    allowedFiles: /^core\/(database|kernel)\//,
    forbiddenImports: /^(koa|viem|bee-queue)$/,
  },
  {
    name: 'ledger',
    files: /^core\/ledger\//,
    allowedFiles: /^core\/(ledger|database|kernel)\//,
    forbiddenImports: drivers,
  },
  {
    name: 'meters',
    files: /^core\/meters\//,
    allowedFiles: /^core\/(meters|database|kernel)\//,
    forbiddenImports: drivers,
  },
  {
    name: 'outbound',
    files: /^core\/outbound\//,
    allowedFiles: /^core\/(outbound|kernel)\//,
    forbiddenImports: drivers,
  },
  {
    name: 'queue',
    files: /^core\/queue\//,
    allowedFiles: /^core\/(queue|database|kernel)\//,
    forbiddenImports: /^(koa|viem|objection)$/,
  },
  {
    name: 'pages',
    files: /^core\/pages\//,
    allowedFiles: /^core\/(pages|kernel|features\/\w+\/index\.ts|languages\/index\.ts)/,
    forbiddenImports: drivers,
  },
  { name: 'embedded', files: /^core\/embedded\//, allowedFiles: /^core\/embedded\// },
  {
    name: 'bridge',
    files: /^bridge\//,
    allowedFiles: /^(bridge|tools|prompts)\//,
    forbiddenImports: /^(koa|objection|knex|pg|viem)$/,
  },
  { name: 'tools', files: /^tools\//, allowedFiles: /^tools\// },
  // The plan of a demo is data for two: the prompt of the bridge, and the page of the console.
  { name: 'plans of demos', files: /^prompts\/demo\//, allowedFiles: /^prompts\/demo\// },
  { name: 'prompts', files: /^prompts\//, allowedFiles: /^(prompts|tools)\// },
  // Independent verifiers use nothing of ours; only the tests around them start a platform.
  { name: 'an independent test', files: /^test\/independent\//, allowedFiles: /^test\/(independent|support)\// },
  { name: 'an independent verifier', files: verifiers, allowedFiles: verifiers },
]

const isOurs = (target: string) => /^(core|bridge|tools|prompts|test)\//.test(target)
const formatImport = ({ from, to }: Import) => `${from} imports ${to}`

describe('Repository rules: imports between layers', () => {
  for (const { name, files, allowedFiles: allowed, forbiddenImports } of layers) {
    it(`follow the layers: ${name}`, () => {
      const own = imports.filter(({ from }) => files.test(from))
      const wrong = own.filter(({ to }) => (isOurs(to) && !allowed.test(to)) || forbiddenImports?.test(to))
      expect(wrong.map(formatImport)).to.deep.equal([])
    })
  }

  it('reach another feature through its index only', () => {
    const area = (path: string) => /^core\/features\/(\w[\w-]*)\//.exec(path)?.[1]
    const wrong = imports.filter(
      ({ from, to }) =>
        area(from) !== undefined && area(to) !== undefined && area(from) !== area(to) && !/\/index\.ts$/.test(to),
    )
    expect(wrong.map(formatImport)).to.deep.equal([])
  })

  it('keep viem in chains/evm, bee-queue in queue and koa in http', () => {
    const home: [RegExp, RegExp][] = [
      [/^viem$/, /^core\/chains\/(evm|signer)\//],
      [/^bee-queue$/, /^core\/queue\//],
      [/^(koa|koa-body|@koa\/router)$/, /^core\/http\//],
    ]
    const wrong = imports.filter(
      ({ from, to }) => from.startsWith('core/') && home.some(([what, where]) => what.test(to) && !where.test(from)),
    )
    expect(wrong.map(formatImport)).to.deep.equal([])
  })

  it('load no heavy package at the start of the worker that only a few jobs need', () => {
    const heavy =
      /^(viem|better-auth|@google\/genai|jsonld|jose|nodemailer|undici|koa|fast-png|ipfs-unixfs-importer|@opentelemetry\/|@digitalbazaar\/)/
    const loaded = new Set(['core/worker.ts', 'core/chains/evm/family.ts'])
    for (const name of loaded) {
      for (const { to, isTypeOnly, isLate } of parseImports(name))
        if (!isTypeOnly && !isLate && isOurs(to)) loaded.add(to)
    }
    const wrong = imports.filter(
      ({ from, to, isTypeOnly, isLate }) => loaded.has(from) && !isTypeOnly && !isLate && heavy.test(to),
    )
    expect(wrong.map(formatImport)).to.deep.equal([])
    expect(loaded).to.include('core/features/imports/engine/imports.run.ts')
  })

  it('reach no test from the product', () => {
    expect(
      imports.filter(({ from, to }) => !from.startsWith('test/') && to.startsWith('test/')).map(formatImport),
    ).to.deep.equal([])
  })

  it('have no cycle', () => {
    const edges = new Map(
      sources.map((name) => [
        name,
        imports.filter((one) => one.from === name && !one.isTypeOnly && isOurs(one.to)).map((one) => one.to),
      ]),
    )
    expect(findCycle(edges)).to.equal(null)
  })
})

function findCycle(edges: Map<string, string[]>): string | null {
  const state = new Map<string, 'open' | 'done'>()
  const walk = (name: string, trail: string[]): string | null => {
    if (state.get(name) === 'done') return null
    if (state.get(name) === 'open') return [...trail.slice(trail.indexOf(name)), name].join(' → ')
    state.set(name, 'open')
    for (const next of edges.get(name) ?? []) {
      const found = walk(next, [...trail, name])
      if (found) return found
    }
    state.set(name, 'done')
    return null
  }
  for (const name of edges.keys()) {
    const found = walk(name, [])
    if (found) return found
  }
  return null
}
