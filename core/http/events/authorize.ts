import type { IncomingHttpHeaders } from 'node:http'
import type { PassThrough } from 'node:stream'
import type { Logger } from 'pino'
import type { Caller } from '../../kernel/caller.ts'
import type { Identity } from '../../kernel/ports/identity.ts'

/** Milliseconds between two checks of all callers. */
export const checkIntervalMs = 4_000
/** Milliseconds that a client has to read what was already written before its stream is cut. */
const closeDelayMs = 1_000
/** Maximum number of credentials that are checked at the same time. */
const maxConcurrentChecks = 8

type CredentialHeaders = Pick<IncomingHttpHeaders, 'authorization' | 'cookie'> & {
  'x-api-key'?: string | string[] | undefined
}

/** All streams that were opened with the same credential. */
interface StreamGroup {
  headers: CredentialHeaders
  preferredKind: 'member' | 'endUser'
  streams: Map<PassThrough, Caller>
}

/**
 * The guard of open event streams. It ends streams whose key or session has ended, or whose caller's permissions have
 * changed since the stream was opened; the client then reconnects and is authorized again. A notice that a credential
 * has ended makes this class authenticate the credential once for all its streams, with the same code as for requests.
 * All credentials are also checked every four seconds, because no notice is sent when a credential expires, and because
 * a stream may be opened at the moment when its credential ends.
 */
export class StreamAuthorizer {
  readonly #groups = new Map<string, StreamGroup>()
  readonly #identity: Identity
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #isChecking = false

  constructor(identity: Identity, log: Logger) {
    this.#identity = identity
    this.#log = log
    identity.onCredentialEnded(
      (concerns) => void this.#checkGroups((group) => [...group.streams.values()].some(concerns)),
    )
  }

  /** Watches a stream until it closes. @param caller the caller at the time when the stream was opened */
  watchStream(
    stream: PassThrough,
    caller: Caller,
    headers: IncomingHttpHeaders,
    preferredKind: 'member' | 'endUser',
  ): void {
    const { authorization, cookie, 'x-api-key': key } = headers
    const name = JSON.stringify([authorization, cookie, key, preferredKind])
    const group = this.#groups.get(name) ?? {
      headers: { authorization, cookie, 'x-api-key': key },
      preferredKind,
      streams: new Map(),
    }
    this.#groups.set(name, group)
    group.streams.set(stream, caller)
    stream.once('close', () => {
      group.streams.delete(stream)
      if (group.streams.size === 0 && this.#groups.get(name) === group) this.#groups.delete(name)
      if (this.#groups.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    })
    this.#timer ??= setInterval(() => void this.#checkAll(), checkIntervalMs).unref()
  }

  async #checkAll(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    await this.#checkGroups(() => true)
    this.#isChecking = false
  }

  async #checkGroups(isAffected: (group: StreamGroup) => boolean): Promise<void> {
    const waiting = [...this.#groups.values()].filter(isAffected)
    const checkNextGroups = async () => {
      for (let group = waiting.pop(); group; group = waiting.pop()) await this.#checkGroup(group)
    }
    await Promise.all(Array.from({ length: Math.min(maxConcurrentChecks, waiting.length) }, checkNextGroups))
  }

  async #checkGroup({ headers, preferredKind, streams }: StreamGroup): Promise<void> {
    try {
      const { caller, problem } = await this.#identity.authenticate(headers, preferredKind)
      const now = problem ? undefined : JSON.stringify(caller)
      for (const [stream, before] of streams) if (JSON.stringify(before) !== now) endStream(stream)
    } catch (cause) {
      // Without the database the streams send nothing new either.
      this.#log.warn({ err: cause }, 'the callers of event streams were not judged')
    }
  }
}

/** Ends a stream. A client that does not read the rest is cut off after a delay. */
function endStream(stream: PassThrough): void {
  if (stream.writableEnded) return
  stream.end()
  setTimeout(() => stream.destroy(), closeDelayMs).unref()
}
