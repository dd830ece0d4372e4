import type { ServerResponse } from 'node:http'
import { createAskingDocument } from './asking-document.ts'
import { getRecordedHeader, sendProblem, sendReply, type FixtureApi, type RecordedRequest } from './bridge-fixture.ts'

interface Poster {
  readonly id: string
  readonly name: string
  isDraft: boolean
}

/** An API of posters that are published once. It has dry runs, and keeps its answers under idempotency keys. */
export class PosterApi {
  readonly posters: Poster[] = []
  /** What was done, in order. */
  readonly acts: string[] = []
  /** Added to every preview. */
  warnings: string[] = []
  /** The status with which the next act is refused; null if it is done. */
  refusal: number | null = null
  readonly #keptAnswers = new Map<string, object>()
  readonly #api: FixtureApi

  constructor(api: FixtureApi) {
    this.#api = api
    api.document = createAskingDocument()
    this.#setAct('publish', 'POST /v1/posters/publish', () => this.posters)
    this.#setAct('reprint', 'POST /v1/posters/reprint', () => this.posters)
    this.#setAct('status', 'POST /v1/posters/all/status', () => this.posters)
    for (const id of ['p-1', 'p-2']) {
      const findOne = () => this.posters.filter((one) => one.id === id)
      this.#setAct('status', `POST /v1/posters/${id}/status`, findOne)
      this.#setAct('burn', `POST /v1/posters/${id}/burn`, findOne)
    }
  }

  /** Begins anew with these drafts. */
  reset(...names: string[]): void {
    this.#api.clearRecords()
    this.#keptAnswers.clear()
    this.acts.length = 0
    this.warnings = []
    this.refusal = null
    this.posters.length = 0
    for (const name of names) this.addDraft(name)
  }

  addDraft(name: string): void {
    this.posters.push({ id: `p-${this.posters.length + 1}`, name, isDraft: true })
  }

  get drafts(): string[] {
    return this.posters.filter(({ isDraft }) => isDraft).map(({ name }) => name)
  }

  /** The requests that were not dry runs. */
  get sent(): readonly RecordedRequest[] {
    return this.#api.recordedRequests.filter(({ url }) => !url.includes('dryRun=true'))
  }

  #setAct(act: string, route: string, findPosters: () => Poster[]): void {
    this.#api.setHandler(route, (seen, response) => {
      if (seen.url.includes('dryRun=true')) return this.#preview(findPosters(), response)
      const key = getRecordedHeader(seen, 'idempotency-key')
      const kept = key === null ? undefined : this.#keptAnswers.get(key)
      if (kept) return sendReply(response, 200, kept, { 'idempotency-replayed': 'true' })
      if (this.refusal !== null) return sendProblem(response, this.refusal, { code: 'REFUSED', detail: 'Not now.' })
      const drafts = findPosters().filter(({ isDraft }) => isDraft)
      this.acts.push(`${act} ${drafts.map(({ name }) => name).join(', ')}`)
      if (act === 'publish') for (const one of drafts) one.isDraft = false
      const answer = { done: this.acts.length }
      if (key !== null) this.#keptAnswers.set(key, answer)
      sendReply(response, 200, answer)
    })
  }

  #preview(posters: readonly Poster[], response: ServerResponse): void {
    if (posters.length === 0 && this.posters.length > 0)
      return sendProblem(response, 404, { code: 'NOT_FOUND', detail: 'There is no such poster.' })
    const drafts = posters.filter(({ isDraft }) => isDraft)
    const others = posters.length - drafts.length
    sendReply(response, 200, {
      matched: posters.length,
      willChange: drafts.length,
      samples: drafts.slice(0, 10).map(({ id, name }) => ({ id, name })),
      skipped: others === 0 ? [] : [{ reason: 'They are published', count: others }],
      warnings: this.warnings,
    })
  }
}
