import fc from 'fast-check'
import type { Answer } from '../support/client.ts'
import { hostileCalls, describeCall, type Call } from './calls.ts'
import { targets, type FuzzTarget } from './document.ts'
import { listAnswerFaults } from './answer-faults.ts'
import { getOperator } from '../core/identity/people.ts'
import { computeStoredChecksum } from '../support/rows/stored-content.ts'
import { namesRestaurant } from '../support/pos/restaurants.ts'
import { openStage, type Stage } from './stage.ts'

/** What a run came to. */
export interface CallTally {
  calls: number
  statuses: Map<number, number>
  operations: Map<string, number>
  callers: Map<string, number>
  /** Refusals after which something was stored nevertheless. */
  storedRefused: number
  withoutCode: number
  answers: { operation: string; what: string; status: number; milliseconds: number }[]
}

export interface Runner {
  stage: Stage
  tally: CallTally
  /** Makes again what calls may have used up, if anything but reading was tried since. */
  refresh(): Promise<void>
  /** Sends a call and looks at the answer and at what is stored. @throws with the call when something is wrong */
  send(call: Call): Promise<Answer>
}

const more = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)

/** Sends calls of all callers of a stage, one after the other. */
export async function openRunner(): Promise<Runner> {
  const stage = await openStage()
  const { organization } = stage.shop
  const { db } = await getOperator()
  const tally: CallTally = {
    calls: 0,
    statuses: new Map(),
    operations: new Map(),
    callers: new Map(),
    storedRefused: 0,
    withoutCode: 0,
    answers: [],
  }
  // A new stage has everything.
  let isUsed = false
  return {
    stage,
    tally,
    async refresh() {
      if (!isUsed) return
      await stage.refresh()
      isUsed = false
    },
    async send(call) {
      if (call.target.method !== 'GET') isUsed = true
      const before = await computeStoredChecksum(db, organization)
      const { answer, path, sent, milliseconds } = await ask(call, stage)
      const { status, body } = answer
      tally.calls++
      more(tally.statuses, status)
      more(tally.operations, call.target.id)
      more(tally.callers, call.as)
      tally.answers.push({ operation: call.target.id, what: call.what, status, milliseconds })
      if (status >= 400 && status < 500 && typeof body?.['code'] !== 'string') tally.withoutCode++
      const faults = listAnswerFaults(expectSigner(call, sent, stage), path, answer, stage)
      if (status >= 400 && (await computeStoredChecksum(db, organization)) !== before) {
        tally.storedRefused++
        faults.push(`stores what it refuses with ${status}`)
      }
      if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${describeCall(call)}`)
      return answer
    },
  }
}

interface SentCall {
  answer: Answer
  path: string
  /** Its body, null without one. */
  sent: Buffer | null
  milliseconds: number
}

async function ask(call: Call, stage: Stage): Promise<SentCall> {
  const path = stage.fill(call.path, call)
  const body = call.body === undefined ? undefined : stage.fill(call.body, call)
  const sent = body === undefined ? null : Buffer.from(body, call.bytes ? 'latin1' : 'utf8')
  const begun = performance.now()
  const answer = await stage.clientFor(call).send(call.target.method, path, undefined, {
    headers: { ...call.headers },
    ...(sent && { raw: sent }),
    skipsDocumentCheck: true,
  })
  return { answer, path, sent, milliseconds: performance.now() - begun }
}

/**
 * A signature is checked before its body is read. Where the path does not name the signer, the body does: what names
 * none that is known is refused for that, whatever else is wrong with it.
 */
function expectSigner(call: Call, sent: Buffer | null, { restaurant }: Stage): Call {
  const { target, wanted } = call
  if (!wanted || !target.isSigned || target.params.length > 0 || namesRestaurant(String(sent), restaurant)) return call
  return { ...call, wanted: { statuses: [401], code: 'WEBHOOK_INVALID_SIGNATURE' } }
}

/**
 * A plain creation takes what it takes and answers what it answers, as before all attacks: a prototype that had got
 * members would lend them to its body, where they are unknown or stand for what was left out.
 */
export async function createPlainRow({ shop: { api, application } }: Stage): Promise<Record<string, unknown>> {
  const { status, body, text } = await api.post('/v1/dpp/products', { application, name: 'Plain' })
  if (status !== 201) throw new Error(`A plain creation answers ${status} ${text}`)
  const { id, createdAt, updatedAt, ...rest } = body as Record<string, unknown>
  const removed = await api.delete(`/v1/dpp/products/${String(id)}`)
  if (removed.status !== 200 || createdAt !== updatedAt)
    throw new Error(`A plain sheet is not deleted: ${removed.text}`)
  return rest
}

export interface FuzzRun {
  seed: number
  /** Where in the drawing a single call is, as a failure tells it. */
  path: string | undefined
}

export const fuzzRun: FuzzRun = { seed: Number(process.env['TEST_SEED'] ?? 20_261_120), path: process.env['TEST_PATH'] }

/** Each operation draws its own calls; a list that two have in common would otherwise be met with the same ones. */
const seedOf = ({ id }: FuzzTarget) => fuzzRun.seed + targets.findIndex((one) => one.id === id)

/** So many hostile calls of an operation. A failure names the seed and the path that bring the call again. */
export async function attackOperation(runner: Runner, target: FuzzTarget, times: number, every = 50): Promise<void> {
  let since = 0
  await fc.assert(
    fc.asyncProperty(hostileCalls(target), async (call) => {
      if (since++ % every === 0) await runner.refresh()
      await runner.send(call)
    }),
    {
      numRuns: times,
      seed: seedOf(target),
      endOnFailure: false,
      ...(fuzzRun.path !== undefined && { path: fuzzRun.path, endOnFailure: true }),
    },
  )
}
