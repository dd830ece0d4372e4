import { expect } from 'chai'
import { imports, importsOf, sources, type Import } from './sources.ts'

/** A layer, whose files it is, and what it may import beside itself and other packages. */
interface Layer { name: string; files: RegExp; ours: RegExp; never?: RegExp }

const drivers = /^(koa|@koa\/router|koa-body|viem|@stellar\/stellar-sdk|starknet|bee-queue)$/

const verifiers = /^test\/independent\/(dids|main|mutate|offline|receipt|strict|verify)\.ts$/

const layers: Layer[] = [
  { name: 'kernel', files: /^core\/kernel\//, ours: /^core\/kernel\//, never: drivers },
  { name: 'http', files: /^core\/http\//, ours: /^core\/(http|kernel)\//, never: /^(objection|viem|@stellar\/stellar-sdk|starknet|bee-queue)$/ },
  {
    name: 'features', files: /^core\/features\//, never: drivers,
    ours: /^core\/(kernel|database|ledger|queue|outbound|features)\/|^core\/chains\/(chain|networks)\.ts$/,
  },
  { name: 'chains', files: /^core\/chains\//, ours: /^core\/(kernel|chains)\//, never: /^(koa|@koa\/router|koa-body|objection|bee-queue)$/ },
  { name: 'database', files: /^core\/database\//, ours: /^core\/(database|kernel)\//, never: /^(koa|viem|bee-queue)$/ },
  { name: 'outbound', files: /^core\/outbound\//, ours: /^core\/(outbound|kernel)\//, never: drivers },
  { name: 'queue', files: /^core\/queue\//, ours: /^core\/(queue|database|kernel)\//, never: /^(koa|viem|objection)$/ },
  { name: 'pages', files: /^core\/pages\//, ours: /^core\/(pages|kernel|features\/\w+\/index\.ts)/, never: drivers },
  { name: 'embedded', files: /^core\/embedded\//, ours: /^core\/embedded\// },
  { name: 'bridge', files: /^bridge\//, ours: /^(bridge|tools|prompts)\//, never: /^(koa|objection|knex|pg|viem)$/ },
  { name: 'tools', files: /^tools\//, ours: /^tools\// },
  { name: 'prompts', files: /^prompts\//, ours: /^(prompts|tools)\// },
  // Others verify without anything of ours; only the tests around them start a platform.
  { name: 'an independent test', files: /^test\/independent\//, ours: /^test\/(independent|support)\// },
  { name: 'an independent verifier', files: verifiers, ours: verifiers },
]

const ours = (target: string) => /^(core|bridge|tools|prompts|test)\//.test(target)
const show = ({ from, to }: Import) => `${from} imports ${to}`

describe('The house: who may import whom', () => {
  for (const { name, files, ours: allowed, never } of layers) {
    it(`${name} imports only what its layer may`, () => {
      const own = imports.filter(({ from }) => files.test(from))
      const wrong = own.filter(({ to }) => (ours(to) && !allowed.test(to)) || never?.test(to))
      expect(wrong.map(show)).to.deep.equal([])
    })
  }

  it('a feature reaches another feature through its index only', () => {
    const area = (path: string) => /^core\/features\/(\w[\w-]*)\//.exec(path)?.[1]
    const wrong = imports.filter(({ from, to }) => area(from) !== undefined && area(to) !== undefined && area(from) !== area(to) && !/\/index\.ts$/.test(to))
    expect(wrong.map(show)).to.deep.equal([])
  })

  it('only chains/evm knows viem, only queue knows bee-queue, only http knows koa', () => {
    const home: [RegExp, RegExp][] = [[/^viem$/, /^core\/chains\/(evm|signer)\//], [/^bee-queue$/, /^core\/queue\//], [/^(koa|koa-body|@koa\/router)$/, /^core\/http\//]]
    const wrong = imports.filter(({ from, to }) => from.startsWith('core/') && home.some(([what, where]) => what.test(to) && !where.test(from)))
    expect(wrong.map(show)).to.deep.equal([])
  })

  it('the worker, with senders that only watch, begins without what a few of its jobs need', () => {
    const heavy = /^(viem|better-auth|@google\/genai|jsonld|jose|nodemailer|undici|koa|fast-png|ipfs-unixfs-importer|@opentelemetry\/|@digitalbazaar\/)/
    const loaded = new Set(['core/worker.ts', 'core/chains/evm/family.ts'])
    for (const name of loaded) {
      for (const { to, typeOnly, late } of importsOf(name)) if (!typeOnly && !late && ours(to)) loaded.add(to)
    }
    const wrong = imports.filter(({ from, to, typeOnly, late }) => loaded.has(from) && !typeOnly && !late && heavy.test(to))
    expect(wrong.map(show)).to.deep.equal([])
    expect(loaded).to.include('core/features/imports/imports.run.ts')
  })

  it('nothing of the product imports a test', () => {
    expect(imports.filter(({ from, to }) => !from.startsWith('test/') && to.startsWith('test/')).map(show)).to.deep.equal([])
  })

  it('has no cycle', () => {
    const edges = new Map(sources.map((name) => [name, imports.filter((one) => one.from === name && !one.typeOnly && ours(one.to)).map((one) => one.to)]))
    expect(cycleIn(edges)).to.equal(null)
  })
})

function cycleIn(edges: Map<string, string[]>): string | null {
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
