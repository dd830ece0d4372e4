import type { OrganizationCaller } from '../../../kernel/caller.ts'
import type { PageRequest } from '../../../kernel/page.ts'
import { createProblem, createValidationProblem } from '../../../kernel/problem.ts'
import { yieldToEventLoop } from '../../../kernel/process/event-loop.ts'
import type { Work } from '../../../kernel/work.ts'
import type { Finding, Readiness } from './answers.types.ts'
import { hasMorePassports, listPassportSizes, readPassportsInOrder, type SizedPassport } from '../passports/index.ts'
import { namePassports } from '../selection/index.ts'
import { readPassportFacts, validateStoredPassport } from './readiness.ts'
import { rules } from './readiness.table.ts'
import { checkIssuer } from './rules/issuer.ts'
import { severityOrder } from './rules/readiness.findings.ts'
import { maxSamplePassports, type ReadinessSummary, type RuleSummary } from './readiness.schema.ts'

/** The maximum number of passports that one request validates. */
export const maxSummarizedPassports = 10_000
/** The maximum number of passports that are read together, and of stored bytes of their content. */
const batchLimits = { passports: 200, bytes: 2 * 2 ** 20 }
/** Milliseconds of work after which other requests of the process get their turn. */
const maxTurnMs = 10
/** The maximum number of paths that a rule shows, and of different ones that are counted to find the most frequent. */
const maxPaths = { shown: 5, counted: 200 }

/** The findings that a caller wants to know: those of one rule, or those that are at least as severe. */
export interface FindingChoice {
  rule: string | null
  severity: Finding['severity']
}

/**
 * Validates the passports of the caller's organization that the filters match, or exactly the requested page of them, by
 * the same rules as `readReadiness`, and counts by rule.
 * @param signal tells that nobody waits for the answer any more
 * @throws VALIDATION_FAILED for more than 10,000 passports
 * @throws INVALID_REQUEST for a rule that there is none of
 */
export async function summarizeReadiness(
  work: Work,
  caller: OrganizationCaller,
  page: PageRequest,
  choice: FindingChoice,
  signal: AbortSignal,
): Promise<ReadinessSummary> {
  assertKnownRule(choice)
  const isOnePage = page.isPageExplicit || page.cursor !== null
  if (!isOnePage) await assertNotTooMany(work, caller.organization, page)
  const whole = isOnePage ? page : { ...page, pageSize: maxSummarizedPassports }
  const { passports } = await listPassportSizes(work.trx, caller.organization, whole)
  return summarizePassports(work, caller.organization, passports, choice, signal)
}

/**
 * Validates one page of the passports as `summarizeReadiness` does all of them.
 * @returns the summary of this page, and the cursor of the next one; null if there is none
 * @throws INVALID_REQUEST for a rule that there is none of
 */
export async function summarizeReadinessPage(
  work: Work,
  { organization }: OrganizationCaller,
  page: PageRequest,
  choice: FindingChoice,
  signal: AbortSignal,
): Promise<{ summary: ReadinessSummary; nextCursor: string | null }> {
  assertKnownRule(choice)
  const { passports, nextCursor } = await listPassportSizes(work.trx, organization, page)
  return { summary: await summarizePassports(work, organization, passports, choice, signal), nextCursor }
}

/** @throws INVALID_REQUEST */
function assertKnownRule({ rule }: FindingChoice): void {
  if (rule !== null && !rules.has(rule))
    throw createProblem('INVALID_REQUEST', 'There is no such rule.', { path: 'rule' })
}

/** Refuses too many passports before any of them is read. @throws VALIDATION_FAILED */
async function assertNotTooMany({ trx }: Work, organization: string, page: PageRequest): Promise<void> {
  if (!(await hasMorePassports(trx, organization, page, maxSummarizedPassports))) return
  const message = `match more than ${maxSummarizedPassports.toLocaleString('en')} passports`
  throw createValidationProblem([{ path: 'filters', code: 'too_many', message }])
}

async function summarizePassports(
  work: Work,
  organization: string,
  passports: readonly SizedPassport[],
  choice: FindingChoice,
  signal: AbortSignal,
): Promise<ReadinessSummary> {
  const issuerFindings = await checkIssuer(work, organization)
  const summary = new SummaryBuilder(choice)
  let turnStart = performance.now()
  for (const ids of splitIntoBatches(passports)) {
    signal.throwIfAborted()
    const rows = await readPassportsInOrder(work.trx, organization, ids)
    const facts = await readPassportFacts(work, organization, rows)
    for (const row of rows) {
      summary.addPassport(row.id, validateStoredPassport(work, row, facts, issuerFindings))
      if (performance.now() - turnStart < maxTurnMs) continue
      await yieldToEventLoop()
      turnStart = performance.now()
    }
  }
  const named = await namePassports(work.trx, summary.listSampled())
  return summary.build(new Map(named.map((sample) => [sample.id, sample])))
}

/** Splits passports into batches within the limits, but of at least one passport. */
function splitIntoBatches(passports: readonly SizedPassport[]): string[][] {
  const batches: string[][] = []
  let [batch, bytes]: [string[], number] = [[], 0]
  for (const passport of passports) {
    bytes += passport.bytes
    if (batch.length === 0 || batch.length === batchLimits.passports || bytes > batchLimits.bytes) {
      batches.push((batch = []))
      bytes = passport.bytes
    }
    batch.push(passport.id)
  }
  return batches
}

type Sample = RuleSummary['sample'][number]

/** How often a rule is broken at a path, and what to do there. */
type PathCount = Pick<Finding, 'fix' | 'example'> & { count: number }

interface RuleCount {
  severity: Finding['severity']
  passports: number
  sample: string[]
  paths: Map<string, PathCount>
}

/** Counts passports by the rules that they break. */
class SummaryBuilder {
  readonly #choice: FindingChoice
  readonly #counts = new Map<string, RuleCount>()
  #passports = 0
  #ready = 0

  constructor(choice: FindingChoice) {
    this.#choice = choice
  }

  addPassport(passport: string, { ready, findings }: Readiness): void {
    this.#passports++
    if (ready) this.#ready++
    const counted = new Set<string>()
    for (const finding of findings) {
      if (!this.#isChosen(finding)) continue
      const count = this.#countPath(finding)
      if (counted.has(finding.code)) continue
      counted.add(finding.code)
      count.passports++
      if (count.sample.length < this.#getMaxSample(finding)) count.sample.push(passport)
    }
  }

  #isChosen({ code, severity }: Finding): boolean {
    const { rule } = this.#choice
    return rule === null ? severityOrder[severity] <= severityOrder[this.#choice.severity] : code === rule
  }

  #getMaxSample({ severity }: Finding): number {
    if (this.#choice.rule !== null) return maxSamplePassports.ofChosenRule
    return severity === 'error' ? maxSamplePassports.ofError : maxSamplePassports.ofOther
  }

  #countPath({ code, severity, fix, example, path }: Finding): RuleCount {
    const count = this.#counts.get(code) ?? { severity, passports: 0, sample: [], paths: new Map() }
    this.#counts.set(code, count)
    const { paths } = count
    // The places in a list are of no interest: the same rule is broken wherever it is.
    const general = path.replaceAll(/\[\d+\]/g, '[]')
    const known = paths.get(general)
    if (known) known.count++
    else if (paths.size < maxPaths.counted) paths.set(general, { count: 1, fix, example })
    return count
  }

  /** Lists the passports that the summary names, each once. */
  listSampled(): string[] {
    return [...new Set([...this.#counts.values()].flatMap(({ sample }) => sample))]
  }

  /** @param named the passports that the summary names, by id; one that was deleted meanwhile is left out */
  build(named: ReadonlyMap<string, Sample>): ReadinessSummary {
    const byRule = [...this.#counts].map(([rule, { severity, passports, sample, paths }]): RuleSummary => {
      const isDetailed = severity === 'error' || this.#choice.rule !== null
      const frequent = [...paths].sort(([, one], [, other]) => other.count - one.count).slice(0, maxPaths.shown)
      const [, first] = frequent[0] ?? []
      // What to do differs from path to path; the summary says it of the most frequent one.
      const details = {
        paths: frequent.map(([path]) => path),
        ...(first && { fix: first.fix, example: first.example }),
      }
      return {
        rule,
        severity,
        passports,
        sample: sample.flatMap((id) => named.get(id) ?? []),
        ...(isDetailed && details),
      }
    })
    byRule.sort(
      (one, other) =>
        severityOrder[one.severity] - severityOrder[other.severity]
        || other.passports - one.passports
        || (one.rule < other.rule ? -1 : 1),
    )
    return { passports: this.#passports, ready: this.#ready, byRule }
  }
}
