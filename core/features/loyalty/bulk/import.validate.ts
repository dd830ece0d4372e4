import { createPlanNetworkCheck, type NetworkCheck } from '../../../meters/index.ts'
import type { Network } from '../../../chains/networks.ts'
import { createJsonValidator } from '../../../kernel/json/schema-validators.ts'
import { isObject } from '../../../kernel/json/values.ts'
import type { ImportRow, RecordTarget, RowIssue, ValidatedRow } from '../../../kernel/ports/record-sink.ts'
import { maxRowIssues, toRowIssues } from '../../../kernel/ports/row-issues.ts'
import type { Issue } from '../../../kernel/problem.ts'
import { yieldToEventLoop } from '../../../kernel/process/event-loop.ts'
import { uuidPattern } from '../../../kernel/text/uuid.ts'
import type { Context } from '../../../kernel/work.ts'
import { findApplication } from '../../applications/index.ts'
import { NewAssignment, parseGift, type AssignmentContent } from '../assignments/index.ts'
import { listTiers } from '../tiers/index.ts'

/** A validated row. `content` and `network` are null if there are errors. */
export interface AssignmentRow extends ValidatedRow {
  body: unknown
  content: AssignmentContent | null
  network: Network | null
}

const { upsert: _policyOfTheImport, ...members } = NewAssignment.properties

/** The members of a row: those of a request, but what becomes of people who have something is said of the whole import. */
export const assignmentMembers: readonly string[] = Object.keys(members)

/**
 * The schema of a row. Points are one schema with two types, so that what is wrong with them is said once; the application
 * is that of the import where a row names none.
 */
const createRowSchema = (): object => ({
  ...NewAssignment,
  required: ['optimisticBalance'],
  properties: { ...members, optimisticBalance: mergeBranches(members.optimisticBalance.anyOf) },
})

const mergeBranches = (branches: readonly object[]): object => ({
  ...Object.assign({}, ...branches),
  type: branches.map((branch) => (branch as { type?: unknown }).type),
})

const validateForm = createJsonValidator(createRowSchema)

/** The number of rows that are validated before other work of the process gets a turn. */
const rowsPerTurn = 50

/** What the rows of one call have in common. */
interface RowContext {
  context: Context
  application: string
  /** The network of rows that name none. */
  network: Network | null
  checkNetwork: NetworkCheck
  /** Identifiers of tiers by their names in small letters; null for a name that several have. */
  tiers: ReadonlyMap<string, string | null>
}

/** Validates rows as the creation of an assignment does, without writing. A tier may be named too. */
export async function validateRows(
  context: Context,
  { organization, application, network }: RecordTarget,
  rows: Iterable<ImportRow>,
): Promise<AssignmentRow[]> {
  const tiers = new Map<string, string | null>()
  for (const { id, name } of await listTiers(context.db, application)) {
    tiers.set(id, id)
    const key = name.trim().toLowerCase()
    tiers.set(key, tiers.has(key) ? null : id)
  }
  const ownNetwork = (network as Network | null) ?? (await findApplication(context.db, application))?.defaultNetwork
  const checkNetwork = await createPlanNetworkCheck(context.db, context.meters.table, organization)
  const rowContext: RowContext = { context, application, network: ownNetwork ?? null, checkNetwork, tiers }
  const validated: AssignmentRow[] = []
  for (const row of rows) {
    validated.push(await validateRow(row, rowContext))
    if (validated.length % rowsPerTurn === 0) await yieldToEventLoop()
  }
  return validated
}

async function validateRow({ line, body, errors }: ImportRow, rowContext: RowContext): Promise<AssignmentRow> {
  const refuse = (issues: readonly RowIssue[]): AssignmentRow => ({
    line,
    body,
    content: null,
    network: null,
    errors: issues.slice(0, maxRowIssues),
  })
  if (errors.length > 0) return refuse(errors)
  if (!isObject(body)) return refuse([{ path: '', code: 'type', message: 'must be object', value: null }])
  const { value, issues: tierIssues } = resolveTier(body, rowContext)
  const issues = [...tierIssues, ...validateForm(value, '', () => JSON.stringify(value).length).map(describeIssue)]
  if (issues.length > 0) return refuse(toRowIssues(issues, body))
  const wanted = value as Omit<NewAssignment, 'application'> & { application?: string }
  const network = wanted.network ?? rowContext.network
  if ((wanted.application ?? rowContext.application).toLowerCase() !== rowContext.application)
    issues.push({ path: 'application', code: 'mismatch', message: 'is not the application of the import' })
  // Without an application there is no network either: what is suggested for columns is tried before one is chosen.
  const gift = await parseGift(rowContext.context, network ?? 'BaseMainnet', wanted)
  issues.push(...gift.issues.filter(({ path }) => network !== null || path !== 'network'))
  const planIssue = wanted.network === undefined ? undefined : rowContext.checkNetwork(wanted.network)
  if (planIssue) issues.push(planIssue)
  return issues.length > 0
    ? refuse(toRowIssues(issues, body))
    : { line, body, network, content: gift.content, errors: [] }
}

/** Puts the identifier of a tier in the place of its name. */
function resolveTier(
  body: Record<string, unknown>,
  { tiers }: RowContext,
): { value: Record<string, unknown>; issues: Issue[] } {
  const { rewardTier, ...rest } = body
  if (typeof rewardTier !== 'string') return { value: body, issues: [] }
  const found = tiers.get(rewardTier.trim().toLowerCase())
  if (found) return { value: { ...rest, rewardTier: found }, issues: [] }
  const isAmbiguous = found === null && !uuidPattern.test(rewardTier)
  const message = isAmbiguous ? 'is the name of several tiers' : 'is no tier of the application'
  return { value: rest, issues: [{ path: 'rewardTier', code: 'unknown_tier', message }] }
}

/** Says in words what a pattern of points asks for, and cuts the dot before a path. */
const describeIssue = ({ path, code, message }: Issue): Issue => ({
  path: path.replace(/^\./, ''),
  code,
  message:
    path === '.optimisticBalance' && code !== 'required' ? 'must be a whole number in digits, below 10^17' : message,
})
