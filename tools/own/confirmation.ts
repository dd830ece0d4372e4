import type { ArgumentBinding } from '../arguments/arguments.ts'
import { confirmKey, type ElicitationAnswer, type ElicitationQuestion, type ElicitationRefusal } from './elicitation.ts'
import type { ExposedOperation } from '../catalogue/operations.ts'
import type { ToolArguments } from '../arguments/request-factory.ts'
import { cutJson, formatCuts, maxListedCuts } from '../results/cut-json.ts'
import { createProblem } from '../results/problems.ts'
import type { ToolResult } from '../results/results.ts'
import { describePreview, type Preview } from './preview.ts'
import { removeTitle } from '../catalogue/trim-schema.ts'
import { isSecretSchema } from '../results/secrets.ts'
import { maxShownBytes } from '../results/text-parts.ts'
import { showInvisible } from '../arguments/show-invisible.ts'

/** The highest number of arguments that the question names. `maxValueLength`: the longest value, in characters. */
const maxFacts = 8
const maxValueLength = 80
/** The longest description of the consequences of a call, in characters. */
const maxDescriptionLength = 400

/** A preview with its digest, to which a confirmation is bound. */
export interface ShownPreview {
  readonly preview: Preview
  readonly digest: string
}

/** How long a confirmation counts after its preview, in minutes. */
export const confirmMinutes = 5

/**
 * Creates the question whether the person wants what a call would do. It names the action and its arguments: short
 * values are quoted, with all invisible characters written out, but no secret is. The description of the operation tells the
 * consequences.
 */
export function createConfirmationQuestion(
  { title, description }: Pick<ExposedOperation, 'title' | 'description'>,
  bindings: readonly ArgumentBinding[],
  args: ToolArguments,
  shown: ShownPreview | null = null,
): ElicitationQuestion {
  const facts = bindings.flatMap((binding) => {
    const value = args[binding.argument]
    const isShown = value !== undefined && !(shown && isInPreview(binding, value))
    const isSecret = isSecretSchema(binding.schema.schema)
    return isShown ? [`${binding.argument} ${isSecret ? '(secret)' : formatValue(value)}`] : []
  })
  const more = facts.length > maxFacts ? [`and ${facts.length - maxFacts} more arguments`] : []
  const about = [...facts.slice(0, maxFacts), ...more].join(', ')
  const what = about === '' ? title.replace(/[.]$/, '') : `${title.replace(/[.]$/, '')}: ${about}`
  const consequences = description === title || description === `${title}.` ? '' : removeTitle(title, description)
  const formDescription = cutAfterSentence(`Without this nothing is sent. ${consequences}`)
  const preview = shown ? describePreview(shown.preview) : []
  return {
    key: confirmKey,
    message: [`${what}.`, ...preview, 'This cannot be undone.'].join(shown ? '\n' : ' '),
    members: { confirm: { type: 'boolean', title: 'Do it', description: formDescription, default: false } },
    required: [confirmKey],
    requiresState: true,
    ...(shown && { digest: shown.digest }),
    validateContent: ({ confirm }) =>
      typeof confirm === 'boolean' ? [] : [{ path: confirmKey, code: 'type', message: 'must be true or false' }],
  }
}

/** The query parameters that only say which things a call is about. */
const listParameters = ['filters', 'sorters', 'currentPage', 'pageSize', 'cursor', 'dryRun']
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns whether a preview says by name and number what an argument says by ids and conditions. */
const isInPreview = (binding: ArgumentBinding, value: unknown) =>
  binding.to === 'path'
  || (binding.to === 'query' && listParameters.includes(binding.parameter.name))
  || (typeof value === 'string' && uuidPattern.test(value))

/** Returns as many whole sentences as fit. */
function cutAfterSentence(text: string): string {
  if (text.length <= maxDescriptionLength) return text.trim()
  return text.slice(0, text.lastIndexOf('. ', maxDescriptionLength) + 1)
}

/** Returns the reason for a refusal; null if the person confirmed. */
export function getConfirmationRefusal(answer: ElicitationAnswer): ElicitationRefusal | null {
  if (answer.action !== 'accept') return answer.action
  return answer.content[confirmKey] === true ? null : 'decline'
}

/**
 * Creates the result of a call that has to be confirmed, for a client that cannot ask: the preview, and what to send in
 * the second call.
 * @param isChanged whether an earlier preview of this call was confirmed that is no longer true
 */
export function createPreviewResult(
  { title }: Pick<ExposedOperation, 'title'>,
  { preview }: ShownPreview,
  confirm: string,
  isChanged: boolean,
): ToolResult {
  const limited = limitPreview(preview, { confirm })
  const text = [
    isChanged ? 'The preview has changed since. Nothing has been done.' : 'Nothing has been done yet.',
    `${title.replace(/[.]$/, '')}:`,
    ...describePreview(preview),
    'This cannot be undone. Show this to the user.',
    ...limited.notes,
    `To do it, call again within ${confirmMinutes} minutes with the same arguments and "confirm": "${confirm}".`,
  ].join('\n')
  return { content: [{ type: 'text', text }], ...limited.members }
}

/** The bytes that a result has beside a preview: the confirmation and the list of cuts. */
const maxOtherBytes = 16 * 1024

/** Cuts a preview to 256 KiB as structured content. A note says what was left out, and how to read the whole. */
function limitPreview(
  preview: Preview,
  others: Record<string, string> = {},
): { notes: string[]; members: Pick<ToolResult, 'structuredContent' | '_meta'> } {
  const { value, cuts } = cutJson(preview, maxShownBytes - maxOtherBytes)
  const members = { structuredContent: { preview: value, ...others } }
  if (cuts.length === 0) return { notes: [], members }
  const notes = [`${formatCuts(cuts, 'The preview in structuredContent')} Call with dryRun: true for the whole.`]
  return { notes, members: { ...members, _meta: { cuts: cuts.slice(0, maxListedCuts) } } }
}

/** Creates the result of a call that would change nothing. */
export function createUnchangedResult(preview: Preview): ToolResult {
  const [, ...facts] = describePreview(preview)
  const head = preview.matched === 0 ? 'nothing matches.' : `${preview.matched} matched.`
  const { notes, members } = limitPreview(preview)
  const text = [`Nothing would change: ${head}`, ...facts, ...notes, 'Nothing was sent.'].join('\n')
  return { content: [{ type: 'text', text }], ...members }
}

const confirmRefusals = {
  INVALID:
    `\`confirm\` does not belong to this call: it was changed, is older than ${confirmMinutes} minutes, or its preview was `
    + 'made for other arguments or another caller.',
  CHANGED: 'What the call would do changed each time while the user was asked.',
  USED: '`confirm` was used before, and it counts once.',
}

/** Creates the result of a call whose `confirm` does not count. */
export function createConfirmRefusal(reason: keyof typeof confirmRefusals): ToolResult {
  const code = `CONFIRM_${reason}`
  const problem = createProblem(409, confirmRefusals[reason], { code })
  const state = reason === 'USED' ? 'Read the present state first. ' : ''
  const text = `409 ${code}: ${problem.detail}\nNothing was sent now. ${state}${reason === 'CHANGED' ? 'Call again later.' : 'Call without confirm for a new preview.'}`
  return { content: [{ type: 'text', text }], isError: true, _meta: { problem } }
}

function formatValue(value: unknown): string {
  if (typeof value === 'string')
    return quoteValue(value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value)
  if (Array.isArray(value) && value.length > maxValueLength) return `(${value.length} entries)`
  const text = quoteValue(value)
  if (text.length <= maxValueLength) return text
  if (Array.isArray(value)) return `(${value.length} entries)`
  return `(${Object.keys(value as object).length} members)`
}

const quoteValue = (value: unknown) => showInvisible(JSON.stringify(value), false)
