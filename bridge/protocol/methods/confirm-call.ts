import { randomUUID } from 'node:crypto'
import {
  createChangedQuestion,
  createRefusalResult,
  type ElicitationAnswer,
  type InputElicitor,
} from '../../../tools/own/elicitation.ts'
import type { Tool } from '../../../tools/catalogue/catalogue.ts'
import type { ToolArguments } from '../../../tools/arguments/request-factory.ts'
import {
  createConfirmationQuestion,
  createConfirmRefusal,
  createPreviewResult,
  createUnchangedResult,
  getConfirmationRefusal,
  type ShownPreview,
} from '../../../tools/own/confirmation.ts'
import { parsePreview } from '../../../tools/own/preview.ts'
import { createProblem, toProblem } from '../../../tools/results/problems.ts'
import type { ApiRequest } from '../../../tools/results/api-request.ts'
import { createFailureResult, type ToolResult } from '../../../tools/results/results.ts'
import { createApiRequest } from '../../api/call-arguments.ts'
import { createPreviewDigest, withConfirmationKey, type Confirmations } from './confirmations.ts'
import type { ApiOutcome, MethodCall } from './method-call.ts'

/** What confirming a call needs. */
export interface ConfirmationServices {
  readonly confirmations: Confirmations
  /** Sends a request of the same caller to the API. */
  readonly send: (request: ApiRequest) => Promise<ApiOutcome>
}

/** A call that has to be confirmed. */
interface UnconfirmedCall {
  /** The arguments of the operation, without those of the bridge. */
  readonly args: ToolArguments
  readonly request: ApiRequest
  /** True if the caller wants the same call to be carried out once more. */
  readonly isRepeated: boolean
  /** The confirmation that came as an argument; null if there is none. */
  readonly confirm: string | null
}

/** A request that may be sent; `isSealed` if a seal confirmed it, which counts once whatever the API answers. */
type Confirmed = { request: ApiRequest; isSealed?: true } | { result: ToolResult }
/** Null if the API has no preview, which only a call may lack that would be made without one too. */
type PreviewOutcome = ShownPreview | { result: ToolResult } | null
type PreviewReader = () => Promise<PreviewOutcome>

/** How often a person is asked while what would happen keeps changing. */
const maxAttempts = 3

/**
 * Has a call confirmed, and returns its request with a key under which it is done once; or the result of the call if it
 * is not to be sent. A person is asked where the client can ask, and sees the API's dry run if the operation has one. A
 * client that cannot ask gets the dry run and a seal for its second call, if the operation wants a preview; otherwise
 * the call needs no confirmation.
 * @throws InputRequiredError
 */
export async function confirmCall(
  tool: Tool,
  call: MethodCall,
  unconfirmed: UnconfirmedCall,
  services: ConfirmationServices,
): Promise<Confirmed> {
  const { elicitInput } = call
  const { args, request } = unconfirmed
  const readPreview: PreviewReader = () => runDryRun(tool, args, services)
  if (elicitInput) return await confirmByPerson(tool, call, { args, request, elicitInput }, readPreview)
  if (tool.plan.takesConfirm) return await confirmBySeal(tool, call, unconfirmed, { ...services, readPreview })
  return { request }
}

const getDigest = (outcome: PreviewOutcome) => (outcome && 'digest' in outcome ? outcome.digest : null)

const withAnswerKey = (request: ApiRequest, answer: ElicitationAnswer) =>
  withConfirmationKey(request, ('id' in answer ? answer.id : undefined) ?? randomUUID())

/**
 * Asks a person, who sees the preview if there is one. If it has changed when the answer comes, the person sees the new
 * one.
 */
async function confirmByPerson(
  { operation, plan }: Tool,
  { dialect }: MethodCall,
  { args, request, elicitInput }: Pick<UnconfirmedCall, 'args' | 'request'> & { readonly elicitInput: InputElicitor },
  readPreview: PreviewReader,
): Promise<Confirmed> {
  let shown = operation.preview === null ? null : await readPreview()
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (shown && 'result' in shown) return shown
    if (shown?.preview.willChange === 0) return { result: createUnchangedResult(shown.preview) }
    const question = createConfirmationQuestion(operation, plan.bindings, args, shown)
    const answer = await elicitInput(attempt === 1 ? question : createChangedQuestion(question))
    const silence = getConfirmationRefusal(answer)
    if (silence) return { result: createRefusalResult(silence) }
    // In the modern era the answer came with this request, so the preview is newer than the answer.
    const present: PreviewOutcome = dialect.name === 'modern' || shown === null ? shown : await readPreview()
    if (getDigest(present) === getDigest(shown)) return { request: withAnswerKey(request, answer) }
    shown = present
  }
  return shown && 'result' in shown ? shown : { result: createConfirmRefusal('CHANGED') }
}

/** Answers the preview with a seal, or takes the seal of an earlier preview if that preview is still true. */
async function confirmBySeal(
  { operation, plan }: Tool,
  { context }: MethodCall,
  { args, request, isRepeated, confirm }: UnconfirmedCall,
  { confirmations, readPreview }: ConfirmationServices & { readonly readPreview: PreviewReader },
): Promise<Confirmed> {
  // `dryRun: false` means the same as no `dryRun`.
  const { [plan.dryRunArgument ?? '']: _, ...boundArgs } = args
  const confirmedCall = { callerHash: context.callerHash, tool: operation.name, args: boundArgs, isRepeated }
  const confirmedDigest = confirm === null ? null : confirmations.open(confirm, confirmedCall)
  if (confirm !== null && confirmedDigest === null) return { result: createConfirmRefusal('INVALID') }
  const shown = await readPreview()
  if (!shown || 'result' in shown) return shown ?? { result: createConfirmRefusal('INVALID') }
  const { preview, digest } = shown
  if (confirm !== null && !(await confirmations.claimOnce(confirm))) return { result: createConfirmRefusal('USED') }
  if (preview.willChange === 0) return { result: createUnchangedResult(preview) }
  if (confirm !== null && digest === confirmedDigest)
    return { request: withConfirmationKey(request, confirm), isSealed: true }
  if (operation.preview === 'many' && preview.matched <= 1) return { request }
  const seal = confirmations.seal(digest, confirmedCall)
  return { result: createPreviewResult(operation, shown, seal, confirm !== null) }
}

/**
 * Asks the API what the call would do. A refusal is the result of the call; so is an answer of another shape, unless the
 * operation declares no preview: then its parameter means something else, and there is none.
 */
async function runDryRun(tool: Tool, args: ToolArguments, { send }: ConfirmationServices): Promise<PreviewOutcome> {
  const request = createApiRequest(tool, { ...args, [tool.plan.dryRunArgument ?? 'dryRun']: true })
  const { answer, problem } = 'problem' in request ? { ...request, answer: undefined } : await send(request)
  if (!answer) return { result: createFailureResult(problem, { writes: false }) }
  const { retryAfter } = answer
  if (answer.status < 200 || answer.status >= 300)
    return { result: createFailureResult(toProblem(answer), { writes: false, retryAfter }) }
  const preview = parsePreview(answer)
  if (preview) return { preview, digest: createPreviewDigest(preview) }
  if (tool.operation.preview === 'question') return null
  const detail = 'The API did not say what the call would do, so nothing was sent.'
  return { result: createFailureResult(createProblem(502, detail), { writes: false }) }
}
