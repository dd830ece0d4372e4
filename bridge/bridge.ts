import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connections } from './access/connections.ts'
import { DocumentSource } from './api/document.ts'
import { Endpoint } from './protocol/endpoint.ts'
import { ModernEra } from './protocol/modern/modern-era.ts'
import { RoundTrips } from './protocol/modern/round-trips.ts'
import { Tasks } from './protocol/modern/tasks.ts'
import { SessionEra } from './protocol/session/session-era.ts'
import { Upstream } from './api/upstream.ts'
import { Guard } from './access/guard.ts'
import { createCallLimiter } from './access/call-limiter.ts'
import { KeptAnswers } from './shared/kept-answers.ts'
import type { Log } from './shared/log.ts'
import { startMetrics } from './shared/metrics.ts'
import { Confirmations } from './protocol/methods/confirmations.ts'
import { McpMethods } from './protocol/methods/methods.ts'
import { RedisSharedState } from './shared/redis-shared-state.ts'
import { createSealer } from './shared/seal.ts'
import type { SessionLimits } from './shared/session-cache.ts'
import { SettingsError, type Settings } from './access/settings.ts'
import { createLocalState, type SharedState } from './shared/shared-state.ts'
import { answerMalformedRequests } from './access/malformed-requests.ts'

/**
 * The milliseconds after which a stopping bridge closes connections that never sent a request: the first request of a
 * connection that was just opened may be on its way.
 */
const unusedCloseDelayMs = 1_000

/** The milliseconds for which a stopping bridge goes on to accept connections that wait already. */
const maxAcceptMs = 500

export interface Bridge {
  readonly port: number
  /** Resolves when the API's document is loaded and the first attempt to reach Redis is over. */
  readonly ready: Promise<void>
  /** Checks for a new document now. */
  refresh(): Promise<void>
  /** Returns the number of sessions in memory. */
  countSessions(): number
  /** Refuses new requests, finishes those in progress within `timeoutMs` milliseconds, then closes everything. */
  stop(timeoutMs?: number): Promise<void>
}

/**
 * Starts a bridge. It listens at once and answers 503 until it has the API's document. Rejects if the port is taken.
 */
export async function startBridge(settings: Settings, log: Log, limits?: SessionLimits): Promise<Bridge> {
  const upstream = new Upstream(settings.apiUrl)
  const documentSource = new DocumentSource(upstream, settings, log)
  const sharedState = createSharedState(settings, log)
  const stopController = new AbortController()
  const metrics = await startMetrics(settings.host, settings.metricsPort, {
    countSessions: () => sessionEra.size,
    getDocumentAgeSeconds: () => documentSource.ageSeconds,
    countLeftOut: () => documentSource.catalogue?.leftOut.length ?? null,
    isSharedReady: () => (sharedState.isAlone ? null : sharedState.isReady),
  })
  const callLimiter = createCallLimiter(settings.maxCallsPerMinute, sharedState, log)
  const stateSealer = createSealer(settings.secret ?? randomBytes(32))
  const methods = new McpMethods(upstream, () => documentSource.catalogue, log, {
    metrics,
    callLimiter: callLimiter,
    stopSignal: stopController.signal,
    confirmations: new Confirmations(stateSealer, sharedState),
    keptAnswers: new KeptAnswers(sharedState),
  })
  const sessionEra = new SessionEra(methods, { sealer: stateSealer, shared: sharedState, limits, metrics })
  const modernEra = new ModernEra(methods, {
    roundTrips: new RoundTrips(stateSealer, sharedState, metrics),
    tasks: new Tasks(stateSealer, methods, metrics),
    bypassSdk: limits?.bypassSdk ?? true,
  })
  const server = createServer({
    headersTimeout: 30_000,
    requestTimeout: 30_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 32 * 1024,
  })
  answerMalformedRequests(server)
  const connections = new Connections(server)
  const port = await startListening(server, settings)
  const endpoint = new Endpoint(new Guard(settings, port), documentSource, [modernEra, sessionEra], log, {
    trustProxy: settings.trustProxy,
    metrics,
    callLimiter: callLimiter,
    isSharedReady: () => sharedState.isReady,
  })
  server.on('request', (request, response) => void endpoint.handle(request, response))
  log.info({ host: settings.host, port, document: settings.documentUrl }, 'listening')
  return {
    port,
    ready: Promise.all([documentSource.start(), sharedState.started]).then(() => undefined),
    refresh: () => documentSource.refresh(),
    countSessions: () => sessionEra.size,
    stop: async (timeoutMs = 18_000) => {
      const startedAtMs = performance.now()
      const stopsAtMs = startedAtMs + timeoutMs
      documentSource.stop()
      endpoint.drain(timeoutMs)
      connections.endAfterAnswers()
      stopController.abort()
      await connections.acceptWaiting(maxAcceptMs)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const closeTimer = setInterval(() => {
        server.closeIdleConnections()
        if (performance.now() > startedAtMs + unusedCloseDelayMs) connections.closeUnused()
      }, 50)
      await Promise.race([closed, sleep(timeoutMs, undefined, { ref: false })])
      clearInterval(closeTimer)
      // A change whose client is gone has no connection any more that would be waited for.
      await Promise.race([
        methods.settleWrites(),
        sleep(Math.max(0, stopsAtMs - performance.now()), undefined, { ref: false }),
      ])
      sessionEra.close()
      modernEra.close()
      callLimiter.close()
      server.closeAllConnections()
      await closed
      await Promise.all([endpoint.close(), upstream.close(), sharedState.close(), metrics.stop()])
    },
  }
}

/** Creates the state that processes share. Logs a line for each missing setting that several processes would need. */
function createSharedState({ secret, redisUrl }: Settings, log: Log): SharedState {
  if (secret === null)
    log.warn('MCP_SECRET is not set: ids of sessions and tasks end with this process, and no other one knows them')
  if (redisUrl !== null) return new RedisSharedState(redisUrl, log)
  if (secret !== null)
    log.info('REDIS_URL is not set: several processes need a balancer that keeps a session at one of them')
  return createLocalState()
}

/** Creates an error that says why the port cannot be used, if an operator can correct that. */
function createListenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `BRIDGE_PORT ${port} is taken on ${host}; stop what listens there or set BRIDGE_PORT to another port`,
    EACCES: `BRIDGE_PORT ${port} may not be used by this user; set BRIDGE_PORT to 1024 or more`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
  }
  const reason = reasons[cause.code ?? '']
  return reason === undefined ? cause : new SettingsError([reason])
}

async function startListening(server: Server, { host, port }: Settings): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => reject(createListenError(cause, host, port))
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}
