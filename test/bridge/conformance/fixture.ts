import { randomBytes } from 'node:crypto'
import type { SessionLimits } from '../../../bridge/shared/session-cache.ts'
import { startTestBridge, FixtureApi, type TestBridge } from '../../support/bridge/bridge-fixture.ts'
import { startRedisServer } from '../../support/database/redis-server.ts'
import { RequestBalancer } from '../../support/bridge/request-balancer.ts'
import { createConformanceApi } from './api.ts'

/** The suite names resources by a scheme of its own. */
const settings = { MCP_RESOURCES_URL: 'test:/', LOG_LEVEL: 'warn' }

/** The real bridge in front of the suite's API, for the tests of the `describe` that calls this. */
export const useConformanceBridge = (limits?: SessionLimits) => bridgeBefore(createConformanceApi(), limits)

/** The same in front of an API with this document that answers nothing else. */
export function useBridgeWith(document: unknown): { readonly url: string } {
  const api = new FixtureApi()
  api.document = document
  return bridgeBefore(api)
}

function bridgeBefore(api: FixtureApi, limits?: SessionLimits): { readonly url: string } {
  const bridge = {} as TestBridge
  before(async () => {
    Object.assign(bridge, await startTestBridge(await api.start(), settings, limits))
    await bridge.ready
  })
  after(async () => {
    await bridge.stop()
    await api.stop()
  })
  return bridge
}

/** Two of them behind a balancer that hands each request to the other one. */
export function useConformanceBridges(): { readonly url: string } {
  const api = createConformanceApi()
  const balancer = new RequestBalancer()
  const secret = randomBytes(32).toString('base64')
  let bridges: readonly TestBridge[] = []
  let redis: Awaited<ReturnType<typeof startRedisServer>>
  before(async () => {
    ;[redis] = await Promise.all([startRedisServer(), api.start(), balancer.start()])
    const shared = { MCP_SECRET: secret, REDIS_URL: redis.url, MCP_URL: balancer.url, TRUST_PROXY: 'true' }
    bridges = await Promise.all([1, 2].map(() => startTestBridge(api.url, { ...settings, ...shared })))
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
