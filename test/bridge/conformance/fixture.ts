import { randomBytes } from 'node:crypto'
import type { Limits } from '../../../bridge/sessions.ts'
import { bridgeFor, FixtureApi, type TestBridge } from '../../support/bridge-fixture.ts'
import { startRedisServer } from '../../support/redis-server.ts'
import { RequestBalancer } from '../../support/request-balancer.ts'
import { conformanceApi } from './api.ts'

/** The suite names resources by a scheme of its own. */
const settings = { MCP_RESOURCES_URL: 'test:/', LOG_LEVEL: 'warn' }

/** The real bridge in front of the suite's API, for the tests of the `describe` that calls this. */
export const conformanceBridge = (limits?: Limits) => bridgeBefore(conformanceApi(), limits)

/** The same in front of an API with this document that answers nothing else. */
export function bridgeWith(document: unknown): { readonly url: string } {
  const api = new FixtureApi()
  api.document = document
  return bridgeBefore(api)
}

function bridgeBefore(api: FixtureApi, limits?: Limits): { readonly url: string } {
  const bridge = {} as TestBridge
  before(async () => {
    Object.assign(bridge, await bridgeFor(await api.start(), settings, limits))
    await bridge.ready
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })
  return bridge
}

/** Two of them behind a balancer that hands each request to the other one. */
export function conformanceBridges(): { readonly url: string } {
  const api = conformanceApi()
  const balancer = new RequestBalancer()
  const secret = randomBytes(32).toString('base64')
  let bridges: readonly TestBridge[] = []
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  before(async () => {
    ;[redis] = await Promise.all([startRedisServer(), api.start(), balancer.start()])
    const shared = { MCP_SECRET: secret, REDIS_URL: redis.url, MCP_URL: balancer.url, TRUST_PROXY: 'true' }
    bridges = await Promise.all([1, 2].map(() => bridgeFor(api.url, { ...settings, ...shared })))
    await Promise.all(bridges.map(({ ready }) => ready))
    balancer.targets = bridges.map(({ url }) => url)
  })
  after(async () => {
    await Promise.all(bridges.map((one) => one.stop()))
    await balancer.stop()
    await Promise.all([api.stop(), redis.stop()])
  })
  return balancer
}
