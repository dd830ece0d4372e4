import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { readCatalogueInSteps, type Catalogue } from '../../tools/catalogue/catalogue.ts'
import { DocumentError, isRecord } from '../../tools/openapi.ts'
import { fetchDocument } from './fetch-document.ts'
import { parseInThread } from './parse-in-thread.ts'
import type { Upstream } from './upstream.ts'
import type { Settings } from '../access/settings.ts'
import type { Log } from '../shared/log.ts'
import { assertOwnPrompts } from './prompts.ts'

/** The first and the longest delay between attempts while there is no document, in milliseconds. */
const retryDelaysMs = { min: 100, max: 5_000 }
const refreshIntervalMs = 60_000
const fetchTimeoutMs = 30_000

/** How long the building of a catalogue may hold up calls at a time, in milliseconds. */
const maxBuildingMs = 5

/** Where the document is, and the addresses that do not come from it. */
type DocumentAddresses = Pick<Settings, 'documentUrl' | 'apiUrl' | 'resourcesUrl'>

/**
 * Keeps the last good version of the API's document. A new version replaces the old one in one step; requests in
 * progress go on with the version that they began with.
 */
export class DocumentSource {
  readonly #upstream: Upstream
  readonly #addresses: DocumentAddresses
  readonly #log: Log
  readonly #stopController = new AbortController()
  #catalogue: Catalogue | null = null
  #etag: string | null = null
  #loadedAtMs: number | null = null
  /** The last trouble that was logged, so that a lasting trouble gives only one line. */
  #lastTrouble: string | null = null
  #loading: Promise<void> = Promise.resolve()

  constructor(upstream: Upstream, addresses: DocumentAddresses, log: Log) {
    this.#upstream = upstream
    this.#addresses = addresses
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
      const { status, etag, bytes } = await fetchDocument(this.#addresses.documentUrl, this.#etag, signal)
      if (status !== 304) await this.#takeDocument(status, etag, bytes)
      this.#loadedAtMs = performance.now()
      this.#lastTrouble = null
    } catch (cause) {
      this.#reportTrouble(cause)
    }
  }

  async #takeDocument(status: number, etag: string | null, bytes: Uint8Array): Promise<void> {
    if (status !== 200) throw new DocumentError(`the API answered ${status}`)
    const startedAtMs = performance.now()
    const document = await parseInThread(bytes)
    const apiUrl = this.#addresses.apiUrl ?? getServerUrl(document, this.#addresses.documentUrl)
    const catalogue = await buildCatalogue(document, this.#addresses.resourcesUrl ?? apiUrl)
    assertOwnPrompts(catalogue)
    this.#upstream.setAddress(apiUrl)
    this.#catalogue = catalogue
    this.#etag = etag
    const {
      tools,
      leftOut,
      resources: { statics, templates },
    } = catalogue
    const counts = {
      tools: tools.size,
      resources: statics.length,
      templates: templates.length,
      leftOut: leftOut.length,
    }
    this.#log.info({ etag, ...counts, milliseconds: Math.round(performance.now() - startedAtMs) }, 'document loaded')
    for (const { operation, reason } of leftOut) this.#log.warn({ operation }, `${operation} is left out: ${reason}`)
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

/** Builds a catalogue without holding up calls for more than some milliseconds at a time. @throws DocumentError */
async function buildCatalogue(document: unknown, resourcesUrl: string): Promise<Catalogue> {
  const steps = readCatalogueInSteps(document, resourcesUrl)
  for (let pausedAtMs = performance.now(); ;) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - pausedAtMs < maxBuildingMs) continue
    await turn()
    pausedAtMs = performance.now()
  }
}

/**
 * Returns the address of the first server, with the defaults of its variables. A relative address is one from where the
 * document is. Source: OpenAPI 3.1.1, Server Object.
 * @throws DocumentError if that is no http or https address
 */
function getServerUrl(document: unknown, documentUrl: string): string {
  const servers: unknown = isRecord(document) ? document['servers'] : undefined
  const first: unknown = Array.isArray(servers) && servers.length > 0 ? servers[0] : { url: '/' }
  const { url, variables } = isRecord(first) ? first : {}
  if (typeof url !== 'string') throw new DocumentError('servers[0] has no url')
  const address = url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = isRecord(variables) ? variables[name] : undefined
    if (!isRecord(variable) || typeof variable['default'] !== 'string')
      throw new DocumentError(`servers[0] has no default for {${name}}`)
    return variable['default']
  })
  const resolved = URL.parse(address, documentUrl)
  if (resolved === null || !/^https?:$/.test(resolved.protocol) || resolved.username || resolved.password)
    throw new DocumentError('servers[0].url is no http or https address')
  return (resolved.origin + resolved.pathname).replace(/\/+$/, '')
}
