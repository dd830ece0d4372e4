import { setTimeout as sleep } from 'node:timers/promises'
import { readCatalogue, type Catalogue } from '../../tools/catalogue/catalogue.ts'
import { DocumentError } from '../../tools/openapi.ts'
import type { Upstream } from './upstream.ts'
import type { Log } from '../shared/log.ts'
import { assertNoOwnPromptNames } from './prompts.ts'

/** The first and the longest delay between attempts while there is no document, in milliseconds. */
const retryDelaysMs = { min: 100, max: 5_000 }
const refreshIntervalMs = 60_000
const fetchTimeoutMs = 30_000

/**
 * Keeps the last good version of the API's document. A new version replaces the old one in one step; requests in
 * progress go on with the version that they began with.
 */
export class DocumentSource {
  readonly #upstream: Upstream
  readonly #apiUrl: string
  readonly #log: Log
  readonly #stopController = new AbortController()
  #catalogue: Catalogue | null = null
  #etag: string | null = null
  #loadedAtMs: number | null = null
  /** The last trouble that was logged, so that a lasting trouble gives only one line. */
  #lastTrouble: string | null = null
  #loading: Promise<void> = Promise.resolve()

  constructor(upstream: Upstream, apiUrl: string, log: Log) {
    this.#upstream = upstream
    this.#apiUrl = apiUrl
    this.#log = log
  }

  /** The catalogue of the last good document; null until there is one. */
  get catalogue(): Catalogue | null {
    return this.#catalogue
  }

  /** True if the last attempt to load the document failed. */
  get hasLoadFailed(): boolean {
    return this.#lastTrouble !== null
  }

  /** The seconds since the document was last checked with success; null if it never was. */
  get ageSeconds(): number | null {
    return this.#loadedAtMs === null ? null : (performance.now() - this.#loadedAtMs) / 1000
  }

  /** Loads the document, then checks it every minute. Resolves when there is a document, or when `stop` was called. */
  async start(): Promise<void> {
    let delayMs = retryDelaysMs.min
    while (this.#catalogue === null && !this.#stopController.signal.aborted) {
      await this.refresh()
      if (this.#catalogue !== null) break
      await this.#waitUnlessStopped(delayMs)
      delayMs = Math.min(delayMs * 2, retryDelaysMs.max)
    }
    void this.#refreshRepeatedly()
  }

  /** Checks for a new version now. Never rejects: after a failure the last good version stays. */
  refresh(): Promise<void> {
    this.#loading = this.#loading.then(() => this.#loadDocument())
    return this.#loading
  }

  stop(): void {
    this.#stopController.abort()
  }

  async #refreshRepeatedly(): Promise<void> {
    while (!this.#stopController.signal.aborted) {
      await this.#waitUnlessStopped(refreshIntervalMs)
      if (!this.#stopController.signal.aborted) await this.refresh()
    }
  }

  async #waitUnlessStopped(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopController.signal, ref: false }).catch(
      (cause: unknown) => {
        if (!this.#stopController.signal.aborted) throw cause
      },
    )
  }

  async #loadDocument(): Promise<void> {
    if (this.#stopController.signal.aborted) return
    try {
      const signal = AbortSignal.any([this.#stopController.signal, AbortSignal.timeout(fetchTimeoutMs)])
      const known = this.#etag === null ? {} : { 'if-none-match': this.#etag }
      const { status, etag, bytes } = await this.#upstream.fetchWithoutCaller(
        '/openapi.json',
        { accept: 'application/json', ...known },
        signal,
      )
      if (status !== 304) this.#takeDocument(status, etag, bytes)
      this.#loadedAtMs = performance.now()
      this.#lastTrouble = null
    } catch (cause) {
      this.#reportTrouble(cause)
    }
  }

  #takeDocument(status: number, etag: string | null, bytes: Uint8Array): void {
    if (status !== 200) throw new DocumentError(`the API answered ${status}`)
    const startedAtMs = performance.now()
    const catalogue = readCatalogue(parseDocumentJson(bytes), this.#apiUrl)
    assertNoOwnPromptNames(catalogue)
    this.#catalogue = catalogue
    this.#etag = etag
    const {
      tools,
      resources: { statics, templates },
    } = this.#catalogue
    const counts = { tools: tools.size, resources: statics.length, templates: templates.length }
    this.#log.info({ etag, ...counts, milliseconds: Math.round(performance.now() - startedAtMs) }, 'document loaded')
  }

  #reportTrouble(cause: unknown): void {
    if (this.#stopController.signal.aborted) return
    const message = cause instanceof Error ? cause.message : String(cause)
    if (message === this.#lastTrouble) return
    this.#lastTrouble = message
    const consequence = this.#catalogue === null ? 'there is none yet' : 'the last good one stays'
    if (cause instanceof DocumentError) this.#log.error(`the API document cannot be used: ${message}; ${consequence}`)
    else this.#log.warn(`the API document cannot be loaded: ${message}; ${consequence}`)
  }
}

function parseDocumentJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new DocumentError(cause instanceof Error ? `it is not JSON (${cause.message})` : 'it is not JSON')
  }
}
