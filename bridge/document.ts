import { setTimeout as sleep } from 'node:timers/promises'
import { readCatalogue, type Catalogue } from '../tools/catalogue.ts'
import { DocumentError } from '../tools/openapi.ts'
import type { Upstream } from './forward.ts'
import type { Log } from './log.ts'
import { refuseOurNames } from './prompts.ts'

/** First and longest pause between attempts while there is no document, in milliseconds. */
const pauses = { first: 100, longest: 5_000 }
const everyMinute = 60_000
const patience = 30_000

/**
 * Keeps the last good version of the API's document. A new one takes its place in one step, and what is under way
 * goes on with the one it began with.
 */
export class DocumentSource {
  readonly #upstream: Upstream
  readonly #apiUrl: string
  readonly #log: Log
  readonly #ended = new AbortController()
  #catalogue: Catalogue | null = null
  #etag: string | null = null
  #seen: number | null = null
  /** What the log was told last, so that a lasting trouble is one line. */
  #trouble: string | null = null
  #loading: Promise<void> = Promise.resolve()

  constructor(upstream: Upstream, apiUrl: string, log: Log) {
    this.#upstream = upstream
    this.#apiUrl = apiUrl
    this.#log = log
  }

  /** Null until the first good document. */
  get catalogue(): Catalogue | null {
    return this.#catalogue
  }

  /** True while the last look at the API failed. */
  get troubled(): boolean {
    return this.#trouble !== null
  }

  /** Seconds since the API was last looked at with success; null: it never was. */
  get age(): number | null {
    return this.#seen === null ? null : (performance.now() - this.#seen) / 1000
  }

  /** Resolves when there is a document, or when `stop` was called. From then on it is looked at every minute. */
  async start(): Promise<void> {
    let pause = pauses.first
    while (this.#catalogue === null && !this.#ended.signal.aborted) {
      await this.refresh()
      if (this.#catalogue !== null) break
      await this.#pause(pause)
      pause = Math.min(pause * 2, pauses.longest)
    }
    void this.#lookAgain()
  }

  /** Looks for a new version now. Never rejects: the last good one stays. */
  refresh(): Promise<void> {
    this.#loading = this.#loading.then(() => this.#load())
    return this.#loading
  }

  stop(): void {
    this.#ended.abort()
  }

  async #lookAgain(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await this.#pause(everyMinute)
      if (!this.#ended.signal.aborted) await this.refresh()
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#ended.signal, ref: false }).catch((cause: unknown) => {
      if (!this.#ended.signal.aborted) throw cause
    })
  }

  async #load(): Promise<void> {
    if (this.#ended.signal.aborted) return
    try {
      const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(patience)])
      const known = this.#etag === null ? {} : { 'if-none-match': this.#etag }
      const { status, etag, bytes } = await this.#upstream.fetchOwn(
        '/openapi.json',
        { accept: 'application/json', ...known },
        signal,
      )
      if (status !== 304) this.#take(status, etag, bytes)
      this.#seen = performance.now()
      this.#trouble = null
    } catch (cause) {
      this.#report(cause)
    }
  }

  #take(status: number, etag: string | null, bytes: Uint8Array): void {
    if (status !== 200) throw new DocumentError(`the API answered ${status}`)
    const begun = performance.now()
    const catalogue = readCatalogue(parsed(bytes), this.#apiUrl)
    refuseOurNames(catalogue)
    this.#catalogue = catalogue
    this.#etag = etag
    const {
      tools,
      resources: { statics, templates },
    } = this.#catalogue
    const counts = { tools: tools.size, resources: statics.length, templates: templates.length }
    this.#log.info({ etag, ...counts, milliseconds: Math.round(performance.now() - begun) }, 'document loaded')
  }

  #report(cause: unknown): void {
    if (this.#ended.signal.aborted) return
    const message = cause instanceof Error ? cause.message : String(cause)
    if (message === this.#trouble) return
    this.#trouble = message
    const kept = this.#catalogue === null ? 'there is none yet' : 'the last good one stays'
    if (cause instanceof DocumentError) this.#log.error(`the API document cannot be used: ${message}; ${kept}`)
    else this.#log.warn(`the API document cannot be loaded: ${message}; ${kept}`)
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new DocumentError(cause instanceof Error ? `it is not JSON (${cause.message})` : 'it is not JSON')
  }
}
