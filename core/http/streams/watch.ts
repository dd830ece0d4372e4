import type { IncomingHttpHeaders } from 'node:http'
import type { PassThrough } from 'node:stream'
import type { Logger } from 'pino'
import type { Caller } from '../../kernel/caller.ts'
import type { Identity } from '../../kernel/parts.ts'

/** Milliseconds between two looks at all callers. */
export const everyMs = 4_000
/** Milliseconds for which a reader may take what was written before its stream is cut. */
const farewellMs = 1_000
/** Credentials that are judged at a time. */
const atOnce = 8

type Credentials = Pick<IncomingHttpHeaders, 'authorization' | 'cookie'> & { 'x-api-key'?: string | string[] | undefined }

/** Who opened streams with the same credential. */
interface Group {
  headers: Credentials
  prefers: 'member' | 'endUser'
  streams: Map<PassThrough, Caller>
}

/**
 * Ends event streams whose key or session has ended, or whose caller may something else than when they were opened: the
 * reader comes back and is judged anew. A credential is judged when it is told that it ended, once for all its streams,
 * by the same code that judges requests. All are judged every four seconds, as nobody tells when a time is over, and a
 * stream may be opened in the moment in which its credential ends.
 */
export class StreamWatch {
  readonly #groups = new Map<string, Group>()
  readonly #identity: Identity
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(identity: Identity, log: Logger) {
    this.#identity = identity
    this.#log = log
    identity.onCredentialEnded((concerns) => void this.#judgeAll((group) => [...group.streams.values()].some(concerns)))
  }

  /** Watches a stream until it closes. @param caller as who it was opened */
  follow(stream: PassThrough, caller: Caller, headers: IncomingHttpHeaders, prefers: 'member' | 'endUser'): void {
    const { authorization, cookie, 'x-api-key': key } = headers
    const name = JSON.stringify([authorization, cookie, key, prefers])
    const group = this.#groups.get(name) ?? { headers: { authorization, cookie, 'x-api-key': key }, prefers, streams: new Map() }
    this.#groups.set(name, group)
    group.streams.set(stream, caller)
    stream.once('close', () => {
      group.streams.delete(stream)
      if (group.streams.size === 0 && this.#groups.get(name) === group) this.#groups.delete(name)
      if (this.#groups.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    })
    this.#timer ??= setInterval(() => void this.#look(), everyMs).unref()
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    await this.#judgeAll(() => true)
    this.#isLooking = false
  }

  async #judgeAll(isMeant: (group: Group) => boolean): Promise<void> {
    const waiting = [...this.#groups.values()].filter(isMeant)
    const judge = async () => {
      for (let group = waiting.pop(); group; group = waiting.pop()) await this.#judge(group)
    }
    await Promise.all(Array.from({ length: Math.min(atOnce, waiting.length) }, judge))
  }

  async #judge({ headers, prefers, streams }: Group): Promise<void> {
    try {
      const { caller, problem } = await this.#identity.authenticate(headers, prefers)
      const now = problem ? undefined : JSON.stringify(caller)
      for (const [stream, before] of streams) if (JSON.stringify(before) !== now) endStream(stream)
    } catch (cause) {
      // Without the database nobody hears anything new either.
      this.#log.warn({ err: cause }, 'the callers of event streams were not judged')
    }
  }
}

/** Ends a stream; a reader that does not read is cut off. */
function endStream(stream: PassThrough): void {
  if (stream.writableEnded) return
  stream.end()
  setTimeout(() => stream.destroy(), farewellMs).unref()
}
