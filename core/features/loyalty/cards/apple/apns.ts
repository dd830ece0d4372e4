import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'

/** A push that tells a phone to ask for its passes. */
export interface Push {
  /** The token that the phone registered with. */
  token: string
  /** The pass type. */
  topic: string
  /** Names the push in the answers of the service: a UUID. */
  id: string
  /** Whether the phone may take its time, because nobody is notified. */
  isQuiet?: boolean
  /** What the phone will show, for the outbox of development; it does not leave otherwise. */
  text?: string
}

/**
 * What became of a push. `later`: it was not taken, and may be sent again after a while. `unknown`: the connection broke
 * when it had left; it says no more than that there is something to fetch, so it may be sent again.
 */
export type PushOutcome =
  | { status: 'sent' }
  | {
      status: 'failed'
      /** The reason as the service says it. */
      code: string
      /** Whether the token has ended; `endedAt`: since when, if the service says so. */
      isGone?: boolean
      endedAt?: Date
    }
  | { status: 'later'; afterSeconds: number }
  | { status: 'unknown' }

export interface ApnsOptions {
  /** The address of the service, without a path. */
  url: string
  /** As PEM: the certificate of the pass type, then those of its issuers. */
  certificates: readonly string[]
  privateKey: string
  /** Certificates that a stand-in is trusted by, as PEM. */
  ca?: string
  /** The most connections. */
  maxSessions?: number
}

/** What sends pushes. */
export interface Pusher {
  push(push: Push): Promise<PushOutcome>
  close(): void
}

/** Milliseconds without any answer after which a connection counts as broken. */
const stallMs = 30_000
/** Milliseconds without a push after which a connection is closed. */
const idleMs = 600_000
const sweepMs = 5_000
/** The most streams of a connection whose peer does not say how many it takes. */
const defaultStreams = 100
const maxStreams = 1_000
/** How often a push that was not taken is sent on another connection before its sender hears of it. */
const maxResends = 3
const retrySeconds = { unreachable: 5, throttled: 30, unavailable: 10 } as const

const { NGHTTP2_REFUSED_STREAM } = constants

interface PendingPush {
  push: Push
  resends: number
  startedAt: number
  resolve(outcome: PushOutcome): void
}

/** A connection, with what is on its way in it. */
interface Connection {
  session: ClientHttp2Session
  capacity: number
  /** Requests that have left, by their streams. */
  streams: Map<ClientHttp2Stream, PendingPush>
  /** The last request that the peer has taken, once it says that it takes no more. */
  lastTaken: number | null
  isReady: boolean
  isEnding: boolean
  /** When the connection began, or last had an answer. */
  heardAt: number
}

/**
 * Creates a client of the Apple Push Notification service, which is shown the certificate of the pass type. It keeps few
 * connections, each with as many requests at a time as the service takes.
 * Source: Apple, "Sending notification requests to APNs" and "Handling notification responses from APNs"; RFC 9113.
 */
export function createApnsClient(options: ApnsOptions): Pusher {
  return new ApnsClient(options)
}

class ApnsClient implements Pusher {
  readonly #options: ApnsOptions
  readonly #waiting: PendingPush[] = []
  #connections: Connection[] = []
  #next = 0
  #sweep: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ApnsOptions) {
    this.#options = options
  }

  push(push: Push): Promise<PushOutcome> {
    return new Promise((resolve) => {
      this.#send({ push, resends: 0, startedAt: 0, resolve })
    })
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweep)
    for (const { session } of this.#connections) session.destroy()
    this.#giveBack({ status: 'later', afterSeconds: 0 })
  }

  #send(pending: PendingPush): void {
    if (this.#isClosed) return pending.resolve({ status: 'later', afterSeconds: 0 })
    const connection = this.#findConnection()
    if (connection) return this.#request(connection, pending)
    this.#waiting.push(pending)
    if (this.#connections.filter(({ isEnding }) => !isEnding).length < (this.#options.maxSessions ?? 1)) this.#connect()
  }

  /** Returns the next connection with room, in turns. */
  #findConnection(): Connection | undefined {
    for (let tried = 0; tried < this.#connections.length; tried++) {
      this.#next = (this.#next + 1) % this.#connections.length
      const connection = this.#connections[this.#next]
      if (!connection?.isReady || connection.isEnding || connection.session.closed) continue
      if (connection.streams.size < connection.capacity) return connection
    }
    return undefined
  }

  #connect(): void {
    const { url, certificates, privateKey, ca } = this.#options
    const session = connect(url, {
      cert: certificates.join('\n'),
      key: privateKey,
      ...(ca !== undefined && { ca }),
    })
    const connection: Connection = {
      session,
      capacity: defaultStreams,
      streams: new Map(),
      lastTaken: null,
      isReady: false,
      isEnding: false,
      heardAt: Date.now(),
    }
    this.#connections.push(connection)
    this.#sweep ??= setInterval(() => this.#endUseless(), sweepMs).unref()
    // The service says in its first frame how many requests it takes.
    session.once('remoteSettings', ({ maxConcurrentStreams }) => {
      connection.capacity = Math.min(maxConcurrentStreams ?? defaultStreams, maxStreams)
      connection.isReady = true
      this.#drain()
    })
    session.on('remoteSettings', ({ maxConcurrentStreams }) => {
      connection.capacity = Math.min(maxConcurrentStreams ?? connection.capacity, maxStreams)
    })
    session.on('goaway', (_code, lastTaken) => {
      connection.lastTaken = lastTaken
      connection.isEnding = true
      session.close()
    })
    let cause: unknown
    session.on('error', (error) => (cause = error))
    session.once('close', () => this.#forget(connection, cause))
  }

  #request(connection: Connection, pending: PendingPush): void {
    const { token, topic, id, isQuiet = false } = pending.push
    const stream = connection.session.request({
      ':method': 'POST',
      ':path': `/3/device/${token}`,
      'apns-topic': topic,
      'apns-id': id,
      'apns-push-type': isQuiet ? 'background' : 'alert',
      'apns-priority': isQuiet ? '5' : '10',
    })
    pending.startedAt = Date.now()
    connection.streams.set(stream, pending)
    let status = 0
    let retryAfter = Number.NaN
    let body = ''
    stream.on('response', (headers) => {
      status = headers[':status'] ?? 0
      connection.heardAt = Date.now()
      if (status !== 200) retryAfter = Number(headers['retry-after'])
    })
    stream.on('data', (chunk: Buffer) => (body += chunk.toString()))
    // A broken stream closes too, and that says all.
    stream.on('error', () => undefined)
    stream.once('close', () => {
      connection.streams.delete(stream)
      if (status === 0) this.#settleUnanswered(connection, stream, pending)
      else pending.resolve(readOutcome(status, body, retryAfter))
      this.#drain()
    })
    stream.end('{}')
  }

  /** Settles a push without an answer. One that the service did not take goes out again. */
  #settleUnanswered({ lastTaken }: Connection, stream: ClientHttp2Stream, pending: PendingPush): void {
    const wasTaken = stream.rstCode !== NGHTTP2_REFUSED_STREAM && (lastTaken === null || (stream.id ?? 0) <= lastTaken)
    if (wasTaken && stream.id !== undefined) return pending.resolve({ status: 'unknown' })
    if (pending.resends >= maxResends)
      return pending.resolve({ status: 'later', afterSeconds: retrySeconds.unavailable })
    pending.resends++
    this.#send(pending)
  }

  /** Sends what waits, as far as there is room. */
  #drain(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#findConnection()
      const pending = connection && this.#waiting.shift()
      if (!pending) return
      this.#request(connection, pending)
    }
  }

  /** Forgets a connection that has ended. What waits goes through another one, unless this one never came about. */
  #forget(connection: Connection, cause: unknown): void {
    this.#connections = this.#connections.filter((one) => one !== connection)
    if (this.#connections.length === 0) {
      clearInterval(this.#sweep)
      this.#sweep = undefined
    }
    if (this.#waiting.length === 0) return
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    // With TLS 1.3 the client counts as connected before its certificate is refused.
    if (/^ERR_SSL_.*ALERT.*(CERTIFICATE|UNKNOWN_CA)/.test(code))
      return this.#giveBack({ status: 'failed', code: 'BadCertificate' })
    if (!connection.isReady) return this.#giveBack({ status: 'later', afterSeconds: retrySeconds.unreachable })
    if (this.#connections.every(({ isEnding }) => isEnding)) this.#connect()
  }

  #giveBack(outcome: PushOutcome): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(outcome)
  }

  /** Ends connections that do not answer any more, and those that nobody needs. */
  #endUseless(): void {
    const now = Date.now()
    for (const { session, streams, isReady, heardAt } of this.#connections) {
      const [oldest] = streams.values()
      const waitsSince = oldest ? Math.max(oldest.startedAt, heardAt) : isReady ? null : heardAt
      if (waitsSince !== null && waitsSince < now - stallMs) session.destroy()
      else if (waitsSince === null && heardAt < now - idleMs) session.close()
    }
  }
}

/** Reads an answer. Source: Apple, "Handling notification responses from APNs". */
function readOutcome(status: number, body: string, retryAfter: number): PushOutcome {
  if (status === 200) return { status: 'sent' }
  const { reason, timestamp } = parseAnswer(body)
  const code = reason ?? `HTTP_${status}`
  if (status === 429) return { status: 'later', afterSeconds: retryAfter || retrySeconds.throttled }
  if (status >= 500) return { status: 'later', afterSeconds: retryAfter || retrySeconds.unavailable }
  if (status !== 410) return { status: 'failed', code }
  return { status: 'failed', code, isGone: true, ...(timestamp !== undefined && { endedAt: new Date(timestamp) }) }
}

function parseAnswer(body: string): { reason?: string; timestamp?: number } {
  try {
    const { reason, timestamp } = JSON.parse(body) as Record<string, unknown>
    return {
      ...(typeof reason === 'string' && { reason: reason.slice(0, 100) }),
      ...(typeof timestamp === 'number' && { timestamp }),
    }
  } catch {
    // The status alone says enough.
    return {}
  }
}
